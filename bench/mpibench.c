/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurements by one MPI program, the same source for every implementation:
 *
 *	mpibench SECONDS NAME:BYTES...
 *
 * Rank 0 prints a line "NAME BYTES NUMBER" as each is done; ops.c has the names and units. How
 * often an operation is repeated follows from how long it takes here: what spins on a crowded core
 * is measured for as long as what sleeps, not for as many rounds.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpibench.h"

enum { ROUNDS_MAX = 10000000, PIECES = 8 };

int rank, size, bytes;
char *in, *out;

static double seconds_one_by_one(void (*run)(void), long rounds)
{
	double sum = 0;

	for (long i = 0; i < rounds; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double t = MPI_Wtime();

		run();
		sum += MPI_Wtime() - t;
	}
	return sum;
}

static double seconds_for(const struct bench *b, long rounds)
{
	double t = MPI_Wtime();

	if (b->synchronised)
		return seconds_one_by_one(b->run, rounds);
	for (long i = 0; i < rounds; i++)
		b->run();
	return MPI_Wtime() - t;
}

/* How many rounds take about `budget` seconds. Rounds are doubled until a good part of it is spent;
 * the barrier is inside the time, for a root that only sends is done long before the others. */
static long rounds_within(const struct bench *b, double budget)
{
	long tried = 1, rounds = 0;

	b->run();
	MPI_Barrier(MPI_COMM_WORLD);
	while (rounds == 0) {
		double t = MPI_Wtime();

		seconds_for(b, tried);
		MPI_Barrier(MPI_COMM_WORLD);
		t = MPI_Wtime() - t;
		if (t >= budget / PIECES || tried >= ROUNDS_MAX)
			rounds = (long)fmin(ROUNDS_MAX, fmax(1, (double)tried * budget / t));
		MPI_Bcast(&rounds, 1, MPI_LONG, 0, MPI_COMM_WORLD);
		tried *= 2;
	}
	return rounds;
}

/* Seconds of one run, the slowest rank's. */
static double timed(const struct bench *b, double budget)
{
	double piece = b->window > 0 ? b->window : budget, mine = HUGE_VAL, slowest = 0;
	long rounds = rounds_within(b, piece);

	MPI_Barrier(MPI_COMM_WORLD);
	for (double left = budget; left > piece / 2; left -= piece)
		mine = fmin(mine, seconds_for(b, rounds) / (double)rounds);
	MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return slowest;
}

static void measure(const struct bench *b, double budget)
{
	double number;
	size_t each = b->own_buffers ? 1 : (size_t)bytes + 8;

	if (b->messages > 0)
		each *= (size_t)b->messages;
	out = calloc((size_t)size, each);
	in = calloc((size_t)size, each);
	if (out == NULL || in == NULL) {
		fprintf(stderr, "mpibench: no memory for %s of %d bytes\n", b->name, bytes);
		MPI_Abort(MPI_COMM_WORLD, 1);
		exit(1);
	}
	number = b->run != NULL ? b->shown(timed(b, budget)) : b->number();
	if (rank == 0) {
		printf("%s %d %.4f\n", b->name, bytes, number);
		fflush(stdout);
	}
	free(in);
	free(out);
}

/* NAME:BYTES; NULL when it is not that. */
static const struct bench *parsed(const char *word)
{
	const char *colon = strchr(word, ':');
	char name[32], *end;
	long n;

	if (colon == NULL || (size_t)(colon - word) >= sizeof name)
		return NULL;
	memcpy(name, word, (size_t)(colon - word));
	name[colon - word] = '\0';
	n = strtol(colon + 1, &end, 10);
	if (end == colon + 1 || *end != '\0' || n < 0 || n > MESSAGE_MAX)
		return NULL;
	bytes = (int)n;
	return bench_find(name);
}

static void refuse(const char *word)
{
	if (rank == 0)
		fprintf(stderr,
			"mpibench: '%s' is not what can be measured; usage: mpibench SECONDS "
			"NAME:BYTES...\n",
			word);
	MPI_Finalize();
	exit(2);
}

int main(int argc, char **argv)
{
	double budget = argc > 2 ? atof(argv[1]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!(budget > 0 && budget <= 60))
		refuse(argc > 1 ? argv[1] : "");
	for (int i = 2; i < argc; i++)
		if (parsed(argv[i]) == NULL)
			refuse(argv[i]);
	for (int i = 2; i < argc; i++)
		measure(parsed(argv[i]), budget);
	MPI_Finalize();
	return 0;
}
