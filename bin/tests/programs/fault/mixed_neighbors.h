/* SPDX-License-Identifier: BSD-3-Clause */
/* What mixed_neighbors.c and its calls share: who is beside whom. */
#ifndef FTMPI_PROGRAMS_MIXED_NEIGHBORS_H
#define FTMPI_PROGRAMS_MIXED_NEIGHBORS_H

#include "mixed_ops.h"

enum {
	NEIGHBORS_ALLGATHER,
	NEIGHBORS_ALLGATHERV,
	NEIGHBORS_ALLTOALL,
	NEIGHBORS_ALLTOALLV,
	NEIGHBORS_ALLTOALLW, /* every second word */
	NEIGHBORS_KINDS
};

enum { NEIGHBORS_UNEVEN = 3, NEIGHBORS_MOST = 32 };

/* Ranks, -1: nobody, in the order in which the communicator has them. */
struct around {
	int n, rank[NEIGHBORS_MOST];
};

struct around mixed_neighbors_to(const struct mixed_deal *d, int rank);
struct around mixed_neighbors_from(const struct mixed_deal *d, int rank);

/* The index, among those that what comes to `rank` from its i-th source is sent along. */
int mixed_neighbors_edge(const struct mixed_deal *d, int rank, int i);

/* Words that `from` sends along its edge, and from one block to the next in memory. */
long mixed_neighbors_count(const struct mixed_deal *d, int from, int edge);

static inline long mixed_neighbors_block(const struct mixed_deal *d)
{
	bool even = d->kind == NEIGHBORS_ALLGATHER || d->kind == NEIGHBORS_ALLTOALL;

	return (d->kind == NEIGHBORS_ALLTOALLW ? 2 : 1) * (d->n + (even ? 0 : NEIGHBORS_UNEVEN));
}

/* The communicator, made as the plan says. */
MPI_Comm mixed_neighbors_make(const struct mixed *m, int which);

void mixed_neighbors_call(struct mixed_op *o);

#endif
