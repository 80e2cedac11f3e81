/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sweeps: heat spreads in a cube, by implicit steps that are split by directions, as the solvers of
 * the NAS benchmarks BT and SP are. A step makes a right-hand side from each point and its six
 * neighbours, and then solves a tridiagonal system along every line of the cube, in one direction
 * after the other.
 *
 * The cube is cut into q x q x q cells for q x q ranks, of which each has q, no two of them in the
 * same layer of any direction: so in each stage of a sweep every rank has a cell to work on. The
 * ranks form a torus. A step exchanges the faces of all cells with six neighbours, and each
 * direction has one sweep there, in which a stage receives from the predecessor and sends to the
 * successor, and one back.
 *
 * Each of the FIELDS numbers of a point begins as a wave with nodes at the border, an eigenvector
 * of the step, so what every point has to be is known after any number of steps. A point is
 * computed in the same way whoever has it, so the answer is the same to the last bit for every
 * number of ranks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

enum { FIELDS = 5, SIZE_MOST = 1000, TAG_FACE = 10, TAG_SWEEP = 20 };
enum { X, Y, Z, DIRECTIONS };
enum side { SUCCESSOR, PREDECESSOR, SIDES, FACES = DIRECTIONS * SIDES };

/* Half of the time step over the square of the distance of points. */
#define ALPHA 0.0625

/* Half periods along an edge, of each field. */
static const int waves[FIELDS][DIRECTIONS] = {
	{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {2, 2, 1}};

/* With a layer of others around: points are 1 .. n in each direction. */
struct cell {
	int place[DIRECTIONS]; /* among the cells: 0 .. q - 1 */
	size_t n[DIRECTIONS], stride[DIRECTIONS], points;
	long before[DIRECTIONS]; /* how many points of the cube are before it */
	double *u, *r;		 /* what is known; behind it what is solved for */
};

struct sweeps {
	struct paper paper;
	long n, steps;
	int q;
	struct cell *cell; /* q of them */
	int neighbour[DIRECTIONS][SIDES];
	double *pivot;			/* of row 1 .. n of the tridiagonal matrix */
	double *in[FACES], *out[FACES]; /* faces of all cells, by direction and side */
	int most;			/* numbers in each of these */
	double factor[FIELDS];		/* what a step makes of a wave */
};

/* ---- who has what ---- */

static void make_cell(struct sweeps *s, int number)
{
	struct cell *c = &s->cell[number];
	int column = s->paper.prog.rank % s->q, row = s->paper.prog.rank / s->q;

	c->place[X] = (column + number) % s->q;
	c->place[Y] = (row + s->q - number) % s->q;
	c->place[Z] = number;
	c->points = FIELDS;
	for (int d = X; d < DIRECTIONS; d++) {
		c->before[d] = s->n * c->place[d] / s->q;
		c->n[d] = (size_t)(s->n * (c->place[d] + 1) / s->q - c->before[d]);
		c->stride[d] = c->points;
		c->points *= c->n[d] + 2;
	}
	c->u = paper_array(&s->paper, 2 * c->points, sizeof *c->u);
	c->r = c->u + c->points;
	paper_protect(&s->paper, number + 1, c->u, c->points, MPI_DOUBLE);
}

/* The cell of this rank in that layer. */
static const struct cell *cell_at(const struct sweeps *s, int d, int layer)
{
	const struct cell *c = s->cell;

	while (c->place[d] != layer)
		c++;
	return c;
}

static int rank_at(const struct sweeps *s, int column, int row)
{
	return (column + s->q) % s->q + (row + s->q) % s->q * s->q;
}

static void place(struct sweeps *s)
{
	int rank = s->paper.prog.rank, column, row, edge;

	while ((s->q + 1) * (s->q + 1) <= s->paper.prog.size)
		s->q++;
	if (s->q * s->q != s->paper.prog.size)
		paper_refuse(&s->paper, "%d ranks are no square", s->paper.prog.size);
	if (s->n < s->q)
		paper_refuse(&s->paper, "%ld points along an edge are too few for %d x %d ranks",
			s->n, s->q, s->q);
	column = rank % s->q;
	row = rank / s->q;
	for (int side = 0; side < SIDES; side++) {
		int one = side == SUCCESSOR ? 1 : -1;
		s->neighbour[X][side] = rank_at(s, column + one, row);
		s->neighbour[Y][side] = rank_at(s, column, row + one);
		s->neighbour[Z][side] = rank_at(s, column - one, row + one);
	}
	s->cell = paper_array(&s->paper, (size_t)s->q, sizeof *s->cell);
	for (int c = 0; c < s->q; c++)
		make_cell(s, c);
	edge = (int)s->n / s->q + 1;
	s->most = edge * edge * FIELDS * s->q;
	s->in[0] = paper_array(&s->paper, 2 * FACES * (size_t)s->most, sizeof *s->in[0]);
	for (int f = 0; f < FACES; f++) {
		s->in[f] = s->in[0] + f * (long)s->most;
		s->out[f] = s->in[0] + (FACES + f) * (long)s->most;
	}
}

/* ---- waves ---- */

static double solution(const struct sweeps *s, const struct cell *c, const size_t *at, int field)
{
	double value = 1.0;

	for (int d = X; d < DIRECTIONS; d++)
		value *= sin(M_PI * waves[field][d] * (double)(c->before[d] + (long)at[d]) /
			     (double)(s->n + 1));
	return value;
}

static void make_factors(struct sweeps *s)
{
	for (int f = 0; f < FIELDS; f++) {
		double sum = 0.0, product = 1.0;
		for (int d = X; d < DIRECTIONS; d++) {
			double half = sin(M_PI * waves[f][d] / (2.0 * (double)(s->n + 1)));
			sum += 4.0 * half * half;
			product *= 1.0 + ALPHA * 4.0 * half * half;
		}
		s->factor[f] = (1.0 - ALPHA * sum) / product;
	}
}

static double *point(const struct cell *c, double *of, const size_t *at)
{
	return of + at[X] * c->stride[X] + at[Y] * c->stride[Y] + at[Z] * c->stride[Z];
}

static void make_waves(const struct sweeps *s, const struct cell *c)
{
	for (size_t z = 1; z <= c->n[Z]; z++)
		for (size_t y = 1; y <= c->n[Y]; y++)
			for (size_t x = 1; x <= c->n[X]; x++) {
				const size_t at[] = {x, y, z};
				for (int f = 0; f < FIELDS; f++)
					point(c, c->u, at)[f] = solution(s, c, at, f);
			}
}

static void make(struct sweeps *s)
{
	for (int c = 0; c < s->q; c++)
		make_waves(s, &s->cell[c]);
	s->pivot = paper_array(&s->paper, (size_t)s->n + 1, sizeof *s->pivot);
	for (long k = 1; k <= s->n; k++)
		s->pivot[k] = 1.0 / (1.0 + 2.0 * ALPHA - ALPHA * ALPHA * s->pivot[k - 1]);
	make_factors(s);
}

/* ---- faces ---- */

/* One layer of a cell into a message (true) or out of it; returns the end. */
static double *copy_layer(
	const struct cell *c, double *of, int d, size_t layer, double *message, bool into)
{
	int e = (d + 1) % DIRECTIONS, f = (d + 2) % DIRECTIONS;
	size_t at[DIRECTIONS];

	at[d] = layer;
	for (at[f] = 1; at[f] <= c->n[f]; at[f]++)
		for (at[e] = 1; at[e] <= c->n[e]; at[e]++, message += FIELDS) {
			double *p = point(c, of, at);
			memcpy(into ? message : p, into ? p : message, FIELDS * sizeof *p);
		}
	return message;
}

/* The faces of all cells on that side, but for those at the border of the cube: from own points
 * (true), or to what is around them. How many numbers they have. */
static int copy_faces(struct sweeps *s, int d, enum side side, double *message, bool into)
{
	int border = side == SUCCESSOR ? s->q - 1 : 0;
	double *end = message;

	for (const struct cell *c = s->cell; c < s->cell + s->q; c++) {
		size_t inner = side == SUCCESSOR ? c->n[d] : 1;
		size_t outer = side == SUCCESSOR ? c->n[d] + 1 : 0;
		if (c->place[d] != border)
			end = copy_layer(c, c->u, d, into ? inner : outer, end, into);
	}
	return (int)(end - message);
}

static void exchange(struct sweeps *s)
{
	MPI_Request request[2 * FACES];
	int n = 0;

	for (int f = 0; s->q > 1 && f < FACES; f++)
		MPI_Irecv(s->in[f], s->most, MPI_DOUBLE, s->neighbour[f / SIDES][f % SIDES],
			TAG_FACE + (f ^ 1), MPI_COMM_WORLD, &request[n++]);
	for (int f = 0; s->q > 1 && f < FACES; f++) {
		int count = copy_faces(s, f / SIDES, f % SIDES, s->out[f], true);
		MPI_Isend(s->out[f], count, MPI_DOUBLE, s->neighbour[f / SIDES][f % SIDES],
			TAG_FACE + f, MPI_COMM_WORLD, &request[n++]);
	}
	MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
	for (int f = 0; f < FACES; f++)
		copy_faces(s, f / SIDES, f % SIDES, s->in[f], false);
}

/* ---- a step ---- */

static void make_right_side(const struct cell *c)
{
	size_t across = c->stride[X], down = c->stride[Y], deep = c->stride[Z];

	for (size_t z = 1; z <= c->n[Z]; z++)
		for (size_t y = 1; y <= c->n[Y]; y++) {
			const size_t at[] = {1, y, z};
			const double *u = point(c, c->u, at);
			double *r = point(c, c->r, at);
			for (size_t i = 0; i < c->n[X] * FIELDS; i++, u++, r++)
				*r = (1.0 - 6.0 * ALPHA) * *u +
				     ALPHA * ((*(u - across) + u[across]) +
						     (*(u - down) + u[down]) +
						     (*(u - deep) + u[deep]));
		}
}

/* Along direction d: forth, where what is before the cell is known, and each row loses its lower
 * neighbour; or back, where what is behind it is known. */
static void solve(const struct sweeps *s, const struct cell *c, int d, bool forth)
{
	const double *pivot = s->pivot + c->before[d];
	long known = forth ? -(long)c->stride[d] : (long)c->stride[d];

	for (size_t z = 1; z <= c->n[Z]; z++)
		for (size_t y = 1; y <= c->n[Y]; y++)
			for (size_t x = 1; x <= c->n[X]; x++) {
				const size_t on[] = {x, y, z};
				const size_t back[] = {
					c->n[X] + 1 - x, c->n[Y] + 1 - y, c->n[Z] + 1 - z};
				const size_t *at = forth ? on : back;
				double *r = point(c, c->r, at), w = pivot[at[d]];
				for (int f = 0; f < FIELDS; f++)
					r[f] = (forth ? r[f] * w : r[f]) + ALPHA * w * r[f + known];
			}
}

/* All layers in this direction, from the first (to the successor) or the last one. */
static void sweep(struct sweeps *s, int d, enum side to)
{
	MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int from = s->neighbour[d][to == SUCCESSOR ? PREDECESSOR : SUCCESSOR];
	int tag = TAG_SWEEP + d * SIDES + (int)to;

	for (int stage = 0; stage < s->q; stage++) {
		const struct cell *c = cell_at(s, d, to == SUCCESSOR ? stage : s->q - 1 - stage);
		int count = (int)(c->n[(d + 1) % DIRECTIONS] * c->n[(d + 2) % DIRECTIONS]) * FIELDS;

		if (stage > 0)
			MPI_Irecv(s->in[0], count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD,
				&request[0]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		if (stage > 0)
			copy_layer(c, c->r, d, to == SUCCESSOR ? 0 : c->n[d] + 1, s->in[0], false);
		solve(s, c, d, to == SUCCESSOR);
		if (stage == s->q - 1)
			break;
		copy_layer(c, c->r, d, to == SUCCESSOR ? c->n[d] : 1, s->out[0], true);
		MPI_Isend(s->out[0], count, MPI_DOUBLE, s->neighbour[d][to], tag, MPI_COMM_WORLD,
			&request[1]);
	}
}

static void step(struct sweeps *s)
{
	exchange(s);
	for (const struct cell *c = s->cell; c < s->cell + s->q; c++)
		make_right_side(c);
	for (int d = X; d < DIRECTIONS; d++) {
		sweep(s, d, SUCCESSOR);
		sweep(s, d, PREDECESSOR);
	}
	for (const struct cell *c = s->cell; c < s->cell + s->q; c++)
		memcpy(c->u, c->r, c->points * sizeof *c->u);
}

/* ---- the end ---- */

/* The worst point of the cell; the print of its points is added. */
static double judge_cell(
	const struct sweeps *s, const struct cell *c, const double *height, uint64_t *print)
{
	double worst = 0.0;

	for (size_t z = 1; z <= c->n[Z]; z++)
		for (size_t y = 1; y <= c->n[Y]; y++)
			for (size_t x = 1; x <= c->n[X]; x++) {
				const size_t at[] = {x, y, z};
				const double *u = point(c, c->u, at);
				uint64_t number = 0;
				for (int d = X; d < DIRECTIONS; d++)
					number =
						number * SIZE_MOST + (uint64_t)c->before[d] + at[d];
				for (int f = 0; f < FIELDS; f++)
					worst = paper_worst(worst,
						fabs(u[f] - height[f] * solution(s, c, at, f)));
				*print += paper_print_of(u, FIELDS, number * FIELDS);
			}
	return worst;
}

static void judge(struct sweeps *s)
{
	double height[FIELDS], worst = 0.0, all;
	uint64_t print = 0;

	for (int f = 0; f < FIELDS; f++)
		height[f] = pow(s->factor[f], (double)s->steps);
	for (int c = 0; c < s->q; c++)
		worst = paper_worst(worst, judge_cell(s, &s->cell[c], height, &print));
	if (!(worst <= 1e-9))
		prog_wrong(&s->paper.prog, "a point is off by %.3e", worst);
	MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	print = paper_sum(print);
	paper_right(&s->paper,
		"%ld x %ld x %ld points, %ld steps, error %.1e, points are %016" PRIx64, s->n, s->n,
		s->n, s->steps, all, print);
}

int main(int argc, char **argv)
{
	struct sweeps s = {.paper.steps = STEPS_DEFAULT, .n = 64, .steps = 100};
	const struct prog_option options[] = {
		{"size", NULL, PROG_LONG, &s.n, 1, "points along an edge (default 64)"},
		{"-steps", "N", PROG_LONG, &s.steps, 1, "(default 100)"},
		PAPER_OPTIONS(s.paper),
	};

	MPI_Init(&argc, &argv);
	s.paper.prog = (struct prog){"sweeps", "heat in a cube, by sweeps along its lines", options,
		sizeof options / sizeof *options, 0, 1};
	paper_begin(&s.paper, argc, argv);
	paper_at_most(&s.paper, "points along an edge", s.n, SIZE_MOST);
	place(&s);
	make(&s);
	paper_start(&s.paper, s.steps);
	while (s.paper.step < s.steps) {
		step(&s);
		paper_step(&s.paper);
	}
	paper_stop(&s.paper);
	judge(&s);
	for (int c = 0; c < s.q; c++)
		free(s.cell[c].u);
	free(s.cell);
	free(s.in[0]);
	free(s.pivot);
	MPI_Finalize();
	return 0;
}
