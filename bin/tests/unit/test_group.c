/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups against the plainest description of them: arrays searched from end to end. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/handle/handle_table.h"
#include "unit.h"

enum { WORLD = 24 };

/* A random group of the world, seen from `me`. */
static struct group *random_group(int me)
{
	int world[WORLD], n = rand() % (WORLD + 1);

	for (int i = 0; i < WORLD; i++)
		world[i] = i;
	for (int i = 0; i < n; i++) {
		int j = i + rand() % (WORLD - i), t = world[i];

		world[i] = world[j];
		world[j] = t;
	}
	return group_make(n, world, me);
}

static int place_of(const struct group *g, int world)
{
	for (int i = 0; i < g->size; i++) {
		if (g->world[i] == world)
			return i;
	}
	return MPI_UNDEFINED;
}

static void expect(struct group *g, const int *world, int n, int me)
{
	ck_assert_int_eq(g->size, n);
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(g->world[i], world[i]);
	ck_assert_int_eq(g->rank, place_of(g, me));
	group_release(g);
}

/* a is seen from a process that may be in neither: then the result does not have it either */
START_TEST(set_operations)
{
	srand((unsigned)_i);
	for (int step = 0; step < 500; step++) {
		int me = rand() % WORLD, want[2 * WORLD], n = 0;
		struct group *a = random_group(me), *b = random_group(me), *out = NULL;

		for (int i = 0; i < a->size; i++)
			want[n++] = a->world[i];
		for (int i = 0; i < b->size; i++) {
			if (place_of(a, b->world[i]) == MPI_UNDEFINED)
				want[n++] = b->world[i];
		}
		ck_assert_int_eq(group_union(a, b, &out), MPI_SUCCESS);
		expect(out, want, n, me);
		n = 0;
		for (int i = 0; i < a->size; i++) {
			if (place_of(b, a->world[i]) != MPI_UNDEFINED)
				want[n++] = a->world[i];
		}
		ck_assert_int_eq(group_intersection(a, b, &out), MPI_SUCCESS);
		expect(out, want, n, me);
		n = 0;
		for (int i = 0; i < a->size; i++) {
			if (place_of(b, a->world[i]) == MPI_UNDEFINED)
				want[n++] = a->world[i];
		}
		ck_assert_int_eq(group_difference(a, b, &out), MPI_SUCCESS);
		expect(out, want, n, me);
		group_release(a);
		group_release(b);
	}
}
END_TEST

START_TEST(inclusion_and_exclusion)
{
	srand((unsigned)_i);
	for (int step = 0; step < 500; step++) {
		int me = rand() % WORLD, ranks[WORLD], in[WORLD], ex[WORLD], n = 0, m = 0;
		char taken[WORLD] = {0};
		struct group *g = random_group(me), *out = NULL;

		for (int i = 0; i < g->size; i++) {
			int r = rand() % g->size;

			if (!taken[r]) {
				taken[r] = 1;
				ranks[n] = r;
				in[n++] = g->world[r];
			}
		}
		for (int i = 0; i < g->size; i++) {
			if (!taken[i])
				ex[m++] = g->world[i];
		}
		ck_assert_int_eq(group_incl(g, n, ranks, &out), MPI_SUCCESS);
		expect(out, in, n, me);
		ck_assert_int_eq(group_excl(g, n, ranks, &out), MPI_SUCCESS);
		expect(out, ex, m, me);
		group_release(g);
	}
}
END_TEST

static struct group *first_ten(void)
{
	int world[10];

	for (int i = 0; i < 10; i++)
		world[i] = 100 + i;
	return group_make(10, world, 104);
}

START_TEST(selecting_ranges)
{
	int ranges[][3] = {{1, 6, 2}, {9, 6, -2}, {0, 0, 5}};
	int odd[][3] = {{4, 9, INT_MAX}};
	struct group *g = first_ten(), *out = NULL;

	ck_assert_int_eq(group_range_incl(g, 3, ranges, &out), MPI_SUCCESS);
	expect(out, (int[]){101, 103, 105, 109, 107, 100}, 6, 104);
	ck_assert_int_eq(group_range_excl(g, 3, ranges, &out), MPI_SUCCESS);
	expect(out, (int[]){102, 104, 106, 108}, 4, 104);
	ck_assert_int_eq(group_range_incl(g, 1, odd, &out), MPI_SUCCESS);
	expect(out, (int[]){104}, 1, 104);
	ck_assert_int_eq(group_range_excl(g, 0, NULL, &out), MPI_SUCCESS);
	ck_assert_int_eq(out->size, 10);
	group_release(out);
	group_release(g);
}
END_TEST

START_TEST(bad_selections)
{
	struct group *g = first_ten(), *out = NULL;
	int range[1][3];

	ck_assert_int_eq(group_incl(g, 1, (int[]){10}, &out), MPI_ERR_RANK);
	ck_assert_int_eq(group_incl(g, 1, (int[]){-1}, &out), MPI_ERR_RANK);
	ck_assert_int_eq(group_incl(g, 2, (int[]){3, 3}, &out), MPI_ERR_RANK);
	ck_assert_int_eq(group_excl(g, 2, (int[]){3, 3}, &out), MPI_ERR_RANK);
	ck_assert_int_eq(group_incl(g, -1, (int[]){0}, &out), MPI_ERR_ARG);
	ck_assert_int_eq(group_incl(g, 1, NULL, &out), MPI_ERR_ARG);
	memcpy(range[0], (int[]){0, 3, 0}, sizeof(range[0]));
	ck_assert_int_eq(group_range_incl(g, 1, range, &out), MPI_ERR_ARG);
	memcpy(range[0], (int[]){0, 3, -1}, sizeof(range[0]));
	ck_assert_int_eq(group_range_incl(g, 1, range, &out), MPI_ERR_ARG);
	memcpy(range[0], (int[]){0, INT_MAX, 1}, sizeof(range[0]));
	ck_assert_int_eq(group_range_excl(g, 1, range, &out), MPI_ERR_RANK);
	ck_assert_ptr_null(out);
	group_release(g);
}
END_TEST

START_TEST(comparing)
{
	struct group *a = first_ten(), *b = first_ten(), *c = NULL, *d = NULL;
	int result = -1;

	ck_assert_int_eq(group_compare(a, b, &result), MPI_SUCCESS);
	ck_assert_int_eq(result, MPI_IDENT);
	ck_assert_int_eq(group_incl(a, 10, (int[]){9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, &c), MPI_SUCCESS);
	group_compare(a, c, &result);
	ck_assert_int_eq(result, MPI_SIMILAR);
	ck_assert_int_eq(group_excl(a, 1, (int[]){0}, &d), MPI_SUCCESS);
	group_compare(a, d, &result);
	ck_assert_int_eq(result, MPI_UNEQUAL);
	group_release(c);
	c = group_make(9, (int[]){100, 101, 102, 103, 104, 105, 106, 107, 200}, 100);
	group_compare(c, d, &result);
	ck_assert_int_eq(result, MPI_UNEQUAL);
	group_release(a);
	group_release(b);
	group_release(c);
	group_release(d);
}
END_TEST

START_TEST(translating)
{
	struct group *a = first_ten(), *b = NULL;
	int out[4] = {0};

	ck_assert_int_eq(group_incl(a, 3, (int[]){9, 0, 4}, &b), MPI_SUCCESS);
	ck_assert_int_eq(
		group_translate(a, 4, (int[]){0, 9, 1, MPI_PROC_NULL}, b, out), MPI_SUCCESS);
	ck_assert_int_eq(out[0], 1);
	ck_assert_int_eq(out[1], 0);
	ck_assert_int_eq(out[2], MPI_UNDEFINED);
	ck_assert_int_eq(out[3], MPI_PROC_NULL);
	ck_assert_int_eq(group_translate(b, 3, (int[]){0, 1, 2}, a, out), MPI_SUCCESS);
	ck_assert_int_eq(out[0], 9);
	ck_assert_int_eq(out[2], 4);
	ck_assert_int_eq(group_translate(b, 1, (int[]){3}, a, out), MPI_ERR_RANK);
	ck_assert_int_eq(group_translate(b, 1, (int[]){MPI_ANY_SOURCE}, a, out), MPI_ERR_RANK);
	ck_assert_int_eq(group_translate(b, 1, (int[]){0}, a, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(group_translate(b, 0, NULL, a, NULL), MPI_SUCCESS);
	group_release(a);
	group_release(b);
}
END_TEST

/* A handle is good as often as it was given and not given back. */
START_TEST(handles)
{
	MPI_Group first = MPI_GROUP_NULL, second = MPI_GROUP_NULL;
	struct group *g = first_ten(), *found = NULL;

	ck_assert_int_eq(group_lookup(MPI_GROUP_NULL, &found), MPI_ERR_GROUP);
	ck_assert_int_eq(group_lookup((MPI_Group)(void *)g, &found), MPI_ERR_GROUP);
	ck_assert_int_eq(group_export(g, &first), MPI_SUCCESS);
	ck_assert_int_eq(group_export(g, &second), MPI_SUCCESS);
	group_release(g);
	ck_assert_int_eq(group_lookup(first, &found), MPI_SUCCESS);
	ck_assert_ptr_eq(found, g);
	group_unexport(found);
	ck_assert_int_eq(group_lookup(second, &found), MPI_SUCCESS);
	group_unexport(found);
	ck_assert_int_eq(group_lookup(second, &found), MPI_ERR_GROUP);
	handle_table_clear();
}
END_TEST

START_TEST(the_empty_group)
{
	MPI_Group handle = MPI_GROUP_NULL;
	struct group *g = first_ten(), *out = NULL;

	ck_assert_int_eq(group_incl(g, 0, NULL, &out), MPI_SUCCESS);
	ck_assert_int_eq(group_export(out, &handle), MPI_SUCCESS);
	ck_assert_ptr_eq(handle, MPI_GROUP_EMPTY);
	group_unexport(out);
	ck_assert_int_eq(group_lookup(MPI_GROUP_EMPTY, &out), MPI_SUCCESS);
	ck_assert_int_eq(out->size, 0);
	ck_assert_int_eq(out->rank, MPI_UNDEFINED);
	group_release(g);
}
END_TEST

UNIT_MAIN("group", tcase_add_loop_test(tc, set_operations, 0, 10);
	  tcase_add_loop_test(tc, inclusion_and_exclusion, 0, 10);
	  tcase_add_test(tc, selecting_ranges); tcase_add_test(tc, bad_selections);
	  tcase_add_test(tc, comparing); tcase_add_test(tc, translating);
	  tcase_add_test(tc, handles); tcase_add_test(tc, the_empty_group);)
