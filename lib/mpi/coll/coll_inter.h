/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on intercommunicators (MPI 5.0 section 6.2.3): from a call's arguments to a
 * plan, as in coll_call.h, whose functions come here when there is a remote group.
 */
#ifndef FTMPI_MPI_COLL_INTER_H
#define FTMPI_MPI_COLL_INTER_H

#include "coll_call.h"

coll_planner coll_inter_barrier, coll_inter_bcast, coll_inter_gather, coll_inter_scatter,
	coll_inter_allgather, coll_inter_alltoall;
coll_planner coll_inter_reduce, coll_inter_allreduce, coll_inter_scan, coll_inter_reduce_scatter,
	coll_inter_reduce_scatter_block;

/* Not of the program's, on any communicator: call->send.count bytes of rank 0 go to all. On an
 * intercommunicator twice as many lie at call->send.buf: what this side's rank 0 has in the first
 * half goes into the second half of the other side. */
coll_planner coll_own_agree;

#endif
