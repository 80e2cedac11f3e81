/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place in the data of some elements of a type, in type-map order: from it on bytes are gathered
 * or scattered, any number at a time, and it is after them then. Pure.
 */
#ifndef FTMPI_MPI_TYPE_CURSOR_H
#define FTMPI_MPI_TYPE_CURSOR_H

#include <stddef.h>
#include <sys/uio.h>

#include "type.h"
#include "layout.h"

/* On one level of the layout's tree: in copy `copy` of `part`, one of those up to `end`. */
struct cursor_frame {
	const struct part *part, *end;
	size_t copy;
	char *user; /* where offset 0 of the parts is */
};

/* It points into itself: not to be copied. */
struct type_cursor {
	struct part all;
	struct cursor_frame *frames, *top;
	size_t within; /* bytes of the run at the top that were passed */
};

/* How many frames a cursor needs; they are the caller's. */
static inline size_t type_cursor_frames(const struct type *t)
{
	return t->layout ? 1 + (size_t)t->layout->depth : 1;
}

/* At the first byte of `count` elements at buf, which hold some data. The type outlives it. */
void type_cursor_begin(struct type_cursor *c, struct cursor_frame *frames, const struct type *t,
	const void *buf, size_t count);

/* The next bytes, no more than there are. */
void type_cursor_pack(struct type_cursor *c, void *packed, size_t bytes);
void type_cursor_unpack(struct type_cursor *c, const void *packed, size_t bytes);

/* Where the next bytes lie: at most max runs, which are passed. Returns how many; 0 at the end. */
int type_cursor_runs(struct type_cursor *c, struct iovec *iov, int max);

#endif
