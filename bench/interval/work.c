/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job whose work, and whose recovery lines, take the time that they are told: work SECONDS COST.
 * Each step is 10 ms, in which nothing is computed, so that several of these jobs do not disturb
 * each other. A line is made when FTMPI_Checkpoint_due says so; the last rank is COST seconds late
 * for it, as one that has more to save, and all others wait for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ftmpi.h"

static void pass(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	while (nanosleep(&t, &t))
		;
}

int main(int argc, char **argv)
{
	int rank, size, due;
	long step = 0, steps;
	double cost;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) {
		fprintf(stderr, "usage: work SECONDS COST\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	steps = (long)(atof(argv[1]) / 0.01);
	cost = atof(argv[2]);
	if (FTMPI_CKPT_Protect(1, &step, 1, MPI_LONG) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	FTMPI_Restore();
	while (step < steps) {
		pass(0.01);
		step++;
		MPI_Barrier(MPI_COMM_WORLD);
		FTMPI_Checkpoint_due(&due);
		if (!due)
			continue;
		if (rank == size - 1)
			pass(cost);
		FTMPI_Perform_Checkpoint();
	}
	MPI_Finalize();
	return 0;
}
