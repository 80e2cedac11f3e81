/* SPDX-License-Identifier: BSD-3-Clause */
/* Many receives posted at once: match:N. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpibench.h"

enum { WORD = 8 };

/* Rank 1 posts N receives with the tags 0 to N - 1 and says so; the messages of rank 0 come with
 * the last tag first. */
void matching_reverse(void)
{
	MPI_Request *request;
	int n = bytes;

	if (rank > 1)
		return;
	request = malloc(((size_t)n + 1) * sizeof *request);
	if (request == NULL) {
		fprintf(stderr, "mpibench: no memory for %d receives\n", n);
		MPI_Abort(MPI_COMM_WORLD, 1);
		exit(1);
	}
	if (rank == 0)
		MPI_Recv(NULL, 0, MPI_BYTE, 1, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++) {
		if (rank == 0)
			MPI_Isend(out, WORD, MPI_BYTE, 1, n - 1 - i, MPI_COMM_WORLD, &request[i]);
		else
			MPI_Irecv(in, WORD, MPI_BYTE, 0, i, MPI_COMM_WORLD, &request[i]);
	}
	if (rank == 1)
		MPI_Send(NULL, 0, MPI_BYTE, 0, n, MPI_COMM_WORLD);
	MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
	free(request);
}

double matching_us(double seconds)
{
	return seconds * 1e6 / (bytes > 0 ? bytes : 1);
}
