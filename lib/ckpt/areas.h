/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for copies that are made again and again: pieces are taken one after the other and given
 * back all at once. The same pieces in the same order find memory that was touched before, in pages
 * as large as the kernel has them, so that only the first round pays for page faults.
 */
#ifndef FTMPI_CKPT_AREAS_H
#define FTMPI_CKPT_AREAS_H

#include <stddef.h>
#include <stdint.h>

struct mapping;

/* {0} has no memory. */
struct areas {
	struct mapping *a;
	size_t n, room;
	size_t at;	/* the one that the next piece comes from */
	uint64_t total; /* bytes of all */
	uint64_t taken; /* bytes of pieces that were not given back */
};

/* A piece of len bytes (0 is one, too), aligned for anything; its contents are undefined. NULL: no
 * memory; then nothing has changed. */
void *areas_take(struct areas *as, uint64_t len);

/* All pieces are given back. What none of them lay in goes; all of it when they needed much less
 * than there is. */
void areas_renew(struct areas *as);

void areas_free(struct areas *as);

#endif
