/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_set.h"

#include <stdlib.h>

#include "api.h"
#include "check.h"
#include "mpi/engine/engine.h"

int set_leave(struct comm *c, int rc)
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

struct comm *set_hold_comm(struct request *r)
{
	if (!r || !r->m.comm)
		return NULL;
	comm_hold(r->m.comm);
	return r->m.comm;
}

int set_open(struct request_set *s, int count, const MPI_Request *handles)
{
	int rc = MPI_SUCCESS;

	s->count = count;
	s->handles = (MPI_Request *)(uintptr_t)handles;
	s->r = s->few;
	s->next = 0;
	s->comm = NULL;
	if (count < 0)
		return fail_with(MPI_ERR_COUNT, "the number of requests is %d", count);
	if (count > 0 && !handles)
		return check_pointer(handles, "the array of requests");
	if ((size_t)count > sizeof s->few / sizeof *s->few)
		s->r = malloc((size_t)count * sizeof *s->r);
	if (!s->r)
		return fail_with(MPI_ERR_NO_MEM, "no memory for %d requests", count);
	for (int i = 0; rc == MPI_SUCCESS && i < count; i++) {
		rc = request_lookup(handles[i], &s->r[i]);
		if (rc == MPI_SUCCESS && s->r[i] && !s->comm)
			s->comm = set_hold_comm(s->r[i]);
	}
	return rc;
}

int set_close(struct request_set *s, int rc)
{
	if (s->r != s->few)
		free(s->r);
	return set_leave(s->comm, rc);
}

static bool idle(const struct request *r)
{
	return !r || request_idle(r);
}

bool set_all_idle(void *arg, int *expect)
{
	struct request_set *s = arg;

	while (s->next < s->count && idle(s->r[s->next]))
		s->next++;
	if (s->next == s->count)
		return true;
	if (s->count - s->next <= 2)
		*expect = request_expects(s->r[s->next]);
	return false;
}

bool set_any_done(void *arg, int *expect)
{
	struct request_set *s = arg;
	int playing = 0;

	s->next = -1;
	for (int i = 0; i < s->count; i++) {
		if (!set_in_play(s->r[i]))
			continue;
		playing++;
		if (request_done(s->r[i])) {
			s->next = i;
			return true;
		}
	}
	(void)expect;
	return playing == 0;
}
