/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian grids against walks over all coordinates. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>

#include "mpi.h"
#include "mpi/comm/topo.h"
#include "unit.h"

enum { DIMS_MAX = 4 };

static struct topology *random_grid(int *places)
{
	int dims[DIMS_MAX], periods[DIMS_MAX], n = rand() % (DIMS_MAX + 1);

	for (int i = 0; i < n; i++) {
		dims[i] = 1 + rand() % 5;
		periods[i] = rand() % 3;
	}
	*places = topo_places(n, dims);
	return topo_new(n, dims, periods, rand() % *places);
}

START_TEST(places)
{
	ck_assert_int_eq(topo_places(0, NULL), 1);
	ck_assert_int_eq(topo_places(3, (int[]){2, 3, 4}), 24);
	ck_assert_int_eq(topo_places(2, (int[]){2, 0}), -1);
	ck_assert_int_eq(topo_places(2, (int[]){65536, 32768}), -1);
	ck_assert_int_eq(topo_places(3, (int[]){INT_MAX, INT_MAX, INT_MAX}), -1);
}
END_TEST

START_TEST(coordinates_count_row_major)
{
	int size, bad;
	struct topology *t;

	srand((unsigned)_i);
	t = random_grid(&size);
	for (int rank = 0, next[DIMS_MAX] = {0}; rank < size; rank++) {
		int coords[DIMS_MAX];

		topo_coords(t, rank, coords);
		for (int i = 0; i < t->ndims; i++)
			ck_assert_int_eq(coords[i], next[i]);
		ck_assert_int_eq(topo_rank(t, coords, &bad), rank);
		for (int i = t->ndims; i-- > 0 && ++next[i] == t->dims[i];)
			next[i] = 0;
	}
	topo_free(t);
}
END_TEST

/* The rank one walks to by single steps, or MPI_PROC_NULL on falling off. */
static int walk(const struct topology *t, int rank, int direction, int steps)
{
	int coords[DIMS_MAX], bad, way = steps < 0 ? -1 : 1;

	topo_coords(t, rank, coords);
	for (int i = 0; i < abs(steps); i++) {
		coords[direction] += way;
		if (coords[direction] < 0 || coords[direction] >= t->dims[direction]) {
			if (!t->periods[direction])
				return MPI_PROC_NULL;
			coords[direction] = way < 0 ? t->dims[direction] - 1 : 0;
		}
	}
	return topo_rank(t, coords, &bad);
}

START_TEST(shifts_are_walks)
{
	int size;
	struct topology *t;

	srand((unsigned)_i);
	t = random_grid(&size);
	for (int i = 0; i < 200 && t->ndims > 0; i++) {
		int rank = rand() % size, direction = rand() % t->ndims, disp = rand() % 21 - 10;
		int source = -1, dest = -1;

		topo_shift(t, rank, direction, disp, &source, &dest);
		ck_assert_int_eq(source, walk(t, rank, direction, -disp));
		ck_assert_int_eq(dest, walk(t, rank, direction, disp));
	}
	topo_free(t);
}
END_TEST

START_TEST(extreme_shifts)
{
	struct topology *t = topo_new(2, (int[]){3, 4}, (int[]){1, 0}, 5);
	int source = -1, dest = -1;

	/* 2147483648 % 3 == 2: one row down, and by INT_MAX one up */
	topo_shift(t, 5, 0, INT_MIN, &source, &dest);
	ck_assert_int_eq(source, 1 + 4 * 0);
	ck_assert_int_eq(dest, 1 + 4 * 2);
	topo_shift(t, 5, 1, INT_MIN, &source, &dest);
	ck_assert_int_eq(source, MPI_PROC_NULL);
	ck_assert_int_eq(dest, MPI_PROC_NULL);
	topo_free(t);
}
END_TEST

START_TEST(coordinates_wrap_where_periodic)
{
	struct topology *t = topo_new(2, (int[]){3, 4}, (int[]){1, 0}, 0);
	int bad = -1;

	ck_assert_int_eq(topo_rank(t, (int[]){-1, 2}, &bad), 2 * 4 + 2);
	ck_assert_int_eq(topo_rank(t, (int[]){7, 0}, &bad), 4);
	ck_assert_int_eq(topo_rank(t, (int[]){INT_MIN, 0}, &bad), 4);
	ck_assert_int_eq(topo_rank(t, (int[]){0, 4}, &bad), -1);
	ck_assert_int_eq(bad, 1);
	topo_free(t);
}
END_TEST

/* Processes share a color exactly if their dropped coordinates agree; the rank is the place in the
 * smaller grid. */
START_TEST(sub_grids)
{
	int size, remain[DIMS_MAX], color[1024], rank[1024], bad;
	struct topology *t;

	srand((unsigned)_i);
	t = random_grid(&size);
	for (int i = 0; i < t->ndims; i++)
		remain[i] = rand() % 2;
	for (int r = 0; r < size; r++) {
		struct topology *here = topo_new(t->ndims, t->dims, t->periods, r), *s;

		topo_sub_place(here, remain, &color[r], &rank[r]);
		s = topo_sub(here, remain);
		ck_assert_int_eq(topo_rank(s, s->coords, &bad), rank[r]);
		topo_free(here);
		topo_free(s);
	}
	for (int a = 0; a < size; a++) {
		for (int b = 0; b < size; b++) {
			int ca[DIMS_MAX], cb[DIMS_MAX], same = 1;

			topo_coords(t, a, ca);
			topo_coords(t, b, cb);
			for (int i = 0; i < t->ndims; i++)
				same &= remain[i] || ca[i] == cb[i];
			ck_assert_int_eq(color[a] == color[b], same);
			ck_assert(a == b || color[a] != color[b] || rank[a] != rank[b]);
		}
	}
	topo_free(t);
}
END_TEST

START_TEST(copies)
{
	struct topology *t = topo_new(2, (int[]){3, 4}, (int[]){5, 0}, 6), *copy = topo_copy(t);

	topo_free(t);
	ck_assert_int_eq(copy->ndims, 2);
	ck_assert_int_eq(copy->dims[1], 4);
	ck_assert_int_eq(copy->periods[0], 1);
	ck_assert_int_eq(copy->coords[0], 1);
	ck_assert_int_eq(copy->coords[1], 2);
	topo_free(copy);
}
END_TEST

UNIT_MAIN("topo", tcase_add_test(tc, places);
	  tcase_add_loop_test(tc, coordinates_count_row_major, 0, 40);
	  tcase_add_loop_test(tc, shifts_are_walks, 0, 40); tcase_add_test(tc, extreme_shifts);
	  tcase_add_test(tc, coordinates_wrap_where_periodic);
	  tcase_add_loop_test(tc, sub_grids, 0, 40); tcase_add_test(tc, copies);)
