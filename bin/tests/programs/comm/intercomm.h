/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of intercomm.c share: two sides of the world and the communicator between them. */
#ifndef FTMPI_PROGRAMS_INTER_H
#define FTMPI_PROGRAMS_INTER_H

#include <mpi.h>

#include "prog.h"

enum { INTER_MOST = 64 };

/* One side: its processes by rank, as ranks of the world. */
struct inter_side {
	int size;
	int world[INTER_MOST];
};

struct inter {
	const struct prog *prog;
	const char *shape;
	int side, rank; /* of this process */
	struct inter_side us, them;
	MPI_Comm local, comm;
};

/* Ends the job with a sentence that names the shape. */
_Noreturn void inter_wrong(const struct inter *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Is c an intercommunicator of these two sides, seen from this process? */
void inter_check(const struct inter *in, MPI_Comm c, const struct inter_side *us,
	const struct inter_side *them);

/* Every collective on it, each side's processes as roots. */
void inter_collectives(const struct inter *in);

/* Reductions on it. */
void inter_reductions(const struct inter *in);

/* Barriers; board is memory of all ranks, zeroed, one byte for each and barrier: board[i * size +
 * rank]. */
enum { INTER_BARRIERS = 20 };
void inter_barriers(const struct inter *in, volatile unsigned char *board);

/* Wrong arguments; how many were tried. */
int inter_refusals(const struct inter *in);

/* Groups that have processes in common, which takes two threads to try. */
void inter_overlap(const struct prog *prog);

/* Communicators made of it. */
void inter_offspring(const struct inter *in);

#endif
