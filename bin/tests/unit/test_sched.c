/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of broadcasts and barriers, run for all ranks at once by sched_sim; and the parts of a
 * vector. */
#include "sched_sim.h"
#include "unit.h"

#include <stdio.h>

static void try_bcast(int how, int size, int root, size_t n, size_t seg)
{
	struct sim *m = sim_new(size, 1, 1, 1);

	snprintf(m->what, sizeof m->what, "bcast %d, %d ranks, root %d, n %zu, segment %zu", how,
		size, root, n, seg);
	for (int i = 0; i < size; i++) {
		struct sched_place at = {i, size, root};
		struct sched_span a = sched_span(SCHED_OUT, 3, n);

		sim_room(m, i, SCHED_OUT, n + 3, 0);
		for (size_t k = 0; i == root && k < n; k++)
			*sim_cell(m, i, SCHED_OUT, 3, k) = cell_letter(7, k);
		if (how == 0)
			sched_bcast_binomial(&m->ranks[i].s, &at, a);
		else if (how == 1)
			sched_bcast_chain(&m->ranks[i].s, &at, a, seg);
		else if (how == 2)
			sched_bcast_scatter(&m->ranks[i].s, &at, a);
		else
			sched_bcast_star(&m->ranks[i].s, &at, a, 3);
	}
	sim_run(m);
	for (int i = 0; i < size; i++) {
		for (size_t k = 0; k < n; k++) {
			struct cell c = *sim_cell(m, i, SCHED_OUT, 3, k);

			if (!cell_same_word(c, cell_letter(7, k)))
				ck_abort_msg("%s: rank %d has element %zu wrong", m->what, i, k);
		}
	}
	if (how == 0 || how == 3 || (how == 1 && seg >= n))
		ck_assert_uint_eq(m->messages, (size_t)size - 1);
	/* no rank needs more than the whole; all but one send nothing twice */
	if (how != 2)
		ck_assert_uint_eq(m->cells, n * ((size_t)size - 1));
	sim_free(m);
}

START_TEST(test_bcast)
{
	for (int i = 0; i < SIM_SIZES; i++) {
		int p = sim_size(i);
		size_t lengths[] = {1, 2, (size_t)p, (size_t)p + 1, 5 * (size_t)p + 3, 1000};

		for (int root = 0; root < p; root++) {
			for (size_t k = 0; sim_root_wanted(p, root) && k < 6; k++) {
				try_bcast(_i, p, root, lengths[k], 1000);
				if (_i == 1)
					try_bcast(1, p, root, lengths[k], 7);
			}
		}
	}
}
END_TEST

typedef void barrier_builder(struct sched *, const struct sched_place *);

static void barrier_leaders(struct sched *s, const struct sched_place *at)
{
	sched_barrier_leaders(s, at, 2);
}

static void barrier_star(struct sched *s, const struct sched_place *at)
{
	sched_barrier_leaders(s, at, 1);
}

static barrier_builder *const barriers[] = {
	sched_barrier_dissemination, sched_barrier_tree, barrier_leaders, barrier_star};

/* As long as one rank, whichever, has not come, none may leave. */
START_TEST(test_barrier)
{
	for (int i = 0; i < SIM_SIZES; i++) {
		int p = sim_size(i);

		for (int away = -1; away < p; away++) {
			struct sim *m = sim_new(p, 1, 1, 1);

			snprintf(m->what, sizeof m->what, "barrier %d, %d ranks, without %d", _i, p,
				away);
			for (int r = 0; r < p; r++) {
				struct sched_place at = {r, p, 0};

				if (r != away)
					barriers[_i](&m->ranks[r].s, &at);
			}
			int left = sim_run_some(m);

			ck_assert_msg(
				left == (away < 0 ? p : 1), "%s: %d ranks left", m->what, left);
			if (away < 0 && barriers[_i] != sched_barrier_dissemination)
				ck_assert_uint_eq(m->messages, 2 * ((size_t)p - 1));
			sim_free(m);
		}
	}
}
END_TEST

/* The parts of a vector follow each other, differ by at most one, and make up the whole. */
START_TEST(test_parts)
{
	for (int p = 1; p <= 40; p++) {
		for (size_t n = 0; n < 200; n++) {
			size_t end = 0;

			for (int i = 0; i < p; i++) {
				struct sched_span a = sched_part(SCHED_OUT, n, p, i);

				if ((size_t)a.first != end || a.n - n / (size_t)p > 1)
					ck_abort_msg("part %d of %d of %zu: %td+%zu after %zu", i,
						p, n, a.first, a.n, end);
				end += a.n;
			}
			if (end != n)
				ck_abort_msg("%d parts of %zu end at %zu", p, n, end);
		}
	}
}
END_TEST

UNIT_MAIN("sched", tcase_add_loop_test(tc, test_bcast, 0, 4);
	  tcase_add_loop_test(
		  tc, test_barrier, 0, (int)(sizeof barriers / sizeof *barriers)); tcase_add_test(tc, test_parts);)
