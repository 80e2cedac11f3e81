/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long FTMPI_Perform_Checkpoint keeps a program that does not wait for the line:
 *
 *	stall BYTES LINES
 *
 * Each rank protects BYTES and makes LINES + 1 recovery lines; in turns with each, all copy the
 *same bytes by memcpy to memory that they have written before. Rank 0 prints "stall BYTES CALL
 *COPY" for all lines but the first: microseconds on the slowest rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftmpi.h>

enum { ID = 1, BYTES_MAX = 1 << 30 };

static char *data, *copy;
static long bytes;
static volatile char seen;

static void wrong(const char *what)
{
	fprintf(stderr, "stall: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* The program has worked on what it saves: both find it alike in the caches. */
static void work(int line)
{
	memset(data, line, (size_t)bytes);
	MPI_Barrier(MPI_COMM_WORLD);
}

static double copying(int line)
{
	double from;

	work(line);
	from = MPI_Wtime();
	memcpy(copy, data, (size_t)bytes);
	seen = copy[line % bytes];
	return MPI_Wtime() - from;
}

/* The line is written and committed before anything else is measured. */
static double calling(int line)
{
	double from, took;
	int got;

	work(line);
	from = MPI_Wtime();
	got = FTMPI_Perform_Checkpoint();
	took = MPI_Wtime() - from;
	if (got != FTMPI_CHECKPOINTED || FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		wrong("there is no recovery line");
	return took;
}

int main(int argc, char **argv)
{
	int rank, lines;

	MPI_Init(&argc, &argv);
	FTMPI_Restore();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bytes = argc == 3 ? atol(argv[1]) : 0;
	lines = argc == 3 ? atoi(argv[2]) : 0;
	if (bytes < 1 || bytes > BYTES_MAX || lines < 1)
		wrong("usage: stall BYTES LINES");
	data = malloc((size_t)bytes);
	copy = malloc((size_t)bytes);
	if (data == NULL || copy == NULL)
		wrong("no memory");
	memset(copy, 1, (size_t)bytes);
	if (FTMPI_CKPT_Protect(ID, data, bytes, MPI_BYTE) != MPI_SUCCESS)
		wrong("FTMPI_CKPT_Protect failed");
	for (int i = 0; i <= lines; i++) {
		double took[2] = {0, 0}, slowest[2];

		took[1] = i % 2 ? copying(i) : 0;
		took[0] = calling(i);
		took[1] = i % 2 ? took[1] : copying(i);
		MPI_Reduce(took, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (rank == 0 && i > 0)
			printf("stall %ld %.3f %.3f\n", bytes, 1e6 * slowest[0], 1e6 * slowest[1]);
	}
	MPI_Finalize();
	free(data);
	free(copy);
	return 0;
}
