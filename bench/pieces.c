/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What else runs while ranks compute:
 *
 *	pieces SECONDS
 *
 * Pi by the Monte Carlo method, as bin/tests/programs/apps/pi does it, in pieces of half a millisecond.
 * After each ROUND of them, a tenth of a second, the counts are summed at rank 0: not more often,
 *as messages wake other threads, too. At the end rank 0 prints the pieces of everybody, a line a
 * round:
 *
 *	pieces RANK NANOSECONDS:SWITCHES ...
 *
 * SWITCHES says how often the rank's computing thread gave way to another one in that piece. All
 * pieces are equal work, and what else is done on the way is outside of them.
 */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUND = 200, TRIALS = 20, TRIAL_POINTS = 50000, SECONDS_MAX = 60 };

static const double PIECE = 0.0005; /* seconds */

struct piece {
	int64_t ns, switches;
};

static int rank, size;

static void wrong(const char *what)
{
	fprintf(stderr, "pieces: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static double coordinate(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int64_t throw_points(uint64_t *state, int64_t n)
{
	int64_t inside = 0;

	for (int64_t i = 0; i < n; i++) {
		double x = coordinate(state), y = coordinate(state);

		inside += x * x + y * y < 1;
	}
	return inside;
}

static struct piece stand(void)
{
	struct timespec t;
	struct rusage u;

	clock_gettime(CLOCK_MONOTONIC, &t);
	getrusage(RUSAGE_THREAD, &u);
	return (struct piece){(int64_t)t.tv_sec * 1000000000 + t.tv_nsec, u.ru_nvcsw + u.ru_nivcsw};
}

/* How many points make a piece, the same for all: by the fastest of a few trials. */
static int64_t points_of_piece(uint64_t *state)
{
	int64_t best = INT64_MAX, points;

	for (int i = 0; i < TRIALS; i++) {
		int64_t from = stand().ns, took;

		if (throw_points(state, TRIAL_POINTS) == 0)
			wrong("no point was in the circle");
		took = stand().ns - from;
		best = took < best ? took : best;
	}
	points = (int64_t)(PIECE * 1e9 * TRIAL_POINTS / (double)(best > 0 ? best : 1)) + 1;
	MPI_Bcast(&points, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
	return points;
}

static int64_t play_round(uint64_t *state, int64_t points, struct piece *pieces)
{
	struct piece before = stand();
	int64_t mine = 0, sum = 0;

	for (int i = 0; i < ROUND; i++) {
		struct piece after;

		mine += throw_points(state, points);
		after = stand();
		pieces[i] = (struct piece){after.ns - before.ns, after.switches - before.switches};
		before = after;
	}
	MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	return sum;
}

static void print_rounds(int of, const struct piece *pieces, int rounds)
{
	for (int r = 0; r < rounds; r++, pieces += ROUND) {
		printf("pieces %d", of);
		for (int i = 0; i < ROUND; i++)
			printf(" %lld:%lld", (long long)pieces[i].ns,
				(long long)pieces[i].switches);
		putchar('\n');
	}
}

static void print_all(const struct piece *mine, int rounds)
{
	int numbers = rounds * ROUND * 2;
	struct piece *all = NULL;

	if (rank == 0 && (all = calloc((size_t)size * (size_t)rounds * ROUND, sizeof *all)) == NULL)
		wrong("no memory for the pieces of all ranks");
	MPI_Gather(mine, numbers, MPI_INT64_T, all, numbers, MPI_INT64_T, 0, MPI_COMM_WORLD);
	for (int r = 0; rank == 0 && r < size; r++)
		print_rounds(r, all + (size_t)r * (size_t)rounds * ROUND, rounds);
	free(all);
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0, sum = 0;
	struct piece *pieces;
	uint64_t state;
	int64_t points;
	int rounds;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!(seconds > 0 && seconds <= SECONDS_MAX))
		wrong("usage: pieces SECONDS (at most 60)");
	rounds = (int)ceil(seconds / PIECE / ROUND);
	pieces = calloc((size_t)rounds * ROUND, sizeof *pieces);
	if (pieces == NULL)
		wrong("no memory for the pieces");
	state = (uint64_t)rank << 40;
	points = points_of_piece(&state);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < rounds; i++)
		sum += (double)play_round(&state, points, pieces + (size_t)i * ROUND);
	sum *= 4 / ((double)points * ROUND * rounds * size);
	if (rank == 0 && !(fabs(sum - M_PI) < 0.01))
		wrong("the sum is not pi");
	print_all(pieces, rounds);
	MPI_Finalize();
	free(pieces);
	return 0;
}
