/* SPDX-License-Identifier: BSD-3-Clause */
/* What each rank of a job of several parts is: its part, directory, argument and environment. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "-";
}

int main(int argc, char **argv)
{
	char where[PATH_MAX] = "?", most[MPI_MAX_INFO_VAL] = "?";
	int rank, size, *part, found, len = sizeof most;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &part, &found);
	MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &len, most, &found);
	if (!getcwd(where, sizeof where))
		return 1;
	printf("%d of %d: part %d, maxprocs %s, %s, in %s, A=%s B=%s C=%s\n", rank, size, *part,
		most, argc > 1 ? argv[1] : "-", where, variable("PARTS_A"), variable("PARTS_B"),
		variable("PARTS_C"));
	MPI_Finalize();
	return 0;
}
