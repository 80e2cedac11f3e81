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

		ck_assert_int_eq(handle_table_has(&objects[k], OBJECT_GROUP), there[k]);
		if (there[k]) {
			handle_table_remove(&objects[k]);
		} else {
			objects[k].kind = OBJECT_GROUP;
			ck_assert_int_eq(handle_table_add(&objects[k]), 0);
		}
		there[k] = !there[k];
	}
	for (int k = 0; k < OBJECTS; k++)
		ck_assert_int_eq(handle_table_has(&objects[k], OBJECT_GROUP), there[k]);
	handle_table_clear();
	free(objects);
	free(there);
}
END_TEST

START_TEST(looks_at_the_kind)
{
	struct object o = {OBJECT_COMM, 1};

	ck_assert_int_eq(handle_table_add(&o), 0);
	ck_assert(handle_table_has(&o, OBJECT_COMM));
	ck_assert(!handle_table_has(&o, OBJECT_GROUP));
	ck_assert_ptr_null(handle_table_any(OBJECT_GROUP));
	ck_assert_ptr_eq(handle_table_any(OBJECT_COMM), &o);
	handle_table_clear();
	ck_assert(!handle_table_has(&o, OBJECT_COMM));
}
END_TEST

/* Info objects outlive MPI_Finalize. */
START_TEST(clears_all_but_info)
{
	struct object *objects = calloc(OBJECTS, sizeof(*objects));

	for (int k = 0; k < OBJECTS; k++) {
		objects[k].kind = k % 3 ? OBJECT_COMM : OBJECT_INFO;
		ck_assert_int_eq(handle_table_add(&objects[k]), 0);
	}
	handle_table_clear();
	for (int k = 0; k < OBJECTS; k++)
		ck_assert_int_eq(handle_table_has(&objects[k], objects[k].kind), k % 3 == 0);
	for (int k = 0; k < OBJECTS; k += 3)
		handle_table_remove(&objects[k]);
	handle_table_clear();
	free(objects);
}
END_TEST

START_TEST(strangers_are_not_touched)
{
	/* addresses that cannot be read */
	ck_assert(!handle_table_has((void *)8, OBJECT_COMM));
	ck_assert(!handle_table_has((void *)0xdeadbeef0, OBJECT_COMM));
	handle_table_remove((void *)0xdeadbeef0);
}
END_TEST

UNIT_MAIN("live", tcase_add_loop_test(tc, knows_exactly_the_live, 0, 5);
	  tcase_add_test(tc, looks_at_the_kind); tcase_add_test(tc, clears_all_but_info);
	  tcase_add_test(tc, strangers_are_not_touched);)
