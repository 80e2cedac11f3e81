/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations as the program calls them, on ranks that are threads (fake_team), against
 * results worked out one by one (coll_case.h).
 */
#include "coll_case.h"
#include "unit.h"

/* Ints in a block; the thresholds of coll_choose.c lie between these. */
static const int lengths[] = {0, 6, 12, 96, 240, 606, 4002, 12000, 30000};

static void one_case(const struct coll_case *t, struct comm *c)
{
	if (t->kind == BCAST)
		case_bcast(t, c);
	else if (t->kind < REDUCE)
		case_movement(t, c);
	else
		case_reduction(t, c);
	team_must(team_open(c) == 0, "kind %d: messages left open", t->kind);
}

enum { CASES = 60, LARGE_CASES = 3 };

/* Each is a process of threads, which the thread sanitizer makes slow. */
#ifdef __SANITIZE_THREAD__
enum { SEEDS = 15, LARGE_SEEDS = 2 };
#else
enum { SEEDS = 90, LARGE_SEEDS = 8 };
#endif

static void random_cases(struct comm *c, void *arg)
{
	uint64_t seed = *(const uint64_t *)arg;

	for (uint64_t i = 0; i < CASES; i++) {
		struct coll_case t = {.seed = case_mix(seed * 1000 + i), .size = c->size};
		int most = i < CASES - LARGE_CASES ? 6 : 9;

		t.kind = (enum kind)(case_draw(&t, 8, 0, 0) % KINDS);
		t.root = (int)(case_draw(&t, 9, 0, 0) % (uint64_t)c->size);
		t.in_place = case_draw(&t, 10, 0, 0) % 3 == 0;
		t.n = lengths[case_draw(&t, 11, 0, 0) % (uint64_t)most];
		one_case(&t, c);
		if (i % 7 == 0)
			team_must(MPI_Barrier(c->handle) == MPI_SUCCESS, "barrier");
	}
}

START_TEST(test_random)
{
	uint64_t seed = (uint64_t)_i;

	case_setup();
	team_run(1 + _i % 9, _i % 2 == 0, random_cases, &seed);
}
END_TEST

/* Each kind with lengths above its last threshold. */
static void large_cases(struct comm *c, void *arg)
{
	(void)arg;
	for (int kind = 0; kind < KINDS; kind++) {
		struct coll_case t = {.seed = 77, .kind = (enum kind)kind, .size = c->size};

		t.n = kind == BCAST ? 72000 : 18000;
		t.root = c->size / 2;
		one_case(&t, c);
		t.in_place = true;
		one_case(&t, c);
	}
}

START_TEST(test_large)
{
	case_setup();
	team_run(2 + _i, false, large_cases, NULL);
	team_run(2 + _i, true, large_cases, NULL);
}
END_TEST

UNIT_MAIN("coll", tcase_add_loop_test(tc, test_random, 0, SEEDS);
	  tcase_add_loop_test(tc, test_large, 0, LARGE_SEEDS);)
