// SPDX-License-Identifier: BSD-3-Clause
//
// Heat in a rod, in C++: as heat.c.
//
//	ftmpicxx -O2 -o heat heat.cpp
//	ftmpirun -ckpt-interval 1 -workdir work -n 4 ./heat 200000
#include <cstdio>
#include <cstdlib>
#include <ftmpi.h>
#include <vector>

int main(int argc, char **argv)
{
	const int cells = 1000, steps = argc > 1 ? std::atoi(argv[1]) : 200000;
	int step = 0, rank, ranks, due;
	double heat = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	std::vector<double> rod(cells + 2), next(cells + 2);
	for (int i = 1; i <= cells; i++)
		rod[i] = (rank * cells + i) % 100;

	// The address is kept: from here on the vector must not grow, nor be swapped with another.
	if (FTMPI_CKPT_Protect(0, &step, 1, MPI_INT) || FTMPI_CKPT_Protect(1, rod.data(), cells + 2, MPI_DOUBLE))
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (FTMPI_Restore() == FTMPI_RESTORED && rank == 0)
		std::printf("heat goes on at step %d\n", step);
	while (step < steps) {
		MPI_Sendrecv(&rod[1], 1, MPI_DOUBLE, left, 0, &rod[cells + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		MPI_Sendrecv(&rod[cells], 1, MPI_DOUBLE, right, 1, &rod[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		for (int i = 1; i <= cells; i++)
			next[i] = 0.25 * rod[i - 1] + 0.5 * rod[i] + 0.25 * rod[i + 1];
		for (int i = 1; i <= cells; i++)
			rod[i] = next[i];
		step++;
		FTMPI_Checkpoint_due(&due);
		if (due && FTMPI_Perform_Checkpoint() == FTMPI_CKPTERROR)
			std::fprintf(stderr, "heat: no checkpoint at step %d; it goes on\n", step);
	}
	for (int i = 1; i <= cells; i++)
		heat += rod[i];
	MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		std::printf("after %d steps the rod has %.9f\n", steps, all);
	return MPI_Finalize();
}
