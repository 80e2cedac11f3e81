/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's persistent requests: made once, started at one step and finished at a later one. After a
 * restore a receive that was started is started again, a send is not: its message is in the line,
 * or was received. And a receive for which nothing comes, taken back later.
 */
#include "mixed.h"

#include <stdbool.h>
#include <stdlib.h>

enum { PERIOD = 5, OPEN = 3, TAG = 10, TAG_NEVER = 20, KINDS = 3 };

_Static_assert(OPEN < PERIOD && PERIOD + OPEN <= MIXED_LAG + PERIOD, "finished before the next");

/* One goes round the ring at a distance of its own, in its own way. */
static struct kind {
	long bytes;
	int distance;
	MPI_Request send, receive;
	uint8_t *out, *in;
} kinds[KINDS];

/* The step at which the one that is open was started; 0: none is. */
static struct {
	int64_t started;
	int64_t awaits; /* the same of the receive for which nothing comes */
} state;
static MPI_Request never = MPI_REQUEST_NULL;

static uint64_t key_of(const struct mixed *m, long step, int kind, int source)
{
	return mixed_random(m, MIXED_PERSISTENT_P2P, step, (uint64_t)kind << 32 | (uint32_t)source);
}

static int source_of(const struct mixed *m, const struct kind *k)
{
	return (m->prog->rank + m->prog->size - k->distance) % m->prog->size;
}

static void make(const struct mixed *m, int i)
{
	struct kind *k = &kinds[i];
	int to = (m->prog->rank + k->distance) % m->prog->size, n = (int)k->bytes;
	k->out = prog_alloc(m->prog, (size_t)n);
	k->in = i == 1 ? mixed_blank(m, n) : prog_alloc(m->prog, (size_t)n);
	(i == 1 ? MPI_Ssend_init : MPI_Send_init)(
		k->out, n, MPI_BYTE, to, TAG + i, m->comm[MIXED_DUP], &k->send);
	MPI_Recv_init(k->in, i == 1 ? n / MIXED_ITEM : n, i == 1 ? m->item : MPI_BYTE,
		source_of(m, k), TAG + i, m->comm[MIXED_DUP], &k->receive);
}

static void start(struct mixed *m, long step)
{
	MPI_Request receives[KINDS];
	for (int i = 0; i < KINDS; i++)
		receives[i] = kinds[i].receive;
	MPI_Startall(KINDS, receives);
	for (int i = 0; i < KINDS; i++) {
		mixed_fill(key_of(m, step, i, m->prog->rank), kinds[i].out, kinds[i].bytes);
		MPI_Start(&kinds[i].send);
	}
	state.started = step;
}

static void finish(struct mixed *m, int i)
{
	struct kind *k = &kinds[i];
	MPI_Status status;
	long step = (long)state.started;
	uint8_t *data = k->in;
	MPI_Wait(&k->receive, &status);
	if (i == 1) {
		data = prog_alloc(m->prog, (size_t)k->bytes);
		mixed_collect(m, data, k->bytes, k->in);
	}
	mixed_enter_known(m, MIXED_PERSISTENT_P2P, step, &status, TAG + i,
		key_of(m, step, i, source_of(m, k)), data, k->bytes);
	if (i == 1)
		free(data);
	MPI_Wait(&k->send, MPI_STATUS_IGNORE);
}

static void await_nothing(const struct mixed *m)
{
	MPI_Irecv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_NEVER, m->comm[MIXED_DUP], &never);
}

static void take_back(const struct mixed *m)
{
	MPI_Status status;
	int cancelled = 0;
	MPI_Cancel(&never);
	MPI_Wait(&never, &status);
	MPI_Test_cancelled(&status, &cancelled);
	if (!cancelled)
		prog_wrong(m->prog, "a message with tag %d came from nowhere", TAG_NEVER);
	state.awaits = 0;
}

static bool starts_at(const struct mixed *m, long step)
{
	return step >= 1 && step <= m->steps && step % PERIOD == 1;
}

static void stands_step(struct mixed *m, long step)
{
	if (state.started && step == state.started + OPEN) {
		for (int i = KINDS; i-- > 0;)
			finish(m, i);
		state.started = 0;
	}
	if (starts_at(m, step))
		start(m, step);
	if (step <= m->steps && step % 7 == 2) {
		await_nothing(m);
		state.awaits = step;
	} else if (state.awaits && step % 7 == 5) {
		take_back(m);
	}
}

/* Bytes of the three: none, some items, the most (within reason: they are kept all the time). */
static void stands_begin(struct mixed *m)
{
	long most = m->most < 200000 ? m->most : 200000;
	long bytes[KINDS] = {0, (m->most < 600 ? m->most : 600) / MIXED_ITEM * MIXED_ITEM, most};
	mixed_protect(m, MIXED_PERSISTENT_P2P, &state, sizeof(state));
	for (int i = 0; i < KINDS; i++) {
		kinds[i].bytes = bytes[i];
		kinds[i].distance = (int)(mixed_random(m, MIXED_PERSISTENT_P2P, 0, (uint64_t)i) %
					  (uint64_t)m->prog->size);
		make(m, i);
	}
}

/* In the order in which they were posted. */
static void stands_restored(struct mixed *m)
{
	bool first = state.awaits && state.awaits < state.started;

	if (first)
		await_nothing(m);
	if (state.started)
		for (int i = 0; i < KINDS; i++)
			MPI_Start(&kinds[i].receive);
	if (state.awaits && !first)
		await_nothing(m);
}

static uint64_t stands_expect(const struct mixed *m, long step)
{
	uint64_t sum = 0;
	for (int i = 0; i < KINDS && starts_at(m, step); i++) {
		int source = source_of(m, &kinds[i]);
		sum += mixed_worth_of(
			m, source, TAG + i, key_of(m, step, i, source), kinds[i].bytes);
	}
	return sum;
}

static void stands_end(struct mixed *m)
{
	if (state.awaits)
		take_back(m);
	for (int i = 0; i < KINDS; i++) {
		MPI_Request_free(&kinds[i].send);
		MPI_Request_free(&kinds[i].receive);
		free(kinds[i].out);
		free(kinds[i].in);
	}
}

const struct mixed_part mixed_persistent = {
	.name = "persistent",
	.begin = stands_begin,
	.restored = stands_restored,
	.step = stands_step,
	.expect = stands_expect,
	.end = stands_end,
};
