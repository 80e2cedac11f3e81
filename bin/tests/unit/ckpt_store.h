/* SPDX-License-Identifier: BSD-3-Clause */
/* A session's folder of its own and lines in it, for tests of the store on the real file system. */
#ifndef FTMPI_TESTS_CKPT_STORE_H
#define FTMPI_TESTS_CKPT_STORE_H

#include <stdlib.h>

#include "ckpt/ckpt.h"

enum { STORE_RANKS = 3, STORE_ERR = 512 };

/* The folder WORK/session of a new folder WORK under /tmp; it is not made yet. store_end removes
 * WORK. */
extern char store_work[64], store_dir[80];
extern char store_err[STORE_ERR];

void store_begin(void);
void store_end(void);

struct ckpt_identity store_identity(uint32_t rank, uint32_t epoch);

/* What rank `rank` saves in a line: a buffer, variables (an empty one, a large one), messages.
 * Valid until the next call. */
size_t store_sections(uint32_t rank, uint32_t line, const struct ckpt_section **out);

/* Writes the files of all ranks; m gets what a commit needs, to be freed. */
void store_write(uint32_t line, uint32_t epoch, struct ckpt_manifest *m);

/* store_write and commit. */
void store_line(uint32_t line, uint32_t epoch);

/* Reads line and rank, and compares with store_sections: 0, or what failed. */
int store_check(uint32_t line, uint32_t rank);

/* WORK/session/NAME, valid until the next call. */
const char *store_path(const char *name);
bool store_has(const char *name);
/* Changes bits of one byte of a file; adds or takes away bytes at its end; makes one. */
void store_flip(const char *name, long at, int bits);
void store_resize(const char *name, long by);
void store_make(const char *name, const char *contents);

#endif
