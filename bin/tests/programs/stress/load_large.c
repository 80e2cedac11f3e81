/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More than 2 GiB in one message, by a count that an int holds of a type that is large, by a large
 * count, and in collectives. Every 4093rd word is checked, and the last one.
 */
#include "load.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include <mpi.h>

/* 1 KiB is one unit of the derived type */
enum { UNIT = 1024, WORDS = UNIT / 8, STEP = 4093 };

static uint64_t word(size_t i, int seed)
{
	return (i + (size_t)seed) * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(uint64_t *w, size_t n, int seed)
{
	for (size_t i = 0; i < n; i += STEP)
		w[i] = word(i, seed);
	w[n - 1] = word(n - 1, seed);
}

static void check(const struct load *l, uint64_t *w, size_t n, int seed, const char *how)
{
	for (size_t i = 0; i < n; i += STEP) {
		if (w[i] != word(i, seed))
			prog_wrong(&l->prog, "%s: word %zu of %zu is wrong", how, i, n);
		w[i] = 0;
	}
	if (w[n - 1] != word(n - 1, seed))
		prog_wrong(&l->prog, "%s: the last word is wrong", how);
	w[n - 1] = 0;
}

static void check_status(const struct load *l, MPI_Status *s, MPI_Datatype unit, int units)
{
	int count = 0;
	MPI_Get_count(s, unit, &count);
	if (count != units)
		prog_wrong(&l->prog, "MPI_Get_count says %d of %d units", count, units);
	MPI_Get_count(s, MPI_BYTE, &count);
	if (count != MPI_UNDEFINED)
		prog_wrong(&l->prog, "MPI_Get_count says %d bytes, which an int cannot say", count);
}

static void by_type(struct load *l, uint64_t *w, size_t n)
{
	int units = (int)(n / WORDS);
	MPI_Datatype unit;
	MPI_Status s;
	MPI_Type_contiguous(WORDS, MPI_UINT64_T, &unit);
	MPI_Type_commit(&unit);
	if (l->prog.rank == 0) {
		fill(w, n, 1);
		MPI_Send(w, units, unit, 1, 0, MPI_COMM_WORLD);
	} else if (l->prog.rank == 1) {
		MPI_Recv(w, units, unit, 0, 0, MPI_COMM_WORLD, &s);
		check(l, w, n, 1, "by a type of 1 KiB");
		MPI_Type_free(&unit);
		MPI_Type_contiguous(UNIT, MPI_BYTE, &unit);
		MPI_Type_commit(&unit);
		check_status(l, &s, unit, units);
	}
	MPI_Type_free(&unit);
}

/* One element that is larger than an int can say. */
static void by_one(struct load *l, uint64_t *w, size_t n)
{
	MPI_Datatype all;
	int size = 0;
	MPI_Type_contiguous((int)n, MPI_UINT64_T, &all);
	MPI_Type_commit(&all);
	MPI_Type_size(all, &size);
	if (size != MPI_UNDEFINED)
		prog_wrong(&l->prog, "MPI_Type_size of %zu words is %d", n, size);
	if (l->prog.rank == 1) {
		fill(w, n, 2);
		MPI_Ssend(w, 1, all, 0, 0, MPI_COMM_WORLD);
	} else if (l->prog.rank == 0) {
		MPI_Recv(w, 1, all, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		check(l, w, n, 2, "one element");
	}
	MPI_Type_free(&all);
}

/* Every other KiB: packed and unpacked. */
static void with_holes(struct load *l, uint64_t *w, size_t n)
{
	MPI_Datatype holes;
	MPI_Type_vector((int)(n / WORDS / 2), WORDS, 2 * WORDS, MPI_UINT64_T, &holes);
	MPI_Type_commit(&holes);
	for (size_t i = 0; i < n; i += WORDS)
		w[i] = l->prog.rank == 0 ? word(i, 3) : 0;
	if (l->prog.rank == 0)
		MPI_Send(w, 1, holes, 1, 0, MPI_COMM_WORLD);
	else if (l->prog.rank == 1)
		MPI_Recv(w, 1, holes, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (size_t i = 0; i < n && l->prog.rank == 1; i += WORDS)
		if (w[i] != (i / WORDS % 2 ? 0 : word(i, 3)))
			prog_wrong(&l->prog, "with holes: KiB %zu is wrong", i / WORDS);
	MPI_Type_free(&holes);
}

static void check_bytes(const struct load *l, const MPI_Status *s, MPI_Count wanted)
{
	MPI_Count count = -1;

	MPI_Get_count_c(s, MPI_BYTE, &count);
	if (count != wanted)
		prog_wrong(&l->prog, "MPI_Get_count_c says %lld bytes, not %lld", (long long)count,
			(long long)wanted);
}

static void by_count_from(uint64_t *w, MPI_Count bytes)
{
	MPI_Request r[2];

	MPI_Send_c(w, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	MPI_Isend_c(w, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Send_init_c(w, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &r[0]);
	MPI_Ssend_init_c(w, bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &r[1]);
	MPI_Startall(2, r);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	MPI_Sendrecv_c(
		w, bytes, MPI_BYTE, 1, 4, w, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void by_count_to(struct load *l, uint64_t *w, size_t n, MPI_Count bytes)
{
	MPI_Request r;
	MPI_Status s;

	MPI_Recv_c(w, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &s);
	check_bytes(l, &s, bytes);
	check(l, w, n, 6, "Recv_c");
	MPI_Irecv_c(w, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &s);
	check_bytes(l, &s, bytes);
	check(l, w, n, 6, "Irecv_c");
	MPI_Recv_init_c(w, bytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&r);
		MPI_Wait(&r, &s);
		check_bytes(l, &s, bytes);
		check(l, w, n, 6, "Recv_init_c");
	}
	MPI_Request_free(&r);
	MPI_Sendrecv_c(w, 0, MPI_BYTE, 0, 4, w, bytes, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &s);
	check_bytes(l, &s, bytes);
	check(l, w, n, 6, "Sendrecv_c");
}

/* More elements than an int can count. */
static void by_count(struct load *l, uint64_t *w, size_t n)
{
	MPI_Count bytes = (MPI_Count)(n * sizeof *w);

	if (l->prog.rank == 0) {
		fill(w, n, 6);
		by_count_from(w, bytes);
	} else if (l->prog.rank == 1) {
		by_count_to(l, w, n, bytes);
	}
}

static void bcast(struct load *l, uint64_t *w, size_t n)
{
	if (l->prog.rank == 0)
		fill(w, n, 4);
	MPI_Bcast(w, (int)n, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	check(l, w, n, 4, "Bcast");
}

static void allreduce(struct load *l, uint64_t *w, size_t n)
{
	fill(w, n, 5);
	MPI_Allreduce(MPI_IN_PLACE, w, (int)n, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
	check(l, w, n, 5, "Allreduce");
}

/* Each rank's own part is small enough; all of them together are not. */
static void allgather(struct load *l, uint64_t *w, size_t n)
{
	size_t part = n / (size_t)l->prog.size;
	fill(w + part * (size_t)l->prog.rank, part, l->prog.rank);
	MPI_Allgather(
		MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, (int)part, MPI_UINT64_T, MPI_COMM_WORLD);
	for (int r = 0; r < l->prog.size; r++)
		check(l, w + part * (size_t)r, part, r, "Allgather");
}

static void run_with(struct load *l, size_t n, void (*what)(struct load *, uint64_t *, size_t))
{
	uint64_t *w = prog_alloc(&l->prog, n * sizeof(*w));
	what(l, w, n);
	free(w);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* 2.2 GiB */
static size_t words(void)
{
	return ((size_t)INT_MAX + 1 + ((size_t)200 << 20)) / UNIT * WORDS;
}

static void run_large(struct load *l)
{
	run_with(l, 2 * words(), by_type); /* more than 32 bits can say */
	run_with(l, words(), by_one);
}

static void run_large_counts(struct load *l)
{
	run_with(l, ((size_t)INT_MAX + 9) / 8, by_count);
}

static void run_large_holes(struct load *l)
{
	run_with(l, 2 * words(), with_holes);
}

static void run_large_collectives(struct load *l)
{
	run_with(l, words(), bcast);
	run_with(l, words(), allreduce);
	run_with(l, words(), allgather);
}

const struct load_case load_large_cases[] = {
	{"large", run_large, 2},
	{"large-counts", run_large_counts, 2},
	{"large-holes", run_large_holes, 2},
	{"large-collectives", run_large_collectives, 2},
	{NULL, NULL, 0},
};
