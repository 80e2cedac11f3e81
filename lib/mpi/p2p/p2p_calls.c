/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls use: a request made, started, and for the blocking pair waited for. */
#include "mpi/handle/fail.h"
#include "p2p.h"
#include "request.h"

static int start_new(struct request *r, struct request **out)
{
	int rc = p2p_start(r);

	if (rc)
		request_free(r);
	else
		*out = r;
	return rc;
}

static int no_memory(void)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
}

int p2p_isend(struct comm *c, enum plane plane, const void *buf, size_t count, struct type *t,
	int dest, int tag, enum send_mode mode, struct request **out)
{
	struct request *r = request_new(REQUEST_SEND, c, plane, t);

	if (!r)
		return no_memory();
	r->buf = (void *)(uintptr_t)buf;
	r->count = count;
	r->rank = dest;
	r->tag = tag;
	r->mode = mode;
	return start_new(r, out);
}

int p2p_irecv(struct comm *c, enum plane plane, void *buf, size_t count, struct type *t, int source,
	int tag, struct request **out)
{
	struct request *r = request_new(REQUEST_RECV, c, plane, t);

	if (!r)
		return no_memory();
	r->buf = buf;
	r->count = count;
	r->rank = source;
	r->tag = tag;
	return start_new(r, out);
}

/* Not for most sends: so that p2p_send need not save registers for it, it stays apart. */
static __attribute__((noinline)) int send_and_wait(
	struct comm *c, enum plane plane, const struct p2p_message *m, enum send_mode mode)
{
	struct request *r = NULL;
	int rc = p2p_isend(c, plane, m->buf, m->count, m->t, m->rank, m->tag, mode, &r);

	return rc ? rc : request_wait(r, MPI_STATUS_IGNORE);
}

int p2p_send(struct comm *c, enum plane plane, const void *buf, size_t count, struct type *t,
	int dest, int tag, enum send_mode mode)
{
	struct p2p_message m = {(void *)(uintptr_t)buf, count, t, dest, tag};

	if (mode != SEND_SYNC && p2p_send_now(c, plane, &m))
		return MPI_SUCCESS;
	return send_and_wait(c, plane, &m, mode);
}

int p2p_recv(struct comm *c, enum plane plane, void *buf, size_t count, struct type *t, int source,
	int tag, MPI_Status *status)
{
	struct request *r = NULL;
	int rc = p2p_irecv(c, plane, buf, count, t, source, tag, &r);

	return rc ? rc : request_wait(r, status);
}
