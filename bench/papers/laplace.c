/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * laplace: Laplace's equation in a square, by the method of Jacobi: each point becomes the mean of
 * its four neighbours. The ranks form a rectangle, each has a block of points, and exchanges its
 * edges with up to four others. A step is two iterations, there and back between two arrays, and
 * one reduction of the largest change.
 *
 * The start is a harmonic function and two waves; a wave is an eigenvector of the iteration, so
 * what each point has to be is known after any number of iterations. A point is computed in the
 * same way whoever has it, so the answer is the same to the last bit for every number of ranks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paper.h"

enum { SIZE_MOST = 30000, TAG_EDGE = 5 };
enum side { UP, DOWN, LEFT, RIGHT, SIDES };

struct laplace {
	struct paper paper;
	long n, steps;
	long top, left;	      /* the first row and column of this rank; those of all are 1 .. n */
	size_t height, width; /* of its points, without the edges of others around them */
	double *now, *next;   /* (height + 2) x (width + 2) */
	int neighbour[SIDES];
	MPI_Datatype column;
	double change; /* the largest of the last iteration */
};

/* Waves of the start: how many half periods fit along either edge, and how high. */
static const struct wave {
	int down, across;
	double height;
} waves[] = {{1, 1, 1.0}, {3, 5, 0.5}};

enum { WAVES = sizeof waves / sizeof *waves };

/* One iteration makes the wave this much lower. */
static double decay(const struct laplace *l, const struct wave *w)
{
	double step = M_PI / (double)(l->n + 1);

	return (cos(w->down * step) + cos(w->across * step)) / 2.0;
}

/* What has to be at row i, column j (0 and n + 1: the border), the waves being so high. */
static double solution(const struct laplace *l, long i, long j, const double *height)
{
	double y = (double)i / (double)(l->n + 1), x = (double)j / (double)(l->n + 1);
	double value = x * x - y * y + x * y;

	if (i == 0 || j == 0 || i == l->n + 1 || j == l->n + 1)
		return value;
	for (int w = 0; w < WAVES; w++)
		value +=
			height[w] * sin(waves[w].down * M_PI * y) * sin(waves[w].across * M_PI * x);
	return value;
}

static double *at(const struct laplace *l, double *of, size_t i, size_t j)
{
	return of + i * (l->width + 2) + j;
}

/* ---- who has what ---- */

static long share_begin(long n, int parts, int part)
{
	return n * part / parts;
}

static void place(struct laplace *l)
{
	const struct prog *prog = &l->paper.prog;
	int dims[2] = {0, 0}, row, col;

	MPI_Dims_create(prog->size, 2, dims);
	if (dims[0] > l->n || dims[1] > l->n)
		paper_refuse(&l->paper, "%ld points along an edge are too few for %d x %d ranks",
			l->n, dims[0], dims[1]);
	row = prog->rank / dims[1];
	col = prog->rank % dims[1];
	l->top = share_begin(l->n, dims[0], row) + 1;
	l->left = share_begin(l->n, dims[1], col) + 1;
	l->height = (size_t)(share_begin(l->n, dims[0], row + 1) + 1 - l->top);
	l->width = (size_t)(share_begin(l->n, dims[1], col + 1) + 1 - l->left);
	l->neighbour[UP] = row > 0 ? prog->rank - dims[1] : MPI_PROC_NULL;
	l->neighbour[DOWN] = row < dims[0] - 1 ? prog->rank + dims[1] : MPI_PROC_NULL;
	l->neighbour[LEFT] = col > 0 ? prog->rank - 1 : MPI_PROC_NULL;
	l->neighbour[RIGHT] = col < dims[1] - 1 ? prog->rank + 1 : MPI_PROC_NULL;
}

static void make(struct laplace *l)
{
	double height[WAVES];
	size_t points = (l->height + 2) * (l->width + 2);

	for (int w = 0; w < WAVES; w++)
		height[w] = waves[w].height;
	l->now = paper_array(&l->paper, points, sizeof *l->now);
	l->next = paper_array(&l->paper, points, sizeof *l->next);
	for (size_t i = 0; i < l->height + 2; i++)
		for (size_t j = 0; j < l->width + 2; j++)
			*at(l, l->now, i, j) = *at(l, l->next, i, j) =
				solution(l, l->top - 1 + (long)i, l->left - 1 + (long)j, height);
	MPI_Type_vector((int)l->height, 1, (int)l->width + 2, MPI_DOUBLE, &l->column);
	MPI_Type_commit(&l->column);
	/* between steps what is in `next` does not count, but for the border, which is made */
	paper_protect(&l->paper, 1, l->now, points, MPI_DOUBLE);
}

/* ---- the iteration ---- */

/* This edge of ours to one neighbour, the opposite one from the other neighbour. */
static void shift(const struct laplace *l, enum side to, enum side from, int count,
	MPI_Datatype type, double *out, double *in)
{
	MPI_Sendrecv(out, count, type, l->neighbour[to], TAG_EDGE + (int)to, in, count, type,
		l->neighbour[from], TAG_EDGE + (int)to, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(const struct laplace *l, double *a)
{
	size_t h = l->height, w = l->width;

	shift(l, UP, DOWN, (int)w, MPI_DOUBLE, at(l, a, 1, 1), at(l, a, h + 1, 1));
	shift(l, DOWN, UP, (int)w, MPI_DOUBLE, at(l, a, h, 1), at(l, a, 0, 1));
	shift(l, LEFT, RIGHT, 1, l->column, at(l, a, 1, 1), at(l, a, 1, w + 1));
	shift(l, RIGHT, LEFT, 1, l->column, at(l, a, 1, w), at(l, a, 1, 0));
}

static void iterate(const struct laplace *l, double *from, double *to)
{
	size_t line = l->width + 2;

	exchange(l, from);
	for (size_t i = 1; i <= l->height; i++) {
		const double *restrict a = from + i * line;
		double *restrict b = to + i * line;
		for (size_t j = 1; j <= l->width; j++)
			b[j] = 0.25 * ((a[j - 1] + a[j + 1]) + (a[j - line] + a[j + line]));
	}
}

static void reduce_change(struct laplace *l)
{
	double most = 0.0;

	for (size_t i = 1; i <= l->height; i++)
		for (size_t j = 1; j <= l->width; j++) {
			double change = fabs(*at(l, l->now, i, j) - *at(l, l->next, i, j));
			most = change > most ? change : most;
		}
	MPI_Allreduce(&most, &l->change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void step(struct laplace *l)
{
	iterate(l, l->now, l->next);
	iterate(l, l->next, l->now);
	reduce_change(l);
}

/* ---- the end ---- */

static double worst_point(const struct laplace *l)
{
	double height[WAVES], worst = 0.0;

	for (int w = 0; w < WAVES; w++)
		height[w] = waves[w].height * pow(decay(l, &waves[w]), 2.0 * (double)l->steps);
	for (size_t i = 1; i <= l->height; i++)
		for (size_t j = 1; j <= l->width; j++)
			worst = paper_worst(worst, fabs(*at(l, l->now, i, j) -
							   solution(l, l->top - 1 + (long)i,
								   l->left - 1 + (long)j, height)));
	return worst;
}

static void judge(struct laplace *l)
{
	double worst = worst_point(l), all;
	uint64_t print = 0;

	if (!(worst <= 1e-9))
		prog_wrong(&l->paper.prog, "a point is off by %.3e", worst);
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	for (size_t i = 1; i <= l->height; i++)
		print += paper_print_of(at(l, l->now, i, 1), l->width,
			(uint64_t)((l->top - 1 + (long)i) * (l->n + 2) + l->left));
	print = paper_sum(print);
	paper_right(&l->paper,
		"%ld x %ld points, %ld iterations, last change %.1e, error %.1e, "
		"points are %016" PRIx64,
		l->n, l->n, 2 * l->steps, l->change, all, print);
}

int main(int argc, char **argv)
{
	struct laplace l = {.paper.steps = STEPS_DEFAULT, .n = 512, .steps = 1000};
	const struct prog_option options[] = {
		{"size", NULL, PROG_LONG, &l.n, 1, "points along an edge (default 512)"},
		{"-steps", "N", PROG_LONG, &l.steps, 1, "of two iterations each (default 1000)"},
		PAPER_OPTIONS(l.paper),
	};

	MPI_Init(&argc, &argv);
	l.paper.prog = (struct prog){"laplace", "Laplace's equation by the method of Jacobi",
		options, sizeof options / sizeof *options, 0, 1};
	paper_begin(&l.paper, argc, argv);
	paper_at_most(&l.paper, "points along an edge", l.n, SIZE_MOST);
	place(&l);
	make(&l);
	paper_start(&l.paper, l.steps);
	while (l.paper.step < l.steps) {
		step(&l);
		paper_step(&l.paper);
	}
	paper_stop(&l.paper);
	judge(&l);
	MPI_Type_free(&l.column);
	free(l.next);
	free(l.now);
	MPI_Finalize();
	return 0;
}
