/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one: MPI 5.0 section 3.10. */
#include "api.h"
#include "check.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/request.h"

static int both(struct p2p_message *out, struct p2p_message *in, MPI_Status *status)
{
	struct request *r = NULL;
	int sent, rc = check_send(out);

	if (rc == MPI_SUCCESS)
		rc = check_recv(in);
	if (rc == MPI_SUCCESS)
		rc = p2p_irecv(in, &r);
	if (rc)
		return rc;
	sent = p2p_send_wait(out);
	if (sent)
		p2p_cancel(r);
	if (sent && r->cancelled)
		request_complete(r, MPI_SUCCESS);
	rc = request_wait(r, status);
	return sent ? sent : rc;
}

static int sendrecv(
	const char *name, struct p2p_message *out, struct p2p_message *in, MPI_Status *status)
{
	int rc;

	api_enter(name);
	rc = both(out, in, status);
	return api_leave(out->comm, rc);
}

/* One request for both. */
static int begin(struct p2p_message *out, struct p2p_message *in, bool replace, struct request **r)
{
	int rc = check_send(out);

	if (rc == MPI_SUCCESS)
		rc = check_recv(in);
	return rc ? rc : p2p_isendrecv(out, in, replace, r);
}

static int replace(
	const char *name, struct p2p_message *out, struct p2p_message *in, MPI_Status *status)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = begin(out, in, true, &r);
	if (rc == MPI_SUCCESS)
		rc = request_wait(r, status);
	return api_leave(out->comm, rc);
}

static int isendrecv(const char *name, struct p2p_message *out, struct p2p_message *in, bool same,
	MPI_Request *request)
{
	struct request *r = NULL;
	int rc;

	api_enter(name);
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = begin(out, in, same, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(out->comm, rc);
}

#pragma weak MPI_Sendrecv = PMPI_Sendrecv
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Status *status)
{
	struct p2p_message out = p2p_message(sendbuf, sendcount, sendtype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(recvbuf, recvcount, recvtype, source, recvtag, comm);

	return sendrecv("MPI_Sendrecv", &out, &in, status);
}

#pragma weak MPI_Isendrecv = PMPI_Isendrecv
int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Request *request)
{
	struct p2p_message out = p2p_message(sendbuf, sendcount, sendtype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(recvbuf, recvcount, recvtype, source, recvtag, comm);

	return isendrecv("MPI_Isendrecv", &out, &in, false, request);
}

#pragma weak MPI_Sendrecv_replace = PMPI_Sendrecv_replace
int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct p2p_message out = p2p_message(buf, count, datatype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(buf, count, datatype, source, recvtag, comm);

	return replace("MPI_Sendrecv_replace", &out, &in, status);
}

#pragma weak MPI_Isendrecv_replace = PMPI_Isendrecv_replace
int PMPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message out = p2p_message(buf, count, datatype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(buf, count, datatype, source, recvtag, comm);

	return isendrecv("MPI_Isendrecv_replace", &out, &in, true, request);
}

#pragma weak MPI_Sendrecv_c = PMPI_Sendrecv_c
int PMPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
	int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
	int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct p2p_message out = p2p_message(sendbuf, sendcount, sendtype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(recvbuf, recvcount, recvtype, source, recvtag, comm);

	return sendrecv("MPI_Sendrecv_c", &out, &in, status);
}

#pragma weak MPI_Isendrecv_c = PMPI_Isendrecv_c
int PMPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
	int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
	int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message out = p2p_message(sendbuf, sendcount, sendtype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(recvbuf, recvcount, recvtype, source, recvtag, comm);

	return isendrecv("MPI_Isendrecv_c", &out, &in, false, request);
}

#pragma weak MPI_Sendrecv_replace_c = PMPI_Sendrecv_replace_c
int PMPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct p2p_message out = p2p_message(buf, count, datatype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(buf, count, datatype, source, recvtag, comm);

	return replace("MPI_Sendrecv_replace_c", &out, &in, status);
}

#pragma weak MPI_Isendrecv_replace_c = PMPI_Isendrecv_replace_c
int PMPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
	int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	struct p2p_message out = p2p_message(buf, count, datatype, dest, sendtag, comm);
	struct p2p_message in = p2p_message(buf, count, datatype, source, recvtag, comm);

	return isendrecv("MPI_Isendrecv_replace_c", &out, &in, true, request);
}
