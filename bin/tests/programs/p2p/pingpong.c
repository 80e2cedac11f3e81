/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between ranks 0 and 1: one there and one back, or windows of many one way that the
 * receiver answers with an empty one.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "prog.h"

enum { WINDOW_MAX = 1024, BYTES_MAX = 1 << 20 };

static long rounds = 1000, bytes = 8, window;
static unsigned char out[BYTES_MAX], in[BYTES_MAX];

static void say(int to)
{
	MPI_Send(out, (int)bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void hear(const struct prog *p, int from, long round)
{
	MPI_Recv(in, (int)bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	memset(out, (unsigned char)round, (size_t)bytes);
	if (memcmp(in, out, (size_t)bytes) != 0)
		prog_wrong(p, "round %ld: other bytes than were sent", round);
}

static void there_and_back(const struct prog *p, long round)
{
	memset(out, (unsigned char)round, (size_t)bytes);
	if (p->rank == 0)
		say(1);
	hear(p, 1 - p->rank, round);
	if (p->rank == 1)
		say(0);
}

static void one_way(const struct prog *p, long round)
{
	MPI_Request request[WINDOW_MAX];
	int n = (int)window;

	(void)round;
	for (int i = 0; i < n; i++) {
		if (p->rank == 0)
			MPI_Isend(out, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[i]);
		else
			MPI_Irecv(in, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request[i]);
	}
	MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
	if (p->rank == 0)
		MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const struct prog_option options[] = {
		{"-rounds", "N", PROG_LONG, &rounds, 1, "rounds; default 1000"},
		{"-bytes", "N", PROG_LONG, &bytes, 0, "bytes of a message; default 8"},
		{"-window", "N", PROG_LONG, &window, 1,
			"messages one way a round; default: ping-pong"},
	};
	struct prog p = {"pingpong", "messages between ranks 0 and 1", options, 3, 0, 0};

	MPI_Init(&argc, &argv);
	prog_begin(&p, argc, argv);
	if (p.size != 2 || bytes > BYTES_MAX || window > WINDOW_MAX)
		prog_wrong(&p, "needs 2 ranks, at most %d bytes and windows of %d", BYTES_MAX,
			WINDOW_MAX);
	for (long i = 0; i < rounds; i++)
		(window ? one_way : there_and_back)(&p, i);
	MPI_Barrier(MPI_COMM_WORLD);
	if (p.rank == 0)
		printf("pingpong: right, %ld rounds\n", rounds);
	MPI_Finalize();
	return 0;
}
