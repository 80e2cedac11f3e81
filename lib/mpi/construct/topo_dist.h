/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making distributed graphs (MPI 5.0 section 8.5.4). What one process says about its edges may be
 * wrong. All agree about that before a communicator is made, so that none waits for one that has
 * found an error. Or it may not fit what another says: programs make such graphs, and ask them for
 * neighbours; what all agree about then is that operations among the neighbours are refused.
 */
#ifndef FTMPI_MPI_TOPO_DIST_H
#define FTMPI_MPI_TOPO_DIST_H

#include "mpi/comm/comm.h"
#include "mpi/comm/topo.h"

/* What one process says: n edges. */
struct topo_dist {
	int checked; /* MPI_SUCCESS, or the class of what is wrong with its arguments; then n is 0
		      */
	size_t n;
	struct topo_edge *edges; /* owned by the caller */
	int *at;		 /* for topo_dist_scattered: the process whose edge each is */
	bool weighted;
};

/* All need the engine lock, may let it go, and are collective over c. */

/* Every process has said all of its own edges, both ways. */
int topo_dist_adjacent(struct comm *c, const struct topo_dist *said, struct comm **out);

/* Each has said some edges of whichever processes, the two ends as two entries. */
int topo_dist_scattered(struct comm *c, const struct topo_dist *said, struct comm **out);

#endif
