/* SPDX-License-Identifier: BSD-3-Clause */
/* A program text that is C99 and C++11 at once and uses mpi.h in the ways programs do. Compiled,
 * with every warning an error, and not run. */
#include <stddef.h>

#include "mpi.h"

#ifndef MPI_THREAD_MULTIPLE
#error "constants must be visible to the preprocessor"
#endif
#if MPI_VERSION < 3 || MPI_MAX_PROCESSOR_NAME < 64 || MPI_ERR_LASTCODE <= MPI_ERR_ARG
#error "constants must be usable by the preprocessor"
#endif

/* handles in static initialisers, in conditional expressions, beside other types of numbers */
static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE_INT, MPI_DATATYPE_NULL};

#ifdef __cplusplus
extern "C" {
#endif
static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)len;
	(void)type;
}

static void complain(MPI_Comm *where, int *code, ...)
{
	(void)where;
	(void)code;
}
#ifdef __cplusplus
}
#endif

int main(int argc, char **argv)
{
	int provided, keyval, flag = 0, rank = MPI_PROC_NULL, count, n[2] = {1, 1};
	char name[MPI_MAX_PROCESSOR_NAME], text[MPI_MAX_ERROR_STRING];
	const double x = 1;
	double y[2];
	MPI_Aint at[2] = {0, offsetof(MPI_Status, MPI_TAG)};
	MPI_Status status;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Errhandler handler;
	MPI_Op op;
	void *value;

	if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
		return 1;
	MPI_Op_create(add, 1, &op);
	MPI_Comm_create_errhandler(complain, &handler);
	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
	MPI_Type_create_struct(2, n, at, types, &types[2]);
	MPI_Isend(&x, 1, MPI_DOUBLE, argc > 1 ? rank : MPI_ANY_SOURCE, 0, comm, &request);
	MPI_Recv(y, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
	MPI_Wait(&request, &status);
	MPI_Get_count(&status, MPI_DOUBLE, &count);
	MPI_Allreduce(MPI_IN_PLACE, y, 2, MPI_DOUBLE, flag ? MPI_SUM : op, MPI_COMM_WORLD);
	MPI_Bcast(MPI_BOTTOM, 1, types[2], 0, MPI_COMM_WORLD);
	MPI_Get_processor_name(name, &count);
	MPI_Error_string(MPI_ERR_PROC_ABORTED, text, &count);
	MPI_Pcontrol(1, "level");
	PMPI_Barrier(MPI_COMM_SELF);
	return comm == MPI_COMM_NULL && status.MPI_SOURCE < 0 ? MPI_Finalize() : 1;
}
