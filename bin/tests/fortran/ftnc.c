/* SPDX-License-Identifier: BSD-3-Clause */
/* What ftncalls asks C about. */
#include <stddef.h>

#include <mpi.h>

long ftnc_attribute(int comm, int keyval);
void ftnc_set_attribute(int comm, int keyval, long value);
int ftnc_status(const MPI_F08_status *status, int which);
int ftnc_handles(void);

/* What Fortran set is an integer, and C is told where it is (section 19.3.7). */
long ftnc_attribute(int comm, int keyval)
{
	MPI_Aint *value = NULL;
	int flag = 0;

	MPI_Comm_get_attr(MPI_Comm_f2c(comm), keyval, &value, &flag);
	return flag ? *value : -1;
}

void ftnc_set_attribute(int comm, int keyval, long value)
{
	MPI_Comm_set_attr(MPI_Comm_f2c(comm), keyval, (void *)value);
}

/* 0: its tag by way of C's form; 1: is it MPI_STATUS_IGNORE? */
int ftnc_status(const MPI_F08_status *status, int which)
{
	MPI_Status c;
	MPI_Fint f[MPI_F_STATUS_SIZE];
	MPI_F08_status again;

	if (which == 1)
		return status == MPI_F08_STATUS_IGNORE &&
		       (const MPI_Fint *)status == MPI_F_STATUS_IGNORE;
	if (MPI_Status_f082c(status, &c) != MPI_SUCCESS || MPI_Status_c2f(&c, f) != MPI_SUCCESS ||
		MPI_Status_f2f08(f, &again) != MPI_SUCCESS ||
		MPI_Status_f082f(&again, f) != MPI_SUCCESS ||
		MPI_Status_f2c(f, &c) != MPI_SUCCESS || MPI_Status_c2f08(&c, &again) != MPI_SUCCESS)
		return -1;
	return f[MPI_F_TAG] == c.MPI_TAG && again.MPI_SOURCE == f[MPI_F_SOURCE] ? c.MPI_TAG : -2;
}

/* The same numbers as Fortran's; 0, or the number of what is wrong. */
int ftnc_handles(void)
{
	MPI_Comm comm;
	int result;

	if (MPI_Comm_c2f(MPI_COMM_WORLD) != 257 || MPI_Comm_f2c(257) != MPI_COMM_WORLD)
		return 1;
	if (MPI_Type_f2c(537) != MPI_INTEGER || MPI_Request_c2f(MPI_REQUEST_NULL) != 384)
		return 2;
	if (MPI_Op_f2c(33) != MPI_SUM || MPI_Group_f2c(265) != MPI_GROUP_EMPTY)
		return 3;
	if (MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) != MPI_INFO_ENV ||
		MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) != MPI_WIN_NULL ||
		MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) != MPI_FILE_NULL ||
		MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)) != MPI_SESSION_NULL ||
		MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) != MPI_MESSAGE_NULL ||
		MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) != MPI_ERRORS_RETURN)
		return 4;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_compare(MPI_Comm_f2c(MPI_Comm_c2f(comm)), MPI_COMM_WORLD, &result);
	MPI_Comm_free(&comm);
	return result == MPI_CONGRUENT ? 0 : 5;
}
