/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "base/slab.h"
#include "inflight.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/status.h"
#include "p2p_inside.h"
#include "p2p_log.h"

/* What could not be begun is inactive again, or gone. A receive that was withdrawn is as one that
 * is not posted yet, and then done. None is freed while it is in the matching lists, or while its
 * message is on the way. In a process that woke up it waits for that message again. */
const uint8_t request_leads[REQUEST_STATES] = {
	[REQUEST_UNUSED] = 1 << REQUEST_INACTIVE,
	[REQUEST_INACTIVE] = 1 << REQUEST_STARTED | 1 << REQUEST_UNUSED,
	[REQUEST_STARTED] = 1 << REQUEST_POSTED | 1 << REQUEST_MATCHED | 1 << REQUEST_DONE |
			    1 << REQUEST_INACTIVE | 1 << REQUEST_UNUSED,
	[REQUEST_POSTED] = 1 << REQUEST_MATCHED | 1 << REQUEST_STARTED,
	[REQUEST_MATCHED] = 1 << REQUEST_DONE | 1 << REQUEST_POSTED,
	[REQUEST_DONE] = 1 << REQUEST_INACTIVE | 1 << REQUEST_UNUSED,
};

static struct slab slab;

void requests_init(void)
{
	slab_init(&slab, sizeof(struct request));
}

void requests_fini(void)
{
	slab_fini(&slab);
}

static __attribute__((noinline, cold)) struct request *no_memory(void)
{
	fail_with(MPI_ERR_NO_MEM, "no memory for a request");
	return NULL;
}

struct request *request_new(enum request_kind kind, const struct p2p_message *m)
{
	struct request *r = slab_take(&slab);

	engine_assert_held();
	if (__builtin_expect(!r, false))
		return no_memory();
	/* all of it but m: so short that each is a few stores in place */
	memset(r, 0, offsetof(struct request, m));
	r->packed = NULL;
	r->match = (struct match_recv){0};
	memset(&r->peer, 0, sizeof *r - offsetof(struct request, peer));
	r->head = (struct object){.kind = OBJECT_REQUEST, .refs = 1};
	request_become(r, REQUEST_INACTIVE);
	r->kind = kind;
	r->m = *m;
	match_place_init(&r->match.place);
	if (m->comm)
		comm_hold(m->comm);
	if (m->type)
		type_hold(m->type);
	return r;
}

struct request *request_new_other(const struct request_class *class, struct comm *c, void *owner)
{
	struct p2p_message none = {.comm = c, .plane = PLANE_COLL, .rank = MPI_ANY_SOURCE};
	struct request *r = request_new(REQUEST_OTHER, &none);

	if (!r)
		return NULL;
	r->class = class;
	r->owner = owner;
	request_become(r, REQUEST_STARTED);
	return r;
}

static void drop_packed(struct request *r)
{
	free(r->packed);
	r->packed = NULL;
}

void request_free(struct request *r)
{
	engine_assert_held();
	if (__builtin_expect(r->inflight != NULL, false))
		inflight_leave(r);
	if (r->class && r->class->free)
		r->class->free(r);
	if (r->m.comm)
		comm_release(r->m.comm);
	if (r->m.type)
		type_release(r->m.type);
	if (__builtin_expect(r->packed != NULL, false))
		drop_packed(r);
	r->head.kind = OBJECT_FREED;
	request_become(r, REQUEST_UNUSED);
	slab_give(&slab, r);
}

struct visitor {
	void (*visit)(struct request *r, void *arg);
	void *arg;
};

static void visit_used(void *object, void *arg)
{
	struct request *r = object;
	struct visitor *v = arg;

	if (r->state != REQUEST_UNUSED)
		v->visit(r, v->arg);
}

void requests_each(void (*visit)(struct request *r, void *arg), void *arg)
{
	struct visitor v = {visit, arg};

	engine_assert_held();
	slab_each(&slab, visit_used, &v);
}

int request_lookup(MPI_Request handle, struct request **out)
{
	if (handle == MPI_REQUEST_NULL) {
		*out = NULL;
		return MPI_SUCCESS;
	}
	if (!handle_is(handle, OBJECT_REQUEST))
		return fail_with(MPI_ERR_REQUEST, "%p is not a request (was it freed already?)",
			(void *)handle);
	*out = (struct request *)handle;
	return MPI_SUCCESS;
}

void request_completed_other(struct request *r)
{
	if (r->packed)
		drop_packed(r);
	if (r->then)
		engine_defer(r->then);
	if (r->freed)
		request_free(r);
	else
		engine_completed();
}

void status_empty(MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	memset(status->MPI_internal, 0, sizeof status->MPI_internal);
	status->MPI_SOURCE = MPI_ANY_SOURCE;
	status->MPI_TAG = MPI_ANY_TAG;
	status->MPI_ERROR = MPI_SUCCESS;
	status_set_bytes(status, 0);
}

static void message_status(const struct request *r, MPI_Status *status)
{
	memset(status->MPI_internal, 0, sizeof status->MPI_internal);
	status->MPI_SOURCE = r->source;
	status->MPI_TAG = r->got_tag;
	status_set_bytes(status, r->bytes);
	status_set_cancelled(status, r->cancelled);
}

void request_message_status(const struct request *r, MPI_Status *status)
{
	message_status(r, status);
}

/* MPI 5.0 section 3.7.3: a finished send leaves the fields as undefined as an empty status does. */
static void fill_status(const struct request *r, MPI_Status *status)
{
	if (status == MPI_STATUS_IGNORE)
		return;
	if (request_active(r))
		message_status(r, status);
	else
		status_empty(status);
}

static int say_uneven(const struct request *r)
{
	unsigned long long length = r->length, room = (size_t)r->m.count * r->m.type->size;

	if (r->error == MPI_ERR_TYPE)
		return fail_with(r->error,
			"a message of %llu bytes from rank %d with tag %d ends inside a basic "
			"element of the datatype that receives it: the sender means another type",
			length, r->source, r->got_tag);
	if (r->m.plane == PLANE_COLL)
		return fail_with(r->error,
			"rank %d gave %llu bytes where this rank expects %llu: their counts or "
			"datatypes do not agree, or those of a rank that it heard from",
			r->source, length, room);
	return fail_with(r->error,
		"a message of %llu bytes from rank %d with tag %d came for a receive of %llu bytes",
		length, r->source, r->got_tag, room);
}

static int say_error(const struct request *r)
{
	switch (r->error) {
	case MPI_ERR_TRUNCATE:
	case MPI_ERR_TYPE:
		return say_uneven(r);
	case MPI_ERR_PROC_ABORTED:
		return fail_with(
			r->error, "rank %d is gone", r->m.rank < 0 ? r->source : r->m.rank);
	case MPI_ERR_NO_MEM:
		return fail_with(r->error, "no memory for a message of %llu bytes",
			(unsigned long long)r->length);
	default:
		return fail_with(r->error, "the message to or from rank %d failed", r->m.rank);
	}
}

/* A class has its say. Single completions leave MPI_ERROR alone (MPI 5.0 section 3.2.5). */
static int ask_class(
	struct request *r, int (*say)(struct request *, MPI_Status *), MPI_Status *status)
{
	MPI_Status own = {.MPI_ERROR = MPI_SUCCESS},
		   *mine = status == MPI_STATUS_IGNORE ? &own : status;
	int kept = mine->MPI_ERROR;

	status_empty(mine);
	if (!request_active(r))
		return MPI_SUCCESS;
	status_set_cancelled(mine, r->cancelled);
	mine->MPI_ERROR = kept;
	return say ? say(r, mine) : MPI_SUCCESS;
}

int request_peek(struct request *r, MPI_Status *status)
{
	engine_assert_held();
	if (r->class)
		return ask_class(r, r->class->query, status);
	fill_status(r, status);
	return MPI_SUCCESS;
}

int request_finish(MPI_Request *handle, struct request *r, MPI_Status *status)
{
	int rc = MPI_SUCCESS;

	engine_assert_held();
	if (__builtin_expect(r->class != NULL, false)) {
		rc = ask_class(r, r->class->finish, status);
		if (rc == MPI_SUCCESS && request_active(r) && r->error)
			rc = say_error(r);
	} else {
		if (request_active(r) && r->error)
			rc = say_error(r);
		fill_status(r, status);
	}
	if (r->persistent) {
		if (r->inflight)
			inflight_leave(r);
		r->told = false;
		if (request_active(r))
			request_become(r, REQUEST_INACTIVE);
		return rc;
	}
	request_free(r);
	if (handle)
		*handle = MPI_REQUEST_NULL;
	return rc;
}

struct waiting {
	struct request **r;
	size_t n, next;
};

/* When few are left the first of them is the one to look at; many come from everywhere. */
static bool all_done(void *arg, int *expect)
{
	struct waiting *w = arg;

	while (w->next < w->n && (!w->r[w->next] || request_done(w->r[w->next])))
		w->next++;
	if (w->next == w->n)
		return true;
	if (w->n - w->next <= 2)
		*expect = request_expects(w->r[w->next]);
	return false;
}

bool request_is_done(void *arg, int *expect)
{
	const struct request *r = arg;

	if (request_done(r))
		return true;
	*expect = request_expects(r);
	return false;
}

int request_wait(struct request *r, MPI_Status *status)
{
	if (!request_done(r)) {
		if (p2p_log_is_used())
			p2p_log_awaits(r);
		engine_wait_on(request_expects(r), request_is_done, r);
	}
	return request_finish(NULL, r, status);
}

int request_wait_all(struct request **r, size_t n)
{
	struct waiting w = {r, n, 0};
	int rc = MPI_SUCCESS;

	engine_assert_held();
	engine_wait(all_done, &w);
	for (size_t i = 0; i < n; i++) {
		int one = r[i] ? request_finish(NULL, r[i], MPI_STATUS_IGNORE) : MPI_SUCCESS;

		if (rc == MPI_SUCCESS)
			rc = one;
	}
	return rc;
}
