/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective operation to try, and memory for it. Each case is drawn from a seed that all ranks
 * share: the kind, the lengths, who describes its data by which datatype, what is in place.
 */
#ifndef FTMPI_TESTS_COLL_CASE_H
#define FTMPI_TESTS_COLL_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_team.h"
#include "mpi/type/op.h"
#include "mpi/type/type.h"

enum kind {
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	REDUCE,
	ALLREDUCE,
	REDUCE_SCATTER,
	REDUCE_SCATTER_BLOCK,
	SCAN,
	EXSCAN,
	KINDS,
};

/* Datatypes that hold 1, 2, 3 or 2 ints: plain, side by side, with holes, backwards. */
enum { SHAPES = 5, FIRST_PAIR = 2 };

struct shape {
	struct type *type;
	int ints;
};

extern struct shape shapes[SHAPES];

struct coll_case {
	uint64_t seed;
	enum kind kind;
	int size, root;
	bool in_place;
	int n; /* ints in a regular block, a multiple of 6 */
};

uint64_t case_mix(uint64_t x);
uint64_t case_draw(const struct coll_case *t, uint64_t what, uint64_t a, uint64_t b);

/* Ints in the block from one rank to another */
int case_length(const struct coll_case *t, int from, int to);

/* Each rank for itself: ranks that use large counts meet others that do not. */
bool case_wide(const struct coll_case *t, const struct comm *c);

/* ---- memory: elements of a type, with what must not be touched around and between them ---- */

struct area {
	char *mem, *base;
	size_t bytes;
	int shape;
};

void area_make(struct area *a, int shape, ptrdiff_t first, ptrdiff_t n);
void area_put(struct area *a, ptrdiff_t first, int count, const int *ints);
void area_free(struct area *a);

/* What was got is what was wanted, to the last byte. */
void area_compare(const struct coll_case *t, int rank, const struct area *got,
	const struct area *want, const char *what);

/* One side of a movement: blocks in an area */
struct side {
	struct area area;
	int counts[TEAM_MOST], displs[TEAM_MOST], n;
	int shape;
};

MPI_Datatype side_handle(const struct side *s);

/* blocks == 0: this rank's own one; else one per rank, out of order and with gaps if irregular. */
void side_make(struct side *s, const struct coll_case *t, int rank, bool sending, int blocks);

/* Puts what is in the block from one rank to another where block i is. */
void side_put(struct side *s, const struct coll_case *t, int i, int from, int to);

/* The same area, to hold what the other shall become. */
void side_copy(struct side *to, const struct side *from);

/* ---- the operations: each compared with what was worked out ---- */

/* In coll_movement.c and coll_reduction.c */
void case_movement(const struct coll_case *t, struct comm *c);
void case_bcast(const struct coll_case *t, struct comm *c);
void case_reduction(const struct coll_case *t, struct comm *c);

/* Makes the datatypes; and, in coll_reduction.c, the operators. */
void case_setup(void);
int reduction_setup(void);

#endif
