/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * matmul: the product of two square matrices. Every worker has the left one; the master deals the
 * right one to them in turn, in blocks of 4 columns, and collects the columns of the product. A
 * step is a block.
 *
 * Entries are small whole numbers, so every sum is exact in whatever order, and the answer is the
 * same for every number of ranks. The master proves it: the product has to do to a random vector
 * what the two matrices do to it one after the other, and some entries are computed anew.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deal.h"

enum { BLOCK = 4, SIZE_MOST = 8192, RANGE = 17, SAMPLES = 64, TIMES_MOST = 1000000 };

struct matmul {
	struct paper paper;
	long n, times, seed;
	double *left;	 /* n x n, by rows */
	double *product; /* master: n x n, by columns */
	uint64_t print;	 /* master: of the products that are done */
};

/* An entry of matrix number `which`, -8 .. 8. */
static double entry(const struct matmul *m, long which, long i, long j)
{
	uint64_t place = ((uint64_t)which * SIZE_MOST + (uint64_t)i) * SIZE_MOST + (uint64_t)j;

	return (double)(paper_mix(place ^ paper_mix((uint64_t)m->seed)) % RANGE) - RANGE / 2;
}

/* Blocks of a product; the last one may have fewer columns, then zeros follow. */
static long blocks(const struct matmul *m)
{
	return (m->n + BLOCK - 1) / BLOCK;
}

static void write_task(void *user, long t, double *task)
{
	const struct matmul *m = user;
	long which = 1 + t / blocks(m), first = t % blocks(m) * BLOCK;

	for (long c = 0; c < BLOCK; c++)
		for (long i = 0; i < m->n; i++)
			task[c * m->n + i] = first + c < m->n ? entry(m, which, i, first + c) : 0.0;
}

static void work(void *user, const double *task, double *result)
{
	const struct matmul *m = user;
	const double *a = task, *b = a + m->n, *c = b + m->n, *d = c + m->n;

	for (long i = 0; i < m->n; i++) {
		const double *row = m->left + i * m->n;
		double s[BLOCK] = {0.0};
		for (long k = 0; k < m->n; k++) {
			s[0] += row[k] * a[k];
			s[1] += row[k] * b[k];
			s[2] += row[k] * c[k];
			s[3] += row[k] * d[k];
		}
		for (long k = 0; k < BLOCK; k++)
			result[k * m->n + i] = s[k];
	}
}

/* ---- the proof ---- */

/* The right matrix and then the left one, to a vector of small whole numbers. */
static void by_the_two(const struct matmul *m, long which, const double *v, double *out)
{
	double *between = paper_array(&m->paper, (size_t)m->n, sizeof *between);

	for (long i = 0; i < m->n; i++)
		for (long j = 0; j < m->n; j++)
			between[i] += entry(m, which, i, j) * v[j];
	for (long i = 0; i < m->n; i++)
		for (long j = 0; j < m->n; j++)
			out[i] += m->left[i * m->n + j] * between[j];
	free(between);
}

static void prove_all(const struct matmul *m, long which)
{
	double *v = paper_array(&m->paper, 3 * (size_t)m->n, sizeof *v);
	double *once = v + m->n, *twice = once + m->n;

	for (long i = 0; i < m->n; i++)
		v[i] = entry(m, which, m->n - 1 - i, i);
	by_the_two(m, which, v, twice);
	for (long j = 0; j < m->n; j++)
		for (long i = 0; i < m->n; i++)
			once[i] += m->product[j * m->n + i] * v[j];
	for (long i = 0; i < m->n; i++)
		if (once[i] != twice[i])
			prog_wrong(&m->paper.prog, "row %ld of product %ld is wrong", i, which);
	free(v);
}

static void prove_some(const struct matmul *m, long which)
{
	for (long s = 0; s < SAMPLES; s++) {
		uint64_t chance = paper_mix((uint64_t)(which * SAMPLES + s));
		long i = (long)(chance % (uint64_t)m->n),
		     j = (long)((chance >> 32) % (uint64_t)m->n);
		double sum = 0.0, got = m->product[j * m->n + i];
		for (long k = 0; k < m->n; k++)
			sum += entry(m, 0, i, k) * entry(m, which, k, j);
		if (got != sum)
			prog_wrong(&m->paper.prog, "entry %ld, %ld of product %ld is %g, not %g", i,
				j, which, got, sum);
	}
}

static void take_result(void *user, long t, const double *result)
{
	struct matmul *m = user;
	long which = 1 + t / blocks(m), first = t % blocks(m) * BLOCK;
	long columns = m->n - first < BLOCK ? m->n - first : BLOCK;

	memcpy(m->product + first * m->n, result, (size_t)(columns * m->n) * sizeof *result);
	m->print += paper_print_of(
		result, (size_t)(columns * m->n), (uint64_t)(which * m->n * m->n + first * m->n));
	if (first + columns == m->n && which < m->times)
		prove_some(m, which);
}

static void make(struct matmul *m)
{
	size_t n = (size_t)m->n, all = n * n;

	m->left = paper_array(&m->paper, all, sizeof *m->left);
	for (long i = 0; i < m->n; i++)
		for (long j = 0; j < m->n; j++)
			m->left[i * m->n + j] = entry(m, 0, i, j);
	if (m->paper.prog.rank != 0)
		return;
	m->product = paper_array(&m->paper, all, sizeof *m->product);
	paper_protect(&m->paper, 2, m->product, all, MPI_DOUBLE);
	paper_protect(&m->paper, 3, &m->print, 1, MPI_UINT64_T);
}

int main(int argc, char **argv)
{
	struct matmul m = {.paper.steps = STEPS_DEFAULT, .n = 512, .times = 1, .seed = 1};
	struct deal deal = {.paper = &m.paper,
		.ahead = 2,
		.user = &m,
		.write = write_task,
		.work = work,
		.take = take_result};
	const struct prog_option options[] = {
		{"size", NULL, PROG_LONG, &m.n, 1, "rows and columns (default 512)"},
		{"-times", "N", PROG_LONG, &m.times, 1,
			"right matrices, one after the other (default 1)"},
		{"-seed", "S", PROG_LONG, &m.seed, 0, "of the entries (default 1)"},
		PAPER_OPTIONS(m.paper),
	};

	MPI_Init(&argc, &argv);
	m.paper.prog = (struct prog){"matmul",
		"the product of matrices, a master and workers; a "
		"step is a block of 4 columns",
		options, sizeof options / sizeof *options, 0, 1};
	paper_begin(&m.paper, argc, argv);
	paper_at_most(&m.paper, "rows", m.n, SIZE_MOST);
	paper_at_most(&m.paper, "times", m.times, TIMES_MOST);
	make(&m);
	deal.tasks = m.times * blocks(&m);
	deal.task_size = deal.result_size = (size_t)m.n * BLOCK;
	deal_begin(&deal, 1);
	paper_start(&m.paper, deal.tasks);
	deal_run(&deal);
	paper_stop(&m.paper);
	if (m.paper.prog.rank == 0) {
		prove_some(&m, m.times);
		prove_all(&m, m.times);
	}
	paper_right(&m.paper, "%ld x %ld, %ld times, seed %ld, products are %016" PRIx64, m.n, m.n,
		m.times, m.seed, m.print);
	deal_end(&deal);
	free(m.product);
	free(m.left);
	MPI_Finalize();
	return 0;
}
