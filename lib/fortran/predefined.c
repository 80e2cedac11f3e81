/* SPDX-License-Identifier: BSD-3-Clause */
/* The copy and delete functions that the standard has for attributes (section 7.7): a program hands
 * them over, compares them, or calls them itself. */
#include "glue.h"

typedef void(copy_function)(int *object, int *keyval, MPI_Aint *extra_state, MPI_Aint *in,
	MPI_Aint *out, int *flag, int *ierror);
typedef void(delete_function)(
	int *object, int *keyval, MPI_Aint *value, MPI_Aint *extra_state, int *ierror);

copy_function mpi_comm_null_copy_fn_, mpi_comm_dup_fn_, mpi_type_null_copy_fn_, mpi_type_dup_fn_,
	mpi_win_null_copy_fn_, mpi_win_dup_fn_;
delete_function mpi_comm_null_delete_fn_, mpi_type_null_delete_fn_, mpi_win_null_delete_fn_;

/* of MPI-1 */
void mpi_null_copy_fn_(
	int *comm, int *keyval, int *extra_state, int *in, int *out, int *flag, int *ierror);
void mpi_dup_fn_(
	int *comm, int *keyval, int *extra_state, int *in, int *out, int *flag, int *ierror);
void mpi_null_delete_fn_(int *comm, int *keyval, int *value, int *extra_state, int *ierror);

#pragma GCC diagnostic ignored "-Wunused-parameter"

#pragma weak mpi_type_null_copy_fn_ = mpi_comm_null_copy_fn_
#pragma weak mpi_win_null_copy_fn_ = mpi_comm_null_copy_fn_
void mpi_comm_null_copy_fn_(int *object, int *keyval, MPI_Aint *extra_state, MPI_Aint *in,
	MPI_Aint *out, int *flag, int *ierror)
{
	*flag = 0;
	*ierror = MPI_SUCCESS;
}

#pragma weak mpi_type_dup_fn_ = mpi_comm_dup_fn_
#pragma weak mpi_win_dup_fn_ = mpi_comm_dup_fn_
void mpi_comm_dup_fn_(int *object, int *keyval, MPI_Aint *extra_state, MPI_Aint *in, MPI_Aint *out,
	int *flag, int *ierror)
{
	*out = *in;
	*flag = 1;
	*ierror = MPI_SUCCESS;
}

#pragma weak mpi_type_null_delete_fn_ = mpi_comm_null_delete_fn_
#pragma weak mpi_win_null_delete_fn_ = mpi_comm_null_delete_fn_
void mpi_comm_null_delete_fn_(
	int *object, int *keyval, MPI_Aint *value, MPI_Aint *extra_state, int *ierror)
{
	*ierror = MPI_SUCCESS;
}

void mpi_null_copy_fn_(
	int *comm, int *keyval, int *extra_state, int *in, int *out, int *flag, int *ierror)
{
	*flag = 0;
	*ierror = MPI_SUCCESS;
}

void mpi_dup_fn_(
	int *comm, int *keyval, int *extra_state, int *in, int *out, int *flag, int *ierror)
{
	*out = *in;
	*flag = 1;
	*ierror = MPI_SUCCESS;
}

void mpi_null_delete_fn_(int *comm, int *keyval, int *value, int *extra_state, int *ierror)
{
	*ierror = MPI_SUCCESS;
}
