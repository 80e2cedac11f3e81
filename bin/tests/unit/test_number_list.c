/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in ascending order against a set of flags, whichever come and go; and how seldom they
 * are moved, and what memory they take, when the first goes as often as one is added. The test
 * stands between the list and its memory (ld --wrap).
 */
#include <stdlib.h>

#include "coord/number_list.h"
#include "unit.h"

enum { NUMBERS = 2000, STEPS = 100000, WAITING = 1000, PASSING = 200000 };

static bool no_memory;

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_realloc(void *p, size_t size)
{
	return no_memory ? NULL : __real_realloc(p, size);
}

static void same(const struct number_list *l, const bool *there)
{
	size_t n = 0;

	for (uint64_t number = 1; number < NUMBERS; number++) {
		ck_assert_int_eq(number_list_has(l, number), there[number]);
		if (there[number])
			ck_assert_uint_eq(l->v[n++], number);
	}
	ck_assert_uint_eq(l->n, n);
}

/* The highest of them, 0: none. */
static uint64_t last(const struct number_list *l)
{
	return l->n ? l->v[l->n - 1] : 0;
}

static void step_add(struct number_list *l, bool *there)
{
	uint64_t number = last(l) + 1;

	if (number == NUMBERS || rand() % 4 == 0)
		number = 1 + (uint64_t)rand() % (NUMBERS - 1);
	if (there[number] || !number_list_reserve(l, 1 + (size_t)rand() % 3))
		return;
	if (number > last(l))
		number_list_append(l, number);
	else
		number_list_add(l, number);
	there[number] = true;
}

/* The first, or any. */
static void step_remove(struct number_list *l, bool *there)
{
	uint64_t number = l->n && rand() % 2 ? l->v[0] : 1 + (uint64_t)rand() % (NUMBERS - 1);

	ck_assert_int_eq(number_list_remove(l, number), there[number]);
	there[number] = false;
}

/* Phases in which they become more, or fewer. */
START_TEST(same_as_flags)
{
	struct number_list l = {0};
	bool there[NUMBERS] = {false};

	srand((unsigned)_i);
	for (int i = 0; i < STEPS; i++) {
		no_memory = _i % 2 && rand() % 3 == 0;
		if (rand() % 3 < (i / 5000 % 2 ? 1 : 2))
			step_add(&l, there);
		else
			step_remove(&l, there);
		no_memory = false;
		if (i % 500 == 0)
			same(&l, there);
	}
	number_list_free(&l);
}
END_TEST

START_TEST(the_first_goes_and_the_last_comes)
{
	struct number_list l = {0};
	int moves = 0;

	for (uint64_t number = 1; number <= WAITING; number++) {
		ck_assert(number_list_reserve(&l, 1));
		number_list_append(&l, number);
	}
	for (uint64_t number = 1; number <= PASSING; number++) {
		const uint64_t *first = l.v;

		ck_assert(number_list_remove(&l, number));
		ck_assert(number_list_reserve(&l, 1));
		moves += l.v != first + 1;
		number_list_append(&l, WAITING + number);
		ck_assert_uint_eq(l.v[0], number + 1);
		ck_assert_uint_le(l.gone + l.room, 4 * WAITING);
	}
	ck_assert_int_le(moves, PASSING / WAITING);
	ck_assert_uint_eq(l.n, WAITING);
	number_list_free(&l);
}
END_TEST

UNIT_MAIN("number_list", tcase_add_loop_test(tc, same_as_flags, 0, 4);
	  tcase_add_test(tc, the_first_goes_and_the_last_comes);)
