/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A token goes round the ring of ranks:
 *
 *	token SECONDS
 *
 * Each rank adds its number to the token and passes it on. After SECONDS rank 0 ends that, and
 * checks the token. It prints, with times of CLOCK_MONOTONIC in ns,
 *
 *	begun TIME
 *	pause FROM TO		each round that took more than 5 ms
 *	token: right
 *
 * Rank 0 looks at the clock, so it is no rank to be killed under message logging; any other does
 * the same when it runs again.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_GOES_ON, TAG_ENDS, PAUSE_NS = 5000000 };

static int rank, size;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wrong(const char *what)
{
	fprintf(stderr, "token: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static int64_t once_round(int64_t token, int tag)
{
	MPI_Send(&token, 1, MPI_INT64_T, 1, tag, MPI_COMM_WORLD);
	MPI_Recv(&token, 1, MPI_INT64_T, size - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return token;
}

static void lead(double seconds)
{
	int64_t begun = now(), last = begun, end = begun + (int64_t)(seconds * 1e9);
	int64_t token = 0, rounds = 1;

	printf("begun %" PRId64 "\n", begun);
	fflush(stdout);
	for (; last < end; rounds++) {
		int64_t t;

		token = once_round(token, TAG_GOES_ON);
		t = now();
		if (t - last > PAUSE_NS)
			printf("pause %" PRId64 " %" PRId64 "\n", last, t);
		last = t;
	}
	token = once_round(token, TAG_ENDS);
	if (token != rounds * size * (size - 1) / 2)
		wrong("it is not what the ranks have added");
	printf("token: right\n");
}

static void follow(void)
{
	MPI_Status status = {.MPI_TAG = TAG_GOES_ON};

	while (status.MPI_TAG != TAG_ENDS) {
		int64_t token;

		MPI_Recv(&token, 1, MPI_INT64_T, rank - 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		token += rank;
		MPI_Send(&token, 1, MPI_INT64_T, (rank + 1) % size, status.MPI_TAG, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!(seconds > 0) || size < 2)
		wrong("usage: token SECONDS, with two ranks at least");
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		lead(seconds);
	else
		follow();
	MPI_Finalize();
	return 0;
}
