/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages between two ranks of a window: their context is the window's, with bit 63
 * set. A message is this head, little-endian; then, for what touches the target's memory, the
 * layout of the data there (rma_layout.h, layout_len bytes), zeros up to a multiple of 16, and the
 * data, packed in type-map order. Messages are handled, and answered, in the order in which they
 * were sent.
 */
#ifndef FTMPI_MPI_RMA_WIRE_H
#define FTMPI_MPI_RMA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum rma_kind {
	/* to a target; each is answered: done, data or failed */
	RMA_PUT = 1,
	RMA_GET,
	RMA_ACCUMULATE,
	RMA_GET_ACCUMULATE,
	RMA_COMPARE_AND_SWAP, /* data: the new value, then the expected one */
	RMA_UNLOCK,
	/* to a target, not answered in this way */
	RMA_LOCK_SHARED, /* granted, when it is its turn */
	RMA_LOCK_EXCLUSIVE,
	RMA_POST,
	RMA_COMPLETE,
	/* to an origin */
	RMA_DONE,   /* the next `bytes` operations are done */
	RMA_DATA,   /* the answer to the next operation: `bytes` of data */
	RMA_FAILED, /* the next operation was refused; value: the error class */
	RMA_GRANTED,
	RMA_KIND_END
};

struct rma_head {
	uint32_t kind;
	uint32_t value;	     /* of RMA_FAILED */
	uint64_t at;	     /* bytes from the window's beginning; an address where it is dynamic */
	uint64_t bytes;	     /* of data at the target */
	uint64_t count;	     /* copies of the layout, */
	int64_t extent;	     /* bytes from one to the next */
	uint32_t layout_len; /* 0: the data lies in one piece, and count and extent have no meaning
			      */
	uint32_t op, basic;  /* handles: what to do, with elements of which predefined type */
	uint32_t zero[3];
};

_Static_assert(sizeof(struct rma_head) == 64, "the data behind it is aligned to 16");

#define RMA_CONTEXT ((uint64_t)1 << 63)

/* In the context of a window's own communicator, which has no partitioned messages (bit 62). The
 * coordination of checkpoints knows windows by these bits (coord_is_uncut). */
#define WIN_COMM_CONTEXT ((uint64_t)1 << 61)

#endif
