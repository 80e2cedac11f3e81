/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What C has for Fortran's sake (MPI 5.0 sections 19.3.4 and 19.3.5). Nothing here needs a Fortran
 * compiler or its library.
 */
#include <string.h>

#include "api.h"
#include "mpi/comm/comm.h"

MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
MPI_F08_status *MPI_F08_STATUS_IGNORE, *MPI_F08_STATUSES_IGNORE;

/* All three statuses are the same eight words. */
_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "");
_Static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status), "");

#pragma weak MPI_Comm_c2f = PMPI_Comm_c2f
MPI_Fint PMPI_Comm_c2f(MPI_Comm comm)
{
	return PMPI_Comm_toint(comm);
}

#pragma weak MPI_Comm_f2c = PMPI_Comm_f2c
MPI_Comm PMPI_Comm_f2c(MPI_Fint comm)
{
	return PMPI_Comm_fromint(comm);
}

#pragma weak MPI_Errhandler_c2f = PMPI_Errhandler_c2f
MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler errhandler)
{
	return PMPI_Errhandler_toint(errhandler);
}

#pragma weak MPI_Errhandler_f2c = PMPI_Errhandler_f2c
MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint errhandler)
{
	return PMPI_Errhandler_fromint(errhandler);
}

#pragma weak MPI_File_c2f = PMPI_File_c2f
MPI_Fint PMPI_File_c2f(MPI_File file)
{
	return PMPI_File_toint(file);
}

#pragma weak MPI_File_f2c = PMPI_File_f2c
MPI_File PMPI_File_f2c(MPI_Fint file)
{
	return PMPI_File_fromint(file);
}

#pragma weak MPI_Group_c2f = PMPI_Group_c2f
MPI_Fint PMPI_Group_c2f(MPI_Group group)
{
	return PMPI_Group_toint(group);
}

#pragma weak MPI_Group_f2c = PMPI_Group_f2c
MPI_Group PMPI_Group_f2c(MPI_Fint group)
{
	return PMPI_Group_fromint(group);
}

#pragma weak MPI_Info_c2f = PMPI_Info_c2f
MPI_Fint PMPI_Info_c2f(MPI_Info info)
{
	return PMPI_Info_toint(info);
}

#pragma weak MPI_Info_f2c = PMPI_Info_f2c
MPI_Info PMPI_Info_f2c(MPI_Fint info)
{
	return PMPI_Info_fromint(info);
}

#pragma weak MPI_Message_c2f = PMPI_Message_c2f
MPI_Fint PMPI_Message_c2f(MPI_Message message)
{
	return PMPI_Message_toint(message);
}

#pragma weak MPI_Message_f2c = PMPI_Message_f2c
MPI_Message PMPI_Message_f2c(MPI_Fint message)
{
	return PMPI_Message_fromint(message);
}

#pragma weak MPI_Op_c2f = PMPI_Op_c2f
MPI_Fint PMPI_Op_c2f(MPI_Op op)
{
	return PMPI_Op_toint(op);
}

#pragma weak MPI_Op_f2c = PMPI_Op_f2c
MPI_Op PMPI_Op_f2c(MPI_Fint op)
{
	return PMPI_Op_fromint(op);
}

#pragma weak MPI_Request_c2f = PMPI_Request_c2f
MPI_Fint PMPI_Request_c2f(MPI_Request request)
{
	return PMPI_Request_toint(request);
}

#pragma weak MPI_Request_f2c = PMPI_Request_f2c
MPI_Request PMPI_Request_f2c(MPI_Fint request)
{
	return PMPI_Request_fromint(request);
}

#pragma weak MPI_Session_c2f = PMPI_Session_c2f
MPI_Fint PMPI_Session_c2f(MPI_Session session)
{
	return PMPI_Session_toint(session);
}

#pragma weak MPI_Session_f2c = PMPI_Session_f2c
MPI_Session PMPI_Session_f2c(MPI_Fint session)
{
	return PMPI_Session_fromint(session);
}

#pragma weak MPI_Type_c2f = PMPI_Type_c2f
MPI_Fint PMPI_Type_c2f(MPI_Datatype datatype)
{
	return PMPI_Type_toint(datatype);
}

#pragma weak MPI_Type_f2c = PMPI_Type_f2c
MPI_Datatype PMPI_Type_f2c(MPI_Fint datatype)
{
	return PMPI_Type_fromint(datatype);
}

#pragma weak MPI_Win_c2f = PMPI_Win_c2f
MPI_Fint PMPI_Win_c2f(MPI_Win win)
{
	return PMPI_Win_toint(win);
}

#pragma weak MPI_Win_f2c = PMPI_Win_f2c
MPI_Win PMPI_Win_f2c(MPI_Fint win)
{
	return PMPI_Win_fromint(win);
}

static int convert(const char *name, const void *from, void *to)
{
	api_enter_anytime(name);
	if (!from || !to || from == MPI_F_STATUS_IGNORE || from == MPI_F_STATUSES_IGNORE)
		return api_leave_anytime(fail_with(MPI_ERR_ARG, "there is no status to convert"));
	memcpy(to, from, sizeof(MPI_Status));
	return api_leave_anytime(MPI_SUCCESS);
}

#pragma weak MPI_Status_c2f = PMPI_Status_c2f
int PMPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
	return convert("MPI_Status_c2f", c_status, f_status);
}

#pragma weak MPI_Status_f2c = PMPI_Status_f2c
int PMPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
	return convert("MPI_Status_f2c", f_status, c_status);
}

#pragma weak MPI_Status_c2f08 = PMPI_Status_c2f08
int PMPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
	return convert("MPI_Status_c2f08", c_status, f08_status);
}

#pragma weak MPI_Status_f082c = PMPI_Status_f082c
int PMPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
	return convert("MPI_Status_f082c", f08_status, c_status);
}

#pragma weak MPI_Status_f2f08 = PMPI_Status_f2f08
int PMPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
	return convert("MPI_Status_f2f08", f_status, f08_status);
}

#pragma weak MPI_Status_f082f = PMPI_Status_f082f
int PMPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
	return convert("MPI_Status_f082f", f08_status, f_status);
}

/* For libftmpifort, which finds errors that C does not see; in no header of ours. comm: whose error
 * handler is to be called; NULL when the call has none. */
int FTMPI_Fortran_error(const char *name, MPI_Comm comm, int errclass, const char *sentence);

int FTMPI_Fortran_error(const char *name, MPI_Comm comm, int errclass, const char *sentence)
{
	struct comm *c = NULL;

	if (!comm) {
		api_enter_anytime(name);
		return api_leave_anytime(fail_with(errclass, "%s", sentence));
	}
	api_enter(name);
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = fail_with(errclass, "%s", sentence);
	return api_leave(c, rc);
}
