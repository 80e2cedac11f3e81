/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cg:K solves a sparse system of K x K unknowns by the method of conjugate gradients: the points of
 * a square, each coupled to its four neighbours. The matrix is kept by rows, as for any sparse
 * matrix; each rank has the rows of some lines of the square, and needs the line before and after
 * them. An iteration is one exchange with up to two neighbours and two reductions of 8 bytes.
 *
 * With 5 on the diagonal and -1 beside it the eigenvalues are between 1 and 9, so the error at
 * least halves with each iteration, and after ITERATIONS the solution is known to be the one that
 * the right-hand side was made from.
 */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "kernel.h"
#include "mpibench.h"

enum { ITERATIONS = 40, EACH_ROW = 5, TAG_UP = 1, TAG_DOWN = 2 };

/* Vectors that the matrix is applied to have a line of others before and after the own ones: own
 * point i is element line + i. */
struct cg {
	long line, first, own; /* points of a line; first own point; own points */
	int up, down;	       /* ranks with the line before and after, or MPI_PROC_NULL */
	int *begin, *column;   /* row i is begin[i] .. begin[i + 1] - 1 */
	double *value;
	double *wanted, *direction; /* with the lines of others */
	double *x, *residual, *image;
};

static void make_matrix(struct cg *c)
{
	long points = c->line * c->line;
	int n = 0;

	c->begin = kernel_array(c->own + 1, sizeof *c->begin);
	c->column = kernel_array(c->own * EACH_ROW, sizeof *c->column);
	c->value = kernel_array(c->own * EACH_ROW, sizeof *c->value);
	for (long i = 0; i < c->own; i++) {
		long point = c->first + i, at = point % c->line;
		const struct {
			bool is;
			long offset;
			double value;
		} entries[EACH_ROW] = {
			{point >= c->line, -c->line, -1},
			{at > 0, -1, -1},
			{true, 0, 5},
			{at < c->line - 1, 1, -1},
			{point < points - c->line, c->line, -1},
		};

		for (int e = 0; e < EACH_ROW; e++) {
			if (!entries[e].is)
				continue;
			c->column[n] = (int)(c->line + i + entries[e].offset);
			c->value[n++] = entries[e].value;
		}
		c->begin[i + 1] = n;
	}
}

/* The lines of others become what their ranks have there. */
static void exchange(const struct cg *c, double *v)
{
	int line = (int)c->line;
	MPI_Request request[4];

	MPI_Irecv(v, line, MPI_DOUBLE, c->up, TAG_DOWN, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(
		v + line + c->own, line, MPI_DOUBLE, c->down, TAG_UP, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(v + line, line, MPI_DOUBLE, c->up, TAG_UP, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(v + c->own, line, MPI_DOUBLE, c->down, TAG_DOWN, MPI_COMM_WORLD, &request[3]);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

static void apply(const struct cg *c, double *v, double *image)
{
	exchange(c, v);
	for (long i = 0; i < c->own; i++) {
		double sum = 0;

		for (int e = c->begin[i]; e < c->begin[i + 1]; e++)
			sum += c->value[e] * v[c->column[e]];
		image[i] = sum;
	}
}

static double product(const struct cg *c, const double *a, const double *b)
{
	double mine = 0, sum;

	for (long i = 0; i < c->own; i++)
		mine += a[i] * b[i];
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

/* From 0; so the first residual and direction are the right-hand side. */
static void before(void *self, int run)
{
	struct cg *c = self;

	for (long i = 0; i < c->own; i++)
		c->wanted[c->line + i] = sin((double)(c->first + i + 1) + run);
	apply(c, c->wanted, c->residual);
	for (long i = 0; i < c->own; i++) {
		c->x[i] = 0;
		c->direction[c->line + i] = c->residual[i];
	}
}

static void solve(void *self)
{
	struct cg *c = self;
	double *direction = c->direction + c->line;
	double square = product(c, c->residual, c->residual);

	for (int n = 0; n < ITERATIONS; n++) {
		double step, earlier = square;

		apply(c, c->direction, c->image);
		step = square / product(c, direction, c->image);
		for (long i = 0; i < c->own; i++) {
			c->x[i] += step * direction[i];
			c->residual[i] -= step * c->image[i];
		}
		square = product(c, c->residual, c->residual);
		for (long i = 0; i < c->own; i++)
			direction[i] = c->residual[i] + square / earlier * direction[i];
	}
}

static void after(void *self, int run)
{
	const struct cg *c = self;

	for (long i = 0; i < c->own; i++) {
		double off = fabs(c->x[i] - c->wanted[c->line + i]);

		if (!(off <= 1e-8))
			kernel_wrong(
				"cg: unknown %ld of run %d is off by %.3e", c->first + i, run, off);
	}
}

double cg(void)
{
	struct cg c = {.line = bytes};
	long first = kernel_first(c.line, size, rank), end = kernel_first(c.line, size, rank + 1);
	double ms;

	if (c.line < size || c.line > 10000)
		kernel_wrong("cg: a square of %ld lines is not for %d ranks", c.line, size);
	c.first = first * c.line;
	c.own = (end - first) * c.line;
	c.up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	c.down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	make_matrix(&c);
	c.wanted = kernel_array(c.own + 2 * c.line, sizeof *c.wanted);
	c.direction = kernel_array(c.own + 2 * c.line, sizeof *c.direction);
	c.x = kernel_array(c.own, sizeof *c.x);
	c.residual = kernel_array(c.own, sizeof *c.residual);
	c.image = kernel_array(c.own, sizeof *c.image);
	ms = kernel_ms(&(const struct kernel){before, solve, after}, &c);
	free(c.image);
	free(c.residual);
	free(c.x);
	free(c.direction);
	free(c.wanted);
	free(c.value);
	free(c.column);
	free(c.begin);
	return ms;
}
