/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulating: every operator, atomic beside others, in order, with derived types, fetching. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "onesided.h"

static const struct {
	MPI_Op op;
	const char *name;
	int64_t result; /* of 12 op 10 */
} operators[] = {
	{MPI_SUM, "MPI_SUM", 22},
	{MPI_PROD, "MPI_PROD", 120},
	{MPI_MIN, "MPI_MIN", 10},
	{MPI_MAX, "MPI_MAX", 12},
	{MPI_BAND, "MPI_BAND", 8},
	{MPI_BOR, "MPI_BOR", 14},
	{MPI_BXOR, "MPI_BXOR", 6},
	{MPI_LAND, "MPI_LAND", 1},
	{MPI_LOR, "MPI_LOR", 1},
	{MPI_LXOR, "MPI_LXOR", 0},
	{MPI_REPLACE, "MPI_REPLACE", 10},
};

enum { OPERATORS = sizeof operators / sizeof *operators };

/* One location each, in a type of this many bytes: fetched, combined, looked at. */
#define EACH_OPERATOR(name_, ctype, datatype, last)                                                \
	static void name_(void)                                                                    \
	{                                                                                          \
		ctype *memory, ten = 10, old;                                                      \
		MPI_Win win;                                                                       \
		MPI_Win_allocate((last) * sizeof(ctype), sizeof(ctype), MPI_INFO_NULL,             \
			MPI_COMM_WORLD, &memory, &win);                                            \
		for (int i = 0; i < (last); i++)                                                   \
			memory[i] = 12;                                                            \
		MPI_Barrier(MPI_COMM_WORLD);                                                       \
		MPI_Win_lock(MPI_LOCK_SHARED, os_right(), 0, win);                                 \
		for (int i = 0; i < (last); i++) {                                                 \
			old = 0;                                                                   \
			MPI_Fetch_and_op(                                                          \
				&ten, &old, datatype, os_right(), i, operators[i].op, win);        \
			MPI_Win_flush(os_right(), win);                                            \
			os_expect(old == 12, "%s fetches %g", operators[i].name, (double)old);     \
			MPI_Fetch_and_op(NULL, &old, datatype, os_right(), i, MPI_NO_OP, win);     \
			MPI_Win_flush(os_right(), win);                                            \
			os_expect(old == (ctype)operators[i].result, "%s leaves %g, not %g",       \
				operators[i].name, (double)old, (double)operators[i].result);      \
		}                                                                                  \
		MPI_Win_unlock(os_right(), win);                                                   \
		os_free(&win);                                                                     \
	}

EACH_OPERATOR(of_bytes, signed char, MPI_SIGNED_CHAR, OPERATORS)
EACH_OPERATOR(of_shorts, short, MPI_SHORT, OPERATORS)
EACH_OPERATOR(of_ints, int, MPI_INT, OPERATORS)
EACH_OPERATOR(of_longs, uint64_t, MPI_UINT64_T, OPERATORS)
EACH_OPERATOR(of_floats, float, MPI_FLOAT, 4)
EACH_OPERATOR(of_doubles, double, MPI_DOUBLE, 4)
EACH_OPERATOR(of_long_doubles, long double, MPI_LONG_DOUBLE, 4)

/* From all at once to one: nothing is lost. */
static void atomic(void)
{
	enum { N = 200, TURNS = 50 };
	int *memory, ones[N];
	MPI_Win win = os_window(&memory, N, 0);

	for (int i = 0; i < N; i++)
		ones[i] = i + 1;
	MPI_Win_lock_all(0, win);
	for (int turn = 0; turn < TURNS; turn++)
		MPI_Accumulate(ones, N, MPI_INT, 0, 0, N, MPI_INT, MPI_SUM, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; os.rank == 0 && i < N; i++)
		os_expect(memory[i] == (i + 1) * TURNS * os.size, "element %d is %d", i, memory[i]);
	os_free(&win);
}

/* Everybody takes numbers; each is taken once. */
static void tickets(void)
{
	enum { EACH = 100 };
	int *memory, one = 1, ticket, total = EACH * os.size;
	MPI_Win win = os_window(&memory, total + 1, 0);

	MPI_Win_lock_all(0, win);
	for (int i = 0; i < EACH; i++) {
		MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		os_expect(ticket >= 0 && ticket < total, "ticket %d of %d", ticket, total);
		MPI_Accumulate(&one, 1, MPI_INT, 0, 1 + ticket, 1, MPI_INT, MPI_SUM, win);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; os.rank == 0 && i < total; i++)
		os_expect(memory[1 + i] == 1, "ticket %d was given %d times", i, memory[1 + i]);
	os_free(&win);
}

/* A lock made of compare-and-swap. */
static void swaps(void)
{
	enum { TURNS = 20 };
	int *memory, free_ = -1, mine = os.rank, was, x;
	MPI_Win win = os_window(&memory, 2, -1);

	memory[1] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < TURNS; i++) {
		do {
			MPI_Compare_and_swap(&mine, &free_, &was, MPI_INT, 0, 0, win);
			MPI_Win_flush(0, win);
		} while (was != -1);
		MPI_Get(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		x++;
		MPI_Put(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Compare_and_swap(&free_, &mine, &was, MPI_INT, 0, 0, win);
		MPI_Win_flush(0, win);
		os_expect(was == mine, "the lock was %d's while %d had it", was, mine);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(os.rank != 0 || memory[1] == TURNS * os.size, "%d of %d turns", memory[1],
		TURNS * os.size);
	os_free(&win);
}

/* What one origin asks happens in the order in which it asked (section 12.7.1), short and long
 * operations mixed. */
static void order(void)
{
	enum { N = 50000, ROUNDS = 20 };
	int *memory, *data = prog_alloc(&os, N * sizeof(int)), small, old = -1;
	MPI_Win win = os_window(&memory, N, 0);

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, os_right(), 0, win);
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < N; i++)
			data[i] = round;
		MPI_Accumulate(data, N, MPI_INT, os_right(), 0, N, MPI_INT, MPI_REPLACE, win);
		small = 2;
		MPI_Accumulate(&small, 1, MPI_INT, os_right(), N - 1, 1, MPI_INT, MPI_PROD, win);
		MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, os_right(), N - 1, 1,
			MPI_INT, MPI_NO_OP, win);
		small = 1;
		MPI_Accumulate(&small, 1, MPI_INT, os_right(), N - 1, 1, MPI_INT, MPI_SUM, win);
	}
	MPI_Win_unlock(os_right(), win);
	os_expect(old == 2 * ROUNDS, "the last one saw %d, not %d", old, 2 * ROUNDS);
	MPI_Barrier(MPI_COMM_WORLD);
	os_expect(memory[N - 1] == 2 * ROUNDS + 1 && memory[0] == ROUNDS, "%d and %d are left",
		memory[N - 1], memory[0]);
	os_free(&win);
	free(data);
}

/* Every second element there, every third here, and into every fourth. */
static void with_holes(void)
{
	enum { N = 40 };
	int *memory, data[3 * N], result[4 * N];
	MPI_Datatype second, third, fourth;
	MPI_Win win = os_window(&memory, 2 * N, 100);

	MPI_Type_vector(N, 1, 2, MPI_INT, &second);
	MPI_Type_vector(N, 1, 3, MPI_INT, &third);
	MPI_Type_vector(N, 1, 4, MPI_INT, &fourth);
	MPI_Type_commit(&second);
	MPI_Type_commit(&third);
	MPI_Type_commit(&fourth);
	for (int i = 0; i < 3 * N; i++)
		data[i] = i % 3 ? 9999 : i / 3 + os.rank;
	memset(result, 0xff, sizeof result);
	MPI_Win_fence(0, win);
	MPI_Get_accumulate(
		data, 1, third, result, 1, fourth, os_right(), 0, 1, second, MPI_SUM, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 2 * N; i++)
		os_expect(memory[i] == (i % 2 ? 100 : 100 + i / 2 + os_left()), "element %d is %d",
			i, memory[i]);
	for (int i = 0; i < 4 * N; i++)
		os_expect(result[i] == (i % 4 || i / 4 >= N ? -1 : 100), "result %d is %d", i,
			result[i]);
	MPI_Type_free(&second);
	MPI_Type_free(&third);
	MPI_Type_free(&fourth);
	os_free(&win);
}

struct short_int {
	short value;
	int index;
};

struct double_int {
	double value;
	int index;
};

/* Pairs have holes, and an index that comes along. */
static void pairs(void)
{
	struct short_int *memory, mine = {(short)(os.rank * 7 % 5), os.rank}, least = mine;
	struct double_int twins[2] = {{-1.5 - os.rank, os.rank}, {os.rank, os.rank}}, *other;
	MPI_Win win;

	for (int r = 0; r < os.size; r++)
		if (r * 7 % 5 < least.value || (r * 7 % 5 == least.value && r < least.index))
			least = (struct short_int){(short)(r * 7 % 5), r};
	MPI_Win_allocate(
		3 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	for (int i = 0; i < 3; i++)
		memory[i] = (struct short_int){1000, -1};
	MPI_Win_fence(0, win);
	for (int r = 0; r < os.size; r++)
		MPI_Accumulate(&mine, 1, MPI_SHORT_INT, r, 1, 1, MPI_SHORT_INT, MPI_MINLOC, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	os_expect(memory[1].value == least.value && memory[1].index == least.index,
		"MPI_MINLOC: %d at %d, not %d at %d", memory[1].value, memory[1].index, least.value,
		least.index);
	os_expect(memory[0].value == 1000 && memory[2].index == -1, "beside it something changed");
	os_free(&win);
	MPI_Win_allocate(
		2 * sizeof *other, sizeof *other, MPI_INFO_NULL, MPI_COMM_WORLD, &other, &win);
	other[0] = other[1] = (struct double_int){-1000, -1};
	MPI_Win_fence(0, win);
	for (int r = 0; r < os.size; r++)
		MPI_Accumulate(twins, 2, MPI_DOUBLE_INT, r, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	os_expect(other[0].value == -1.5 && other[0].index == 0 && other[1].index == os.size - 1,
		"MPI_MAXLOC: %g at %d, %g at %d", other[0].value, other[0].index, other[1].value,
		other[1].index);
	os_free(&win);
}

/* Elements at odd addresses. */
static void unaligned(void)
{
	unsigned char *memory;
	double x = 1.25, y;
	MPI_Win win;

	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	y = 0.5;
	memcpy(memory + 3, &y, sizeof y);
	MPI_Win_fence(0, win);
	MPI_Accumulate(&x, 1, MPI_DOUBLE, os_right(), 3, 1, MPI_DOUBLE, MPI_SUM, win);
	MPI_Win_fence(0, win);
	memcpy(&y, memory + 3, sizeof y);
	os_expect(y == 1.75, "%g", y);
	os_free(&win);
}

const struct prog_case os_accumulates[] = {
	{"operators on bytes", of_bytes},
	{"operators on shorts", of_shorts},
	{"operators on ints", of_ints},
	{"operators on longs", of_longs},
	{"operators on floats", of_floats},
	{"operators on doubles", of_doubles},
	{"operators on long doubles", of_long_doubles},
	{"atomic", atomic},
	{"tickets", tickets},
	{"swaps", swaps},
	{"order", order},
	{"accumulates with holes", with_holes},
	{"pairs", pairs},
	{"unaligned", unaligned},
	{NULL, NULL},
};
