/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One measurement by one MPI program, the same source for every implementation:
 *
 *	mpibench pingpong BYTES ROUNDS     microseconds one way, ranks 0 and 1
 *	mpibench rate BYTES ROUNDS         messages a second, windows of 64 from rank 0 to 1
 *	mpibench barrier|bcast|reduce|allreduce|allgather|alltoall|gather|scatter|scan BYTES ROUNDS
 *	                                   microseconds an operation, the slowest rank's
 *	mpibench start 0 0                 starts, meets in a barrier, ends
 *
 * Rank 0 prints one number. A tenth of the rounds goes ahead uncounted.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64 };

static int rank, size, bytes, rounds;
static char *in, *out;

static void pingpong(void)
{
	int peer = 1 - rank;

	if (rank > 1)
		return;
	if (rank == 0)
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
	MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
}

static void window(void)
{
	MPI_Request request[WINDOW];
	char word = 0;

	if (rank > 1)
		return;
	for (int i = 0; i < WINDOW; i++) {
		if (rank == 0)
			MPI_Isend(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[i]);
		else
			MPI_Irecv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request[i]);
	}
	MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
	if (rank == 0)
		MPI_Recv(&word, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&word, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
	MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
	MPI_Reduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
	MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(void)
{
	MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(void)
{
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void gather(void)
{
	MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
	MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
	MPI_Scan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
	const char *name;
	void (*run)(void);
} benches[] = {
	{"pingpong", pingpong},
	{"rate", window},
	{"barrier", barrier},
	{"bcast", bcast},
	{"reduce", reduce},
	{"allreduce", allreduce},
	{"allgather", allgather},
	{"alltoall", alltoall},
	{"gather", gather},
	{"scatter", scatter},
	{"scan", scan},
	{"start", barrier},
};

enum { BENCHES = sizeof benches / sizeof *benches };

static double seconds_of(void (*run)(void))
{
	double t;

	for (int i = 0; i < rounds / 10; i++)
		run();
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	for (int i = 0; i < rounds; i++)
		run();
	return MPI_Wtime() - t;
}

static void report(const char *name, double seconds)
{
	if (strcmp(name, "pingpong") == 0)
		printf("%.3f\n", seconds / rounds / 2 * 1e6);
	else if (strcmp(name, "rate") == 0)
		printf("%.0f\n", (double)rounds * WINDOW / seconds);
	else
		printf("%.3f\n", seconds / (rounds ? rounds : 1) * 1e6);
}

int main(int argc, char **argv)
{
	double mine, all = 0;
	int which = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	while (argc == 4 && which < BENCHES && strcmp(argv[1], benches[which].name) != 0)
		which++;
	if (argc != 4 || which == BENCHES) {
		fprintf(stderr, "usage: mpibench NAME BYTES ROUNDS\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	bytes = atoi(argv[2]);
	rounds = atoi(argv[3]);
	out = calloc((size_t)size, (size_t)bytes + 8);
	in = calloc((size_t)size, (size_t)bytes + 8);
	mine = seconds_of(benches[which].run);
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		report(argv[1], all);
	free(in);
	free(out);
	MPI_Finalize();
	return 0;
}
