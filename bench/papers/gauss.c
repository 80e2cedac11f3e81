/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gauss: solves a system of linear equations by the method of Gauss and Jordan. The rows are dealt
 * to the ranks in turn. A step eliminates one unknown: one reduction finds the row with the largest
 * coefficient, its owner broadcasts it, and all the others subtract a multiple of it. At the end
 * a row has one unknown left; one reduction gathers them.
 *
 * Which row is taken does not depend on who has it, so the answer is the same to the last bit for
 * every number of ranks. The matrix follows from numbers of row and column; at the end every rank
 * makes its rows anew and looks what remains of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

enum { SIZE_MOST = 20000 };

struct gauss {
	struct paper paper;
	long n, seed;
	size_t width;	/* of a row: n coefficients and the right side */
	size_t rows;	/* of this rank */
	double *row;	/* rows x width */
	int32_t *taken; /* rows: the unknown for which a row was taken, or -1 */
	double *pivot;	/* width: the row that is subtracted */
};

/* MPI_DOUBLE_INT */
struct largest {
	double value;
	int row;
};

static double coefficient(const struct gauss *g, long i, long j)
{
	uint64_t place = (uint64_t)i * (uint64_t)g->n + (uint64_t)j;

	return 2.0 * paper_unit(paper_mix(place ^ paper_mix((uint64_t)g->seed))) - 1.0;
}

/* What the unknowns are to be. */
static double unknown(long j)
{
	return (double)(j % 9 - 4);
}

static void make_row(const struct gauss *g, long i, double *row)
{
	row[g->n] = 0.0;
	for (long j = 0; j < g->n; j++) {
		row[j] = coefficient(g, i, j);
		row[g->n] += row[j] * unknown(j);
	}
}

/* Row `local` of this rank is this one of all. */
static long global_row(const struct gauss *g, size_t local)
{
	return (long)local * g->paper.prog.size + g->paper.prog.rank;
}

static void make(struct gauss *g)
{
	const struct prog *prog = &g->paper.prog;

	g->width = (size_t)g->n + 1;
	g->rows = (size_t)((g->n - prog->rank + prog->size - 1) / prog->size);
	g->row = paper_array(&g->paper, g->rows * g->width, sizeof *g->row);
	g->taken = paper_array(&g->paper, g->rows, sizeof *g->taken);
	g->pivot = paper_array(&g->paper, g->width, sizeof *g->pivot);
	for (size_t r = 0; r < g->rows; r++) {
		make_row(g, global_row(g, r), g->row + r * g->width);
		g->taken[r] = -1;
	}
	paper_protect(&g->paper, 1, g->row, g->rows * g->width, MPI_DOUBLE);
	paper_protect(&g->paper, 2, g->taken, g->rows, MPI_INT32_T);
}

/* The row of all with the largest coefficient of unknown k; of equal ones the first. */
static struct largest find_pivot(const struct gauss *g, long k)
{
	struct largest mine = {-1.0, INT32_MAX}, all;

	for (size_t r = 0; r < g->rows; r++) {
		double value = fabs(g->row[r * g->width + (size_t)k]);
		if (g->taken[r] < 0 && value > mine.value)
			mine = (struct largest){value, (int)global_row(g, r)};
	}
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	if (!(all.value > 1e-9))
		prog_wrong(&g->paper.prog, "no row is left for unknown %ld", k);
	return all;
}

static void subtract(struct gauss *g, long k)
{
	for (size_t r = 0; r < g->rows; r++) {
		double *row = g->row + r * g->width;
		double factor = row[k] / g->pivot[k];
		if (g->taken[r] == k)
			continue;
		row[k] = 0.0;
		for (size_t j = (size_t)k + 1; j < g->width; j++)
			row[j] -= factor * g->pivot[j];
	}
}

/* Columns before k are done with. */
static void eliminate(struct gauss *g, long k)
{
	const struct prog *prog = &g->paper.prog;
	struct largest at = find_pivot(g, k);
	int owner = at.row % prog->size, local = at.row / prog->size;

	if (owner == prog->rank) {
		g->taken[local] = (int32_t)k;
		memcpy(g->pivot + k, g->row + (size_t)local * g->width + k,
			(g->width - (size_t)k) * sizeof *g->pivot);
	}
	MPI_Bcast(g->pivot + k, (int)g->n + 1 - (int)k, MPI_DOUBLE, owner, MPI_COMM_WORLD);
	subtract(g, k);
}

/* Each unknown is one rank's; the others add nothing. */
static double *gather(const struct gauss *g)
{
	double *mine = paper_array(&g->paper, (size_t)g->n, sizeof *mine);
	double *all = paper_array(&g->paper, (size_t)g->n, sizeof *all);

	for (size_t r = 0; r < g->rows; r++) {
		const double *row = g->row + r * g->width;
		mine[g->taken[r]] = row[g->n] / row[g->taken[r]];
	}
	MPI_Allreduce(mine, all, (int)g->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	free(mine);
	return all;
}

/* The largest |a x - b| of a row, over |a| |x| of it. Collective. */
static double residual(const struct gauss *g, const double *x)
{
	double worst = 0.0, all;

	for (size_t r = 0; r < g->rows; r++) {
		double left, size = 0.0;
		make_row(g, global_row(g, r), g->pivot);
		left = -g->pivot[g->n];
		for (long j = 0; j < g->n; j++) {
			left += g->pivot[j] * x[j];
			size += fabs(g->pivot[j] * x[j]);
		}
		worst = paper_worst(worst, fabs(left) / size);
	}
	if (!(worst <= 1e-9))
		prog_wrong(&g->paper.prog, "the residual is %.3e", worst);
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

static void judge(struct gauss *g, const double *x)
{
	double left = residual(g, x), off = 0.0;

	for (long j = 0; j < g->n; j++)
		off = paper_worst(off, fabs(x[j] - unknown(j)));
	/* less than the residual says: a random matrix may be nearly singular */
	if (!(off <= 1e-3))
		prog_wrong(&g->paper.prog, "an unknown is off by %.3e", off);
	paper_right(&g->paper, "%ld unknowns, residual %.1e, error %.1e, x is %016" PRIx64, g->n,
		left, off, paper_print_of(x, (size_t)g->n, 0));
}

int main(int argc, char **argv)
{
	struct gauss g = {.paper.steps = STEPS_DEFAULT, .n = 1000, .seed = 1};
	const struct prog_option options[] = {
		{"size", NULL, PROG_LONG, &g.n, 1, "how many unknowns (default 1000)"},
		{"-seed", "S", PROG_LONG, &g.seed, 0, "of the coefficients (default 1)"},
		PAPER_OPTIONS(g.paper),
	};
	double *x;

	MPI_Init(&argc, &argv);
	g.paper.prog = (struct prog){"gauss", "linear equations by the method of Gauss and Jordan",
		options, sizeof options / sizeof *options, 0, 1};
	paper_begin(&g.paper, argc, argv);
	paper_at_most(&g.paper, "unknowns", g.n, SIZE_MOST);
	make(&g);
	paper_start(&g.paper, g.n);
	while (g.paper.step < g.n) {
		eliminate(&g, (long)g.paper.step);
		paper_step(&g.paper);
	}
	x = gather(&g);
	paper_stop(&g.paper);
	judge(&g, x);
	free(x);
	free(g.pivot);
	free(g.taken);
	free(g.row);
	MPI_Finalize();
	return 0;
}
