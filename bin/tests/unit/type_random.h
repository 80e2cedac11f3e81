/* SPDX-License-Identifier: BSD-3-Clause */
/* Random nested datatypes with their type maps. */
#ifndef FTMPI_TESTS_TYPE_RANDOM_H
#define FTMPI_TESTS_TYPE_RANDOM_H

#include <stdint.h>

#include "mpi.h"
#include "type_map.h"

struct made {
	MPI_Datatype handle;
	struct map map;
	char text[512]; /* how it was made */
};

/* What follows is the same for the same seed. */
void seed_is(uint32_t seed);

/* From 0 to n - 1; from lo to hi. */
int pick(int n);
int between(int lo, int hi);

/* Fail the test if rc is not MPI_SUCCESS. */
void must(int rc, const char *what);

/* A datatype of at most so many levels; those it was made of are freed. */
struct made make(int depth);
void drop(struct made *m);

#endif
