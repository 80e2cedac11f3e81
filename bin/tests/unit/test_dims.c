/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Dims_create against trying everything. */
#include <check.h>
#include <limits.h>
#include <string.h>

#include "mpi/comm/topo.h"
#include "unit.h"

enum { DIMS_MAX = 40 };

/* Closer together; or, as close, larger where they differ last. */
static bool better(const int *now, const int *best, int k)
{
	int i = k - 1;

	if (now[0] - now[k - 1] != best[0] - best[k - 1])
		return now[0] - now[k - 1] < best[0] - best[k - 1];
	while (i > 0 && now[i] == best[i])
		i--;
	return now[i] > best[i];
}

/* The best way by trying every non-increasing factorisation; best[0] == 0 means none yet. */
static void try_all(int n, int k, int at, int limit, int *now, int *best)
{
	if (at == k) {
		if (n == 1 && (best[0] == 0 || better(now, best, k)))
			memcpy(best, now, (size_t)k * sizeof(int));
		return;
	}
	for (int d = 1; d <= n && d <= limit; d++) {
		if (n % d != 0)
			continue;
		now[at] = d;
		try_all(n / d, k, at + 1, d, now, best);
	}
}

START_TEST(as_balanced_as_can_be)
{
	int k = _i;

	for (int n = 1; n <= 400; n++) {
		int dims[DIMS_MAX] = {0}, now[DIMS_MAX], best[DIMS_MAX] = {0}, bad;

		ck_assert(dims_create(n, k, dims, &bad));
		try_all(n, k, 0, n, now, best);
		for (int i = 0; i < k; i++)
			ck_assert_msg(dims[i] == best[i], "%d in %d: dimension %d is %d, not %d", n,
				k, i, dims[i], best[i]);
	}
}
END_TEST

static void expect(int n, int k, const int *given, const int *want)
{
	int dims[DIMS_MAX], bad = -2;

	memcpy(dims, given, (size_t)k * sizeof(int));
	ck_assert(dims_create(n, k, dims, &bad));
	for (int i = 0; i < k; i++)
		ck_assert_int_eq(dims[i], want[i]);
}

/* the examples of MPI 5.0 section 8.5.2, and some more */
START_TEST(given_dimensions_stay)
{
	expect(6, 2, (int[]){0, 0}, (int[]){3, 2});
	expect(7, 2, (int[]){0, 0}, (int[]){7, 1});
	expect(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
	expect(12, 3, (int[]){0, 2, 0}, (int[]){3, 2, 2});
	expect(12, 2, (int[]){4, 3}, (int[]){4, 3});
	expect(1, 3, (int[]){0, 0, 0}, (int[]){1, 1, 1});
	expect(64, 3, (int[]){0, 0, 0}, (int[]){4, 4, 4});
	expect(7488, 3, (int[]){0, 0, 0}, (int[]){26, 18, 16}); /* not 24, 24, 13 */
	expect(98784, 5, (int[]){0, 0, 0, 0, 0}, (int[]){14, 14, 9, 8, 7});
}
END_TEST

START_TEST(what_cannot_be)
{
	int dims[3] = {0, 3, 0}, bad = -2;

	ck_assert(!dims_create(7, 3, dims, &bad));
	ck_assert_int_eq(bad, -1);
	ck_assert_int_eq(dims[0], 0);
	dims[2] = -4;
	ck_assert(!dims_create(6, 3, dims, &bad));
	ck_assert_int_eq(bad, 2);
	ck_assert(!dims_create(12, 2, (int[]){2, 3}, &bad));
	ck_assert(dims_create(12, 0, NULL, &bad));
}
END_TEST

/* Numbers with very many divisors, a large prime, and more dimensions than an int has factors. */
START_TEST(large_numbers)
{
	static const int numbers[] = {
		2095133040, 1396755360, 735134400, 1 << 30, 1162261467, INT_MAX, 2147483646};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (int k = 1; k <= DIMS_MAX; k++) {
			int dims[DIMS_MAX] = {0}, bad;
			long long product = 1;

			ck_assert(dims_create(numbers[i], k, dims, &bad));
			for (int j = 0; j < k; j++) {
				product *= dims[j];
				ck_assert(j == 0 || dims[j] <= dims[j - 1]);
			}
			ck_assert_int_eq(product, numbers[i]);
		}
	}
}
END_TEST

UNIT_MAIN("dims", tcase_add_loop_test(tc, as_balanced_as_can_be, 1, 7);
	  tcase_add_test(tc, given_dimensions_stay); tcase_add_test(tc, what_cannot_be);
	  tcase_add_test(tc, large_numbers);)
