/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets: of all lengths, with derived datatypes at either side, to oneself, to nobody. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onesided.h"

static int value(int rank, int i)
{
	return rank * 1000003 + i;
}

static void fill(int *p, int n, int rank)
{
	for (int i = 0; i < n; i++)
		p[i] = value(rank, i);
}

static void check(const int *p, int n, int rank, const char *what)
{
	for (int i = 0; i < n; i++)
		os_expect(p[i] == value(rank, i), "%s of %d: element %d is %d, not %d", what, n, i,
			p[i], value(rank, i));
}

/* Eager, at the limit, rendezvous. */
static const int lengths[] = {0, 1, 2, 3, 100, 5000, 16384, 16385, 100000, 700000};

static void put_and_get(void)
{
	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
		int n = lengths[k], *memory;
		int *mine = prog_alloc(&os, (size_t)n * sizeof(int));
		int *got = prog_alloc(&os, (size_t)n * sizeof(int));
		MPI_Win win = os_window(&memory, n + 2, -1);

		fill(mine, n, os.rank);
		MPI_Win_fence(0, win);
		MPI_Put(mine, n, MPI_INT, os_right(), 1, n, MPI_INT, win);
		MPI_Win_fence(0, win);
		check(memory + 1, n, os_left(), "put");
		os_expect(memory[0] == -1 && memory[n + 1] == -1, "a put of %d wrote beside", n);
		MPI_Win_fence(0, win);
		MPI_Get(got, n, MPI_INT, os_right(), 1, n, MPI_INT, win);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
		check(got, n, os.rank, "get");
		os_free(&win);
		free(got);
		free(mine);
	}
}

/* The data of an operation may be changed when the call returns, or, of a get, be used after a
 * flush. */
static void local_completion(void)
{
	int *memory, n = 50000, *data = prog_alloc(&os, (size_t)n * sizeof(int)), x = -1;
	MPI_Win win = os_window(&memory, n, -1);

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, os_right(), 0, win);
	fill(data, n, os.rank);
	MPI_Put(data, n, MPI_INT, os_right(), 0, n, MPI_INT, win);
	MPI_Win_flush_local(os_right(), win);
	memset(data, 0, (size_t)n * sizeof(int));
	MPI_Get(&x, 1, MPI_INT, os_right(), n - 1, 1, MPI_INT, win);
	MPI_Win_flush_local(os_right(), win);
	os_expect(x == value(os.rank, n - 1), "a get behind a put brings %d", x);
	MPI_Win_unlock(os_right(), win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, os.rank, 0, win);
	check(memory, n, os_left(), "put");
	MPI_Win_unlock(os.rank, win);
	os_free(&win);
	free(data);
}

enum { BLOCKS = 50, BLOCK = 3, STRIDE = 7 };

/* Blocks of the target, and nothing between them. */
static void check_comb(const int *memory, const char *what)
{
	for (int i = 0; i < BLOCKS * STRIDE; i++) {
		int k = i / STRIDE * BLOCK + i % STRIDE;
		int should = i % STRIDE < BLOCK ? value(os_left(), k) : -1;

		os_expect(memory[i] == should, "%s: element %d is %d, not %d", what, i, memory[i],
			should);
	}
}

static void at_target(void)
{
	int *memory, data[BLOCKS * BLOCK], got[BLOCKS * BLOCK];
	MPI_Win win = os_window(&memory, BLOCKS * STRIDE, -1);
	MPI_Datatype comb;

	MPI_Type_vector(BLOCKS, BLOCK, STRIDE, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	fill(data, BLOCKS * BLOCK, os.rank);
	MPI_Win_fence(0, win);
	MPI_Put(data, BLOCKS * BLOCK, MPI_INT, os_right(), 0, 1, comb, win);
	MPI_Type_free(&comb); /* before it is used there */
	MPI_Win_fence(0, win);
	check_comb(memory, "put into blocks");
	MPI_Type_vector(BLOCKS, BLOCK, STRIDE, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	MPI_Win_fence(0, win);
	MPI_Get(got, BLOCKS * BLOCK, MPI_INT, os_right(), 0, 1, comb, win);
	MPI_Win_fence(0, win);
	check(got, BLOCKS * BLOCK, os.rank, "get from blocks");
	MPI_Type_free(&comb);
	os_free(&win);
}

static void at_origin(void)
{
	int *memory, n = BLOCKS * BLOCK, data[BLOCKS * STRIDE], got[BLOCKS * STRIDE];
	MPI_Win win = os_window(&memory, n, -1);
	MPI_Datatype comb;

	MPI_Type_vector(BLOCKS, BLOCK, STRIDE, MPI_INT, &comb);
	MPI_Type_commit(&comb);
	for (int i = 0; i < BLOCKS * STRIDE; i++)
		data[i] = i % STRIDE < BLOCK ? value(os.rank, i / STRIDE * BLOCK + i % STRIDE) : 7;
	memset(got, 0xff, sizeof got);
	MPI_Win_fence(0, win);
	MPI_Put(data, 1, comb, os_right(), 0, n, MPI_INT, win);
	MPI_Win_fence(0, win);
	check(memory, n, os_left(), "put from blocks");
	MPI_Win_fence(0, win);
	MPI_Get(got, 1, comb, os_left(), 0, n, MPI_INT, win);
	MPI_Type_free(&comb); /* before the data is here */
	MPI_Win_fence(0, win);
	for (int i = 0; i < BLOCKS * STRIDE; i++) {
		int from = (os.rank + os.size - 2 + os.size) % os.size;
		int should = i % STRIDE < BLOCK ? value(from, i / STRIDE * BLOCK + i % STRIDE) : -1;

		os_expect(got[i] == should, "get into blocks: element %d is %d, not %d", i, got[i],
			should);
	}
	os_free(&win);
}

/* A tree of types: structs in vectors with an extent of their own, several copies. */
static void nested(void)
{
	enum { COPIES = 3, OUTER = 4, SPAN = 64 };
	MPI_Aint at[2] = {8, 40};
	int lengths_of[2] = {2, 1};
	MPI_Datatype parts[2] = {MPI_INT, MPI_SHORT}, inner, row, type;
	unsigned char *memory, mine[COPIES * OUTER * SPAN], should[COPIES * OUTER * SPAN];
	MPI_Win win;

	MPI_Type_create_struct(2, lengths_of, at, parts, &inner);
	MPI_Type_create_resized(inner, 0, SPAN, &row);
	MPI_Type_contiguous(OUTER, row, &type);
	MPI_Type_commit(&type);
	MPI_Win_allocate(sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	memset(memory, 0xee, sizeof mine);
	memset(should, 0xee, sizeof should);
	for (size_t i = 0; i < sizeof mine; i++)
		mine[i] = (unsigned char)(i * 7 + (unsigned)os.rank);
	for (int i = 0; i < COPIES * OUTER; i++) {
		for (int k = 0; k < 8; k++)
			should[i * SPAN + 8 + k] =
				(unsigned char)((i * SPAN + 8 + k) * 7 + os_left());
		for (int k = 0; k < 2; k++)
			should[i * SPAN + 40 + k] =
				(unsigned char)((i * SPAN + 40 + k) * 7 + os_left());
	}
	MPI_Win_fence(0, win);
	MPI_Put(mine, COPIES, type, os_right(), 0, COPIES, type, win);
	MPI_Win_fence(0, win);
	os_expect(memcmp(memory, should, sizeof should) == 0, "a tree of types came out wrong");
	MPI_Type_free(&type);
	MPI_Type_free(&row);
	MPI_Type_free(&inner);
	os_free(&win);
}

/* Each rank counts its window in units of its own. */
static void units(void)
{
	int unit = os.rank % 3 + 1, there = os_right() % 3 + 1;
	unsigned char memory[64], x = (unsigned char)(os.rank + 1);
	MPI_Win win;

	memset(memory, 0, sizeof memory);
	MPI_Win_create(memory, sizeof memory, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&x, 1, MPI_BYTE, os_right(), 5, 1, MPI_BYTE, win);
	MPI_Win_fence(0, win);
	os_expect(memory[5 * unit] == os_left() + 1, "units of %d: %d (the right one has %d)", unit,
		memory[5 * unit], there);
	os_free(&win);
}

static void nobody(void)
{
	MPI_Request request;
	int *memory, x = 5, y = 6;
	MPI_Win win = os_window(&memory, 1, 3);

	MPI_Win_fence(0, win);
	MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
	MPI_Get(&x, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, win);
	MPI_Accumulate(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Get_accumulate(
		&x, 1, MPI_INT, &y, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Fetch_and_op(&x, &y, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win);
	MPI_Compare_and_swap(&x, &x, &y, MPI_INT, MPI_PROC_NULL, 0, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win);
	MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Rget(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_flush(MPI_PROC_NULL, win);
	MPI_Win_unlock(MPI_PROC_NULL, win);
	os_expect(x == 5 && y == 6 && *memory == 3, "MPI_PROC_NULL changed something");
	os_free(&win);
}

static void requests(void)
{
	enum { N = 40000 };
	int *memory, *data = prog_alloc(&os, N * sizeof(int)),
		     *got = prog_alloc(&os, N * sizeof(int));
	int sums[4] = {1, 2, 3, 4}, old[4], flag = 0;
	MPI_Win win = os_window(&memory, N + 4, 0);
	MPI_Request r[4];

	fill(data, N, os.rank);
	MPI_Win_lock_all(0, win);
	MPI_Rput(data, N, MPI_INT, os_right(), 0, N, MPI_INT, win, &r[0]);
	MPI_Raccumulate(sums, 4, MPI_INT, os_right(), N, 4, MPI_INT, MPI_SUM, win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	memset(data, 0, N * sizeof(int));
	MPI_Win_flush(os_right(), win);
	MPI_Rget(got, N, MPI_INT, os_right(), 0, N, MPI_INT, win, &r[0]);
	MPI_Rget_accumulate(
		sums, 4, MPI_INT, old, 4, MPI_INT, os_right(), N, 4, MPI_INT, MPI_PROD, win, &r[1]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	check(got, N, os.rank, "MPI_Rget");
	while (!flag)
		MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4; i++)
		os_expect(old[i] == sums[i], "MPI_Rget_accumulate brings %d", old[i]);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 4; i++)
		os_expect(memory[N + i] == sums[i] * sums[i], "then %d is there", memory[N + i]);
	os_free(&win);
	free(got);
	free(data);
}

static void large_counts(void)
{
	int *memory, x[2] = {os.rank, 7}, y[2] = {0, 0}, z[2];
	MPI_Win win = os_window(&memory, 2, 0);
	MPI_Count two = 2;
	MPI_Request r[4];

	MPI_Win_lock_all(0, win);
	MPI_Put_c(x, two, MPI_INT, os_right(), 0, two, MPI_INT, win);
	MPI_Win_flush_all(win);
	MPI_Accumulate_c(x, two, MPI_INT, os_right(), 0, two, MPI_INT, MPI_SUM, win);
	MPI_Win_flush_all(win);
	MPI_Get_accumulate_c(
		x, two, MPI_INT, y, two, MPI_INT, os_right(), 0, two, MPI_INT, MPI_SUM, win);
	MPI_Win_flush_local_all(win);
	os_expect(y[0] == 2 * os.rank && y[1] == 14, "MPI_Get_accumulate_c: %d %d", y[0], y[1]);
	MPI_Get_c(y, two, MPI_INT, os_right(), 0, two, MPI_INT, win);
	MPI_Win_flush_all(win);
	os_expect(y[0] == 3 * os.rank && y[1] == 21, "MPI_Get_c: %d %d", y[0], y[1]);
	MPI_Rput_c(x, two, MPI_INT, os_right(), 0, two, MPI_INT, win, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Win_flush_all(win);
	MPI_Raccumulate_c(x, two, MPI_INT, os_right(), 0, two, MPI_INT, MPI_SUM, win, &r[1]);
	MPI_Rget_accumulate_c(
		x, two, MPI_INT, y, two, MPI_INT, os_right(), 0, two, MPI_INT, MPI_SUM, win, &r[2]);
	MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);
	MPI_Win_flush_all(win);
	MPI_Rget_c(z, two, MPI_INT, os_right(), 0, two, MPI_INT, win, &r[3]);
	MPI_Wait(&r[3], MPI_STATUS_IGNORE);
	os_expect(y[1] == 14 && z[1] == 21, "with requests: %d %d", y[1], z[1]);
	MPI_Win_unlock_all(win);
	os_free(&win);
}

const struct prog_case os_putgets[] = {
	{"put and get", put_and_get},
	{"local completion", local_completion},
	{"types at the target", at_target},
	{"types at the origin", at_origin},
	{"nested types", nested},
	{"units", units},
	{"nobody", nobody},
	{"requests", requests},
	{"large counts", large_counts},
	{NULL, NULL},
};
