/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive in one: MPI 5.0 section 3.10. */
#include "api.h"
#include "check.h"
#include "p2p.h"
#include "request.h"

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

#pragma weak MPI_Sendrecv = PMPI_Sendrecv
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
	void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
	MPI_Status *status)
{
	struct check_message out = {sendbuf, sendcount, sendtype, dest, sendtag, comm, NULL, NULL};
	struct check_message in = {recvbuf, recvcount, recvtype, source, recvtag, comm, NULL, NULL};

	return sendrecv("MPI_Sendrecv", &out, &in, status);
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
