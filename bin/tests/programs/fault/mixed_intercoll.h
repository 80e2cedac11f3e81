/* SPDX-License-Identifier: BSD-3-Clause */
/* What mixed_intercoll.c and its calls share. */
#ifndef FTMPI_PROGRAMS_MIXED_INTERCOLL_H
#define FTMPI_PROGRAMS_MIXED_INTERCOLL_H

#include "mixed_ops.h"

enum {
	INTERCOLL_BARRIER,
	INTERCOLL_BCAST,
	INTERCOLL_GATHER,
	INTERCOLL_GATHERV,
	INTERCOLL_SCATTER,
	INTERCOLL_SCATTERV,
	INTERCOLL_ALLGATHER,
	INTERCOLL_ALLGATHERV,
	INTERCOLL_ALLTOALL,
	INTERCOLL_ALLTOALLV,
	INTERCOLL_ALLTOALLW, /* every second word */
	INTERCOLL_REDUCE,
	INTERCOLL_ALLREDUCE,
	INTERCOLL_REDUCE_SCATTER,
	INTERCOLL_REDUCE_SCATTER_BLOCK,
	INTERCOLL_KINDS
};

enum { INTERCOLL_UNEVEN = 3 };

struct side {
	int side, rank; /* of this process */
	int us, them;	/* processes of the sides */
};

struct side mixed_intercoll_of(const struct mixed *m);

/* Words of an uneven block that rank of the other side gives or gets, and from one to the next in
 * memory. */
long mixed_intercoll_count(const struct mixed_deal *d, int rank);

static inline long mixed_intercoll_block(const struct mixed_deal *d)
{
	return (d->kind == INTERCOLL_ALLTOALLW ? 2 : 1) *
	       (d->n + (d->kind == INTERCOLL_ALLTOALL || d->kind == INTERCOLL_SCATTER
				       ? 0
				       : INTERCOLL_UNEVEN));
}

/* Words of the result that a rank of this side gets when it is scattered. */
long mixed_intercoll_share(const struct side *s, const struct mixed_deal *d, int rank);

void mixed_intercoll_call(struct mixed_op *o);

#endif
