/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat in a rod: each rank has a part of the cells and exchanges its ends with its neighbours.
 *
 *	ftmpicc -O2 -o heat heat.c
 *	ftmpirun -ckpt-interval 1 -workdir work -n 4 ./heat 200000
 *
 * Kill a rank (kill -9) after a second or two: the job comes back, and the answer is the same.
 */
#include <ftmpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1000 };

int main(int argc, char **argv)
{
	static double rod[CELLS + 2], next[CELLS + 2];
	int step = 0, steps = argc > 1 ? atoi(argv[1]) : 200000, rank, ranks, due;
	double heat = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	for (int i = 1; i <= CELLS; i++)
		rod[i] = (rank * CELLS + i) % 100;

	if (FTMPI_CKPT_Protect(0, &step, 1, MPI_INT) || FTMPI_CKPT_Protect(1, rod, CELLS + 2, MPI_DOUBLE))
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (FTMPI_Restore() == FTMPI_RESTORED && rank == 0)
		printf("heat goes on at step %d\n", step);
	while (step < steps) {
		MPI_Sendrecv(&rod[1], 1, MPI_DOUBLE, left, 0, &rod[CELLS + 1], 1, MPI_DOUBLE, right, 0,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&rod[CELLS], 1, MPI_DOUBLE, right, 1, &rod[0], 1, MPI_DOUBLE, left, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= CELLS; i++)
			next[i] = 0.25 * rod[i - 1] + 0.5 * rod[i] + 0.25 * rod[i + 1];
		for (int i = 1; i <= CELLS; i++)
			rod[i] = next[i];
		step++;
		FTMPI_Checkpoint_due(&due); /* -ckpt-interval has gone by */
		if (due && FTMPI_Perform_Checkpoint() == FTMPI_CKPTERROR)
			fprintf(stderr, "heat: no checkpoint at step %d; it goes on\n", step);
	}
	for (int i = 1; i <= CELLS; i++)
		heat += rod[i];
	MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("after %d steps the rod has %.9f\n", steps, all);
	return MPI_Finalize();
}
