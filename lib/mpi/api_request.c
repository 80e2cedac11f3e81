/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion: MPI 5.0 sections 3.7.3 to 3.7.6 and 3.8.4. */
#include <stdlib.h>

#include "api.h"
#include "check.h"
#include "engine.h"
#include "request.h"
#include "status.h"

/* The error handler of a communicator that may have been freed with its last request is called
 * before the communicator goes. */
static int leave(struct comm *c, int rc)
{
	bool raised = rc != MPI_SUCCESS && c;

	if (c && !raised)
		comm_release(c);
	rc = api_leave(raised ? c : NULL, rc);
	if (raised) {
		engine_lock();
		comm_release(c);
		engine_unlock();
	}
	return rc;
}

static struct comm *comm_held(struct request *r)
{
	if (!r || !r->comm)
		return NULL;
	comm_hold(r->comm);
	return r->comm;
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* ---- sets of requests ---- */

struct set {
	int count;
	MPI_Request *handles;
	struct request **r;	 /* NULL entries: MPI_REQUEST_NULL */
	struct request *few[16]; /* r, when they are few */
	int next;
	struct comm *comm; /* of the first: its error handler is called */
};

static int set_open(struct set *s, int count, MPI_Request *handles)
{
	int rc = MPI_SUCCESS;

	*s = (struct set){.count = count, .handles = handles};
	if (count < 0)
		return api_fail(MPI_ERR_COUNT, "the number of requests is %d", count);
	if (count > 0 && !handles)
		return check_pointer(handles, "the array of requests");
	s->r = s->few;
	if ((size_t)count > sizeof s->few / sizeof *s->few)
		s->r = malloc((size_t)count * sizeof *s->r);
	if (!s->r)
		return api_fail(MPI_ERR_NO_MEM, "no memory for %d requests", count);
	for (int i = 0; rc == MPI_SUCCESS && i < count; i++) {
		rc = request_lookup(handles[i], &s->r[i]);
		if (rc == MPI_SUCCESS && s->r[i] && !s->comm)
			s->comm = comm_held(s->r[i]);
	}
	return rc;
}

static int set_close(struct set *s, int rc)
{
	if (s->r != s->few)
		free(s->r);
	return leave(s->comm, rc);
}

static bool in_play(const struct request *r)
{
	return r && r->active;
}

static bool idle(const struct request *r)
{
	return !r || request_idle(r);
}

static bool all_idle(void *arg, int *expect)
{
	struct set *s = arg;

	while (s->next < s->count && idle(s->r[s->next]))
		s->next++;
	if (s->next == s->count)
		return true;
	if (s->count - s->next <= 2)
		*expect = request_expects(s->r[s->next]);
	return false;
}

/* The first finished one into s->next; or -1 there when none is in play. */
static bool any_done(void *arg, int *expect)
{
	struct set *s = arg;
	int playing = 0;

	s->next = -1;
	for (int i = 0; i < s->count; i++) {
		if (!in_play(s->r[i]))
			continue;
		playing++;
		if (s->r[i]->done) {
			s->next = i;
			return true;
		}
	}
	(void)expect;
	return playing == 0;
}

static int finish_at(struct set *s, int i, MPI_Status *status)
{
	if (!s->r[i]) {
		status_empty(status);
		return MPI_SUCCESS;
	}
	return request_finish(&s->handles[i], s->r[i], status);
}

/* MPI 5.0 section 3.7.5: one error makes MPI_ERR_IN_STATUS, and each status says its own. */
static int finish_all(struct set *s, MPI_Status *statuses)
{
	int first = MPI_SUCCESS;

	for (int i = 0; i < s->count; i++) {
		int one = finish_at(s, i, status_at(statuses, i));

		if (statuses != MPI_STATUSES_IGNORE)
			statuses[i].MPI_ERROR = one;
		if (first == MPI_SUCCESS && one != MPI_SUCCESS)
			first = statuses == MPI_STATUSES_IGNORE ? one : MPI_ERR_IN_STATUS;
	}
	return first;
}

/* ---- one ---- */

#pragma weak MPI_Wait = PMPI_Wait
int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct set s = {0};
	int rc;

	api_enter("MPI_Wait");
	rc = set_open(&s, 1, request);
	if (rc == MPI_SUCCESS) {
		engine_wait(all_idle, &s);
		rc = finish_at(&s, 0, status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Test = PMPI_Test
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct set s = {0};
	int rc;

	api_enter("MPI_Test");
	rc = set_open(&s, 1, request);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		if (!idle(s.r[0]))
			engine_look();
		*flag = idle(s.r[0]);
		if (*flag)
			rc = finish_at(&s, 0, status);
	}
	return set_close(&s, rc);
}

/* MPI 5.0 section 6.12: other ranks count on a collective operation */
static int may_drop(const struct request *r)
{
	if (!r->active || !r->class || !r->class->binding)
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_REQUEST,
		"the request is of a collective operation that is not finished: wait for it");
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
		rc = api_fail(MPI_ERR_REQUEST, "MPI_REQUEST_NULL was given");
	if (rc == MPI_SUCCESS)
		rc = may_drop(r);
	if (rc == MPI_SUCCESS) {
		c = comm_held(r);
		if (request_idle(r)) {
			request_free(r);
		} else {
			/* from now on the handle means nothing to the program */
			r->freed = true;
			r->head.kind = OBJECT_FREED;
		}
		*request = MPI_REQUEST_NULL;
	}
	return leave(c, rc);
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
	if (rc == MPI_SUCCESS && (!r || !r->active))
		rc = api_fail(MPI_ERR_REQUEST, "the request is %s",
			r ? "not active" : "MPI_REQUEST_NULL");
	if (rc == MPI_SUCCESS)
		rc = may_drop(r);
	if (rc == MPI_SUCCESS) {
		c = comm_held(r);
		p2p_cancel(r);
		if (r->cancelled && !r->done)
			request_complete(r, MPI_SUCCESS);
	}
	return leave(c, rc);
}

#pragma weak MPI_Test_cancelled = PMPI_Test_cancelled
int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	int rc;

	api_enter_anytime("MPI_Test_cancelled");
	rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		*flag = status_get_cancelled(status);
	return api_leave_anytime(rc);
}

/* ---- all ---- */

#pragma weak MPI_Waitall = PMPI_Waitall
int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
	struct set s = {0};
	int rc;

	api_enter("MPI_Waitall");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS) {
		engine_wait(all_idle, &s);
		rc = finish_all(&s, array_of_statuses);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Testall = PMPI_Testall
int PMPI_Testall(
	int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[])
{
	struct set s = {0};
	int rc, expect;

	api_enter("MPI_Testall");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = all_idle(&s, &expect);
		if (!*flag) {
			engine_look();
			*flag = all_idle(&s, &expect);
		}
		if (*flag)
			rc = finish_all(&s, array_of_statuses);
	}
	return set_close(&s, rc);
}

/* ---- any ---- */

static int finish_any(struct set *s, int *index, MPI_Status *status)
{
	*index = s->next < 0 ? MPI_UNDEFINED : s->next;
	if (s->next >= 0)
		return finish_at(s, s->next, status);
	status_empty(status);
	return MPI_SUCCESS;
}

#pragma weak MPI_Waitany = PMPI_Waitany
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
	struct set s = {0};
	int rc;

	api_enter("MPI_Waitany");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(index, "index");
	if (rc == MPI_SUCCESS) {
		engine_wait(any_done, &s);
		rc = finish_any(&s, index, status);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Testany = PMPI_Testany
int PMPI_Testany(
	int count, MPI_Request array_of_requests[], int *index, int *flag, MPI_Status *status)
{
	struct set s = {0};
	int rc, expect;

	api_enter("MPI_Testany");
	rc = set_open(&s, count, array_of_requests);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(index, "index");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS) {
		*flag = any_done(&s, &expect);
		if (!*flag) {
			engine_look();
			*flag = any_done(&s, &expect);
		}
		if (*flag)
			rc = finish_any(&s, index, status);
		else
			*index = MPI_UNDEFINED;
	}
	return set_close(&s, rc);
}

/* ---- some ---- */

static int finish_some(struct set *s, int *outcount, int indices[], MPI_Status *statuses)
{
	int rc = MPI_SUCCESS, n = 0;

	if (s->next < 0) {
		*outcount = MPI_UNDEFINED;
		return MPI_SUCCESS;
	}
	for (int i = 0; i < s->count; i++) {
		int one;

		if (!in_play(s->r[i]) || !s->r[i]->done)
			continue;
		one = finish_at(s, i, status_at(statuses, n));
		if (statuses != MPI_STATUSES_IGNORE)
			statuses[n].MPI_ERROR = one;
		if (one && !rc)
			rc = statuses == MPI_STATUSES_IGNORE ? one : MPI_ERR_IN_STATUS;
		indices[n++] = i;
	}
	*outcount = n;
	return rc;
}

static int open_some(
	struct set *s, int count, MPI_Request *handles, const int *outcount, const int *indices)
{
	int rc = set_open(s, count, handles);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(outcount, "outcount");
	return rc || count == 0 ? rc : check_pointer(indices, "the array of indices");
}

#pragma weak MPI_Waitsome = PMPI_Waitsome
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct set s = {0};
	int rc;

	api_enter("MPI_Waitsome");
	rc = open_some(&s, incount, array_of_requests, outcount, array_of_indices);
	if (rc == MPI_SUCCESS) {
		engine_wait(any_done, &s);
		rc = finish_some(&s, outcount, array_of_indices, array_of_statuses);
	}
	return set_close(&s, rc);
}

#pragma weak MPI_Testsome = PMPI_Testsome
int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
	int array_of_indices[], MPI_Status array_of_statuses[])
{
	struct set s = {0};
	int rc, expect;

	api_enter("MPI_Testsome");
	rc = open_some(&s, incount, array_of_requests, outcount, array_of_indices);
	if (rc == MPI_SUCCESS) {
		if (!any_done(&s, &expect))
			engine_look();
		*outcount = 0;
		if (any_done(&s, &expect))
			rc = finish_some(&s, outcount, array_of_indices, array_of_statuses);
	}
	return set_close(&s, rc);
}
