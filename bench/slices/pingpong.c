/* SPDX-License-Identifier: BSD-3-Clause */
/* A ping-pong of 8 bytes in slices: pingpong SLICES. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "slices.h"

enum { TRIPS = 200, BYTES = 8 };

static void trip(int rank)
{
	char word[BYTES] = "";

	if (rank == 0)
		MPI_Send(word, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	MPI_Recv(word, BYTES, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(word, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, size, slices;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	slices = argc == 2 ? atoi(argv[1]) : 0;
	if (size != 2 || slices < 1 || slices > 1000000) {
		fprintf(stderr, "pingpong: two ranks, and one argument: how many slices\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	slices_begin(slices);
	for (int i = 0; i <= slices; i++) {
		slices_turn(MPI_Wtime());
		for (int n = 0; n < TRIPS; n++)
			trip(rank);
	}
	slices_say();
	MPI_Finalize();
	return 0;
}
