/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Durable state. The state of one rank at one recovery line is a file; a line counts when its
 * manifest is there, which names the contents of all its files (doc/ckpt-format.md). What is read
 * is believed only after it was checked.
 *
 * Functions return 0 or a code of base/error.h; then err holds one sentence without its end mark:
 * what was wrong, where, what to do. They need no lock and may be called by several threads, each
 * with objects of its own.
 */
#ifndef FTMPI_CKPT_CKPT_H
#define FTMPI_CKPT_CKPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/session.h"
#include "ckpt/buffer.h"
#include "ckpt/fs.h"
#include "ckpt/protect.h"

enum { CKPT_SESSION_BYTES = SESSION_BYTES, CKPT_PROGRAM_BYTES = 16, CKPT_NAME_BYTES = 64 };

/* The process that made a checkpoint. */
struct ckpt_identity {
	uint8_t session[CKPT_SESSION_BYTES];
	uint32_t epoch, rank, size;
	uint8_t program[CKPT_PROGRAM_BYTES];
	char program_name[CKPT_NAME_BYTES];
};

/* XXH3-128 of the running executable and its base name, found out once a process. 0, FT_ESYS,
 * FT_ENOMEM. */
int ckpt_program(
	uint8_t out[CKPT_PROGRAM_BYTES], char *name, size_t size, char *err, size_t errsize);

/* Where that executable is, or was when it was executed; after ckpt_program. */
const char *ckpt_program_path(void);

/* In a process that woke up from an image: the executable is found out anew, as it may lie
 * elsewhere, and whoever held the lock is not there any more. While no other thread asks for it. */
void ckpt_program_forget(void);

/* ---- saving ---- */

enum ckpt_kind {
	CKPT_BUFFER = 1, /* the data buffer */
	CKPT_VARIABLE,	 /* a protected variable; id and type are the user's */
	CKPT_MESSAGES,	 /* in transit */
	CKPT_ORPHANS,	 /* envelopes */
	CKPT_COUNTERS,	 /* of the protocol */
	CKPT_OPERATIONS, /* collective ones that are open */
	CKPT_COMMUNICATORS,
	CKPT_SCHEDULES, /* version of those that collective operations are done by */
	/* of a process image alone (image/image.h), beside messages and orphans */
	CKPT_IMAGE_PROCESS, /* what the kernel knows of it */
	CKPT_IMAGE_MAPS,    /* what its memory consists of */
	CKPT_IMAGE_FILES,   /* descriptors */
	CKPT_IMAGE_THREADS,
	CKPT_IMAGE_RUNS, /* where its pages belong */
	CKPT_IMAGE_PAGES,
	CKPT_IMAGE_ORIGIN, /* what process it is of, on what machine */
	/* of data under message logging, in place of messages and orphans */
	CKPT_MSGLOG, /* coord/msglog.h: counters, the log, how far the prefix went */
	CKPT_LOGGED  /* what was not received yet */
};

/* What a rank's file is. */
enum ckpt_file_kind {
	CKPT_FILE_DATA, /* what the program has named */
	CKPT_FILE_IMAGE /* its whole process */
};

struct ckpt_section {
	uint32_t kind, id;
	uint32_t type; /* the user's own word for the type of a variable's elements, else 0 */
	uint32_t pad;  /* not saved */
	const void *data;
	uint64_t len;
};

/*
 * Writes this rank's file of line `line` durably:
 * SESSION_DIR/line-NNNNNNNN.eEEEE/rank-RRRRR.ckpt. Folders are made as needed (the one above
 * session_dir must be there). *seal names the whole contents; it and *bytes go into the manifest. A
 * file of that name is replaced: an attempt of the same epoch that failed may be made again, unless
 * its manifest may be there. 0, FT_EINVAL (too many sections), FT_ENOMEM, FT_ESYS; then nothing is
 * left of the file.
 */
int ckpt_write(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_identity *id,
	uint32_t line, const struct ckpt_section *s, size_t n, uint64_t *seal, uint64_t *bytes,
	char *err, size_t errsize);

/* ---- epochs ---- */

/*
 * Says durably that this epoch of the job has begun: before it looks which lines there are. From
 * then on nobody of an epoch before commits a line or removes one. The session's folder is made if
 * needed. 0, FT_ESYS.
 */
int ckpt_epoch_begin(const struct ckpt_fs *fs, const char *session_dir, uint32_t epoch, char *err,
	size_t errsize);

/* ---- lines ---- */

struct ckpt_rank_file {
	uint64_t seal, bytes;
};

struct ckpt_manifest {
	uint8_t session[CKPT_SESSION_BYTES];
	uint32_t epoch, line, size;
	int64_t time_s; /* of the commit, Unix; see ckpt_newest_time */
	uint8_t program[CKPT_PROGRAM_BYTES];
	char program_name[CKPT_NAME_BYTES];
	struct ckpt_rank_file *ranks; /* size of them; owned when read */
};

/*
 * Commits the line: every rank's file must be durable (ckpt_write has returned 0). Of two that
 * commit the same number one fails. 0; FT_EEXIST: there is a manifest of that number; FT_ESTALE: a
 * later epoch has begun; FT_EINVAL: no ranks; FT_ENOMEM; FT_ESYS: it was not committed, or, if only
 * the last step failed, it may have been. A number for which FT_ESYS was returned must not be used
 * again.
 */
int ckpt_commit(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_manifest *m,
	char *err, size_t errsize);

/* Numbers of committed lines (there is a manifest of that name), newest first; *out is malloc'ed,
 * perhaps NULL for none. 0 (no folder: no lines), FT_ESYS, FT_ENOMEM. */
int ckpt_line_numbers(const struct ckpt_fs *fs, const char *session_dir, uint32_t **out, size_t *n,
	char *err, size_t errsize);

/* The time of the newest line of all sessions in the work directory; 0: there is none. A line that
 * is committed from then on gets a later one. */
int64_t ckpt_newest_time(const struct ckpt_fs *fs, const char *work_dir);

/* 0, FT_EDAMAGED, FT_ENONE (not there), FT_EMISMATCH (of a newer version), FT_ESYS (it cannot be
 * read now), FT_ENOMEM. */
int ckpt_manifest_read(const struct ckpt_fs *fs, const char *session_dir, uint32_t line,
	struct ckpt_manifest *m, char *err, size_t errsize);
void ckpt_manifest_free(struct ckpt_manifest *m);

/*
 * Removes all but the newest `keep` whole lines (0: all stay), and what lines that were never
 * committed left behind. A line counts as whole when its manifest reads well and all its files have
 * their lengths; others that are newer stay, but do not count. Lines of making_epoch, the caller's,
 * whose number is `making` (0: none) or larger are being made. What an epoch before left goes once
 * the caller's has a line of its own; when something of a later epoch is there, the caller is late
 * and nothing is removed. First manifests, durably, then files, then folders; only names of ours.
 * 0, FT_ENOMEM, FT_ESYS with the first error: the rest is done as far as it is safe.
 */
int ckpt_prune(const struct ckpt_fs *fs, const char *session_dir, unsigned keep, uint32_t making,
	uint32_t making_epoch, char *err, size_t errsize);

/*
 * The same at the end of the job, when every rank of the last epoch is through with MPI: all that
 * was not committed goes, of epochs before too. (A rank of one of these that is still there, on a
 * host that is cut off, may commit what is not there any more; a restore passes over it.)
 */
int ckpt_clear_up(const struct ckpt_fs *fs, const char *session_dir, unsigned keep, uint32_t epoch,
	char *err, size_t errsize);

/* ---- giving back ---- */

struct ckpt_loaded {
	struct ckpt_identity made_by;
	struct ckpt_section *sections; /* in the order in which they were given */
	size_t n;
	void *memory; /* owned: what sections point into */
};

/*
 * Reads and verifies the file of self->rank in the line of m. 0; FT_EDAMAGED: cut or changed, or
 * not the file that was committed (the sentence names file and section); FT_ENONE: it is not there;
 * FT_EMISMATCH: made by another number of ranks, another program (unless accept_binary), in another
 * byte order or by a newer version, or a process image (ckpt_image_open in reader.h); FT_ESYS: it
 * cannot be read now; FT_ENOMEM. *out is set only when it returns 0.
 */
int ckpt_load(const struct ckpt_fs *fs, const char *session_dir, const struct ckpt_manifest *m,
	const struct ckpt_identity *self, bool accept_binary, struct ckpt_loaded *out, char *err,
	size_t errsize);
void ckpt_loaded_free(struct ckpt_loaded *l);

#endif
