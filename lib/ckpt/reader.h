/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the file of one rank, verified. */
#ifndef FTMPI_CKPT_READER_H
#define FTMPI_CKPT_READER_H

#include "ckpt/format.h"
#include "ckpt/name.h"

struct ckpt_reader {
	const struct ckpt_fs *fs;
	int fd;
	struct ckpt_path path;
	struct ckpt_header header;
	struct ckpt_entry *entries; /* header.sections of them */
};

/* Header and table are right when it returns 0. Else nothing is open: FT_EDAMAGED, FT_ENONE (not
 * there), FT_EMISMATCH (version), FT_ESYS (it cannot be read now), FT_ENOMEM. */
int ckpt_reader_open(
	struct ckpt_reader *r, const struct ckpt_fs *fs, const char *path, struct ckpt_err err);

/* Bytes of all sections together. */
uint64_t ckpt_reader_payload(const struct ckpt_reader *r);

/* Section i, verified, into `out` (its len bytes), or only verified when that is NULL. 0,
 * FT_EDAMAGED, FT_ENOMEM. */
int ckpt_reader_section(struct ckpt_reader *r, uint32_t i, void *out, struct ckpt_err err);

void ckpt_reader_close(struct ckpt_reader *r);

/* Is this the file that the manifest means? 0 or FT_EDAMAGED. */
int ckpt_reader_belongs(const struct ckpt_reader *r, const struct ckpt_manifest *m, uint32_t rank,
	struct ckpt_err err);

/*
 * A process image to load: the file of self->rank in the line of m, with every byte verified, in
 * memory that does not grow with it. 0: *out is open, and what its entries name may be read into
 * place, from its descriptor; to be closed. Results as of ckpt_load, which takes data; another
 * build of the program is never accepted.
 */
int ckpt_image_open(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_manifest *m, const struct ckpt_identity *self, struct ckpt_reader *out,
	struct ckpt_err err);

/* The same without its bytes, which were verified before: each section that is read is, again. */
int ckpt_image_reopen(const struct ckpt_fs *fs, const char *session_dir,
	const struct ckpt_manifest *m, const struct ckpt_identity *self, struct ckpt_reader *out,
	struct ckpt_err err);

/* The first section of this kind; NULL: there is none. Until the reader is closed. */
const struct ckpt_entry *ckpt_reader_find(const struct ckpt_reader *r, enum ckpt_kind kind);

#endif
