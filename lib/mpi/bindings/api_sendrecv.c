/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one: MPI 5.0 section 3.10. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

static int both(struct check_message *out, struct check_message *in, MPI_Status *status)
{
	struct request *r = NULL;
	int sent, rc = check_send(out);

	if (rc == MPI_SUCCESS)
		rc = check_recv(in);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(in->c, PLANE_POINT, (void *)(uintptr_t)in->buf, (size_t)in->count,
			in->t, in->rank, in->tag, &r);
	if (rc)
		return rc;
	sent = p2p_send(out->c, PLANE_POINT, out->buf, (size_t)out->count, out->t, out->rank,
		out->tag, SEND_STANDARD);
	if (sent)
		p2p_cancel(r);
	if (sent && r->cancelled)
		request_complete(r, MPI_SUCCESS);
	rc = request_wait(r, status);
	return sent ? sent : rc;
}

static int sendrecv(
	const char *name, struct check_message *out, struct check_message *in, MPI_Status *status)
{
	int rc;

	api_enter(name);
	rc = both(out, in, status);
	return api_leave(out->c, rc);
}

static struct p2p_message message_of(const struct check_message *m)
{
	return (struct p2p_message){
		(void *)(uintptr_t)m->buf, (size_t)m->count, m->t, m->rank, m->tag};
}

/* One request for both. */
static int begin(
	struct check_message *out, struct check_message *in, bool replace, struct request **r)
{
	struct p2p_message send, receive;
	int rc = check_send(out);

	if (rc == MPI_SUCCESS)
		rc = check_recv(in);
	if (rc)
		return rc;
	send = message_of(out);
	receive = message_of(in);
	return p2p_isendrecv(out->c, &send, &receive, replace, r);
}

static int replace(
	const char *name, struct check_message *out, struct check_message *in, MPI_Status *status)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = begin(out, in, true, &r);
	if (rc == MPI_SUCCESS)
		rc = request_wait(r, status);
	return api_leave(out->c, rc);
}

static int isendrecv(const char *name, struct check_message *out, struct check_message *in,
	bool same, MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = begin(out, in, same, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(out->c, rc);
}

#pragma weak MPI_Sendrecv = PMPI_Sendrecv
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Status *status)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};

	return sendrecv("MPI_Sendrecv", &out, &in, status);
}

#pragma weak MPI_Isendrecv = PMPI_Isendrecv
int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Request *request)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};

	return isendrecv("MPI_Isendrecv", &out, &in, false, request);
}

#pragma weak MPI_Sendrecv_replace = PMPI_Sendrecv_replace
int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct check_message out = {buf, count, datatype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {buf, count, datatype, source, recvtag, comm, NULL, NULL};

	return replace("MPI_Sendrecv_replace", &out, &in, status);
}

#pragma weak MPI_Isendrecv_replace = PMPI_Isendrecv_replace
int PMPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct check_message out = {buf, count, datatype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {buf, count, datatype, source, recvtag, comm, NULL, NULL};

	return isendrecv("MPI_Isendrecv_replace", &out, &in, true, request);
}

#pragma weak MPI_Sendrecv_c = PMPI_Sendrecv_c
int PMPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
	int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
	int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};

	return sendrecv("MPI_Sendrecv_c", &out, &in, status);
}

#pragma weak MPI_Isendrecv_c = PMPI_Isendrecv_c
int PMPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
	int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
	int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};

	return isendrecv("MPI_Isendrecv_c", &out, &in, false, request);
}

#pragma weak MPI_Sendrecv_replace_c = PMPI_Sendrecv_replace_c
int PMPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct check_message out = {buf, count, datatype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {buf, count, datatype, source, recvtag, comm, NULL, NULL};

	return replace("MPI_Sendrecv_replace_c", &out, &in, status);
}

#pragma weak MPI_Isendrecv_replace_c = PMPI_Isendrecv_replace_c
int PMPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct check_message out = {buf, count, datatype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {buf, count, datatype, source, recvtag, comm, NULL, NULL};

	return isendrecv("MPI_Isendrecv_replace_c", &out, &in, true, request);
}
