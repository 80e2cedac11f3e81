/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank costs by being there: memory:BYTES and waiting:SECONDS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "mpibench.h"
#include "resident.h"

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* MiB resident of the median rank after all have met and exchanged `bytes` with each other. */
double own_memory(void)
{
	double mine, median = 0, *all = malloc((size_t)size * sizeof *all);

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
	mine = resident_mib();
	MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		qsort(all, (size_t)size, sizeof *all, by_size);
		median = all[size / 2];
	}
	free(all);
	return median;
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* Per cent of a core that rank 1, all of its threads, uses while it is in MPI_Recv for `bytes`
 * seconds. Rank 0 spends them in the kernel, outside of MPI. */
double own_waiting(void)
{
	struct timespec pause = {.tv_sec = bytes};
	double used[2] = {0, 1};

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		nanosleep(&pause, NULL);
		MPI_Send(used, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(used, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		double cpu = cpu_seconds(), t = MPI_Wtime();

		MPI_Recv(used, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		used[0] = cpu_seconds() - cpu;
		used[1] = MPI_Wtime() - t;
		MPI_Send(used, 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
	return used[0] / used[1] * 100;
}
