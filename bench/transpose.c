/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transpose:N turns a matrix of N x N doubles, of which each rank has N / ranks rows: it packs a
 * square block for each rank, exchanges them with MPI_Alltoall, and turns each block on its way
 * into the result. Each element says where it came from.
 */
#include <mpi.h>
#include <stdlib.h>

#include "kernel.h"
#include "mpibench.h"

/* rows: of this rank, and the edge of a block */
struct transpose {
	long n, rows, first;
	double *from, *to, *packed, *got;
};

static double element(const struct transpose *t, long i, long j, int run)
{
	return (double)(i * t->n + j) + 0.25 * (run % 4);
}

static void before(void *self, int run)
{
	struct transpose *t = self;

	for (long i = 0; i < t->rows; i++)
		for (long j = 0; j < t->n; j++)
			t->from[i * t->n + j] = element(t, t->first + i, j, run);
}

static void turn(void *self)
{
	struct transpose *t = self;
	long edge = t->rows, block = edge * edge;

	for (long p = 0; p < size; p++)
		for (long i = 0; i < edge; i++)
			for (long j = 0; j < edge; j++)
				t->packed[p * block + i * edge + j] =
					t->from[i * t->n + p * edge + j];
	MPI_Alltoall(
		t->packed, (int)block, MPI_DOUBLE, t->got, (int)block, MPI_DOUBLE, MPI_COMM_WORLD);
	for (long p = 0; p < size; p++)
		for (long i = 0; i < edge; i++)
			for (long j = 0; j < edge; j++)
				t->to[i * t->n + p * edge + j] = t->got[p * block + j * edge + i];
}

static void after(void *self, int run)
{
	const struct transpose *t = self;

	for (long i = 0; i < t->rows; i++)
		for (long j = 0; j < t->n; j++)
			if (t->to[i * t->n + j] != element(t, j, t->first + i, run))
				kernel_wrong("transpose: element %ld, %ld of run %d is %.2f",
					t->first + i, j, run, t->to[i * t->n + j]);
}

double transpose(void)
{
	struct transpose t = {.n = bytes, .rows = bytes / size, .first = bytes / size * rank};
	double ms;

	if (t.n < size || t.n > 20000 || t.n % size != 0)
		kernel_wrong("transpose: %ld rows cannot be dealt to %d ranks alike", t.n, size);
	t.from = kernel_array(t.rows * t.n, sizeof *t.from);
	t.to = kernel_array(t.rows * t.n, sizeof *t.to);
	t.packed = kernel_array(t.rows * t.n, sizeof *t.packed);
	t.got = kernel_array(t.rows * t.n, sizeof *t.got);
	ms = kernel_ms(&(const struct kernel){before, turn, after}, &t);
	free(t.got);
	free(t.packed);
	free(t.to);
	free(t.from);
	return ms;
}
