/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking and non-blocking messages, probes: MPI 5.0 sections 3.2 to 3.8. */
#include "api.h"
#include "check.h"
#include "engine.h"
#include "p2p.h"
#include "p2p_state.h"
#include "request.h"
#include "status.h"

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

#pragma weak MPI_Ssend = PMPI_Ssend
int PMPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Ssend", &m, SEND_SYNC);
}

#pragma weak MPI_Rsend = PMPI_Rsend
int PMPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return send_now("MPI_Rsend", &m, SEND_READY);
}

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

#pragma weak MPI_Issend = PMPI_Issend
int PMPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Issend", &m, SEND_SYNC, request);
}

#pragma weak MPI_Irsend = PMPI_Irsend
int PMPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, dest, tag, comm, NULL, NULL};

	return isend("MPI_Irsend", &m, SEND_READY, request);
}

#pragma weak MPI_Recv = PMPI_Recv
int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Status *status)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};
	int rc;

	api_enter("MPI_Recv");
	rc = check_recv(&m);
	if (rc == MPI_SUCCESS)
		rc = p2p_recv(m.c, PLANE_POINT, buf, (size_t)count, m.t, source, tag, status);
	return api_leave(m.c, rc);
}

#pragma weak MPI_Irecv = PMPI_Irecv
int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message m = {buf, count, datatype, source, tag, comm, NULL, NULL};
	struct request *r = NULL;
	int rc;

	api_enter("MPI_Irecv");
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = check_recv(&m);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(m.c, PLANE_POINT, buf, (size_t)count, m.t, source, tag, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(m.c, rc);
}

#pragma weak MPI_Sendrecv = PMPI_Sendrecv
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Status *status)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};
	struct request *r = NULL;
	int rc, sent;

	api_enter("MPI_Sendrecv");
	rc = check_send(&out);
	if (rc == MPI_SUCCESS)
		rc = check_recv(&in);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(
			in.c, PLANE_POINT, recvbuf, (size_t)recvcount, in.t, source, recvtag, &r);
	if (rc == MPI_SUCCESS) {
		sent = p2p_send(out.c, PLANE_POINT, sendbuf, (size_t)sendcount, out.t, dest,
			sendtag, SEND_STANDARD);
		if (sent)
			p2p_cancel(r);
		if (sent && r->cancelled)
			request_complete(r, MPI_SUCCESS);
		rc = request_wait(r, status);
		rc = sent ? sent : rc;
	}
	return api_leave(out.c, rc);
}

/* ---- probes ---- */

struct probing {
	struct comm *c;
	int source, tag;
	struct p2p_found found;
};

static bool has_come(void *arg, int *expect)
{
	struct probing *p = arg;

	if (p->source >= 0)
		*expect = comm_world_rank(p->c, p->source);
	return p2p_probe(p->c, p->source, p->tag, &p->found);
}

static void tell_found(const struct p2p_found *found, MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	status_empty(status);
	status->MPI_SOURCE = found->source;
	status->MPI_TAG = found->tag;
	status_set_bytes(status, found->bytes);
}

static const struct p2p_found found_nobody = {MPI_PROC_NULL, MPI_ANY_TAG, 0};

#pragma weak MPI_Probe = PMPI_Probe
int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct probing p = {.source = source, .tag = tag, .found = found_nobody};
	int rc;

	api_enter("MPI_Probe");
	rc = comm_lookup(comm, &p.c);
	if (rc == MPI_SUCCESS)
		rc = check_source(p.c, source, tag);
	if (rc == MPI_SUCCESS) {
		if (source != MPI_PROC_NULL)
			engine_wait(has_come, &p);
		tell_found(&p.found, status);
	}
	return api_leave(p.c, rc);
}

#pragma weak MPI_Iprobe = PMPI_Iprobe
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct comm *c = NULL;
	struct p2p_found found = found_nobody;
	int rc;

	api_enter("MPI_Iprobe");
	rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_source(c, source, tag);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = source == MPI_PROC_NULL || p2p_probe(c, source, tag, &found);
		if (!*flag) {
			engine_look();
			*flag = p2p_probe(c, source, tag, &found);
		}
		if (*flag)
			tell_found(&found, status);
	}
	return api_leave(c, rc);
}
