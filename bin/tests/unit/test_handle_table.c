/* SPDX-License-Identifier: BSD-3-Clause */
/* The set of live handles against a flag per object. */
#include <check.h>
#include <stdlib.h>

#include "mpi/handle/handle_table.h"
#include "unit.h"

enum { OBJECTS = 3000, STEPS = 200000 };

START_TEST(knows_exactly_the_live)
{
	struct object *objects = calloc(OBJECTS, sizeof(*objects));
	char *there = calloc(OBJECTS, 1);

	srand((unsigned)_i);
	for (int i = 0; i < STEPS; i++) {
		int k = rand() % OBJECTS;

		ck_assert_int_eq(live_has(&objects[k], OBJECT_GROUP), there[k]);
		if (there[k]) {
			live_remove(&objects[k]);
		} else {
			objects[k].kind = OBJECT_GROUP;
			ck_assert_int_eq(live_add(&objects[k]), 0);
		}
		there[k] = !there[k];
	}
	for (int k = 0; k < OBJECTS; k++)
		ck_assert_int_eq(live_has(&objects[k], OBJECT_GROUP), there[k]);
	live_clear();
	free(objects);
	free(there);
}
END_TEST

START_TEST(looks_at_the_kind)
{
	struct object o = {OBJECT_COMM, 1};

	ck_assert_int_eq(live_add(&o), 0);
	ck_assert(live_has(&o, OBJECT_COMM));
	ck_assert(!live_has(&o, OBJECT_GROUP));
	ck_assert_ptr_null(live_any(OBJECT_GROUP));
	ck_assert_ptr_eq(live_any(OBJECT_COMM), &o);
	live_clear();
	ck_assert(!live_has(&o, OBJECT_COMM));
}
END_TEST

/* Info objects outlive MPI_Finalize. */
START_TEST(clears_all_but_info)
{
	struct object *objects = calloc(OBJECTS, sizeof(*objects));

	for (int k = 0; k < OBJECTS; k++) {
		objects[k].kind = k % 3 ? OBJECT_COMM : OBJECT_INFO;
		ck_assert_int_eq(live_add(&objects[k]), 0);
	}
	live_clear();
	for (int k = 0; k < OBJECTS; k++)
		ck_assert_int_eq(live_has(&objects[k], objects[k].kind), k % 3 == 0);
	for (int k = 0; k < OBJECTS; k += 3)
		live_remove(&objects[k]);
	live_clear();
	free(objects);
}
END_TEST

START_TEST(strangers_are_not_touched)
{
	/* addresses that cannot be read */
	ck_assert(!live_has((void *)8, OBJECT_COMM));
	ck_assert(!live_has((void *)0xdeadbeef0, OBJECT_COMM));
	live_remove((void *)0xdeadbeef0);
}
END_TEST

UNIT_MAIN("live", tcase_add_loop_test(tc, knows_exactly_the_live, 0, 5);
	  tcase_add_test(tc, looks_at_the_kind); tcase_add_test(tc, clears_all_but_info);
	  tcase_add_test(tc, strangers_are_not_touched);)
