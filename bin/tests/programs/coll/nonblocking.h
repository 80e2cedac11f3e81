/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of nonblocking share. */
#ifndef FTMPI_PROGRAMS_NONBLOCKING_H
#define FTMPI_PROGRAMS_NONBLOCKING_H

#include <stdbool.h>

#include <mpi.h>

#include "prog.h"

/* Ints of a block. */
enum { NB_BLOCK = 5, NB_RANKS_MOST = 16, NB_WORDS = NB_BLOCK * NB_RANKS_MOST };

extern struct prog nb;

/* Ends the job with what, unless it holds. */
void nb_expect(bool holds, const char *what);

/* The call returned this class. */
void nb_class(int rc, int class, const char *what);

/* ---- every operation (nonblocking_calls.c, nonblocking_reduce.c, nonblocking_neighbors.c) ---- */

enum nb_way { NB_BLOCKING, NB_BEGIN, NB_BEGIN_C, NB_INIT, NB_INIT_C, NB_WAYS };

struct nb_call {
	enum nb_way way;
	int root;
	int *in, *out; /* NB_WORDS each; MPI_Bcast's is out */
	MPI_Comm comm;
	MPI_Request *request; /* not NB_BLOCKING */
};

extern const struct nb_operation {
	const char *name;
	void (*call)(const struct nb_call *c);
} nb_moves[], nb_reductions[], nb_neighbors[]; /* each ends with a NULL name */

/* Blocks of so many elements, and where they begin: the same in each form. */
struct nb_blocks {
	int counts[NB_RANKS_MOST], places[NB_RANKS_MOST], byte_places[NB_RANKS_MOST];
	MPI_Count counts_c[NB_RANKS_MOST];
	MPI_Aint places_c[NB_RANKS_MOST], byte_places_c[NB_RANKS_MOST];
	MPI_Datatype types[NB_RANKS_MOST];
};

extern MPI_Comm nb_ring;	 /* of all, periodic */
extern struct nb_blocks nb_even; /* of NB_BLOCK ints each */

/* ---- cases, each ends with a NULL name ---- */

extern const struct prog_case nb_orders[], nb_rules[], nb_persistent[];

#endif
