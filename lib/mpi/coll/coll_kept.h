/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program makes few collective calls that wait, and makes them again and again with the same
 * arguments: the plans of the last ones are kept, so that such a call is neither checked nor
 * planned anew. A plan follows from the communicator and the arguments alone; those are kept in
 * which nothing can change behind the arguments: predefined datatypes and operators, no arrays, and
 * memory of the plan's own that fits in it.
 */
#ifndef FTMPI_MPI_COLL_KEPT_H
#define FTMPI_MPI_COLL_KEPT_H

#include "coll_call.h"

/* Check, plan and run. MPI_SUCCESS, or the class with fail_with said. */
int coll_kept_run(struct comm *c, coll_planner *plan, struct coll_call *call);

#endif
