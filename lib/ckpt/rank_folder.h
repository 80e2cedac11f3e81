/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints that each rank makes alone (doc/msglog.md): which of its files counts, and that no
 * older process of the rank can change that.
 *
 * A rank has a folder in the session's, rank-RRRRR, and in it files ckpt-NNNNNNNN.iIIII: the
 * checkpoint's number, and the incarnation of the rank (the process) that has it. Of two files that
 * of the higher incarnation counts, then that with the higher number. A process that comes back
 * takes the one that counts by giving it its own incarnation (a rename), and one that finds none
 * leaves an empty file with number 0. So what an older process, which may live on unseen on a host
 * that was cut off, makes durable later does not count; it finds out when it has done so, and tells
 * nobody of that checkpoint.
 *
 * Functions return 0 or a code of base/error.h; then err holds a sentence.
 */
#ifndef FTMPI_CKPT_RANK_FOLDER_H
#define FTMPI_CKPT_RANK_FOLDER_H

#include "ckpt/reader.h"

struct ckpt_rank_folder {
	const struct ckpt_fs *fs;
	const char *session_dir;
	uint32_t rank, incarnation; /* of this process */
};

/* The name of the file of this rank that counts: number and incarnation are line and epoch; number
 * 0 is that of a rank that begins at its beginning. kind CKPT_NAME_FOREIGN: there is none, as where
 * its folder is gone. */
int ckpt_rank_folder_newest(const struct ckpt_fs *fs, const char *session_dir, uint32_t rank,
	struct ckpt_name *out, struct ckpt_err err);

/* What this process goes on from, its own from now on, durably: *number; 0: from its beginning.
 * FT_ESYS, FT_ENOMEM; FT_ESTALE: a newer process of the rank is there. */
int ckpt_rank_folder_take(
	const struct ckpt_rank_folder *a, uint32_t *number, char *err, size_t errsize);

/* ckpt_out_finish has made this checkpoint durable. 0: it counts, and older files are gone.
 * FT_ESTALE: a newer process of the rank is there, and it does not count; FT_ESYS: that is not
 * known. */
int ckpt_rank_folder_made(
	const struct ckpt_rank_folder *a, uint32_t number, char *err, size_t errsize);

/* The file of one of data, of these sections, durable, but for ckpt_rank_folder_made. id->epoch:
 * the incarnation. FT_ESYS, FT_ENOMEM: nothing is left of it. */
int ckpt_rank_folder_write(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_identity *id, uint32_t number, const struct ckpt_section *s, size_t n,
	struct ckpt_err err);

/* That of data that ckpt_rank_folder_take has named, as ckpt_load has it. */
int ckpt_rank_folder_load(const struct ckpt_fs *fs, const char *session_dir, uint32_t number,
	const struct ckpt_identity *self, bool accept_binary, struct ckpt_loaded *out,
	struct ckpt_err err);

/* The image that ckpt_rank_folder_take has named, as ckpt_image_open has it. self->epoch: the
 * incarnation. */
int ckpt_rank_folder_open(const struct ckpt_fs *fs, const char *session_dir, uint32_t number,
	const struct ckpt_identity *self, struct ckpt_reader *out, struct ckpt_err err);

#endif
