/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences about files: what was wrong, where, what to do. */
#ifndef FTMPI_CKPT_SENTENCE_H
#define FTMPI_CKPT_SENTENCE_H

#include <stddef.h>

struct ckpt_err {
	char *text;
	size_t size;
};

/* "cannot VERB PATH: why; what to do"; rc is a negative errno. Returns FT_ESYS, or FT_ENOMEM for
 * ENOMEM. */
int ckpt_failed(struct ckpt_err e, const char *verb, const char *path, int rc);

/* The same for reading: FT_ENONE when it is not there, FT_EDAMAGED when it is no file at all,
 * FT_ENOMEM also when descriptors are short; else FT_ESYS: another time it may be read. */
int ckpt_unreadable(struct ckpt_err e, const char *path, int rc);

/* "PATH: ..."; returns code. */
int ckpt_says(struct ckpt_err e, int code, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
