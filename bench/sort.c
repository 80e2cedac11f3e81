/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sort:N sorts N keys of 32 bits, dealt to all ranks, by samples: each rank sorts its keys, all
 * ranks learn the same samples of them and choose what divides the ranks' shares, and MPI_Alltoallv
 * brings each key to the rank whose share it is in, which sorts what it has got.
 *
 * The answer is right when each rank's keys are in order, none is less than those of the rank
 * before, and all together are the keys that were there: as many, with the same sum and the same
 * sum of a hash.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "mpibench.h"

enum { SAMPLES = 32, DIGITS = 4, VALUES = 256 };

struct sort {
	long n, first, own; /* keys of all; first one and number of this rank's */
	uint32_t *keys, *sorted, *spare;
	uint32_t *samples; /* of all ranks */
	int *out, *out_at, *in, *in_at;
	long got;	  /* keys in `sorted` */
	long room;	  /* in `sorted` and `spare` */
	uint64_t sums[3]; /* of the input: see check_sums */
};

static uint32_t hash(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x7feb352dU;
	x = (x ^ (x >> 15)) * 0x846ca68bU;
	return x ^ (x >> 16);
}

/* By one digit after the other from the least: four passes, so the result is in `a`. */
static void sort_keys(uint32_t *a, uint32_t *spare, long n)
{
	for (int digit = 0; digit < DIGITS; digit++) {
		long at[VALUES + 1] = {0};
		uint32_t *swap = a;

		for (long i = 0; i < n; i++)
			at[(a[i] >> (8 * digit)) % VALUES + 1]++;
		for (int v = 0; v < VALUES; v++)
			at[v + 1] += at[v];
		for (long i = 0; i < n; i++)
			spare[at[(a[i] >> (8 * digit)) % VALUES]++] = a[i];
		a = spare;
		spare = swap;
	}
}

/* Both arrays lose what is in them. */
static void make_room(struct sort *s, long n)
{
	if (n <= s->room)
		return;
	free(s->sorted);
	free(s->spare);
	s->sorted = kernel_array(n, sizeof *s->sorted);
	s->spare = kernel_array(n, sizeof *s->spare);
	s->room = n;
}

/* How many keys, their sum, and the sum of their hashes. */
static void add_up(const uint32_t *keys, long n, uint64_t sums[3])
{
	memset(sums, 0, 3 * sizeof *sums);
	sums[0] = (uint64_t)n;
	for (long i = 0; i < n; i++) {
		sums[1] += keys[i];
		sums[2] += hash(keys[i]);
	}
}

/* Half of the keys are among few values. */
static void before(void *self, int run)
{
	struct sort *s = self;

	for (long i = 0; i < s->own; i++) {
		uint32_t key = hash((uint32_t)(s->first + i) + (uint32_t)run * 0x9e3779b9U);

		s->keys[i] = key % 2 != 0 ? key : key & 0xffff0000U;
	}
	add_up(s->keys, s->own, s->sums);
}

/* In `samples` are the same many of each rank, spread evenly over its keys, in order. */
static void choose_samples(struct sort *s)
{
	uint32_t mine[SAMPLES];
	long all = (long)SAMPLES * size;

	for (int i = 0; i < SAMPLES; i++)
		mine[i] = s->keys[kernel_first(s->own, SAMPLES, i)];
	MPI_Allgather(
		mine, SAMPLES, MPI_UINT32_T, s->samples, SAMPLES, MPI_UINT32_T, MPI_COMM_WORLD);
	sort_keys(s->samples, s->samples + all, all);
}

/* Which of the sorted keys go to whom: those below the first sample of the next share. */
static void deal(struct sort *s)
{
	long i = 0;

	for (int p = 0; p < size; p++) {
		long begin = i;

		if (p == size - 1)
			i = s->own;
		else
			while (i < s->own && s->keys[i] < s->samples[(long)SAMPLES * (p + 1)])
				i++;
		s->out[p] = (int)(i - begin);
		s->out_at[p] = (int)begin;
	}
	MPI_Alltoall(s->out, 1, MPI_INT, s->in, 1, MPI_INT, MPI_COMM_WORLD);
	s->got = 0;
	for (int p = 0; p < size; p++) {
		s->in_at[p] = (int)s->got;
		s->got += s->in[p];
	}
}

static void sort_all(void *self)
{
	struct sort *s = self;

	sort_keys(s->keys, s->spare, s->own);
	choose_samples(s);
	deal(s);
	make_room(s, s->got);
	MPI_Alltoallv(s->keys, s->out, s->out_at, MPI_UINT32_T, s->sorted, s->in, s->in_at,
		MPI_UINT32_T, MPI_COMM_WORLD);
	sort_keys(s->sorted, s->spare, s->got);
}

static void check_sums(const struct sort *s, int run)
{
	uint64_t mine[6], all[6];

	memcpy(mine, s->sums, 3 * sizeof *mine);
	add_up(s->sorted, s->got, mine + 3);
	MPI_Allreduce(mine, all, 6, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (all[0] != (uint64_t)s->n || memcmp(all, all + 3, 3 * sizeof *all) != 0)
		kernel_wrong("sort: the keys after run %d are not those before it", run);
}

static void after(void *self, int run)
{
	const struct sort *s = self;
	uint32_t ends[2] = {UINT32_MAX, 0}, *all = kernel_array(2 * (long)size, sizeof *all);
	uint32_t last = 0;

	if (s->got > 0) {
		ends[0] = s->sorted[0];
		ends[1] = s->sorted[s->got - 1];
	}
	for (long i = 1; i < s->got; i++)
		if (s->sorted[i - 1] > s->sorted[i])
			kernel_wrong(
				"sort: keys %ld and %ld of run %d are not in order", i - 1, i, run);
	MPI_Allgather(ends, 2, MPI_UINT32_T, all, 2, MPI_UINT32_T, MPI_COMM_WORLD);
	for (int p = 0; p < size; p++) {
		if (all[2 * p] < last)
			kernel_wrong(
				"sort: rank %d has a key of a rank before it in run %d", p, run);
		last = all[2 * p + 1] > last ? all[2 * p + 1] : last;
	}
	free(all);
	check_sums(s, run);
}

double sample_sort(void)
{
	struct sort s = {.n = bytes, .first = kernel_first(bytes, size, rank)};
	double ms;

	s.own = kernel_first(bytes, size, rank + 1) - s.first;
	if (s.n < size)
		kernel_wrong("sort: %ld keys are too few for %d ranks", s.n, size);
	s.keys = kernel_array(s.own, sizeof *s.keys);
	s.samples = kernel_array(2L * SAMPLES * size, sizeof *s.samples);
	s.out = kernel_array(size, sizeof *s.out);
	s.out_at = kernel_array(size, sizeof *s.out_at);
	s.in = kernel_array(size, sizeof *s.in);
	s.in_at = kernel_array(size, sizeof *s.in_at);
	make_room(&s, 2 * s.own);
	ms = kernel_ms(&(const struct kernel){before, sort_all, after}, &s);
	free(s.in_at);
	free(s.in);
	free(s.out_at);
	free(s.out);
	free(s.samples);
	free(s.spare);
	free(s.sorted);
	free(s.keys);
	return ms;
}
