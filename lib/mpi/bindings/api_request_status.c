/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of a request without being completed: MPI 5.0 sections 3.7.3, 3.7.6 and 3.8.4. */
#include "api.h"
#include "check.h"
#include "nondet.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_log.h"
#include "request_set.h"

/* ---- free and cancel ---- */

static bool is_binding(const struct request *r)
{
	return request_active(r) && r->class && r->class->binding;
}

/* MPI 5.0 section 6.12: other ranks count on a collective operation, until it is over */
static int may_free(struct request *r)
{
	if (!is_binding(r) || nondet_idle(r))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_REQUEST,
		"the request is of a collective operation that is not finished: wait for it");
}

static int may_cancel(const struct request *r)
{
	if (p2p_log_keeps(r))
		return fail_with(MPI_ERR_UNSUPPORTED_OPERATION,
			"a synchronous send cannot be cancelled under `-coord msglog`");
	if (!is_binding(r))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_REQUEST, "a collective operation cannot be cancelled");
}

static int let_go(struct request *r)
{
	int rc = MPI_SUCCESS;

	if (request_idle(r)) {
		if (r->class && r->class->release)
			rc = r->class->release(r);
		request_free(r);
	} else {
		/* from now on the handle means nothing to the program */
		r->freed = true;
		r->head.kind = OBJECT_FREED;
	}
	return rc;
}

#pragma weak MPI_Request_free = PMPI_Request_free
int PMPI_Request_free(MPI_Request *request)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter("MPI_Request_free");
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = request_lookup(*request, &r);
	if (rc == MPI_SUCCESS && !r)
		rc = fail_with(MPI_ERR_REQUEST, "MPI_REQUEST_NULL was given");
	if (rc == MPI_SUCCESS)
		rc = may_free(r);
	if (rc == MPI_SUCCESS) {
		c = set_hold_comm(r);
		rc = let_go(r);
		*request = MPI_REQUEST_NULL;
	}
	return set_leave(c, rc);
}

#pragma weak MPI_Cancel = PMPI_Cancel
int PMPI_Cancel(MPI_Request *request)
{
	struct request *r = NULL;
	struct comm *c = NULL;
	int rc;

	api_enter("MPI_Cancel");
	rc = check_pointer(request, "request");
	if (rc == MPI_SUCCESS)
		rc = request_lookup(*request, &r);
	if (rc == MPI_SUCCESS && (!r || !request_active(r)))
		rc = fail_with(MPI_ERR_REQUEST, "the request is %s",
			r ? "not active" : "MPI_REQUEST_NULL");
	if (rc == MPI_SUCCESS)
		rc = may_cancel(r);
	if (rc == MPI_SUCCESS) {
		/* a class's function may have ended it, and another thread taken note */
		bool own = r->class && r->class->cancel;

		c = set_hold_comm(r);
		if (own || nondet_cancel(r))
			rc = p2p_cancel(r);
		if (!own && r->cancelled && !request_done(r))
			request_complete(r, MPI_SUCCESS);
	}
	return set_leave(c, rc);
}

/* ---- a look at the status ---- */

static int peek_at(struct request_set *s, int i, MPI_Status *status)
{
	if (s->r[i])
		return request_peek(s->r[i], status);
	status_empty(status);
	return MPI_SUCCESS;
}

/* Into an array of statuses, which has the error of each. */
static int peek_into(struct request_set *s, int i, MPI_Status *statuses, int at)
{
	int rc = peek_at(s, i, set_status_at(statuses, at));

	if (statuses == MPI_STATUSES_IGNORE)
		return rc;
	statuses[at].MPI_ERROR = rc;
	if (rc == MPI_SUCCESS && set_in_play(s->r[i]))
		statuses[at].MPI_ERROR = s->r[i]->error;
	return rc ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

#pragma weak MPI_Request_get_status = PMPI_Request_get_status
int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Request_get_status");
	rc = set_open(&s, 1, &request);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_all(&s);
		if (*flag)
			rc = peek_at(&s, 0, status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Request_get_status_any = PMPI_Request_get_status_any
int PMPI_Request_get_status_any(
	int count, const MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
	struct request_set s;
	int rc;

	api_enter("MPI_Request_get_status_any");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(index, "index");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_any(&s, false);
		*index = *flag && s.next >= 0 ? s.next : MPI_UNDEFINED;
		if (*flag && s.next >= 0)
			rc = peek_at(&s, s.next, status);
		else if (*flag)
			status_empty(status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Request_get_status_all = PMPI_Request_get_status_all
int PMPI_Request_get_status_all(
	int count, const MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc, one;

	api_enter("MPI_Request_get_status_all");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = nondet_all(&s);
		for (int i = 0; *flag && i < count; i++) {
			one = peek_into(&s, i, array_of_statuses, i);
			rc = rc ? rc : one;
		}
	}
	return set_close(&s, rc);
}

static int peek_some(struct request_set *s, int n, const int indices[], MPI_Status *statuses)
{
	int rc = MPI_SUCCESS;

	for (int k = 0; k < n; k++) {
		int one = peek_into(s, indices[k], statuses, k);

		rc = rc ? rc : one;
	}
	return rc;
}

#pragma weak MPI_Request_get_status_some = PMPI_Request_get_status_some
int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct request_set s;
	int rc;

	api_enter("MPI_Request_get_status_some");
	rc = set_open(&s, incount, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(outcount, "outcount");
	if (rc == MPI_SUCCESS && incount > 0)
		rc = check_pointer(array_of_indices, "the array of indices");
	if (rc == MPI_SUCCESS) {
		int n = nondet_some(&s, false, array_of_indices);

		*outcount = n < 0 ? MPI_UNDEFINED : n;
		rc = peek_some(&s, n, array_of_indices, array_of_statuses);
	}
	return set_close(&s, rc);
}
