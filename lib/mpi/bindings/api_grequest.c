/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generalised requests (MPI 5.0 section 13.2): the program does the operation and says when it is
 * done; the calls that complete requests ask it for the status. Its functions run without the lock.
 */
#include <stdlib.h>

#include "api.h"
#include "check.h"
#include "mpi/engine/engine.h"
#include "request_set.h"

struct grequest {
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *extra_state;
};

/* What a function of the program has said; the calls that it made are forgotten. */
static int said(const char *name, const char *what, int rc)
{
	engine_lock_again();
	api_enter_anytime(name);
	return rc ? fail_with(rc, "the request's %s gave error %d", what, rc) : MPI_SUCCESS;
}

static int query(struct request *r, MPI_Status *status)
{
	struct grequest *g = r->owner;
	const char *name = fail_call();

	engine_unlock();
	return said(name, "query_fn", g->query(g->extra_state, status));
}

static int release(struct request *r)
{
	struct grequest *g = r->owner;
	const char *name = fail_call();

	engine_unlock();
	return said(name, "free_fn", g->free(g->extra_state));
}

/* Of two errors the first is told. */
static int finish(struct request *r, MPI_Status *status)
{
	int asked = query(r, status), freed = release(r);

	return asked ? asked : freed;
}

static int cancel(struct request *r)
{
	struct grequest *g = r->owner;
	const char *name = fail_call();
	int complete = request_done(r);

	engine_unlock();
	return said(name, "cancel_fn", g->cancel(g->extra_state, complete));
}

static void grequest_free(struct request *r)
{
	free(r->owner);
}

static const struct request_class grequest_class = {.cancel = cancel,
	.finish = finish,
	.query = query,
	.release = release,
	.free = grequest_free};

static int make(const struct grequest *g, struct request **out)
{
	struct grequest *own = malloc(sizeof *own);

	*out = own ? request_new_other(&grequest_class, NULL, own) : NULL;
	if (*out) {
		*own = *g;
		return MPI_SUCCESS;
	}
	free(own);
	return fail_with(MPI_ERR_NO_MEM, "no memory for a request");
}

#pragma weak MPI_Grequest_start = PMPI_Grequest_start
int PMPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
	MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
	struct grequest g = {query_fn, free_fn, cancel_fn, extra_state};
	struct request *r = NULL;
	int rc;

	api_enter("MPI_Grequest_start");
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS && (!query_fn || !free_fn || !cancel_fn))
		rc = fail_with(MPI_ERR_ARG, "%s is a null pointer",
			!query_fn  ? "query_fn"
			: !free_fn ? "free_fn"
				   : "cancel_fn");
	if (rc == MPI_SUCCESS)
		rc = make(&g, &r);
	if (rc == MPI_SUCCESS)
		*request = (MPI_Request)r;
	return api_leave(NULL, rc);
}

/* Also one that the program has freed meanwhile (MPI_Request_free): it is told here that it is
 * over. */
static int lookup(MPI_Request handle, struct request **out)
{
	struct request *r = (struct request *)handle;
	int rc = MPI_SUCCESS;

	*out = NULL;
	if (handle_is(handle, OBJECT_FREED) && r->state != REQUEST_UNUSED &&
		r->class == &grequest_class)
		*out = r;
	else
		rc = request_lookup(handle, out);
	if (rc)
		return rc;
	if (!*out || (*out)->class != &grequest_class)
		return fail_with(MPI_ERR_REQUEST, "%s is not a generalised request",
			*out ? "the request" : "MPI_REQUEST_NULL");
	if (request_done(*out))
		return fail_with(MPI_ERR_REQUEST, "the request is complete already");
	return MPI_SUCCESS;
}

#pragma weak MPI_Grequest_complete = PMPI_Grequest_complete
int PMPI_Grequest_complete(MPI_Request request)
{
	struct request *r;
	int rc;

	api_enter("MPI_Grequest_complete");
	rc = lookup(request, &r);
	if (rc == MPI_SUCCESS) {
		bool freed = r->freed;

		rc = freed ? release(r) : MPI_SUCCESS;
		request_complete(r, MPI_SUCCESS);
	}
	return api_leave(NULL, rc);
}
