/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's collective operations that nobody waits for at once: begun at one step, finished at a
 * later one, in another order, some sooner when a test finds them done. Some are requests made for
 * one use, and some stand all the time. After a restore what was open is begun again, in its order.
 */
#include <stdlib.h>
#include <string.h>

#include "mixed_coll_calls.h"

enum { OPEN = 5, OPEN_MOST = 16, STANDING = 3, STEPS_APART = 1000000 };

_Static_assert((int)OPEN < (int)MIXED_LAG, "finished before the end");

struct later {
	struct mixed_call call;
	int kind;
	MPI_Request request;
	uint64_t *in, *out;
};

/* By number: those begun at a step, and in the end those that stand. */
static struct state {
	int64_t begun[OPEN_MOST]; /* the step, in order; 0: none */
	int64_t which[OPEN_MOST];
	int64_t started; /* at this step; 0: they are not */
} state;
static struct later open[OPEN_MOST], standing[STANDING];

/* How the which-th of a step is done. */
struct manner {
	int kind;
	long lag; /* steps that it is open */
	bool persistent, in_place, tested;
};

static struct manner plan(const struct mixed *m, long step, long which, struct mixed_call *c)
{
	uint64_t random = mixed_random(m, MIXED_ICOLL, step, (uint64_t)which);
	struct manner how = {
		.kind = mixed_call_plan(m, step + (which + 1) * STEPS_APART, &random, c)};
	how.lag = mixed_decide(&random, OPEN + 1);
	how.persistent = mixed_decide(&random, 3) == 0;
	how.in_place = mixed_decide(&random, 2) == 0 && mixed_kinds[how.kind].in_place;
	how.tested = mixed_decide(&random, 2) == 0;
	return how;
}

static long count_at(const struct mixed *m, long step)
{
	uint64_t random = mixed_random(m, MIXED_ICOLL, step, 1000);
	return step >= 1 && step <= m->steps ? mixed_decide(&random, 3) : 0;
}

/* Its memory, and the call; `make`: as a persistent one. */
static void begin(struct later *l, const struct manner *how, bool make)
{
	const struct mixed_icoll *calls = &mixed_icoll_calls[how->kind];
	const uint64_t *in;
	int n;
	l->kind = how->kind;
	l->in = mixed_kinds[l->kind].in(&l->call, &n);
	l->out = mixed_call_room(&l->call);
	if ((how->in_place || mixed_kinds[l->kind].gives_out) && l->in != NULL)
		memcpy(l->out, l->in, (size_t)n * sizeof(*l->in));
	in = how->in_place ? MPI_IN_PLACE : l->in;
	(make ? calls->make : calls->begin)(&l->call, in, l->out, &l->request);
}

static void leave(struct later *l)
{
	free(l->in);
	free(l->out);
	free(l->call.counts);
}

/* ---- one after the other ---- */

static void begin_at(struct mixed *m, int slot)
{
	struct later *l = &open[slot];
	struct manner how = plan(m, (long)state.begun[slot], (long)state.which[slot], &l->call);
	begin(l, &how, how.persistent);
	if (how.persistent)
		MPI_Start(&l->request);
}

static void finished(struct mixed *m, int slot, bool persistent)
{
	struct later *l = &open[slot];
	m->state.sum[MIXED_ICOLL] += mixed_call_verify(&l->call, l->kind, l->out);
	m->state.received++;
	if (persistent)
		MPI_Request_free(&l->request);
	leave(l);
	for (int i = slot; i + 1 < OPEN_MOST; i++) {
		state.begun[i] = state.begun[i + 1];
		state.which[i] = state.which[i + 1];
		open[i] = open[i + 1];
	}
	state.begun[OPEN_MOST - 1] = 0;
}

/* The last begun first; true: it is finished. */
static bool look_after(struct mixed *m, int slot, long step)
{
	struct mixed_call c;
	struct manner how = plan(m, (long)state.begun[slot], (long)state.which[slot], &c);
	int done = step >= state.begun[slot] + how.lag;
	free(c.counts);
	if (done)
		MPI_Wait(&open[slot].request, MPI_STATUS_IGNORE);
	else if (how.tested)
		MPI_Test(&open[slot].request, &done, MPI_STATUS_IGNORE);
	if (done)
		finished(m, slot, how.persistent);
	return done;
}

static void begin_new(struct mixed *m, long step)
{
	int slot = 0;
	while (state.begun[slot])
		slot++;
	for (long which = 0; which < count_at(m, step); which++, slot++) {
		state.begun[slot] = step;
		state.which[slot] = which;
		begin_at(m, slot);
	}
}

/* ---- those that stand ---- */

enum { PERIOD = 4, STARTED = 3, STANDING_WHICH = 10 };

static bool starts_at(const struct mixed *m, long step)
{
	return step >= 1 && step <= m->steps && step % PERIOD == 1;
}

/* Each time with the same contents. What comes from the time before is wiped. */
static void start_standing(bool wipe)
{
	for (int i = 0; i < STANDING; i++) {
		struct later *l = &standing[i];
		size_t bytes = (size_t)l->call.n * sizeof(uint64_t);
		if (wipe && !(mixed_kinds[l->kind].gives_out && l->call.self == l->call.root))
			memset(l->out, 0, bytes);
	}
	MPI_Request all[STANDING];
	for (int i = 0; i < STANDING; i++)
		all[i] = standing[i].request;
	MPI_Startall(STANDING, all);
}

static void finish_standing(struct mixed *m)
{
	for (int i = STANDING; i-- > 0;) {
		MPI_Wait(&standing[i].request, MPI_STATUS_IGNORE);
		m->state.sum[MIXED_ICOLL] +=
			mixed_call_verify(&standing[i].call, standing[i].kind, standing[i].out);
		m->state.received++;
	}
}

static struct manner plan_standing(const struct mixed *m, int i, struct mixed_call *c)
{
	struct manner how = plan(m, 0, STANDING_WHICH + i, c);
	how.in_place = false;
	return how;
}

/* ---- the part ---- */

static void later_begin(struct mixed *m)
{
	mixed_protect(m, MIXED_ICOLL, &state, sizeof(state));
	for (int i = 0; i < STANDING; i++) {
		struct manner how = plan_standing(m, i, &standing[i].call);
		begin(&standing[i], &how, true);
	}
}

static void later_restored(struct mixed *m)
{
	for (int slot = 0; slot < OPEN_MOST && state.begun[slot]; slot++)
		begin_at(m, slot);
	if (state.started)
		start_standing(false);
}

static void later_step(struct mixed *m, long step)
{
	for (int slot = OPEN_MOST; slot-- > 0;)
		if (state.begun[slot])
			look_after(m, slot, step);
	begin_new(m, step);
	if (state.started && step == state.started + STARTED) {
		finish_standing(m);
		state.started = 0;
	}
	if (starts_at(m, step)) {
		start_standing(true);
		state.started = step;
	}
}

static uint64_t later_expect(const struct mixed *m, long step)
{
	struct mixed_call c;
	uint64_t sum = 0;
	for (long which = 0; which < count_at(m, step); which++) {
		struct manner how = plan(m, step, which, &c);
		sum += mixed_call_expect(&c, how.kind);
		free(c.counts);
	}
	for (int i = 0; i < STANDING && starts_at(m, step); i++) {
		struct manner how = plan_standing(m, i, &c);
		sum += mixed_call_expect(&c, how.kind);
		free(c.counts);
	}
	return sum;
}

static void later_end(struct mixed *m)
{
	(void)m;
	for (int i = 0; i < STANDING; i++) {
		MPI_Request_free(&standing[i].request);
		leave(&standing[i]);
	}
}

const struct mixed_part mixed_icoll = {
	.name = "icoll",
	.begin = later_begin,
	.restored = later_restored,
	.step = later_step,
	.expect = later_expect,
	.end = later_end,
};
