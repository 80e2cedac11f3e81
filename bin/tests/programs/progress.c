/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long message arrives while both sides compute: rank 1 posts its receive, rank 0 starts its send,
 * and neither calls MPI until the last byte is there. Only the progress threads can bring it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prog.h"

enum { BYTES = 1 << 20, DEADLINE_S = 20, ROUNDS = 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Computes until the byte is `want`. */
static int compute_until(const volatile unsigned char *byte, unsigned char want)
{
	double until = now() + DEADLINE_S;
	volatile double work = 1;

	while (*byte != want && now() < until)
		for (int i = 0; i < 10000; i++)
			work = work * 1.0000001 + 1e-9;
	return *byte == want;
}

/* Rank 0 has no sign that the message has gone: it computes a while. */
static void compute_for(double seconds)
{
	unsigned char never = 0;
	double until = now() + seconds;

	while (now() < until)
		(void)*(volatile unsigned char *)&never;
}

int main(int argc, char **argv)
{
	struct prog p = {.name = "progress", .text = "a long message arrives while both sides compute"};
	unsigned char *buf;

	MPI_Init(&argc, &argv);
	prog_begin(&p, argc, argv);
	buf = prog_alloc(&p, BYTES);
	for (int round = 1; round <= ROUNDS; round++) {
		MPI_Request request = MPI_REQUEST_NULL;

		memset(buf, p.rank == 0 ? round : 0, BYTES);
		MPI_Barrier(MPI_COMM_WORLD);
		if (p.rank == 0) {
			MPI_Isend(buf, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
			compute_for(0.05);
		} else if (p.rank == 1) {
			MPI_Irecv(buf, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
			if (!compute_until(buf + BYTES - 1, (unsigned char)round))
				prog_wrong(&p, "round %d: nothing came within %d s without a call", round,
					DEADLINE_S);
		}
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	if (p.rank == 0)
		printf("progress: right, %d rounds\n", ROUNDS);
	free(buf);
	MPI_Finalize();
	return 0;
}
