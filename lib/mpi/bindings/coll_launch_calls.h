/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole of a collective call that returns a request. */
#ifndef FTMPI_MPI_COLL_LAUNCH_CALLS_H
#define FTMPI_MPI_COLL_LAUNCH_CALLS_H

#include "coll_args.h"

/* MPI_I...: begun. */
int coll_call_launch(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call,
	MPI_Request *request);

/* MPI_..._init: planned, to be begun any number of times. Hints have no effect. */
int coll_call_init(const char *name, MPI_Comm comm, coll_planner *plan, struct coll_call *call,
	MPI_Info info, MPI_Request *request);

#endif
