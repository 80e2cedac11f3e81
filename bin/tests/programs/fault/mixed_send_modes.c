/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's modes of sending: buffered, synchronous, ready, together with a receive. At each step
 * everybody sends to the rank at one distance, and receives what comes up to some steps later.
 * After a restore a receive is posted again, that of MPI_Isendrecv alone; what was sent is not sent
 * again.
 */
#include "mixed.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 40, TAG_GO = 41, LATE = 5, SLOTS = LATE + 1 };

_Static_assert((int)LATE < (int)MIXED_LAG, "finished before the end");

enum mode {
	BUFFERED,
	BUFFERED_LATER,
	BUFFERED_AGAIN, /* a persistent request */
	SYNCHRONOUS,
	SYNCHRONOUS_LATER,
	READY,
	READY_LATER,
	WITH_RECEIVE,
	IN_PLACE, /* in one buffer with the receive */
	MODES
};

struct turn {
	enum mode mode;
	int from, to;
	long bytes; /* the same for all */
	long lag;   /* of this rank's receive */
};

/* By step modulo SLOTS: the step whose receive is open; 0: none. */
static int64_t open[SLOTS];
static struct {
	MPI_Request request;
	void *in;
	void *out; /* of a send in the same request; NULL */
} at[SLOTS];
static struct mixed_sends sends;

static struct turn turn_at(const struct mixed *m, long step)
{
	uint64_t random = mixed_random(m, MIXED_SEND_MODES, step, 0), own;
	int size = m->prog->size, rank = m->prog->rank;
	struct turn t = {.mode = (enum mode)mixed_decide(&random, MODES)};
	int distance = (int)mixed_decide(&random, size);

	t.from = (rank + size - distance) % size;
	t.to = (rank + distance) % size;
	t.bytes = mixed_bytes(m, &random, 1);
	own = mixed_random(m, MIXED_SEND_MODES, step, 1 + (uint64_t)rank);
	t.lag = mixed_decide(&own, LATE + 1);
	return t;
}

static uint64_t key_from(const struct mixed *m, long step, int rank)
{
	return mixed_random(m, MIXED_SEND_MODES, step, 1000 + (uint64_t)rank);
}

static MPI_Comm comm_of(const struct mixed *m)
{
	return m->comm[MIXED_SEND_MODES_COMM];
}

static void *data_of(const struct mixed *m, const struct turn *t, long step)
{
	void *out = prog_alloc(m->prog, (size_t)t->bytes);

	mixed_fill(key_from(m, step, m->prog->rank), out, t->bytes);
	return out;
}

/* ---- a receive ---- */

static void post(struct mixed *m, const struct turn *t, long step)
{
	int slot = (int)(step % SLOTS);

	open[slot] = step;
	at[slot].in = prog_alloc(m->prog, (size_t)t->bytes);
	at[slot].out = NULL;
	MPI_Irecv(
		at[slot].in, (int)t->bytes, MPI_BYTE, t->from, TAG, comm_of(m), &at[slot].request);
}

static void take(struct mixed *m, long step)
{
	struct turn t = turn_at(m, step);
	int slot = (int)(step % SLOTS);
	MPI_Status status;

	MPI_Wait(&at[slot].request, &status);
	mixed_enter_known(m, MIXED_SEND_MODES, step, &status, TAG, key_from(m, step, t.from),
		at[slot].in, t.bytes);
	free(at[slot].in);
	free(at[slot].out);
	open[slot] = 0;
}

/* ---- a send ---- */

static void send_with_receive(struct mixed *m, const struct turn *t, long step)
{
	int slot = (int)(step % SLOTS), n = (int)t->bytes;
	void *out = data_of(m, t, step);

	open[slot] = step;
	if (t->mode == IN_PLACE) {
		at[slot].in = out;
		at[slot].out = NULL;
		MPI_Isendrecv_replace(
			out, n, MPI_BYTE, t->to, TAG, t->from, TAG, comm_of(m), &at[slot].request);
		return;
	}
	at[slot].in = prog_alloc(m->prog, (size_t)n);
	at[slot].out = out;
	MPI_Isendrecv(out, n, MPI_BYTE, t->to, TAG, at[slot].in, n, MPI_BYTE, t->from, TAG,
		comm_of(m), &at[slot].request);
}

/* The receive is posted: so says each. */
static void make_ready(const struct mixed *m, const struct turn *t)
{
	MPI_Sendrecv(NULL, 0, MPI_BYTE, t->from, TAG_GO, NULL, 0, MPI_BYTE, t->to, TAG_GO,
		comm_of(m), MPI_STATUS_IGNORE);
}

static void send_again(const struct mixed *m, const struct turn *t, void *out)
{
	MPI_Request request;

	MPI_Bsend_init(out, (int)t->bytes, MPI_BYTE, t->to, TAG, comm_of(m), &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
}

/* true: it is done with `out`. */
static bool send(struct mixed *m, const struct turn *t, void *out)
{
	MPI_Comm c = comm_of(m);
	int n = (int)t->bytes;

	switch (t->mode) {
	case BUFFERED:
		MPI_Bsend(out, n, MPI_BYTE, t->to, TAG, c);
		return true;
	case BUFFERED_AGAIN:
		send_again(m, t, out);
		return true;
	case SYNCHRONOUS:
		MPI_Ssend(out, n, MPI_BYTE, t->to, TAG, c);
		return true;
	case READY:
		MPI_Rsend(out, n, MPI_BYTE, t->to, TAG, c);
		return true;
	case BUFFERED_LATER:
		MPI_Ibsend(out, n, MPI_BYTE, t->to, TAG, c, mixed_send_add(m, &sends, out));
		return false;
	case READY_LATER:
		MPI_Irsend(out, n, MPI_BYTE, t->to, TAG, c, mixed_send_add(m, &sends, out));
		return false;
	default:
		MPI_Issend(out, n, MPI_BYTE, t->to, TAG, c, mixed_send_add(m, &sends, out));
		return false;
	}
}

static void turn(struct mixed *m, long step)
{
	struct turn t = turn_at(m, step);
	void *out;

	if (t.mode == WITH_RECEIVE || t.mode == IN_PLACE) {
		send_with_receive(m, &t, step);
		return;
	}
	post(m, &t, step);
	if (t.mode == READY || t.mode == READY_LATER)
		make_ready(m, &t);
	out = data_of(m, &t, step);
	if (send(m, &t, out))
		free(out);
}

/* ---- the part ---- */

static void step_modes(struct mixed *m, long step)
{
	if (step <= m->steps)
		turn(m, step);
	for (long s = step - LATE; s <= step; s++)
		if (s >= 1 && s <= m->steps && s + turn_at(m, s).lag == step)
			take(m, s);
	mixed_sends_test(&sends);
}

static void begin(struct mixed *m)
{
	mixed_protect(m, MIXED_SEND_MODES, open, sizeof(open));
	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
}

static int64_t first_open(void)
{
	int64_t first = 0;

	for (int i = 0; i < SLOTS; i++)
		if (open[i] > 0 && (first == 0 || open[i] < first))
			first = open[i];
	return first;
}

/* In their order: several may be for messages of one rank. */
static void restored(struct mixed *m)
{
	int64_t first = first_open();

	for (int64_t step = first; first > 0 && step < first + SLOTS; step++)
		if (open[step % SLOTS] == step) {
			struct turn t = turn_at(m, (long)step);

			post(m, &t, (long)step);
		}
}

static uint64_t expect(const struct mixed *m, long step)
{
	struct turn t = turn_at(m, step);

	return mixed_worth_of(m, t.from, TAG, key_from(m, step, t.from), t.bytes);
}

static void end(struct mixed *m)
{
	void *buffer;
	int size;

	(void)m;
	mixed_sends_end(&sends);
	MPI_Buffer_detach(&buffer, &size);
}

const struct mixed_part mixed_send_modes = {
	.name = "send_modes",
	.begin = begin,
	.restored = restored,
	.step = step_modes,
	.expect = expect,
	.end = end,
};
