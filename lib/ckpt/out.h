/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing a rank's file piece by piece (doc/ckpt-format.md). A process begins it, writes sections,
 * or lets a child write some of them, appends others, and finishes it:
 *
 *	ckpt_out_begin
 *		ckpt_out_section, ckpt_out_add ..., ckpt_out_section_end	as often as planned,
 *		ckpt_out_append							in any order
 *	ckpt_out_finish or ckpt_out_abandon
 *
 * The child is one of a bare clone(2), which has a copy of its parent's memory and descriptors, and
 * whose parent's other threads may have held any lock: section, add and section_end use system
 * calls alone (those of ckpt_fs.write and begin_flush), no lock, and no memory but that of the
 * object, which both see. The parent leaves the object alone until it has waited for the child.
 * Then it goes on where the child has stopped, in the middle of a section if need be: only the
 * child's status tells whether it has stopped there on purpose. By one thread at a time.
 *
 * A death at any step leaves a temporary file, or a whole one that no manifest names.
 */
#ifndef FTMPI_CKPT_OUT_H
#define FTMPI_CKPT_OUT_H

#include "ckpt/ckpt.h"

struct ckpt_out;

struct ckpt_out_plan {
	const struct ckpt_fs *fs;
	const char *session_dir;
	struct ckpt_identity id;
	uint32_t line;
	enum ckpt_file_kind kind;
	size_t sections; /* so many are written, neither fewer nor more */
	uint64_t bytes;	 /* of all sections together, for which room is reserved; 0: not known */
	bool child;	 /* some are written by a child */
	bool alone; /* of this rank alone (ckpt/rank_folder.h): `line` is its number, id.epoch the
		     * incarnation */
};

/* The temporary file is there when it returns 0; *out is freed by finish or abandon. FT_EINVAL (too
 * many sections), FT_ENOMEM, FT_ESYS; then nothing is left of the file. */
int ckpt_out_begin(
	struct ckpt_out **out, const struct ckpt_out_plan *plan, char *err, size_t errsize);

/*
 * A section, its bytes in any number of pieces, its end. The bytes are not looked at any more when
 * add returns. They may change at any time, as those of a process that writes its own memory do:
 * the checksum is that of what is written. Each returns 0 or -errno: of the file, or -EINVAL for
 * more sections than were planned or a call out of turn. After one has failed nothing is written
 * any more, all return the same, and ckpt_out_finish makes a sentence of it.
 */
int ckpt_out_section(struct ckpt_out *o, uint32_t kind, uint32_t id);
int ckpt_out_add(struct ckpt_out *o, const void *bytes, size_t len);
int ckpt_out_section_end(struct ckpt_out *o);

/* A whole section at once, of bytes that stay as they are until ckpt_out_finish: they are not
 * copied. Not by a child. Returns as the above. */
int ckpt_out_append(struct ckpt_out *o, const struct ckpt_section *s);

/* Makes the file durable and gives it its name; frees o. *seal and *bytes go into the manifest. 0;
 * FT_ESYS, FT_ENOMEM: nothing is left of the file. A child that has died in the middle is found by
 * what is missing. */
int ckpt_out_finish(struct ckpt_out *o, uint64_t *seal, uint64_t *bytes, char *err, size_t errsize);

/* Nothing is left of the file; frees o. NULL: nothing to do. */
void ckpt_out_abandon(struct ckpt_out *o);

/* The memory that parent and child share, which no image of the process holds: a process that woke
 * up from one does not have the object. (A parent that makes other children meanwhile keeps it from
 * them by MADV_DONTFORK.) */
const void *ckpt_out_memory(const struct ckpt_out *o, size_t *bytes);

/* How far the file is written. The parent may ask while there is a child. */
uint64_t ckpt_out_written(const struct ckpt_out *o);

/* The file's descriptor, which the child keeps. */
int ckpt_out_descriptor(const struct ckpt_out *o);

#endif
