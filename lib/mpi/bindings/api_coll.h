/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_MPI_API_COLL_H
#define FTMPI_MPI_API_COLL_H

#include "mpi/coll/coll_call.h"

/* The whole of a blocking collective call. */
int api_coll(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call);

#endif
