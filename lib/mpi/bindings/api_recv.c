/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, blocking and not: MPI 5.0 sections 3.2 and 3.7. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

static int recv_blocking(const char *name, struct p2p_message *m, MPI_Status *status)
{
	int rc;

	api_enter(name);
	rc = check_recv(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_recv(m, status);
	return api_leave(m->comm, rc);
}

static int irecv(const char *name, struct p2p_message *m, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_recv(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(m, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Recv = PMPI_Recv
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Status *status)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return recv_blocking("MPI_Recv", &m, status);
}

#pragma weak MPI_Irecv = PMPI_Irecv
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return irecv("MPI_Irecv", &m, request);
}

#pragma weak MPI_Recv_c = PMPI_Recv_c
int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Status *status)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return recv_blocking("MPI_Recv_c", &m, status);
}

#pragma weak MPI_Irecv_c = PMPI_Irecv_c
int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return irecv("MPI_Irecv_c", &m, request);
}
