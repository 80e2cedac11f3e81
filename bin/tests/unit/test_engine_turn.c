/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that enters MPI again and again leaves the library's threads their turn. */
#include <pthread.h>

#include "mpi/engine/engine_inside.h"
#include "unit.h"

enum { ROUNDS = 50, FEW = 40, ENTERS_MOST = 50 * FEW };

static atomic_bool got;

static void *take_it(void *arg)
{
	(void)arg;
	lock_take_before(engine_lock_object());
	got = true;
	lock_give(engine_lock_object());
	return NULL;
}

/* How often the program had to come until the other thread had its turn. */
static long enters(void)
{
	pthread_t t;
	long n = 0;

	got = false;
	engine_enter();
	ck_assert_int_eq(pthread_create(&t, NULL, take_it, NULL), 0);
	while (!lock_is_awaited(engine_lock_object()))
		continue;
	engine_leave();
	for (; !got && n < ENTERS_MOST; n++) {
		engine_enter();
		engine_leave();
	}
	pthread_join(t, NULL);
	return n;
}

/* Another one needs at most a moment to wake up; a call gives way for a moment. On a busy machine
 * some get no processor for long. Favoured or not. */
START_TEST(the_library_has_its_turn)
{
	int late = 0;

	engine_start();
	if (_i) {
		engine_enter();
		engine_favour_thread();
		engine_leave();
	}
	for (int i = 0; i < ROUNDS; i++)
		late += enters() > FEW;
	ck_assert_int_le(late, ROUNDS / 10);
}
END_TEST

UNIT_MAIN("engine_turn", tcase_add_loop_test(tc, the_library_has_its_turn, 0, 2);)
