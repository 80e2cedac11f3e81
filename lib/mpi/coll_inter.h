/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations on intercommunicators (MPI 5.0 section 6.2.3): from a call's arguments to a
 * plan, as in coll_calls.h, whose functions come here when there is a remote group.
 */
#ifndef FTMPI_MPI_COLL_INTER_H
#define FTMPI_MPI_COLL_INTER_H

#include "coll_calls.h"

coll_planner coll_inter_barrier, coll_inter_bcast, coll_inter_gather, coll_inter_scatter,
	coll_inter_allgather, coll_inter_alltoall;
coll_planner coll_inter_reduce, coll_inter_allreduce, coll_inter_scan, coll_inter_reduce_scatter,
	coll_inter_reduce_scatter_block;

#endif
