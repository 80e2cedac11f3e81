/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A send and a receive in one request, which is done when both are. The two are requests of their
 * own, so a recovery line knows the receive like any other.
 */
#include <stdlib.h>

#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p.h"
#include "request.h"

struct pair {
	struct engine_deferred deferred; /* one of the two is done */
	struct request *whole;		 /* the program's */
	struct request *out, *in;
	void *copy; /* what is sent, when the receive gets the same buffer; NULL */
};

static struct pair *pair_of(struct engine_deferred *deferred)
{
	return container_of(deferred, struct pair, deferred);
}

static void on_part_done(struct engine_deferred *deferred)
{
	struct pair *p = pair_of(deferred);

	if (!request_done(p->whole) && request_done(p->in) && request_done(p->out))
		request_complete(p->whole, MPI_SUCCESS);
}

static int query(struct request *r, MPI_Status *status)
{
	struct pair *p = r->owner;

	return request_peek(p->in, status);
}

/* The receive's status, and the error of either. */
static int finish(struct request *r, MPI_Status *status)
{
	struct pair *p = r->owner;
	int received = request_finish(NULL, p->in, status);
	int sent = request_finish(NULL, p->out, MPI_STATUS_IGNORE);

	p->in = p->out = NULL;
	return received ? received : sent;
}

static void pair_free(struct request *r)
{
	struct pair *p = r->owner;

	engine_defer_cancel(&p->deferred);
	if (p->in)
		request_free(p->in);
	if (p->out)
		request_free(p->out);
	free(p->copy);
	free(p);
}

static const struct request_class pair_class = {
	.query = query, .finish = finish, .free = pair_free};

static struct request *part(struct pair *p, enum request_kind kind, const struct p2p_message *m)
{
	struct request *r = request_new(kind, m);

	if (r)
		r->then = &p->deferred;
	return r;
}

static bool copy_out(struct pair *p, struct p2p_message *m)
{
	size_t len = (size_t)m->count * m->type->size;

	p->copy = malloc(len ? len : 1);
	if (!p->copy)
		return false;
	type_pack(m->type, m->buf, (size_t)m->count, p->copy);
	m->buf = p->copy;
	m->count = (MPI_Count)len;
	m->type = type_bytes();
	return true;
}

static bool fill(
	struct pair *p, const struct p2p_message *out, const struct p2p_message *in, bool replace)
{
	struct p2p_message m = *out;

	if (replace && !copy_out(p, &m))
		return false;
	p->out = part(p, REQUEST_SEND, &m);
	p->in = part(p, REQUEST_RECV, in);
	return p->out && p->in;
}

/* Without the send there is nothing to wait for; what is sent will still be received. */
static int start(struct pair *p)
{
	int rc = p2p_start(p->in);

	if (rc)
		return rc;
	rc = p2p_start(p->out);
	if (rc == MPI_SUCCESS)
		return rc;
	p->in->then = NULL;
	p2p_cancel(p->in);
	if (p->in->cancelled)
		request_complete(p->in, MPI_SUCCESS);
	return rc;
}

/* A receive that has its message already is under way, and its buffer is not the program's yet. */
static void abandon(struct request *whole)
{
	struct pair *p = whole->owner;

	if (p->in && !request_idle(p->in))
		request_wait(p->in, MPI_STATUS_IGNORE);
	else if (p->in)
		request_free(p->in);
	p->in = NULL;
	request_free(whole);
}

int p2p_isendrecv(const struct p2p_message *out, const struct p2p_message *in, bool replace,
	struct request **request)
{
	struct pair *p = calloc(1, sizeof *p);
	int rc = MPI_SUCCESS;

	engine_assert_held();
	if (!p)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	p->deferred.run = on_part_done;
	p->whole = request_new_other(&pair_class, out->comm, p);
	if (!p->whole) {
		free(p);
		return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	}
	if (!fill(p, out, in, replace))
		rc = fail_with(MPI_ERR_NO_MEM, "no memory for a send and a receive of %zu elements",
			(size_t)in->count);
	if (rc == MPI_SUCCESS)
		rc = start(p);
	if (rc)
		abandon(p->whole);
	else
		*request = p->whole;
	return rc;
}
