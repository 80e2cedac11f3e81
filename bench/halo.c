/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * halo:N smooths N x N points on a torus: each point becomes the mean of its four neighbours,
 * SWEEPS times. The ranks form a torus, too; each has a block of points, and before a sweep it
 * exchanges its edges with four neighbours, columns as MPI_Type_vector.
 *
 * The points begin as a wave, which is an eigenvector of a sweep: what each has to be is known.
 */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "kernel.h"
#include "mpibench.h"

enum { SWEEPS = 20, DOWN_WAVES = 1, ACROSS_WAVES = 2 };
enum side { UP, DOWN, LEFT, RIGHT, SIDES };

struct halo {
	long n, top, left, height, width; /* of all points; of those of this rank */
	int neighbour[SIDES];
	MPI_Comm torus;
	MPI_Datatype column;
	double *now, *next; /* (height + 2) x (width + 2) */
};

static double *at(const struct halo *h, double *of, long i, long j)
{
	return of + i * (h->width + 2) + j;
}

static double angle(const struct halo *h, int waves)
{
	return 2 * M_PI * waves / (double)h->n;
}

static double wave(const struct halo *h, long i, long j, int run)
{
	return sin(angle(h, DOWN_WAVES) * (double)(h->top + i - 1) + run) *
	       cos(angle(h, ACROSS_WAVES) * (double)(h->left + j - 1));
}

static void place(struct halo *h)
{
	int dims[2] = {0, 0}, round[2] = {1, 1}, mine[2], me;

	MPI_Dims_create(size, 2, dims);
	if (h->n < dims[0] || h->n < dims[1] || h->n > 20000)
		kernel_wrong("halo: %ld points along an edge are not for %d x %d ranks", h->n,
			dims[0], dims[1]);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, round, 0, &h->torus);
	MPI_Comm_rank(h->torus, &me);
	MPI_Cart_coords(h->torus, me, 2, mine);
	MPI_Cart_shift(h->torus, 0, 1, &h->neighbour[UP], &h->neighbour[DOWN]);
	MPI_Cart_shift(h->torus, 1, 1, &h->neighbour[LEFT], &h->neighbour[RIGHT]);
	h->top = kernel_first(h->n, dims[0], mine[0]);
	h->left = kernel_first(h->n, dims[1], mine[1]);
	h->height = kernel_first(h->n, dims[0], mine[0] + 1) - h->top;
	h->width = kernel_first(h->n, dims[1], mine[1] + 1) - h->left;
	MPI_Type_vector((int)h->height, 1, (int)h->width + 2, MPI_DOUBLE, &h->column);
	MPI_Type_commit(&h->column);
}

/* The tag of a message is the side that it leaves by: two neighbours may be the same rank. */
static void exchange(const struct halo *h, double *a)
{
	long bottom = h->height, right = h->width;
	const struct {
		double *edge, *beyond;
		int count;
		MPI_Datatype type;
		enum side opposite;
	} sides[SIDES] = {
		[UP] = {at(h, a, 1, 1), at(h, a, 0, 1), (int)right, MPI_DOUBLE, DOWN},
		[DOWN] = {at(h, a, bottom, 1), at(h, a, bottom + 1, 1), (int)right, MPI_DOUBLE, UP},
		[LEFT] = {at(h, a, 1, 1), at(h, a, 1, 0), 1, h->column, RIGHT},
		[RIGHT] = {at(h, a, 1, right), at(h, a, 1, right + 1), 1, h->column, LEFT},
	};
	MPI_Request request[2 * SIDES];

	for (int s = 0; s < SIDES; s++)
		MPI_Irecv(sides[s].beyond, sides[s].count, sides[s].type, h->neighbour[s],
			(int)sides[s].opposite, h->torus, &request[s]);
	for (int s = 0; s < SIDES; s++)
		MPI_Isend(sides[s].edge, sides[s].count, sides[s].type, h->neighbour[s], s,
			h->torus, &request[SIDES + s]);
	MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
}

static void before(void *self, int run)
{
	struct halo *h = self;

	for (long i = 1; i <= h->height; i++)
		for (long j = 1; j <= h->width; j++)
			*at(h, h->now, i, j) = wave(h, i, j, run);
}

static void smooth(void *self)
{
	struct halo *h = self;
	long line = h->width + 2;

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		double *from = h->now;

		exchange(h, from);
		for (long i = 1; i <= h->height; i++) {
			const double *restrict a = from + i * line;
			double *restrict b = h->next + i * line;

			for (long j = 1; j <= h->width; j++)
				b[j] = 0.25 * (a[j - 1] + a[j + 1] + a[j - line] + a[j + line]);
		}
		h->now = h->next;
		h->next = from;
	}
}

static void after(void *self, int run)
{
	const struct halo *h = self;
	double left = pow((cos(angle(h, DOWN_WAVES)) + cos(angle(h, ACROSS_WAVES))) / 2, SWEEPS);

	for (long i = 1; i <= h->height; i++)
		for (long j = 1; j <= h->width; j++) {
			double off = fabs(*at(h, h->now, i, j) - left * wave(h, i, j, run));

			if (!(off <= 1e-10))
				kernel_wrong("halo: point %ld, %ld of run %d is off by %.3e",
					h->top + i - 1, h->left + j - 1, run, off);
		}
}

double halo(void)
{
	struct halo h = {.n = bytes};
	long points;
	double ms;

	place(&h);
	points = (h.height + 2) * (h.width + 2);
	h.now = kernel_array(points, sizeof *h.now);
	h.next = kernel_array(points, sizeof *h.next);
	ms = kernel_ms(&(const struct kernel){before, smooth, after}, &h);
	free(h.next);
	free(h.now);
	MPI_Type_free(&h.column);
	MPI_Comm_free(&h.torus);
	return ms;
}
