/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched_sim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t POISON = 0xdeadbeefdeadbeef;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9;
	return x ^ x >> 32;
}

struct cell cell_letter(uint64_t rank, uint64_t element)
{
	uint64_t x = mix(mix(rank + 1) + element);

	return (struct cell){x, x | 1, 0x100000001b3};
}

struct cell cell_join(struct cell left, struct cell right)
{
	return (struct cell){left.sum + right.sum, left.hash * right.weight + right.hash,
		left.weight * right.weight};
}

bool cell_same_set(struct cell a, struct cell b)
{
	return a.sum == b.sum;
}

bool cell_same_word(struct cell a, struct cell b)
{
	return a.sum == b.sum && a.hash == b.hash && a.weight == b.weight;
}

int sim_size(int i)
{
	return i < 33 ? i + 1 : i == 33 ? 64 : 100;
}

bool sim_root_wanted(int size, int root)
{
	return size <= 9 || root == 0 || root == 1 || root == size / 2 || root == size - 1;
}

struct sim *sim_new(int size, size_t unit_in, size_t unit_out, size_t unit_scratch)
{
	struct sim *m = calloc(1, sizeof *m);

	m->size = size;
	m->unit[SCHED_IN] = unit_in;
	m->unit[SCHED_OUT] = unit_out;
	m->unit[SCHED_TMP] = m->unit[SCHED_AUX] = unit_scratch;
	m->ranks = calloc((size_t)size, sizeof *m->ranks);
	for (int i = 0; i < size; i++)
		sched_init(&m->ranks[i].s);
	return m;
}

void sim_free(struct sim *m)
{
	for (int i = 0; i < m->size; i++) {
		for (int b = 0; b < SCHED_BUFS; b++)
			free(m->ranks[i].buf[b].cells);
		free(m->ranks[i].met);
		sched_free(&m->ranks[i].s);
	}
	free(m->ranks);
	free(m);
}

void sim_room(struct sim *m, int rank, enum sched_buf buf, size_t n, size_t below)
{
	struct sim_buf *b = &m->ranks[rank].buf[buf];

	b->n = n * m->unit[buf];
	b->base = below * m->unit[buf];
	b->cells = calloc(b->n + 1, sizeof *b->cells);
	for (size_t i = 0; i < b->n; i++)
		b->cells[i].sum = b->cells[i].hash = POISON;
}

/* The cells of a span, or the end of the test when the buffer does not have them. */
static struct cell *span_cells(struct sim *m, int rank, struct sched_span a)
{
	struct sim_buf *b = &m->ranks[rank].buf[a.buf];
	ptrdiff_t first = (ptrdiff_t)b->base + a.first * (ptrdiff_t)m->unit[a.buf];

	if (a.n > 0 && (first < 0 || (size_t)first + a.n * m->unit[a.buf] > b->n))
		ck_abort_msg("%s: rank %d: units %td+%zu of buffer %d are outside of it", m->what,
			rank, a.first, a.n, a.buf);
	return b->cells + first;
}

struct cell *sim_cell(struct sim *m, int rank, enum sched_buf buf, ptrdiff_t first, size_t i)
{
	struct sim_buf *b = &m->ranks[rank].buf[buf];

	return &b->cells[(ptrdiff_t)b->base + first * (ptrdiff_t)m->unit[buf] + (ptrdiff_t)i];
}

static bool is_message(const struct sched_step *t)
{
	return t->kind == SCHED_SEND || t->kind == SCHED_RECV;
}

static size_t span_length(const struct sim *m, struct sched_span a)
{
	return a.n * m->unit[a.buf];
}

static void check_overlap(
	struct sim *m, int rank, const struct sched_step *x, const struct sched_step *y)
{
	if (x->a.buf != y->a.buf || (x->kind == SCHED_SEND && y->kind == SCHED_SEND))
		return;
	if (x->a.first < y->a.first + (ptrdiff_t)y->a.n &&
		y->a.first < x->a.first + (ptrdiff_t)x->a.n)
		ck_abort_msg("%s: rank %d: %td+%zu and %td+%zu of buffer %d are in use at once",
			m->what, rank, x->a.first, x->a.n, y->a.first, y->a.n, x->a.buf);
}

/* Begin the next round of a rank: find its end and check what it starts. */
static void round_begin(struct sim *m, int rank)
{
	struct sim_rank *r = &m->ranks[rank];
	bool local = false;
	size_t count[2] = {0, 0}; /* sends, receives */

	r->at = r->end;
	if (r->at == r->s.n)
		return;
	do {
		const struct sched_step *t = &r->s.steps[r->end];

		if (is_message(t) && local)
			ck_abort_msg("%s: rank %d: a message after a local step of its round",
				m->what, rank);
		local = !is_message(t);
		for (size_t i = r->at; !local && i < r->end; i++)
			check_overlap(m, rank, &r->s.steps[i], t);
		if (is_message(t)) {
			if (t->peer < 0 || t->peer >= m->size || t->peer == rank)
				ck_abort_msg("%s: rank %d: a message to or from %d", m->what, rank,
					t->peer);
			span_cells(m, rank, t->a);
			if (++count[t->kind == SCHED_RECV] > m->widest)
				m->widest++;
		}
		if (t->kind != SCHED_SEND && t->a.buf == SCHED_IN)
			ck_abort_msg("%s: rank %d: writes its input", m->what, rank);
	} while (!r->s.steps[r->end++].last && r->end < r->s.n);
}

static void run_local(struct sim *m, int rank, const struct sched_step *t)
{
	struct cell *a = span_cells(m, rank, t->a), *b = span_cells(m, rank, t->b);

	size_t n = span_length(m, t->a);

	if (n != span_length(m, t->b))
		ck_abort_msg("%s: rank %d: %zu cells copied or reduced to %zu", m->what, rank,
			span_length(m, t->b), n);
	if (a != b && a < b + n && b < a + n)
		ck_abort_msg("%s: rank %d: copies or reduces onto itself", m->what, rank);
	if (t->kind == SCHED_COPY) {
		memmove(a, b, n * sizeof *a);
		return;
	}
	for (size_t i = 0; i < n; i++)
		a[i] = cell_join(b[i], a[i]);
}

/* The first message of that kind between rank and peer in rank's round that has not been moved. */
static struct sched_step *first_open(struct sim *m, int rank, enum sched_kind kind, int peer)
{
	struct sim_rank *r = &m->ranks[rank];

	for (size_t i = r->at; i < r->end; i++) {
		struct sched_step *t = &r->s.steps[i];

		if (t->kind == kind && t->peer == peer && !r->met[i])
			return t;
	}
	return NULL;
}

static bool try_send(struct sim *m, int rank, struct sched_step *t)
{
	struct sched_step *u = first_open(m, t->peer, SCHED_RECV, rank);

	if (!u || first_open(m, rank, SCHED_SEND, t->peer) != t)
		return false;
	if (span_length(m, t->a) != span_length(m, u->a))
		ck_abort_msg("%s: rank %d sends %zu cells, rank %d receives %zu", m->what, rank,
			span_length(m, t->a), t->peer, span_length(m, u->a));
	memcpy(span_cells(m, t->peer, u->a), span_cells(m, rank, t->a),
		span_length(m, t->a) * sizeof(struct cell));
	m->ranks[rank].met[t - m->ranks[rank].s.steps] = true;
	m->ranks[t->peer].met[u - m->ranks[t->peer].s.steps] = true;
	m->messages++;
	m->cells += span_length(m, t->a);
	return true;
}

static bool round_try(struct sim *m, int rank)
{
	struct sim_rank *r = &m->ranks[rank];
	bool moved = false, open = false;

	if (r->at == r->s.n)
		return false;
	for (size_t i = r->at; i < r->end; i++) {
		struct sched_step *t = &r->s.steps[i];

		if (t->kind == SCHED_SEND && !r->met[i])
			moved |= try_send(m, rank, t);
		open |= is_message(t) && !r->met[i];
	}
	if (open)
		return moved;
	for (size_t i = r->at; i < r->end; i++) {
		if (!is_message(&r->s.steps[i]))
			run_local(m, rank, &r->s.steps[i]);
	}
	round_begin(m, rank);
	return true;
}

int sim_run_some(struct sim *m)
{
	bool moved = true;
	int done = 0;

	for (int i = 0; i < m->size; i++) {
		struct sim_rank *r = &m->ranks[i];

		if (r->s.failed)
			ck_abort_msg("%s: rank %d: no memory", m->what, i);
		r->met = calloc(r->s.n + 1, sizeof *r->met);
		for (int b = 0; b < SCHED_BUFS; b++) {
			if (!r->buf[b].cells)
				sim_room(m, i, b, r->s.high[b], 0);
		}
		round_begin(m, i);
	}
	while (moved) {
		moved = false;
		for (int i = 0; i < m->size; i++)
			moved |= round_try(m, i);
	}
	for (int i = 0; i < m->size; i++)
		done += m->ranks[i].at == m->ranks[i].s.n;
	return done;
}

void sim_run(struct sim *m)
{
	if (sim_run_some(m) == m->size)
		return;
	for (int i = 0; i < m->size; i++) {
		struct sim_rank *r = &m->ranks[i];

		if (r->at < r->s.n)
			ck_abort_msg("%s: rank %d is stuck in steps %zu to %zu of %zu", m->what, i,
				r->at, r->end - 1, r->s.n);
	}
}
