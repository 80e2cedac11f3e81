/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends and their buffers: MPI 5.0 sections 3.4, 3.6 and 3.9. */
#include <limits.h>

#include "api.h"
#include "check.h"
#include "mpi/init/session.h"
#include "mpi/p2p/p2p_buffer.h"
#include "mpi/p2p/request.h"

/* ---- sends ---- */

static int bsend(const char *name, struct p2p_message *m)
{
	int rc;

	api_enter(name);
	rc = check_send(m);
	if (rc == MPI_SUCCESS)
		rc = buffer_send(m);
	return api_leave(m->comm, rc);
}

static int ibsend(const char *name, struct p2p_message *m, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_send(m);
	if (rc == MPI_SUCCESS)
		rc = buffer_isend(m, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m->comm, rc);
}

#pragma weak MPI_Bsend = PMPI_Bsend
int PMPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return bsend("MPI_Bsend", &m);
}

#pragma weak MPI_Bsend_c = PMPI_Bsend_c
int PMPI_Bsend_c(
	const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return bsend("MPI_Bsend_c", &m);
}

#pragma weak MPI_Ibsend = PMPI_Ibsend
int PMPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return ibsend("MPI_Ibsend", &m, request);
}

#pragma weak MPI_Ibsend_c = PMPI_Ibsend_c
int PMPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message m = p2p_message(buf, count, datatype, dest, tag, comm);

	return ibsend("MPI_Ibsend_c", &m, request);
}

/* ---- buffers: the process's, a communicator's or a session's ---- */

/* What has the buffer; of the three that can be given one is set. */
struct owner {
	const MPI_Comm *comm;
	const MPI_Session *session;
	/* found out */
	struct comm *c;
	struct session *s;
	struct buffer *b; /* NULL: no memory */
};

static int find(struct owner *o)
{
	int rc = MPI_SUCCESS;

	if (o->comm)
		rc = comm_lookup(*o->comm, &o->c);
	else if (o->session)
		rc = session_lookup(*o->session, &o->s);
	if (rc == MPI_SUCCESS)
		o->b = o->c   ? buffer_own(&o->c->buffer)
		       : o->s ? buffer_own(&o->s->buffer)
			      : buffer_of_process();
	return rc;
}

static int leave(const struct owner *o, int rc)
{
	return o->s ? api_leave_session(o->s->number, rc) : api_leave(o->c, rc);
}

static int attach(struct owner o, void *buffer, MPI_Count size)
{
	int rc = find(&o);

	if (rc == MPI_SUCCESS)
		rc = buffer_attach(o.b, buffer, size);
	return leave(&o, rc);
}

/* What int cannot say is MPI_UNDEFINED. */
static int detach(struct owner o, void *address, int *small, MPI_Count *large)
{
	MPI_Count size;
	int rc = find(&o);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(address, "buffer_addr");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(small ? (void *)small : (void *)large, "size");
	if (rc == MPI_SUCCESS)
		rc = buffer_detach(o.b, address, &size);
	if (rc == MPI_SUCCESS && small)
		*small = size > INT_MAX ? MPI_UNDEFINED : (int)size;
	if (rc == MPI_SUCCESS && large)
		*large = size;
	return leave(&o, rc);
}

static int flush(struct owner o)
{
	int rc = find(&o);

	if (rc == MPI_SUCCESS)
		rc = buffer_flush(o.b);
	return leave(&o, rc);
}

static int iflush(struct owner o, MPI_Request *request)
{
	struct request *r = NULL;
	int rc = find(&o);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = buffer_iflush(o.b, o.c, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return leave(&o, rc);
}

static struct owner of_process(void)
{
	return (struct owner){.comm = NULL};
}

static struct owner of_comm(const MPI_Comm *comm)
{
	return (struct owner){.comm = comm};
}

static struct owner of_session(const MPI_Session *session)
{
	return (struct owner){.session = session};
}

#pragma weak MPI_Buffer_attach = PMPI_Buffer_attach
int PMPI_Buffer_attach(void *buffer, int size)
{
	api_enter("MPI_Buffer_attach");
	return attach(of_process(), buffer, size);
}

#pragma weak MPI_Buffer_detach = PMPI_Buffer_detach
int PMPI_Buffer_detach(void *buffer_addr, int *size)
{
	api_enter("MPI_Buffer_detach");
	return detach(of_process(), buffer_addr, size, NULL);
}

#pragma weak MPI_Buffer_attach_c = PMPI_Buffer_attach_c
int PMPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
	api_enter("MPI_Buffer_attach_c");
	return attach(of_process(), buffer, size);
}

#pragma weak MPI_Buffer_detach_c = PMPI_Buffer_detach_c
int PMPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	api_enter("MPI_Buffer_detach_c");
	return detach(of_process(), buffer_addr, NULL, size);
}

#pragma weak MPI_Buffer_flush = PMPI_Buffer_flush
int PMPI_Buffer_flush(void)
{
	api_enter("MPI_Buffer_flush");
	return flush(of_process());
}

#pragma weak MPI_Buffer_iflush = PMPI_Buffer_iflush
int PMPI_Buffer_iflush(MPI_Request *request)
{
	api_enter("MPI_Buffer_iflush");
	return iflush(of_process(), request);
}

#pragma weak MPI_Comm_attach_buffer = PMPI_Comm_attach_buffer
int PMPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
	api_enter("MPI_Comm_attach_buffer");
	return attach(of_comm(&comm), buffer, size);
}

#pragma weak MPI_Comm_detach_buffer = PMPI_Comm_detach_buffer
int PMPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size)
{
	api_enter("MPI_Comm_detach_buffer");
	return detach(of_comm(&comm), buffer_addr, size, NULL);
}

#pragma weak MPI_Comm_attach_buffer_c = PMPI_Comm_attach_buffer_c
int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
	api_enter("MPI_Comm_attach_buffer_c");
	return attach(of_comm(&comm), buffer, size);
}

#pragma weak MPI_Comm_detach_buffer_c = PMPI_Comm_detach_buffer_c
int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
	api_enter("MPI_Comm_detach_buffer_c");
	return detach(of_comm(&comm), buffer_addr, NULL, size);
}

#pragma weak MPI_Comm_flush_buffer = PMPI_Comm_flush_buffer
int PMPI_Comm_flush_buffer(MPI_Comm comm)
{
	api_enter("MPI_Comm_flush_buffer");
	return flush(of_comm(&comm));
}

#pragma weak MPI_Comm_iflush_buffer = PMPI_Comm_iflush_buffer
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	api_enter("MPI_Comm_iflush_buffer");
	return iflush(of_comm(&comm), request);
}

#pragma weak MPI_Session_attach_buffer = PMPI_Session_attach_buffer
int PMPI_Session_attach_buffer(MPI_Session session, void *buffer, int size)
{
	api_enter("MPI_Session_attach_buffer");
	return attach(of_session(&session), buffer, size);
}

#pragma weak MPI_Session_detach_buffer = PMPI_Session_detach_buffer
int PMPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size)
{
	api_enter("MPI_Session_detach_buffer");
	return detach(of_session(&session), buffer_addr, size, NULL);
}

#pragma weak MPI_Session_attach_buffer_c = PMPI_Session_attach_buffer_c
int PMPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size)
{
	api_enter("MPI_Session_attach_buffer_c");
	return attach(of_session(&session), buffer, size);
}

#pragma weak MPI_Session_detach_buffer_c = PMPI_Session_detach_buffer_c
int PMPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size)
{
	api_enter("MPI_Session_detach_buffer_c");
	return detach(of_session(&session), buffer_addr, NULL, size);
}

#pragma weak MPI_Session_flush_buffer = PMPI_Session_flush_buffer
int PMPI_Session_flush_buffer(MPI_Session session)
{
	api_enter("MPI_Session_flush_buffer");
	return flush(of_session(&session));
}

#pragma weak MPI_Session_iflush_buffer = PMPI_Session_iflush_buffer
int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
	api_enter("MPI_Session_iflush_buffer");
	return iflush(of_session(&session), request);
}
