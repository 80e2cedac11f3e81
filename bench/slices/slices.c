/* SPDX-License-Identifier: BSD-3-Clause */
#include "slices.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_job.h"
#include "mpi/engine/engine.h"
#include <mpi.h>
#include "mpi/p2p/p2p_saved.h"

/* Slices that are compared with each other: as many with logging as without. */
enum { TOGETHER = 16 };

static struct {
	double *seconds;
	int n, most;
	uint64_t seed;
	double begin;
} s;

/* One of each two, and which one is a matter of chance: what the program does in turn shall not
 * fall on the same side always. */
static int with_logging(int slice)
{
	uint64_t x = s.seed + (uint64_t)(slice / 2) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (int)(((x >> 40) ^ (uint64_t)slice) & 1);
}

static void log_messages(int yes)
{
	engine_lock();
	p2p_coordinate(yes ? &ckpt_job()->coord : NULL, ckpt_drive);
	engine_unlock();
}

void slices_begin(int most)
{
	s.most = most;
	s.n = -1;
	s.seed = (uint64_t)getpid();
	MPI_Bcast(&s.seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	s.seconds = calloc((size_t)most, sizeof *s.seconds);
	if (s.seconds == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	log_messages(0);
}

void slices_turn(double now)
{
	if (s.n >= s.most)
		return;
	if (s.n >= 0)
		s.seconds[s.n] = now - s.begin;
	s.n++;
	log_messages(with_logging(s.n));
	s.begin = now;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, ascending);
	return n > 0 ? (x[(n - 1) / 2] + x[n / 2]) / 2 : NAN;
}

static void sum_up(const double *all)
{
	int n = s.n / TOGETHER;
	double *ratios = calloc((size_t)n + 1, sizeof *ratios);
	double *off = calloc((size_t)n + 1, sizeof *off), without;

	if (ratios == NULL || off == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < n * TOGETHER; i++)
		*(with_logging(i) ? &ratios[i / TOGETHER] : &off[i / TOGETHER]) += all[i];
	for (int i = 0; i < n; i++)
		ratios[i] /= off[i];
	without = median(off, n);
	printf("slices %.9f %.9f\n", without * median(ratios, n), without);
	free(ratios);
	free(off);
}

void slices_say(void)
{
	double *all = calloc((size_t)s.most, sizeof *all);
	int rank;

	log_messages(1);
	if (all == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Reduce(s.seconds, all, s.most, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		sum_up(all);
	free(all);
	free(s.seconds);
}
