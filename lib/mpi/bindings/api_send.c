/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends, blocking and not: MPI 5.0 sections 3.2, 3.4 and 3.7. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

/* ---- blocking ---- */

static int send_now(const char *name, struct check_message *m, enum send_mode mode)
{
	int rc;

	api_enter(name);
	rc = check_send(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_send(
			m->c, PLANE_POINT, m->buf, (size_t)m->count, m->t, m->rank, m->tag, mode);
	return api_leave(m->c, rc);
}

#pragma weak MPI_Send = PMPI_Send
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Send", &m, SEND_STANDARD);
}

#pragma weak MPI_Send_c = PMPI_Send_c
int PMPI_Send_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Send_c", &m, SEND_STANDARD);
}

#pragma weak MPI_Ssend = PMPI_Ssend
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Ssend", &m, SEND_SYNC);
}

#pragma weak MPI_Ssend_c = PMPI_Ssend_c
int PMPI_Ssend_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Ssend_c", &m, SEND_SYNC);
}

#pragma weak MPI_Rsend = PMPI_Rsend
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Rsend", &m, SEND_READY);
}

#pragma weak MPI_Rsend_c = PMPI_Rsend_c
int PMPI_Rsend_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Rsend_c", &m, SEND_READY);
}

/* ---- non-blocking ---- */

static int isend(
	const char *name, struct check_message *m, enum send_mode mode, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_send(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_isend(m->c, PLANE_POINT, m->buf, (size_t)m->count, m->t, m->rank, m->tag,
			mode, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->c, rc);
}

#pragma weak MPI_Isend = PMPI_Isend
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Isend", &m, SEND_STANDARD, request);
}

#pragma weak MPI_Isend_c = PMPI_Isend_c
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Isend_c", &m, SEND_STANDARD, request);
}

#pragma weak MPI_Issend = PMPI_Issend
int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Issend", &m, SEND_SYNC, request);
}

#pragma weak MPI_Issend_c = PMPI_Issend_c
int PMPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Issend_c", &m, SEND_SYNC, request);
}

#pragma weak MPI_Irsend = PMPI_Irsend
int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Irsend", &m, SEND_READY, request);
}

#pragma weak MPI_Irsend_c = PMPI_Irsend_c
int PMPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Irsend_c", &m, SEND_READY, request);
}
