/* SPDX-License-Identifier: BSD-3-Clause */
/* What a schedule has written by some step, and whether two schedules are the same. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/coll_written.h"
#include "unit.h"

enum { UNITS = 40, STEPS = 30, TURNS = 2000 };

static struct sched s;
static struct sched_span *spans;
static size_t n;

static void written(size_t end, unsigned blocks)
{
	free(spans);
	ck_assert(coll_written(&s, end, blocks, &spans, &n));
}

static void begin(void)
{
	sched_init(&s);
}

static void end(void)
{
	free(spans);
	spans = NULL;
	sched_free(&s);
}

START_TEST(what_counts)
{
	sched_send(&s, 1, sched_span(SCHED_OUT, 0, 9));
	sched_recv(&s, 1, sched_span(SCHED_OUT, 4, 2));
	sched_round(&s);
	sched_copy(&s, sched_span(SCHED_TMP, 0, 3), sched_span(SCHED_IN, 0, 3));
	sched_reduce(&s, sched_span(SCHED_OUT, 20, 1), sched_span(SCHED_TMP, 0, 1));
	sched_recv(&s, 1, sched_span(SCHED_AUX, 0, 0));
	written(0, 0);
	ck_assert_uint_eq(n, 0);
	written(2, 0);
	ck_assert_uint_eq(n, 1);
	ck_assert(spans[0].buf == SCHED_OUT && spans[0].first == 4 && spans[0].n == 2);
	written(s.n, 0);
	ck_assert_uint_eq(n, 3);
	ck_assert(spans[1].first == 20 && spans[2].buf == SCHED_TMP && spans[2].n == 3);
}
END_TEST

/* Every unit that a step writes is in one span, no other is, and spans do not touch. */
START_TEST(random_spans)
{
	srand(1);
	for (int turn = 0; turn < TURNS; turn++) {
		int want[UNITS] = {0}, got[UNITS] = {0}, steps = rand() % STEPS;

		sched_free(&s);
		sched_init(&s);
		for (int i = 0; i < steps; i++) {
			ptrdiff_t first = rand() % UNITS;
			size_t length = (size_t)(rand() % 4);

			if (first + (ptrdiff_t)length > UNITS)
				length = 1;
			sched_recv(&s, 0, sched_span(SCHED_TMP, first - UNITS / 2, length));
			for (size_t k = 0; k < length; k++)
				want[first + (ptrdiff_t)k] = 1;
		}
		written(s.n, 0);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < spans[i].n; k++)
				got[spans[i].first + UNITS / 2 + (ptrdiff_t)k]++;
			ck_assert(i == 0 ||
				  spans[i].first > spans[i - 1].first + (ptrdiff_t)spans[i - 1].n);
		}
		ck_assert_int_eq(memcmp(want, got, sizeof want), 0);
	}
}
END_TEST

/* Where each block has its own unit, nothing can be joined. */
START_TEST(blocks_apart)
{
	struct sched_span a = {SCHED_OUT, 0, 0, 5}, b = {SCHED_OUT, 1, 2, 5};

	sched_recv(&s, 0, a);
	sched_recv(&s, 1, b);
	sched_recv(&s, 0, a);
	written(s.n, 1u << SCHED_OUT);
	ck_assert_uint_eq(n, 2);
	ck_assert(spans[0].block == 0 && spans[0].n == 5 && spans[1].block == 1 &&
		  spans[1].first == 2 && spans[1].n == 5);
}
END_TEST

static uint64_t sum_of(int peer, ptrdiff_t first, size_t length, bool rounds)
{
	uint64_t sum;

	sched_free(&s);
	sched_init(&s);
	sched_recv(&s, peer, sched_span(SCHED_OUT, first, length));
	if (rounds)
		sched_round(&s);
	sched_copy(&s, sched_span(SCHED_TMP, 0, 1), sched_span(SCHED_OUT, first, 1));
	sched_round(&s);
	sum = coll_written_sum(&s);
	return sum;
}

START_TEST(sums)
{
	uint64_t sum = sum_of(1, 2, 3, true);

	ck_assert(sum_of(1, 2, 3, true) == sum);
	ck_assert(sum_of(2, 2, 3, true) != sum);
	ck_assert(sum_of(1, 3, 3, true) != sum);
	ck_assert(sum_of(1, 2, 4, true) != sum);
	ck_assert(sum_of(1, 2, 3, false) != sum);
}
END_TEST

UNIT_MAIN("coll_written", tcase_add_checked_fixture(tc, begin, end);
	  tcase_add_test(tc, what_counts); tcase_add_test(tc, random_spans);
	  tcase_add_test(tc, blocks_apart); tcase_add_test(tc, sums);)
