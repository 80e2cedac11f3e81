/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules of reductions and scans. A contribution is a letter and the operator joins words, so a
 * result tells whether each contribution is in it exactly once, and in which order.
 */
#include "sched_sim.h"
#include "unit.h"

#include <check.h>
#include <stdio.h>

enum outcome { AT_ROOT, AT_ALL, IN_BLOCKS, PREFIX, PREFIX_BELOW };

typedef void builder(struct sched *, const struct sched_place *, const struct sched_reduction *);
typedef void block_builder(struct sched *, const struct sched_place *,
	const struct sched_reduction *, const struct sched_blocks *);

static void allreduce_leaders(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	sched_allreduce_leaders(s, at, r, 2);
}

static void allreduce_star(
	struct sched *s, const struct sched_place *at, const struct sched_reduction *r)
{
	sched_allreduce_leaders(s, at, r, 1);
}

static void reduce_scatter_leaders(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in)
{
	sched_reduce_scatter_leaders(s, at, r, in, 2);
}

static void reduce_scatter_star(struct sched *s, const struct sched_place *at,
	const struct sched_reduction *r, const struct sched_blocks *in)
{
	sched_reduce_scatter_leaders(s, at, r, in, 1);
}

static const struct algorithm {
	const char *name;
	enum outcome outcome;
	builder *build;
	block_builder *build_blocks;
	bool ordered; /* right for operators that do not commute */
	int tree;     /* so many times size - 1 messages when it commutes, or 0: any number */
} algorithms[] = {
	{"reduce binomial", AT_ROOT, sched_reduce_binomial, NULL, true, 1},
	{"reduce star", AT_ROOT, sched_reduce_star, NULL, true, 1},
	{"reduce rabenseifner", AT_ROOT, sched_reduce_rabenseifner, NULL, false, 0},
	{"allreduce tree", AT_ALL, sched_allreduce_tree, NULL, true, 2},
	{"allreduce leaders", AT_ALL, allreduce_leaders, NULL, true, 2},
	{"allreduce star", AT_ALL, allreduce_star, NULL, true, 2},
	{"allreduce doubling", AT_ALL, sched_allreduce_doubling, NULL, true, 0},
	{"allreduce rabenseifner", AT_ALL, sched_allreduce_rabenseifner, NULL, false, 0},
	{"allreduce ring", AT_ALL, sched_allreduce_ring, NULL, false, 0},
	{"reduce-scatter tree", IN_BLOCKS, NULL, sched_reduce_scatter_tree, true, 0},
	{"reduce-scatter leaders", IN_BLOCKS, NULL, reduce_scatter_leaders, true, 0},
	{"reduce-scatter star", IN_BLOCKS, NULL, reduce_scatter_star, true, 0},
	{"reduce-scatter ring", IN_BLOCKS, NULL, sched_reduce_scatter_ring, false, 0},
	{"scan doubling", PREFIX, sched_scan_doubling, NULL, true, 0},
	{"scan chain", PREFIX, sched_scan_chain, NULL, true, 1},
	{"exscan doubling", PREFIX_BELOW, sched_exscan_doubling, NULL, true, 0},
	{"exscan chain", PREFIX_BELOW, sched_exscan_chain, NULL, true, 1},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

struct trial {
	const struct algorithm *a;
	int size, root;
	size_t n;
	bool commutative, in_place;
	size_t offsets[129]; /* IN_BLOCKS: irregular blocks, some empty */
};

/* Elements that are combined in all */
static size_t total(const struct trial *t)
{
	return t->a->outcome == IN_BLOCKS ? t->offsets[t->size] : t->n;
}

static bool has_result(const struct trial *t, int rank)
{
	return t->a->outcome != AT_ROOT || rank == t->root;
}

static void build(const struct trial *t, struct sim *m, int rank)
{
	struct sched_place at = {rank, t->size, t->root};
	bool in_place = t->in_place && has_result(t, rank);
	struct sched_reduction r = {total(t), t->commutative, in_place};
	struct sched_blocks blocks = {.offsets = t->offsets};
	size_t out = total(t);

	if (t->a->outcome == IN_BLOCKS && !in_place)
		out = t->offsets[rank + 1] - t->offsets[rank];
	sim_room(m, rank, SCHED_IN, in_place ? 0 : total(t), 0);
	if (has_result(t, rank))
		sim_room(m, rank, SCHED_OUT, out, 0);
	for (size_t i = 0; i < total(t); i++)
		*sim_cell(m, rank, in_place ? SCHED_OUT : SCHED_IN, 0, i) =
			cell_letter((uint64_t)rank, i);
	if (t->a->build)
		t->a->build(&m->ranks[rank].s, &at, &r);
	else
		t->a->build_blocks(&m->ranks[rank].s, &at, &r, &blocks);
}

/* Elements [first, first + n) of the result for ranks below `end` lie at the start of SCHED_OUT. */
static void verify(const struct trial *t, struct sim *m, int rank, int end, size_t first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct cell got = *sim_cell(m, rank, SCHED_OUT, 0, i);
		struct cell want = {0, 0, 1};

		for (int k = 0; k < end; k++)
			want = cell_join(want, cell_letter((uint64_t)k, first + i));
		if (!cell_same_set(got, want))
			ck_abort_msg(
				"%s: rank %d: element %zu lacks a contribution or has one twice",
				m->what, rank, i);
		if (!t->commutative && !cell_same_word(got, want))
			ck_abort_msg("%s: rank %d: element %zu is combined out of order", m->what,
				rank, i);
		/* all must get the same, also where rounding depends on the order */
		if (t->a->outcome == AT_ALL &&
			!cell_same_word(got, *sim_cell(m, 0, SCHED_OUT, 0, i)))
			ck_abort_msg(
				"%s: rank %d: element %zu differs from rank 0's", m->what, rank, i);
	}
}

static void verify_rank(const struct trial *t, struct sim *m, int rank)
{
	switch (t->a->outcome) {
	case AT_ROOT:
		if (rank == t->root)
			verify(t, m, rank, t->size, 0, t->n);
		break;
	case AT_ALL:
		verify(t, m, rank, t->size, 0, t->n);
		break;
	case IN_BLOCKS:
		verify(t, m, rank, t->size, t->offsets[rank],
			t->offsets[rank + 1] - t->offsets[rank]);
		break;
	case PREFIX:
		verify(t, m, rank, rank + 1, 0, t->n);
		break;
	case PREFIX_BELOW:
		if (rank > 0)
			verify(t, m, rank, rank, 0, t->n);
		break;
	}
}

static void try_reduction(struct trial *t)
{
	struct sim *m = sim_new(t->size, 1, 1, 1);

	snprintf(m->what, sizeof m->what, "%s, %d ranks, root %d, n %zu%s%s", t->a->name, t->size,
		t->root, t->n, t->commutative ? "" : ", ordered", t->in_place ? ", in place" : "");
	for (int i = 0; i < t->size; i++)
		t->offsets[i + 1] = t->offsets[i] + (size_t)((i + 1) * 5 % 4) * t->n;
	for (int i = 0; i < t->size; i++)
		build(t, m, i);
	sim_run(m);
	for (int i = 0; i < t->size; i++)
		verify_rank(t, m, i);
	if (t->a->tree > 0 && t->commutative && m->messages != (size_t)(t->a->tree * (t->size - 1)))
		ck_abort_msg("%s: %zu messages", m->what, m->messages);
	sim_free(m);
}

static void try_variants(struct trial *t)
{
	for (int commutes = t->a->ordered ? 0 : 1; commutes <= 1; commutes++) {
		for (int in_place = 0; in_place <= 1; in_place++) {
			t->commutative = commutes;
			t->in_place = in_place;
			try_reduction(t);
		}
	}
}

START_TEST(test_reduction)
{
	struct trial t = {.a = &algorithms[_i]};

	for (int i = 0; i < SIM_SIZES; i++) {
		t.size = sim_size(i);
		size_t p = (size_t)t.size, lengths[] = {1, 2, p, p + 1, 3 * p + 2};
		int count = t.a->outcome == IN_BLOCKS ? 2 : 5;

		for (t.root = 0; t.root < (t.a->outcome == AT_ROOT ? t.size : 1); t.root++) {
			for (int k = 0; sim_root_wanted(t.size, t.root) && k < count; k++) {
				t.n = lengths[k];
				try_variants(&t);
			}
		}
	}
}
END_TEST

/* Elements that this host's ranks send to ranks of others. Host h has `each` ranks, from h * each on. */
static size_t leaves_host(builder *make, int host, int hosts, int each, size_t n)
{
	struct sched_reduction r = {n, true, false};
	size_t sum = 0;

	for (int rank = host * each; rank < (host + 1) * each; rank++) {
		struct sched_place at = {rank, hosts * each, 0};
		struct sched s;

		sched_init(&s);
		make(&s, &at, &r);
		for (size_t i = 0; i < s.n; i++)
			if (s.steps[i].kind == SCHED_SEND && s.steps[i].peer / each != host)
				sum += s.steps[i].a.n;
		sched_free(&s);
	}
	return sum;
}

/* A long vector leaves a host no more often than if it had one rank. */
START_TEST(ranks_of_a_host_share_the_way_out)
{
	enum { N = 64 * 100 };
	static builder *const builders[] = {sched_allreduce_rabenseifner, sched_reduce_rabenseifner};

	for (size_t b = 0; b < 2; b++)
		for (int hosts = 2; hosts <= 8; hosts *= 2)
			for (int host = 0; host < hosts; host++) {
				size_t alone = leaves_host(builders[b], host, hosts, 1, N);

				for (int each = 2; each <= 8; each *= 2)
					ck_assert_uint_le(
						leaves_host(builders[b], host, hosts, each, N),
						alone);
			}
}
END_TEST

UNIT_MAIN("sched_reduce", tcase_add_loop_test(tc, test_reduction, 0, ALGORITHMS);
	  tcase_add_test(tc, ranks_of_a_host_share_the_way_out);)
