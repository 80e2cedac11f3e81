/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls about topologies share: MPI_SUCCESS, or an error class with fail_with said. */
#ifndef FTMPI_MPI_TOPO_CALLS_H
#define FTMPI_MPI_TOPO_CALLS_H

#include "mpi/comm/comm.h"
#include "mpi/comm/topo.h"

/* A communicator with this kind of topology (MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH). */
int topo_lookup(MPI_Comm comm, int kind, struct comm **c);

/* One that a topology can be made from: an intracommunicator. */
int topo_lookup_plain(MPI_Comm comm, struct comm **c);

/* An array of n entries may be NULL when there are none. */
int topo_check_array(int n, const void *array, const char *what);

#endif
