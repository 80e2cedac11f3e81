/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a datatype was made: the arguments of its constructor, as MPI_Type_get_contents gives them
 * back (MPI 5.0 section 5.1.13). They are noted one by one, in the order of that section's tables.
 * The engine lock guards the references.
 */
#ifndef FTMPI_MPI_TYPE_CONTENTS_H
#define FTMPI_MPI_TYPE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

struct type;

struct contents {
	int refs;
	int combiner;
	bool large; /* by a function whose name ends in _c: counts are MPI_Count */
	bool bad;   /* out of memory while they were noted */
	size_t nints, naddresses, nlarge, ntypes;
	int *ints;
	MPI_Aint *addresses;
	MPI_Count *larges;
	struct type **types; /* held */
};

/* NULL when out of memory; the functions below then do nothing. */
struct contents *type_contents_new(int combiner, bool large);
struct contents *type_contents_hold(struct contents *c);
void type_release_contents(struct contents *c);

/* An int whatever the function, a count, and a number of bytes. */
void type_contents_int(struct contents *c, int value);
void type_contents_count(struct contents *c, MPI_Count value);
void type_contents_address(struct contents *c, MPI_Count value);
void type_contents_type(struct contents *c, struct type *t);

/* Whether all was noted. */
bool type_contents_good(const struct contents *c);

#endif
