/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests by the numbers of their messages, against an array that is searched from its beginning;
 * and how many entries are looked at, when there are many. The test stands between the index and
 * its memory (ld --wrap).
 */
#include <string.h>

#include "mpi/p2p/numbered.h"
#include "mpi/p2p/request.h"
#include "unit.h"

enum { PEERS = 3, REQUESTS = 300, STEPS = 100000, PHASE = 1500, MANY = 20000 };

static bool no_memory;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

static struct request requests[MANY];
static struct match_hooks hooks;
static struct match_list list;

static void begin(void)
{
	memset(requests, 0, sizeof requests);
	for (int i = 0; i < MANY; i++)
		match_place_init(&requests[i].match.place);
	match_hooks_init(&hooks);
	match_list_init(&list);
}

static void end(void)
{
	match_index_forget(&list);
	match_hooks_fini(&hooks);
}

/* ---- whatever comes and goes ---- */

static struct request *there[REQUESTS];
static int n;

/* MPI_ANY_SOURCE and 0 for some, as receives that were cancelled have. */
static void step_add(void)
{
	struct request *r = &requests[rand() % REQUESTS];

	if (list_linked(&r->match.place.link))
		return;
	r->peer = rand() % 10 ? rand() % PEERS : MPI_ANY_SOURCE;
	r->index = r->peer < 0 ? 0 : 1 + (uint64_t)rand() % (2 * REQUESTS);
	numbered_add(&list, r);
	there[n++] = r;
}

static void step_find(int peer, uint64_t number, bool remove)
{
	int want = 0;
	struct request *r;

	while (want < n && (there[want]->peer != peer || there[want]->index != number))
		want++;
	r = numbered_find(&list, &hooks, peer, number);
	ck_assert_ptr_eq(r, want < n ? there[want] : NULL);
	if (!r || !remove)
		return;
	numbered_remove(&list, r);
	ck_assert(!list_linked(&r->match.place.link));
	memmove(&there[want], &there[want + 1], (size_t)(n - want - 1) * sizeof *there);
	n--;
}

static void same_order(void)
{
	int i = 0;

	list_for_each (item, &list.list)
		ck_assert_ptr_eq(numbered_at(item), there[i++]);
	ck_assert_int_eq(i, n);
}

/* Phases in which they become more, or fewer; every other run is short of memory now and then. */
START_TEST(same_as_an_array)
{
	int had_index = 0;

	srand((unsigned)_i);
	begin();
	n = 0;
	for (int i = 0; i < STEPS; i++) {
		struct request *r = n ? there[rand() % n] : NULL;

		no_memory = _i % 2 && rand() % 3 == 0;
		if (rand() % 3 < (i / PHASE % 2 ? 1 : 2))
			step_add();
		else if (r)
			step_find(r->peer, r->index, true);
		step_find(rand() % PEERS, 1 + (uint64_t)rand() % (2 * REQUESTS), false);
		no_memory = false;
		had_index += list.index != NULL;
		if (i % 500 == 0)
			same_order();
	}
	ck_assert_int_gt(had_index, 1000);
	end();
}
END_TEST

/* ---- the work ---- */

/* Entries looked at for each of so many that are found in reverse order. */
static double work(int many)
{
	double looks;

	begin();
	for (int i = 0; i < many; i++) {
		requests[i].peer = i % PEERS;
		requests[i].index = (uint64_t)i / PEERS + 1;
		numbered_add(&list, &requests[i]);
	}
	for (int i = many - 1; i >= 0; i--) {
		struct request *r = &requests[i];

		ck_assert_ptr_null(numbered_find(&list, &hooks, PEERS, r->index));
		ck_assert_ptr_eq(numbered_find(&list, &hooks, r->peer, r->index), r);
		numbered_remove(&list, r);
	}
	looks = (double)hooks.looks;
	ck_assert_ptr_null(list.index);
	ck_assert_uint_eq(hooks.indexes, 0);
	end();
	return looks / many;
}

START_TEST(work_does_not_grow)
{
	double few = work(500), many = work(MANY);

	ck_assert_msg(many < 16 && many < 1.5 * few + 1,
		"%.1f looks at an entry for each of %d, %.1f for each of 500", many, MANY, few);
}
END_TEST

/* In the order in which they were added they need no index. */
START_TEST(in_order_without_an_index)
{
	begin();
	for (int i = 0; i < MANY; i++) {
		requests[i].index = (uint64_t)i + 1;
		numbered_add(&list, &requests[i]);
	}
	for (int i = 0; i < MANY; i++) {
		ck_assert_ptr_eq(numbered_find(&list, &hooks, 0, requests[i].index), &requests[i]);
		numbered_remove(&list, &requests[i]);
		ck_assert_ptr_null(list.index);
	}
	ck_assert_uint_eq(hooks.looks, MANY);
	end();
}
END_TEST

UNIT_MAIN("numbered", tcase_add_loop_test(tc, same_as_an_array, 0, 4);
	  tcase_add_test(tc, work_does_not_grow); tcase_add_test(tc, in_order_without_an_index);)
