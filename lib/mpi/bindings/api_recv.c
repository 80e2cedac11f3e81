/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, blocking and not: MPI 5.0 sections 3.2 and 3.7. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

static int recv_now(const char *name, struct check_message *m, MPI_Status *status)
{
	void *buf = (void *)(uintptr_t)m->buf;
	int rc;

	api_enter(name);
	rc = check_recv(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_recv(
			m->c, PLANE_POINT, buf, (size_t)m->count, m->t, m->rank, m->tag, status);
	return api_leave(m->c, rc);
}

static int irecv(const char *name, struct check_message *m, MPI_Request *request)
{
	void *buf = (void *)(uintptr_t)m->buf;
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_recv(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(m->c, PLANE_POINT, buf, (size_t)m->count, m->t, m->rank, m->tag, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->c, rc);
}

#pragma weak MPI_Recv = PMPI_Recv
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Status *status)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};

	return recv_now("MPI_Recv", &m, status);
}

#pragma weak MPI_Irecv = PMPI_Irecv
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};

	return irecv("MPI_Irecv", &m, request);
}

#pragma weak MPI_Recv_c = PMPI_Recv_c
int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Status *status)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};

	return recv_now("MPI_Recv_c", &m, status);
}

#pragma weak MPI_Irecv_c = PMPI_Irecv_c
int PMPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};

	return irecv("MPI_Irecv_c", &m, request);
}
