/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call that this version does not have says: one rank, errors returned. */
#include <stdio.h>

#include "mpi.h"

int main(int argc, char **argv)
{
	char text[MPI_MAX_ERROR_STRING];
	int class = MPI_SUCCESS, len = 0;
	MPI_File file = MPI_FILE_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Error_class(
		MPI_File_open(MPI_COMM_SELF, "nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
		&class);
	MPI_Error_string(class, text, &len);
	printf("class %d text %d untouched %d\n", class, len > 0, file == MPI_FILE_NULL);
	return MPI_Finalize();
}
