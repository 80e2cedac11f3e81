/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of gathers, scatters and exchanges, run for all ranks at once by sched_sim. */
#include "sched_sim.h"
#include "unit.h"

#include <stdio.h>

enum movement { GATHER, SCATTER, ALLGATHER, ALLTOALL };

typedef void builder(struct sched *, const struct sched_place *, const struct sched_layout *);

static void gather_linear_1(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_gather_linear(s, at, l, 1);
}

static void gather_linear_16(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_gather_linear(s, at, l, 16);
}

static void scatter_linear_1(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_scatter_linear(s, at, l, 1);
}

static void scatter_linear_16(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_scatter_linear(s, at, l, 16);
}

static void alltoall_window_1(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_alltoall_window(s, at, l, 1);
}

static void alltoall_window_5(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_alltoall_window(s, at, l, 5);
}

static void allgather_leaders(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_allgather_leaders(s, at, l, 2);
}

static void allgather_star(
	struct sched *s, const struct sched_place *at, const struct sched_layout *l)
{
	sched_allgather_leaders(s, at, l, 1);
}

static const struct algorithm {
	const char *name;
	enum movement kind;
	builder *build;
	int window; /* so many messages each way at a time, at most */
	int tree;   /* so many times size - 1 messages, or 0: any number */
	enum {
		IRREGULAR = 1, /* takes blocks of different lengths */
		POWER = 2,     /* needs a power of two */
		WORK = 4,      /* works in SCHED_OUT unless told that it is packed */
	} flags;
} algorithms[] = {
	{"gather binomial", GATHER, sched_gather_binomial, 1, 1, 0},
	{"gather linear 1", GATHER, gather_linear_1, 1, 1, IRREGULAR},
	{"gather linear 16", GATHER, gather_linear_16, 16, 1, IRREGULAR},
	{"scatter binomial", SCATTER, sched_scatter_binomial, 1, 1, 0},
	{"scatter linear 1", SCATTER, scatter_linear_1, 1, 1, IRREGULAR},
	{"scatter linear 16", SCATTER, scatter_linear_16, 16, 1, IRREGULAR},
	{"allgather tree", ALLGATHER, sched_allgather_tree, 1, 2, IRREGULAR | WORK},
	{"allgather leaders", ALLGATHER, allgather_leaders, 1, 2, IRREGULAR | WORK},
	{"allgather star", ALLGATHER, allgather_star, 1, 2, IRREGULAR | WORK},
	{"allgather doubling", ALLGATHER, sched_allgather_doubling, 1, 0, POWER | WORK},
	{"allgather bruck", ALLGATHER, sched_allgather_bruck, 1, 0, 0},
	{"allgather ring", ALLGATHER, sched_allgather_ring, 1, 0, IRREGULAR},
	{"alltoall tree", ALLTOALL, sched_alltoall_tree, 1, 2, 0},
	{"alltoall leaders", ALLTOALL, sched_alltoall_leaders, 1, 2, 0},
	{"alltoall bruck", ALLTOALL, sched_alltoall_bruck, 1, 0, 0},
	{"alltoall window 1", ALLTOALL, alltoall_window_1, 1, 0, IRREGULAR},
	{"alltoall window 5", ALLTOALL, alltoall_window_5, 5, 0, IRREGULAR},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* One thing to try. A unit of SCHED_IN is 2 cells, of SCHED_OUT 3, of scratch 1; `six(from, to)` is
 * the length of the block that goes from one rank to another, in sixes of cells. */
struct trial {
	const struct algorithm *a;
	int size, root;
	size_t n; /* sixes of a regular block; 0: irregular ones */
	bool in_place, packed;
};

enum { UNIT_IN = 2, UNIT_OUT = 3 };

static int six(const struct trial *t, int from, int to)
{
	if (t->n > 0)
		return (int)t->n;
	if (t->a->kind == GATHER || t->a->kind == ALLGATHER)
		to = 0;
	if (t->a->kind == SCATTER)
		from = 0;
	if (t->in_place) /* what is sent in place is as long as what comes for it */
		return (from + to) % 4;
	return (7 * from + 5 * to + 3) % 4; /* some are empty */
}

/* What rank `from` has for rank `to` */
static struct cell datum(const struct trial *t, int from, int to, size_t i)
{
	if (t->a->kind == GATHER || t->a->kind == ALLGATHER)
		to = 0;
	return cell_letter((uint64_t)from * 1000 + (uint64_t)to, i);
}

/* The irregular blocks of one rank's buffers, out of order and with gaps, some before the start. */
struct irregular {
	int counts[128], displs[128];
	size_t offsets[129];
	size_t n, below;
};

static void irregular_make(
	struct irregular *v, const struct trial *t, int rank, bool sending, int per_six)
{
	int at = -7;

	for (int k = 0; k < t->size; k++) {
		int i = (int)(((size_t)k * 101 + 3) % (size_t)t->size);

		v->counts[i] = per_six * (sending ? six(t, rank, i) : six(t, i, rank));
		v->displs[i] = at;
		at += v->counts[i] + k % 3;
	}
	v->below = 7;
	v->n = (size_t)(at + 7);
	v->offsets[0] = 0;
	for (int i = 0; i < t->size; i++)
		v->offsets[i + 1] = v->offsets[i] + (size_t)v->counts[i];
}

static struct sched_blocks irregular_blocks(const struct irregular *v)
{
	return (struct sched_blocks){.counts.ints = v->counts, .displs.ints = v->displs};
}

struct memory {
	struct irregular in, out, tmp;
	struct sched_layout l;
};

/* Describe rank's buffers, make room for them. */
static void lay_out(struct memory *y, struct sim *m, const struct trial *t, int rank)
{
	enum movement kind = t->a->kind;
	bool all_in = kind == SCATTER || kind == ALLTOALL, all_out = kind != SCATTER;
	size_t blocks = (size_t)t->size;

	y->l = (struct sched_layout){.packed = t->packed, .in_place = t->in_place};
	if (kind == GATHER || kind == SCATTER)
		y->l.in_place = t->in_place && rank == t->root;
	y->l.in.n = 3 * t->n;
	y->l.out.n = 2 * t->n;
	y->l.tmp.n = 6 * t->n;
	if (t->n > 0) {
		sim_room(m, rank, SCHED_IN, y->l.in.n * (all_in ? blocks : 1), 0);
		sim_room(m, rank, SCHED_OUT, y->l.out.n * (all_out ? blocks : 1), 0);
		return;
	}
	irregular_make(&y->in, t, rank, true, 3);
	irregular_make(&y->out, t, rank, false, 2);
	irregular_make(&y->tmp, t, rank, kind == ALLTOALL && !t->in_place, 6);
	if (all_in)
		y->l.in = irregular_blocks(&y->in);
	else
		y->l.in.n = 3 * (size_t)six(t, rank, 0);
	if (all_out)
		y->l.out = irregular_blocks(&y->out);
	else
		y->l.out.n = 2 * (size_t)six(t, 0, rank);
	y->l.tmp = (struct sched_blocks){.offsets = y->tmp.offsets};
	if ((t->a->flags & WORK) && !t->packed) {
		y->l.out = (struct sched_blocks){.offsets = y->out.offsets};
		y->out.below = 0;
	}
	sim_room(m, rank, SCHED_IN, y->in.n, all_in ? y->in.below : 0);
	sim_room(m, rank, SCHED_OUT, y->out.n, all_out ? y->out.below : 0);
}

static void put(
	const struct trial *t, struct sim *m, int rank, struct sched_span a, int from, int to)
{
	for (size_t i = 0; i < a.n * m->unit[a.buf]; i++)
		*sim_cell(m, rank, a.buf, a.first, i) = datum(t, from, to, i);
}

static void expect(
	const struct trial *t, struct sim *m, int rank, struct sched_span a, int from, int to)
{
	for (size_t i = 0; i < a.n * m->unit[a.buf]; i++) {
		if (!cell_same_word(*sim_cell(m, rank, a.buf, a.first, i), datum(t, from, to, i)))
			ck_abort_msg("%s: rank %d has cell %zu of the block from %d to %d wrong",
				m->what, rank, i, from, to);
	}
}

/* Fill in what rank gives. */
static void give(const struct trial *t, struct sim *m, int rank, const struct sched_layout *l)
{
	struct sched_span own_in = sched_span(SCHED_IN, 0, l->in.n);

	switch (t->a->kind) {
	case GATHER:
	case ALLGATHER:
		if (l->in_place)
			own_in = sched_block_span(SCHED_OUT, &l->out, rank);
		put(t, m, rank, own_in, rank, 0);
		break;
	case SCATTER:
		for (int i = 0; rank == t->root && i < t->size; i++)
			put(t, m, rank, sched_block_span(SCHED_IN, &l->in, i), rank, i);
		break;
	case ALLTOALL:
		for (int i = 0; i < t->size; i++)
			put(t, m, rank,
				l->in_place ? sched_block_span(SCHED_OUT, &l->out, i)
					    : sched_block_span(SCHED_IN, &l->in, i),
				rank, i);
		break;
	}
}

static void verify(const struct trial *t, struct sim *m, int rank, const struct sched_layout *l)
{
	switch (t->a->kind) {
	case SCATTER:
		if (!l->in_place)
			expect(t, m, rank, sched_span(SCHED_OUT, 0, l->out.n), t->root, rank);
		return;
	case GATHER:
		if (rank != t->root)
			return;
		break;
	case ALLGATHER:
	case ALLTOALL:
		break;
	}
	for (int i = 0; i < t->size; i++)
		expect(t, m, rank, sched_block_span(SCHED_OUT, &l->out, i), i, rank);
}

static void try_movement(const struct trial *t)
{
	struct sim *m = sim_new(t->size, UNIT_IN, UNIT_OUT, 1);
	struct memory *y = calloc((size_t)t->size, sizeof *y);

	snprintf(m->what, sizeof m->what, "%s, %d ranks, root %d, n %zu%s%s", t->a->name, t->size,
		t->root, t->n, t->in_place ? ", in place" : "", t->packed ? ", packed" : "");
	for (int i = 0; i < t->size; i++) {
		struct sched_place at = {i, t->size, t->root};

		lay_out(&y[i], m, t, i);
		give(t, m, i, &y[i].l);
		t->a->build(&m->ranks[i].s, &at, &y[i].l);
	}
	sim_run(m);
	for (int i = 0; i < t->size; i++)
		verify(t, m, i, &y[i].l);
	if (t->a->tree > 0 && t->n > 0)
		ck_assert_msg(m->messages == (size_t)(t->a->tree * (t->size - 1)),
			"%s: %zu messages", m->what, m->messages);
	if (m->widest > (size_t)t->a->window)
		ck_abort_msg("%s: %zu messages at a time", m->what, m->widest);
	free(y);
	sim_free(m);
}

static void try_variants(struct trial t)
{
	for (int in_place = 0; in_place <= 1; in_place++) {
		for (int packed = 0; packed <= 1; packed++) {
			t.in_place = in_place;
			t.packed = packed;
			try_movement(&t);
		}
	}
}

START_TEST(test_movement)
{
	struct trial t = {.a = &algorithms[_i]};
	bool rooted = t.a->kind == GATHER || t.a->kind == SCATTER;

	for (int i = 0; i < SIM_SIZES; i++) {
		t.size = sim_size(i);
		if ((t.a->flags & POWER) && (t.size & (t.size - 1)))
			continue;
		for (t.root = 0; t.root < (rooted ? t.size : 1); t.root++) {
			if (!sim_root_wanted(t.size, t.root))
				continue;
			for (t.n = (t.a->flags & IRREGULAR) ? 0 : 1; t.n <= 2; t.n++)
				try_variants(t);
		}
	}
}
END_TEST

UNIT_MAIN("sched_move", tcase_add_loop_test(tc, test_movement, 0, ALGORITHMS);)
