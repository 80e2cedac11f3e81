/* SPDX-License-Identifier: BSD-3-Clause */
#include "mixed_ops.h"

#include <stdlib.h>
#include <string.h>

enum { LAG = 5, PERIOD = 4, STARTED = 3, GUARD = 4 };

_Static_assert((int)LAG < (int)MIXED_LAG, "finished before the end");

static const uint64_t untouched = UINT64_C(0x5a5a5a5a5a5a5a5a);

/* ---- the plan ---- */

static struct mixed_deal deal_of(
	const struct mixed_family *f, const struct mixed *m, long step, long number)
{
	uint64_t random = mixed_random(m, f->part, step, (uint64_t)number);
	struct mixed_deal d = {.m = m, .part = f->part, .step = step, .number = number};

	d.way = (enum mixed_way)mixed_decide(&random, MIXED_WAYS);
	d.lag = mixed_decide(&random, LAG + 1);
	d.tested = mixed_decide(&random, 2) == 0;
	f->choose(&d, &random);
	return d;
}

static struct mixed_deal deal_standing(const struct mixed_family *f, const struct mixed *m, int i)
{
	struct mixed_deal d = deal_of(f, m, 0, i);

	d.way = MIXED_PERSISTENT;
	return d;
}

static long count_at(const struct mixed_family *f, const struct mixed *m, long step)
{
	uint64_t random = mixed_random(m, f->part, step, 1000);

	return step >= 1 && step <= m->steps ? mixed_decide(&random, f->most + 1) : 0;
}

static bool starts_at(const struct mixed *m, long step)
{
	return step >= 1 && step <= m->steps && step % PERIOD == 1;
}

uint64_t mixed_ops_word(const struct mixed_deal *d, int from, int to, long i)
{
	uint64_t pair = (uint64_t)d->number << 40 | (uint64_t)from << 20 | (uint64_t)to;
	uint64_t key = mixed_random(d->m, d->part, d->step, UINT64_C(1) << 60 | pair);

	return (key ^ (uint64_t)i) * UINT64_C(0x9fb21c651e98df25);
}

void mixed_ops_words(
	const struct mixed_deal *d, int from, int to, long n, int stride, uint64_t *out)
{
	uint64_t pair = (uint64_t)d->number << 40 | (uint64_t)from << 20 | (uint64_t)to;
	uint64_t key = mixed_random(d->m, d->part, d->step, UINT64_C(1) << 60 | pair);

	for (long i = 0; i < n; i++)
		out[i * stride] = (key ^ (uint64_t)i) * UINT64_C(0x9fb21c651e98df25);
}

/* ---- memory ---- */

static uint64_t *blank(const struct mixed_family *f, const struct mixed *m)
{
	uint64_t *words = prog_alloc(m->prog, (size_t)(f->room + GUARD) * sizeof(*words));

	for (long i = 0; i < f->room + GUARD; i++)
		words[i] = untouched;
	return words;
}

static uint64_t worth(const struct mixed_deal *d, const uint64_t *words, long n)
{
	return mixed_worth(d->root, d->kind, words, n * (long)sizeof(*words));
}

static void enter(struct mixed_family *f, struct mixed *m, const struct mixed_op *o)
{
	const struct mixed_deal *d = &o->deal;
	uint64_t *right = blank(f, m);
	long n = f->want(d, right);

	for (long i = 0; i < n + GUARD; i++)
		if (o->out[i] != right[i])
			prog_wrong(m->prog,
				"part %d, step %ld, operation %ld (kind %d, way %d, communicator "
				"%d, %ld words): word %ld of %ld is %llx, not %llx",
				f->part, d->step, d->number, d->kind, d->way, d->which, d->n, i, n,
				(unsigned long long)o->out[i], (unsigned long long)right[i]);
	m->state.sum[f->part] += worth(d, right, n);
	m->state.received++;
	free(right);
}

/* ---- one operation ---- */

static void begin(struct mixed_family *f, struct mixed_op *o, const struct mixed_deal *d)
{
	o->deal = *d;
	o->request = MPI_REQUEST_NULL;
	o->in = blank(f, d->m);
	o->out = blank(f, d->m);
	f->give(d, o->in);
	o->lists = NULL;
	f->call(o);
}

static void leave(struct mixed_op *o)
{
	if (o->request != MPI_REQUEST_NULL)
		MPI_Request_free(&o->request);
	free(o->in);
	free(o->out);
	free(o->lists);
}

static void begin_at(struct mixed_family *f, struct mixed *m, int slot)
{
	struct mixed_deal d =
		deal_of(f, m, (long)f->state.begun[slot], (long)f->state.number[slot]);

	begin(f, &f->open[slot], &d);
	if (d.way == MIXED_PERSISTENT)
		MPI_Start(&f->open[slot].request);
}

static void finished(struct mixed_family *f, struct mixed *m, int slot)
{
	enter(f, m, &f->open[slot]);
	leave(&f->open[slot]);
	for (int i = slot; i + 1 < MIXED_OPS_OPEN; i++) {
		f->state.begun[i] = f->state.begun[i + 1];
		f->state.number[i] = f->state.number[i + 1];
		f->open[i] = f->open[i + 1];
	}
	f->state.begun[MIXED_OPS_OPEN - 1] = 0;
}

static void look_after(struct mixed_family *f, struct mixed *m, int slot, long step)
{
	struct mixed_op *o = &f->open[slot];
	int done = step >= f->state.begun[slot] + o->deal.lag || o->deal.way == MIXED_NOW;

	if (done)
		MPI_Wait(&o->request, MPI_STATUS_IGNORE);
	else if (o->deal.tested)
		MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
	if (done)
		finished(f, m, slot);
}

static void begin_new(struct mixed_family *f, struct mixed *m, long step)
{
	int slot = 0;

	while (f->state.begun[slot])
		slot++;
	for (long number = 0; number < count_at(f, m, step); number++) {
		f->state.begun[slot] = step;
		f->state.number[slot] = number;
		begin_at(f, m, slot);
		if (f->open[slot].deal.way == MIXED_NOW)
			finished(f, m, slot);
		else
			slot++;
	}
}

/* ---- those that stand ---- */

static void start_standing(struct mixed_family *f, bool wipe)
{
	MPI_Request all[MIXED_OPS_STANDING];

	for (int i = 0; i < MIXED_OPS_STANDING; i++) {
		for (long w = 0; wipe && w < f->room; w++)
			f->standing[i].out[w] = untouched;
		all[i] = f->standing[i].request;
	}
	MPI_Startall(MIXED_OPS_STANDING, all);
}

static void finish_standing(struct mixed_family *f, struct mixed *m)
{
	for (int i = MIXED_OPS_STANDING; i-- > 0;) {
		MPI_Wait(&f->standing[i].request, MPI_STATUS_IGNORE);
		enter(f, m, &f->standing[i]);
	}
}

/* ---- the part ---- */

void mixed_ops_begin(struct mixed_family *f, struct mixed *m)
{
	mixed_protect(m, f->part, &f->state, sizeof(f->state));
	for (int i = 0; i < MIXED_OPS_STANDING; i++) {
		struct mixed_deal d = deal_standing(f, m, i);

		begin(f, &f->standing[i], &d);
	}
}

void mixed_ops_restored(struct mixed_family *f, struct mixed *m)
{
	for (int slot = 0; slot < MIXED_OPS_OPEN && f->state.begun[slot]; slot++)
		begin_at(f, m, slot);
	if (f->state.started)
		start_standing(f, false);
}

void mixed_ops_step(struct mixed_family *f, struct mixed *m, long step)
{
	for (int slot = MIXED_OPS_OPEN; slot-- > 0;)
		if (f->state.begun[slot])
			look_after(f, m, slot, step);
	begin_new(f, m, step);
	if (f->state.started && step == f->state.started + STARTED) {
		finish_standing(f, m);
		f->state.started = 0;
	}
	if (starts_at(m, step)) {
		start_standing(f, true);
		f->state.started = step;
	}
}

static uint64_t right_sum(const struct mixed_family *f, const struct mixed_deal *d)
{
	uint64_t *right = blank(f, d->m), sum = worth(d, right, f->want(d, right));

	free(right);
	return sum;
}

uint64_t mixed_ops_expect(const struct mixed_family *f, const struct mixed *m, long step)
{
	uint64_t sum = 0;

	for (long number = 0; number < count_at(f, m, step); number++) {
		struct mixed_deal d = deal_of(f, m, step, number);

		sum += right_sum(f, &d);
	}
	for (int i = 0; i < MIXED_OPS_STANDING && starts_at(m, step); i++) {
		struct mixed_deal d = deal_standing(f, m, i);

		sum += right_sum(f, &d);
	}
	return sum;
}

void mixed_ops_end(struct mixed_family *f)
{
	for (int i = 0; i < MIXED_OPS_STANDING; i++)
		leave(&f->standing[i]);
}
