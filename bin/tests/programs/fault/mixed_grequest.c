/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's generalised requests: nothing of them is in a line, so what is open is started again
 * after a restore, and completed when its time has come. One request at a time; which of two that
 * complete first differs.
 */
#include "mixed.h"

#include <stdbool.h>

enum { PERIOD = 6, OPEN = 4, COMPLETED = 2, TAG = 70 };

_Static_assert((int)OPEN < (int)PERIOD && (int)OPEN <= (int)MIXED_LAG, "one at a time");

static struct {
	int64_t started; /* at this step; 0: there is none */
	int64_t completed;
} state;
static MPI_Request request = MPI_REQUEST_NULL;
static uint64_t key;

static uint64_t key_of(const struct mixed *m, long step)
{
	return mixed_random(m, MIXED_GREQUEST, step, (uint64_t)m->prog->rank);
}

static int query(void *extra, MPI_Status *status)
{
	const uint64_t *k = extra;

	MPI_Status_set_elements(status, MPI_BYTE, (int)(*k % 1000));
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = (int)(*k % 7);
	status->MPI_TAG = TAG;
	return MPI_SUCCESS;
}

static int gone(void *extra)
{
	*(uint64_t *)extra = 0;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

static void start(const struct mixed *m, long step)
{
	key = key_of(m, step);
	state.started = step;
	state.completed = 0;
	MPI_Grequest_start(query, gone, cancel, &key, &request);
}

static void complete(void)
{
	MPI_Grequest_complete(request);
	state.completed = 1;
}

static void finish(struct mixed *m)
{
	uint64_t right = key_of(m, (long)state.started);
	MPI_Status status;
	int bytes;

	MPI_Wait(&request, &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	if (bytes != (int)(right % 1000) || status.MPI_SOURCE != (int)(right % 7) || key != 0)
		prog_wrong(m->prog, "a generalised request of step %ld says %d bytes from %d",
			(long)state.started, bytes, status.MPI_SOURCE);
	mixed_enter(m, MIXED_GREQUEST, 0, TAG, &right, (long)sizeof(right));
	state.started = 0;
}

static bool starts_at(const struct mixed *m, long step)
{
	return step >= 1 && step <= m->steps && step % PERIOD == 1;
}

static void step_general(struct mixed *m, long step)
{
	if (starts_at(m, step))
		start(m, step);
	if (state.started && step == state.started + COMPLETED)
		complete();
	if (state.started && step == state.started + OPEN)
		finish(m);
}

static void begin(struct mixed *m)
{
	mixed_protect(m, MIXED_GREQUEST, &state, sizeof(state));
}

static void restored(struct mixed *m)
{
	bool was_complete = state.completed;

	if (!state.started)
		return;
	start(m, (long)state.started);
	if (was_complete)
		complete();
}

static uint64_t expect(const struct mixed *m, long step)
{
	uint64_t right = key_of(m, step);

	return starts_at(m, step) ? mixed_worth(0, TAG, &right, (long)sizeof(right)) : 0;
}

const struct mixed_part mixed_grequest = {
	.name = "grequest",
	.begin = begin,
	.restored = restored,
	.step = step_general,
	.expect = expect,
};
