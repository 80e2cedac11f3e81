/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: MPI 5.0 section 3.9. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p_buffer.h"
#include "mpi/p2p/request.h"

static int make(
	struct p2p_message *m, enum request_kind kind, enum send_mode mode, MPI_Request *request)
{
	struct request *r;
	int rc = check_pointer(request, "request");

	if (rc == MPI_SUCCESS)
		rc = kind == REQUEST_SEND ? check_send(m) : check_recv(m);
	if (rc)
		return rc;
	m->mode = mode;
	r = request_new(kind, m);
	if (!r)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	r->persistent = true;
	r->class = mode == SEND_BUFFERED ? &buffer_class : NULL;
	*request = (MPI_Request)r;
	return MPI_SUCCESS;
}

static int init(const char *name, struct p2p_message *m, enum request_kind kind,
	enum send_mode mode, MPI_Request *request)
{
	int rc;

	api_enter(name);
	rc = make(m, kind, mode, request);
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Send_init = PMPI_Send_init
int PMPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Send_init", &m, REQUEST_SEND, SEND_STANDARD, request);
}

#pragma weak MPI_Send_init_c = PMPI_Send_init_c
int PMPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Send_init_c", &m, REQUEST_SEND, SEND_STANDARD, request);
}

#pragma weak MPI_Ssend_init = PMPI_Ssend_init
int PMPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Ssend_init", &m, REQUEST_SEND, SEND_SYNC, request);
}

#pragma weak MPI_Ssend_init_c = PMPI_Ssend_init_c
int PMPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Ssend_init_c", &m, REQUEST_SEND, SEND_SYNC, request);
}

#pragma weak MPI_Rsend_init = PMPI_Rsend_init
int PMPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Rsend_init", &m, REQUEST_SEND, SEND_READY, request);
}

#pragma weak MPI_Rsend_init_c = PMPI_Rsend_init_c
int PMPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Rsend_init_c", &m, REQUEST_SEND, SEND_READY, request);
}

#pragma weak MPI_Bsend_init = PMPI_Bsend_init
int PMPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Bsend_init", &m, REQUEST_SEND, SEND_BUFFERED, request);
}

#pragma weak MPI_Bsend_init_c = PMPI_Bsend_init_c
int PMPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return init("MPI_Bsend_init_c", &m, REQUEST_SEND, SEND_BUFFERED, request);
}

#pragma weak MPI_Recv_init = PMPI_Recv_init
int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return init("MPI_Recv_init", &m, REQUEST_RECV, SEND_STANDARD, request);
}

#pragma weak MPI_Recv_init_c = PMPI_Recv_init_c
int PMPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, source, tag, comm);

	return init("MPI_Recv_init_c", &m, REQUEST_RECV, SEND_STANDARD, request);
}

static int start(MPI_Request handle, struct comm **c)
{
	struct request *r = NULL;
	int rc = request_lookup(handle, &r);

	if (rc == MPI_SUCCESS && !r)
		rc = fail_with(MPI_ERR_REQUEST, "MPI_REQUEST_NULL cannot be started");
	if (rc)
		return rc;
	*c = r->m.comm;
	if (!r->persistent)
		return fail_with(MPI_ERR_REQUEST, "the request is not persistent");
	if (request_active(r))
		return fail_with(MPI_ERR_REQUEST, "the request is still active: wait for it first");
	return p2p_start(r);
}

#pragma weak MPI_Start = PMPI_Start
int PMPI_Start(MPI_Request *request)
{
	struct comm *c = NULL;
	int rc;

	api_enter("MPI_Start");
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = start(*request, &c);
	return api_leave(c, rc);
}

#pragma weak MPI_Startall = PMPI_Startall
int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
	struct comm *c = NULL;
	int rc = MPI_SUCCESS;

	api_enter("MPI_Startall");
	if (count < 0)
		rc = fail_with(MPI_ERR_COUNT, "the number of requests is %d", count);
	else if (count > 0)
		rc = check_pointer(array_of_requests, "the array of requests");
	for (int i = 0; rc == MPI_SUCCESS && i < count; i++)
		rc = start(array_of_requests[i], &c);
	return api_leave(c, rc);
}
