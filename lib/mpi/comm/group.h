/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups: ordered sets of ranks of the world (MPI 5.0 section 7.3). A group never changes after it
 * is made. The functions that make one know no lock; the engine lock guards the counts.
 *
 * Errors are MPI error classes, said with fail_with. Outputs are set on success only.
 */
#ifndef FTMPI_MPI_GROUP_H
#define FTMPI_MPI_GROUP_H

#include <stdint.h>

#include "mpi.h"
#include "mpi/handle/object.h"

struct group {
	struct object head;
	int handles; /* how many of head.refs the program owns */
	int size;
	uint64_t session; /* the number of the one it comes from; 0: the world */
	int rank;	  /* of this process in it, or MPI_UNDEFINED */
	int world[];	  /* rank in the group -> rank in the world */
};

/* A group of `size` processes, world[] copied; me is this process's rank in the world. The caller
 * owns one reference. Size 0 gives the one empty group. NULL when out of memory. */
struct group *group_make(int size, const int *world, int me);

/* A group that was just made from another comes from the same session. */
void group_inherit(struct group *g, const struct group *from);

/* References; no-ops on the empty group. */
void group_hold(struct group *g);
void group_release(struct group *g);

/* MPI_SUCCESS and *out (borrowed), or MPI_ERR_GROUP. */
int group_lookup(MPI_Group handle, struct group **out);

/* Give the program a handle of g. It has its own reference. */
int group_export(struct group *g, MPI_Group *handle);

/* The program gives a handle back. */
void group_unexport(struct group *g);

/* MPI 5.0 section 7.3.2. New groups come with one reference, the caller's. */
int group_incl(const struct group *g, int n, const int *ranks, struct group **out);
int group_excl(const struct group *g, int n, const int *ranks, struct group **out);
int group_range_incl(const struct group *g, int n, int ranges[][3], struct group **out);
int group_range_excl(const struct group *g, int n, int ranges[][3], struct group **out);
int group_union(const struct group *a, const struct group *b, struct group **out);
int group_intersection(const struct group *a, const struct group *b, struct group **out);
int group_difference(const struct group *a, const struct group *b, struct group **out);

/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL in *result. */
int group_compare(const struct group *a, const struct group *b, int *result);

/* out[i] = rank in b of the process that is ranks[i] in a, or MPI_UNDEFINED; MPI_PROC_NULL stays.
 */
int group_translate(
	const struct group *a, int n, const int *ranks, const struct group *b, int *out);

#endif
