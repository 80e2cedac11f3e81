/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a manifest: lines of words, the last one with a checksum of all before it. */
#ifndef FTMPI_CKPT_MANIFEST_H
#define FTMPI_CKPT_MANIFEST_H

#include "ckpt/ckpt.h"
#include "ckpt/sentence.h"

enum { CKPT_MANIFEST_VERSION = 1, CKPT_MANIFEST_MAX = 64 << 20 };

/* Its text, to be freed; NULL: out of memory. */
char *ckpt_manifest_encode(const struct ckpt_manifest *m, size_t *len);

/* Of `len` bytes with a NUL behind them; only what encode writes is accepted. 0, FT_EDAMAGED,
 * FT_EMISMATCH (version), FT_ENOMEM. path is for the sentence. */
int ckpt_manifest_decode(struct ckpt_manifest *m, const char *text, size_t len, const char *path,
	struct ckpt_err err);

#endif
