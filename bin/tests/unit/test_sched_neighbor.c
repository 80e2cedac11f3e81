/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules among neighbours, run for all ranks at once by sched_sim: every edge carries a block
 * that says which edge it is, and sends end only when they are received. */
#include "sched_sim.h"
#include "unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/comm/topo.h"

enum { MOST = 200, UNIT_IN = 2, UNIT_OUT = 3 };

/* One rank's edges: their numbers, and its buffers. */
struct end {
	struct sched_around around;
	int sources[MOST], destinations[MOST], in[MOST], out[MOST];
	int in_counts[MOST], in_displs[MOST], out_counts[MOST], out_displs[MOST];
	int in_n, out_n;
};

/* Sixes of cells in the block of an edge; some are empty. */
static int six(int edge)
{
	return edge < 0 ? 1 : edge % 3;
}

/* Blocks backwards and with gaps. */
static int lay(const int *edges, int n, int per_six, int *counts, int *displs)
{
	int at = 0;

	for (int k = n; k-- > 0;) {
		counts[k] = per_six * six(edges[k]);
		displs[k] = at;
		at += counts[k] + k % 2;
	}
	return at;
}

static void put(struct sim *m, int rank, enum sched_buf buf, const struct sched_blocks *b, int k,
	int edge, bool check)
{
	struct sched_span a = sched_block_span(buf, b, k);

	for (size_t i = 0; i < a.n * m->unit[buf]; i++) {
		struct cell *c = sim_cell(m, rank, buf, a.first, i);

		if (!check)
			*c = cell_letter((uint64_t)edge, i);
		else if (cell_same_word(*c, cell_letter((uint64_t)edge, i)) != (edge >= 0))
			ck_abort_msg("%s: rank %d: block %d, edge %d: cell %zu is wrong", m->what,
				rank, k, edge, i);
	}
}

static void run(const char *what, struct end *ends, int p)
{
	struct sim *m = sim_new(p, UNIT_IN, UNIT_OUT, 1);
	struct sched_layout *l = calloc((size_t)p, sizeof *l);

	snprintf(m->what, sizeof m->what, "%s, %d ranks", what, p);
	for (int r = 0; r < p; r++) {
		struct end *e = &ends[r];
		struct sched_place at = {r, p, 0};

		e->out_n = lay(e->out, e->around.ndestinations, 3, e->out_counts, e->out_displs);
		e->in_n = lay(e->in, e->around.nsources, 2, e->in_counts, e->in_displs);
		l[r].in = (struct sched_blocks){
			.counts.ints = e->out_counts, .displs.ints = e->out_displs};
		l[r].out = (struct sched_blocks){
			.counts.ints = e->in_counts, .displs.ints = e->in_displs};
		sim_room(m, r, SCHED_IN, (size_t)e->out_n, 0);
		sim_room(m, r, SCHED_OUT, (size_t)e->in_n, 0);
		for (int k = 0; k < e->around.ndestinations; k++)
			put(m, r, SCHED_IN, &l[r].in, k, e->out[k], false);
		sched_neighbor(&m->ranks[r].s, &at, &e->around, &l[r], false);
	}
	sim_run(m);
	for (int r = 0; r < p; r++)
		for (int k = 0; k < ends[r].around.nsources; k++)
			put(m, r, SCHED_OUT, &l[r].out, k, ends[r].in[k], true);
	free(l);
	sim_free(m);
}

/* Loops, parallel edges, ranks without any: in the order of their numbers at both ends. */
START_TEST(test_random)
{
	int p = 1 + _i % 13, edges;
	struct end *ends = calloc((size_t)p, sizeof *ends);

	srand((unsigned)_i);
	edges = rand() % 8 * p;
	for (int r = 0; r < p; r++) {
		ends[r].around.sources = ends[r].sources;
		ends[r].around.destinations = ends[r].destinations;
	}
	for (int e = 0; e < edges; e++) {
		int from = rand() % p, to = rand() % p;
		struct end *a = &ends[from], *b = &ends[to];

		a->destinations[a->around.ndestinations] = to;
		a->out[a->around.ndestinations++] = e;
		b->sources[b->around.nsources] = from;
		b->in[b->around.nsources++] = e;
	}
	run("random graph", ends, p);
	free(ends);
}
END_TEST

/* What goes down a dimension arrives as what comes from above. */
static void try_grid(int ndims, const int *dims, const int *periods)
{
	int p = topo_places(ndims, dims), n = 2 * ndims;
	struct end *ends = calloc((size_t)p, sizeof *ends);
	struct topology **t = calloc((size_t)p, sizeof(struct topology *));

	for (int r = 0; r < p; r++) {
		t[r] = topo_new(ndims, dims, periods, r);
		ends[r].around = t[r]->around;
		ck_assert_int_eq(ends[r].around.nsources, n);
		for (int k = 0; k < n; k++) {
			int peer = ends[r].around.sources[k];

			ends[r].out[k] = peer < 0 ? -1 : r * n + k;
			ends[r].in[k] = peer < 0 ? -1 : peer * n + (k ^ 1);
		}
	}
	run("grid", ends, p);
	for (int r = 0; r < p; r++)
		topo_free(t[r]);
	free(t);
	free(ends);
}

START_TEST(test_grids)
{
	for (int a = 1; a <= 4; a++) {
		for (int b = 1; b <= 4; b++) {
			for (int c = 1; c <= 3; c++)
				try_grid(
					_i % 4, (int[]){a, b, c}, (int[]){_i & 4, _i & 8, _i & 16});
		}
	}
}
END_TEST

UNIT_MAIN("sched_neighbor", tcase_add_loop_test(tc, test_random, 0, 130);
	  tcase_add_loop_test(tc, test_grids, 0, 32);)
