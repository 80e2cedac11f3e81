/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block of scratch memory, kept for the next operation: fresh pages from the system would cost
 * a large reduction a good part of its time. Operations that run at the same time, in other
 * threads, or that need very much, get memory of their own.
 */
#include "coll_run.h"

#include <stdlib.h>

enum { KEEP_MOST = 8 << 20, ALIGNMENT = 64 };

static struct {
	void *block;
	size_t bytes;
} kept;

void *coll_scratch_take(size_t *bytes)
{
	void *p = kept.block;

	if (p && kept.bytes >= *bytes) {
		*bytes = kept.bytes;
		kept.block = NULL;
		return p;
	}
	if (*bytes > SIZE_MAX / 2)
		return NULL;
	*bytes = (*bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return aligned_alloc(ALIGNMENT, *bytes);
}

void coll_scratch_give(void *p, size_t bytes)
{
	if (bytes > KEEP_MOST || (kept.block && kept.bytes >= bytes)) {
		free(p);
		return;
	}
	free(kept.block);
	kept.block = p;
	kept.bytes = bytes;
}
