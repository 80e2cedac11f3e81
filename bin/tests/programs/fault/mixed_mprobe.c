/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's messages that are found first and received later (MPI_Mprobe, MPI_Improbe): a line meets
 * them found, and half received. After a restore their handles are void. Those that were sent
 * before the line are there to be found again, in the order in which they were found; under
 * blocking that is all of them. Others are sent again, so before anything new is found all of these
 * are, by name.
 */
#include "mixed.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 3, MOST = 2, LATE = 2, ROOM = 256 };

_Static_assert(2 * LATE + 1 <= MIXED_LAG, "received before the end");

/* What is found and not received, in that order. */
static struct {
	int64_t ripe, found; /* messages that may be there; that were found, in all */
	int64_t count;
	struct found {
		int64_t index; /* so many were found before */
		int64_t step;  /* at which it was */
		int32_t source, tag, bytes, begun;
	} of[ROOM];
} state;

static struct {
	MPI_Message message;
	MPI_Request request;
	void *buffer;
} at[ROOM];
static struct mixed_sends sends;

struct letter {
	int dest, tag;
	bool synchronous;
	long bytes;
	uint64_t key;
};

static int letters(const struct mixed *m, long step, int source)
{
	return mixed_letters(m, MIXED_MPROBE, step, source, MOST);
}

static struct letter letter_at(const struct mixed *m, long step, int source, int j)
{
	uint64_t random =
		mixed_random(m, MIXED_MPROBE, step, ((uint64_t)source << 8) + 1 + (uint64_t)j);
	struct letter l = {.key = random};

	l.dest = (int)mixed_decide(&random, m->prog->size);
	l.tag = (int)mixed_decide(&random, TAGS);
	l.synchronous = mixed_decide(&random, 4) == 0;
	l.bytes = mixed_bytes(m, &random, 1);
	return l;
}

static void send_due(struct mixed *m, long step)
{
	for (int j = 0; j < letters(m, step, m->prog->rank); j++) {
		struct letter l = letter_at(m, step, m->prog->rank, j);
		void *buffer = prog_alloc(m->prog, (size_t)l.bytes);

		mixed_fill(l.key, buffer, l.bytes);
		(l.synchronous ? MPI_Issend : MPI_Isend)(buffer, (int)l.bytes, MPI_BYTE, l.dest,
			l.tag, m->comm[MIXED_MPROBE_COMM], mixed_send_add(m, &sends, buffer));
	}
}

static int64_t count_for_me(const struct mixed *m, long step)
{
	int64_t n = 0;

	for (int source = 0; source < m->prog->size; source++)
		for (int j = 0; j < letters(m, step, source); j++)
			n += letter_at(m, step, source, j).dest == m->prog->rank;
	return n;
}

/* ---- finding ---- */

/* How it is dealt with: steps from being found to being asked for, and from there to the end. */
struct manner {
	long wait, open;
	bool probed; /* by MPI_Improbe */
};

static struct manner manner_of(const struct mixed *m, int64_t index)
{
	uint64_t random =
		mixed_random(m, MIXED_MPROBE, -1, (uint64_t)index * 100 + (uint64_t)m->prog->rank);
	struct manner how = {.wait = mixed_decide(&random, LATE + 1)};

	how.open = mixed_decide(&random, LATE + 1);
	how.probed = mixed_decide(&random, 2) == 0;
	return how;
}

static void find(struct mixed *m, int64_t i, int64_t index, int source, int tag, MPI_Status *status)
{
	MPI_Comm c = m->comm[MIXED_MPROBE_COMM];
	int flag = 0;

	if (!manner_of(m, index).probed)
		MPI_Mprobe(source, tag, c, &at[i].message, status);
	else
		while (!flag)
			MPI_Improbe(source, tag, c, &flag, &at[i].message, status);
	at[i].request = MPI_REQUEST_NULL;
	at[i].buffer = NULL;
}

static void find_new(struct mixed *m, long step)
{
	int64_t i = state.count++;
	MPI_Status status;
	int bytes;

	if (i == ROOM)
		prog_wrong(m->prog, "more than %d messages are found", ROOM);
	find(m, i, state.found, MPI_ANY_SOURCE, MPI_ANY_TAG, &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	state.of[i] =
		(struct found){state.found++, step, status.MPI_SOURCE, status.MPI_TAG, bytes, 0};
}

/* ---- receiving ---- */

static void ask_for(struct mixed *m, int64_t i)
{
	struct found *f = &state.of[i];

	at[i].buffer = prog_alloc(m->prog, (size_t)f->bytes);
	MPI_Imrecv(at[i].buffer, f->bytes, MPI_BYTE, &at[i].message, &at[i].request);
	f->begun = 1;
}

static void take(struct mixed *m, int64_t i)
{
	struct found f = state.of[i];
	MPI_Status status;
	int bytes;

	if (f.begun) {
		MPI_Wait(&at[i].request, &status);
	} else {
		at[i].buffer = prog_alloc(m->prog, (size_t)f.bytes);
		MPI_Mrecv(at[i].buffer, f.bytes, MPI_BYTE, &at[i].message, &status);
	}
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	if (bytes != f.bytes || status.MPI_SOURCE != f.source || status.MPI_TAG != f.tag)
		prog_wrong(m->prog,
			"%d bytes from %d with tag %d were found, %d from %d with %d received",
			f.bytes, f.source, f.tag, bytes, status.MPI_SOURCE, status.MPI_TAG);
	mixed_enter(m, MIXED_MPROBE, f.source, f.tag, at[i].buffer, bytes);
	free(at[i].buffer);
	state.count--;
	memmove(&state.of[i], &state.of[i + 1], (size_t)(state.count - i) * sizeof(state.of[0]));
	memmove(&at[i], &at[i + 1], (size_t)(state.count - i) * sizeof(at[0]));
}

/* The last found first. */
static void receive_due(struct mixed *m, long step)
{
	for (int64_t i = state.count; i-- > 0;) {
		struct manner how = manner_of(m, state.of[i].index);
		long asked = (long)state.of[i].step + how.wait;

		if (how.open > 0 && step == asked)
			ask_for(m, i);
		if (step == asked + how.open)
			take(m, i);
	}
}

/* ---- after a restore ---- */

static bool lost; /* the handles of what was found */

static void find_again(struct mixed *m, bool by_name)
{
	for (int64_t i = 0; i < state.count; i++) {
		const struct found *f = &state.of[i];
		MPI_Status status;
		int bytes;

		find(m, i, f->index, by_name ? f->source : MPI_ANY_SOURCE,
			by_name ? f->tag : MPI_ANY_TAG, &status);
		MPI_Get_count(&status, MPI_BYTE, &bytes);
		if (bytes != f->bytes || status.MPI_SOURCE != f->source || status.MPI_TAG != f->tag)
			prog_wrong(m->prog,
				"message %" PRId64 " was found before the line: %d bytes from %d "
				"with tag %d, and now %d from %d with %d",
				f->index, f->bytes, f->source, f->tag, bytes, status.MPI_SOURCE,
				status.MPI_TAG);
		if (f->begun)
			ask_for(m, i);
	}
	lost = false;
}

static void restored(struct mixed *m)
{
	lost = true;
	if (m->stopped)
		find_again(m, false);
}

/* ---- the part ---- */

static void step_found(struct mixed *m, long step)
{
	send_due(m, step);
	state.ripe += count_for_me(m, step - 1);
	if (lost)
		find_again(m, true);
	while (state.found < state.ripe)
		find_new(m, step);
	receive_due(m, step);
	mixed_sends_test(&sends);
}

static void begin(struct mixed *m)
{
	mixed_protect(m, MIXED_MPROBE, &state, sizeof(state));
}

static uint64_t expect(const struct mixed *m, long step)
{
	uint64_t sum = 0;

	for (int source = 0; source < m->prog->size; source++)
		for (int j = 0; j < letters(m, step, source); j++) {
			struct letter l = letter_at(m, step, source, j);

			if (l.dest == m->prog->rank)
				sum += mixed_worth_of(m, source, l.tag, l.key, l.bytes);
		}
	return sum;
}

static void end(struct mixed *m)
{
	if (state.count != 0)
		prog_wrong(m->prog, "%" PRId64 " found messages are left", state.count);
	mixed_sends_end(&sends);
}

const struct mixed_part mixed_mprobe = {
	.name = "mprobe",
	.begin = begin,
	.restored = restored,
	.step = step_found,
	.expect = expect,
	.end = end,
};
