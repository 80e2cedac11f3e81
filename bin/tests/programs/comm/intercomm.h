/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of intercomm.c share: two sides of the world and the communicator between them. */
#ifndef FTMPI_PROGRAMS_INTERCOMM_H
#define FTMPI_PROGRAMS_INTERCOMM_H

#include <mpi.h>

#include "prog.h"

enum { INTERCOMM_MOST = 64 };

/* One side: its processes by rank, as ranks of the world. */
struct intercomm_side {
	int size;
	int world[INTERCOMM_MOST];
};

struct intercomm {
	const struct prog *prog;
	const char *shape;
	int side, rank; /* of this process */
	struct intercomm_side us, them;
	MPI_Comm local, comm;
};

/* Ends the job with a sentence that names the shape. */
_Noreturn void intercomm_wrong(const struct intercomm *in, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Is c an intercommunicator of these two sides, seen from this process? */
void intercomm_check(const struct intercomm *in, MPI_Comm c, const struct intercomm_side *us,
	const struct intercomm_side *them);

/* Every collective on it, each side's processes as roots. */
void intercomm_collectives(const struct intercomm *in);

/* Reductions on it. */
void intercomm_reductions(const struct intercomm *in);

/* Barriers; board is memory of all ranks, zeroed, one byte for each and barrier: board[i * size +
 * rank]. */
enum { INTERCOMM_BARRIERS = 20 };
void intercomm_barriers(const struct intercomm *in, volatile unsigned char *board);

/* Wrong arguments; how many were tried. */
int intercomm_refusals(const struct intercomm *in);

/* Groups that have processes in common, which takes two threads to try. */
void intercomm_overlap(const struct prog *prog);

/* Communicators made of it. */
void intercomm_construct(const struct intercomm *in);

#endif
