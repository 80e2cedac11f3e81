/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which algorithm a collective operation uses. A pure function of what the standard makes equal on
 * all ranks of the communicator, so that all choose the same.
 */
#ifndef FTMPI_MPI_COLL_CHOOSE_H
#define FTMPI_MPI_COLL_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

/* What the `bytes` of an operation are is written beside it. */
enum coll_kind {
	COLL_BARRIER,	     /* 0 */
	COLL_BCAST,	     /* all */
	COLL_GATHER,	     /* one rank's block */
	COLL_SCATTER,	     /* one rank's block */
	COLL_ALLGATHER,	     /* all blocks together */
	COLL_ALLGATHERV,     /* all blocks together */
	COLL_ALLTOALL,	     /* one block */
	COLL_REDUCE,	     /* the vector */
	COLL_ALLREDUCE,	     /* the vector */
	COLL_REDUCE_SCATTER, /* the vector, all blocks of it */
	COLL_SCAN,	     /* the vector */
	COLL_KINDS,
};

enum coll_algo {
	ALGO_TREE,    /* binomial; where all get something: up to rank 0 and down again */
	ALGO_LEADERS, /* two leaders, each with half of the ranks */
	ALGO_STAR,    /* one leader, or the root, with all other ranks */
	ALGO_DISSEMINATION,
	ALGO_CHAIN,    /* from rank to rank; a broadcast in segments */
	ALGO_SCATTER,  /* binomial scatter and ring */
	ALGO_LINEAR,   /* the root talks to each rank */
	ALGO_DOUBLING, /* recursive doubling */
	ALGO_BRUCK,
	ALGO_RING,
	ALGO_WINDOW,   /* every pair for itself, several at a time */
	ALGO_PAIRWISE, /* the same, one at a time */
	ALGO_RABENSEIFNER,
};

struct coll_case {
	enum coll_kind kind;
	int size;
	size_t bytes;
	bool crowded;	  /* ranks outnumber cores: the number of messages counts */
	bool near;	  /* all ranks on one node, and not -transport tcp */
	bool commutative; /* reductions only */
};

enum coll_algo coll_choose(const struct coll_case *k);

/* A broadcast of so many bytes along a chain is cut into segments of this many. */
size_t coll_choose_segment(size_t bytes);

/* Messages under way at a time, each way, in ALGO_WINDOW and ALGO_LINEAR. */
enum { COLL_WINDOW = 32 };

#endif
