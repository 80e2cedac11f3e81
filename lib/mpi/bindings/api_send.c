/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends, blocking and not: MPI 5.0 sections 3.2, 3.4 and 3.7. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

/* ---- blocking ---- */

/* Most messages leave at once; for the others there is a request to wait for. */
static int send_blocking(const char *name, struct p2p_message *m, enum send_mode mode)
{
	struct request *rest = NULL;
	int rc;

	api_enter(name);
	m->mode = mode;
	rc = check_send(m);
	if (rc == MPI_SUCCESS)
		rc = p2p_send(m, true, &rest);
	if (__builtin_expect(rest != NULL, false))
		rc = request_wait(rest, MPI_STATUS_IGNORE);
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Send = PMPI_Send
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Send", &m, SEND_STANDARD);
}

#pragma weak MPI_Send_c = PMPI_Send_c
int PMPI_Send_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Send_c", &m, SEND_STANDARD);
}

#pragma weak MPI_Ssend = PMPI_Ssend
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Ssend", &m, SEND_SYNC);
}

#pragma weak MPI_Ssend_c = PMPI_Ssend_c
int PMPI_Ssend_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Ssend_c", &m, SEND_SYNC);
}

#pragma weak MPI_Rsend = PMPI_Rsend
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Rsend", &m, SEND_READY);
}

#pragma weak MPI_Rsend_c = PMPI_Rsend_c
int PMPI_Rsend_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return send_blocking("MPI_Rsend_c", &m, SEND_READY);
}

/* ---- non-blocking ---- */

static int isend(const char *name, struct p2p_message *m, enum send_mode mode, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_send(m);
	m->mode = mode;
	if (rc == MPI_SUCCESS)
		rc = p2p_isend(m, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Isend = PMPI_Isend
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Isend", &m, SEND_STANDARD, request);
}

#pragma weak MPI_Isend_c = PMPI_Isend_c
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Isend_c", &m, SEND_STANDARD, request);
}

#pragma weak MPI_Issend = PMPI_Issend
int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Issend", &m, SEND_SYNC, request);
}

#pragma weak MPI_Issend_c = PMPI_Issend_c
int PMPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Issend_c", &m, SEND_SYNC, request);
}

#pragma weak MPI_Irsend = PMPI_Irsend
int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Irsend", &m, SEND_READY, request);
}

#pragma weak MPI_Irsend_c = PMPI_Irsend_c
int PMPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return isend("MPI_Irsend_c", &m, SEND_READY, request);
}
