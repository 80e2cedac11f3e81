/* SPDX-License-Identifier: BSD-3-Clause */
/* What mixed_intercoll.c and its calls share. */
#ifndef FTMPI_PROGRAMS_MIXED_SIDES_H
#define FTMPI_PROGRAMS_MIXED_SIDES_H

#include "mixed_ops.h"

enum {
	SIDES_BARRIER,
	SIDES_BCAST,
	SIDES_GATHER,
	SIDES_GATHERV,
	SIDES_SCATTER,
	SIDES_SCATTERV,
	SIDES_ALLGATHER,
	SIDES_ALLGATHERV,
	SIDES_ALLTOALL,
	SIDES_ALLTOALLV,
	SIDES_ALLTOALLW, /* every second word */
	SIDES_REDUCE,
	SIDES_ALLREDUCE,
	SIDES_REDUCE_SCATTER,
	SIDES_REDUCE_SCATTER_BLOCK,
	SIDES_KINDS
};

enum { SIDES_UNEVEN = 3 };

struct side {
	int side, rank; /* of this process */
	int us, them;	/* processes of the sides */
};

struct side mixed_side_of(const struct mixed *m);

/* Words of an uneven block that rank of the other side gives or gets, and from one to the next in
 * memory. */
long mixed_side_count(const struct mixed_deal *d, int rank);

static inline long mixed_side_block(const struct mixed_deal *d)
{
	return (d->kind == SIDES_ALLTOALLW ? 2 : 1) *
	       (d->n + (d->kind == SIDES_ALLTOALL || d->kind == SIDES_SCATTER ? 0 : SIDES_UNEVEN));
}

/* Words of the result that a rank of this side gets when it is scattered. */
long mixed_side_share(const struct side *s, const struct mixed_deal *d, int rank);

void mixed_sides_call(struct mixed_op *o);

#endif
