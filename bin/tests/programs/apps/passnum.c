/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * passnum: a number goes round the ring; each rank adds its rank + 1 and passes it on. After L
 * loops the number is L * P(P+1)/2, modulo 2^64.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#include "prog.h"

enum { TAG = 7 };

/* What rank has in hand after adding its part in loop number `loop` (from 0). */
static uint64_t expected(const struct prog *prog, uint64_t loop)
{
	uint64_t p = (uint64_t)prog->size, r = (uint64_t)prog->rank;
	return loop * (p * (p + 1) / 2) + (r + 1) * (r + 2) / 2;
}

static void check(const struct prog *prog, uint64_t number, long loop)
{
	uint64_t want = expected(prog, (uint64_t)loop);
	if (number != want)
		prog_wrong(prog, "in loop %ld the number is %" PRIu64 ", not %" PRIu64, loop,
			number, want);
}

/* Rank 0 begins each loop; the send is non-blocking so that one rank alone can pass to itself. */
static uint64_t lead(const struct prog *prog, long loops)
{
	uint64_t number = 0;
	for (long i = 0; i < loops; i++) {
		MPI_Request request;
		uint64_t out = number + 1;
		check(prog, out, i);
		MPI_Isend(&out, 1, MPI_UINT64_T, 1 % prog->size, TAG, MPI_COMM_WORLD, &request);
		MPI_Recv(&number, 1, MPI_UINT64_T, prog->size - 1, TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return number;
}

static void follow(const struct prog *prog, long loops)
{
	int next = (prog->rank + 1) % prog->size;
	for (long i = 0; i < loops; i++) {
		uint64_t number = 0;
		MPI_Recv(&number, 1, MPI_UINT64_T, prog->rank - 1, TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		number += (uint64_t)prog->rank + 1;
		check(prog, number, i);
		MPI_Send(&number, 1, MPI_UINT64_T, next, TAG, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	long loops = 10000;
	const struct prog_option options[] = {
		{"loops", NULL, PROG_LONG, &loops, 0, "how many times round (default 10000)"},
	};
	struct prog prog = {"passnum", "passes a number round the ring", options, 1, 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	double begin = MPI_Wtime();
	if (prog.rank == 0) {
		uint64_t p = (uint64_t)prog.size;
		uint64_t number = lead(&prog, loops), want = (uint64_t)loops * (p * (p + 1) / 2);
		if (number != want)
			prog_wrong(&prog, "the number is %" PRIu64 ", not %" PRIu64, number, want);
		printf("passnum: right, number %" PRIu64 " after %ld loops, %d ranks, %.3f s\n",
			number, loops, prog.size, MPI_Wtime() - begin);
	} else {
		follow(&prog, loops);
	}
	MPI_Finalize();
	return 0;
}
