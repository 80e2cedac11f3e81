/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a profiler's own MPI_Wtime, which must win over the library's weak one, while a
 * call that the profiler leaves alone comes from the library. Needs no MPI_Init. */
#include <stdio.h>

#include "mpi.h"

static int calls;

double MPI_Wtime(void)
{
	calls++;
	return PMPI_Wtime();
}

int main(void)
{
	double first = MPI_Wtime(), second = MPI_Wtime();
	int version, subversion;

	if (MPI_Get_version(&version, &subversion) != MPI_SUCCESS)
		return 1;
	printf("calls %d forward %d version %d.%d\n", calls, second >= first, version, subversion);
	return 0;
}
