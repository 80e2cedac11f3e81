/* SPDX-License-Identifier: BSD-3-Clause */
/* What mixed_neighbors.c and its calls share: who is beside whom. */
#ifndef FTMPI_PROGRAMS_MIXED_AROUND_H
#define FTMPI_PROGRAMS_MIXED_AROUND_H

#include "mixed_ops.h"

enum {
	AROUND_ALLGATHER,
	AROUND_ALLGATHERV,
	AROUND_ALLTOALL,
	AROUND_ALLTOALLV,
	AROUND_ALLTOALLW, /* every second word */
	AROUND_KINDS
};

enum { AROUND_UNEVEN = 3, AROUND_MOST = 32 };

/* Ranks, -1: nobody, in the order in which the communicator has them. */
struct around {
	int n, rank[AROUND_MOST];
};

struct around mixed_around_to(const struct mixed_deal *d, int rank);
struct around mixed_around_from(const struct mixed_deal *d, int rank);

/* The index, among those that what comes to `rank` from its i-th source is sent along. */
int mixed_around_edge(const struct mixed_deal *d, int rank, int i);

/* Words that `from` sends along its edge, and from one block to the next in memory. */
long mixed_around_count(const struct mixed_deal *d, int from, int edge);

static inline long mixed_around_block(const struct mixed_deal *d)
{
	bool even = d->kind == AROUND_ALLGATHER || d->kind == AROUND_ALLTOALL;

	return (d->kind == AROUND_ALLTOALLW ? 2 : 1) * (d->n + (even ? 0 : AROUND_UNEVEN));
}

/* The communicator, made as the plan says. */
MPI_Comm mixed_around_make(const struct mixed *m, int which);

void mixed_around_call(struct mixed_op *o);

#endif
