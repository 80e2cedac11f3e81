/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the arguments of a one-sided call, as the program gives them, to an operation: they are
 * checked, what is wrong is said with fail_with, and it is begun.
 */
#ifndef FTMPI_MPI_RMA_CALL_H
#define FTMPI_MPI_RMA_CALL_H

#include <stdbool.h>

#include "mpi.h"
#include "mpi/rma/rma.h"

struct rma_said_area {
	const void *buf; /* NULL and unused at the target */
	MPI_Count count;
	MPI_Datatype datatype;
};

/* All that a call says. What it does not have is zero; a get's buffer is its result. */
struct rma_said {
	const char *name;
	enum rma_what what;
	struct rma_said_area origin, result, there;
	const void *compare;
	int target;
	MPI_Aint disp;
	MPI_Op op;
	MPI_Win win;
	bool predefined; /* takes predefined datatypes only */
	bool with_request;
	MPI_Request *request;
};

/* The whole of a call. */
int rma_call(const struct rma_said *said);

#endif
