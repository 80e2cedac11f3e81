/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls that this version does not have say: one rank. Errors of files return from the start,
 * or are told to the handler that the program sets for them. */
#include <stdio.h>

#include "mpi.h"

static int told;

static void tell(MPI_File *file, int *code, ...)
{
	told += *file == MPI_FILE_NULL && *code == MPI_ERR_UNSUPPORTED_OPERATION;
}

int main(int argc, char **argv)
{
	char text[MPI_MAX_ERROR_STRING];
	int class = MPI_SUCCESS, len = 0;
	MPI_File file = MPI_FILE_NULL;

	MPI_Errhandler teller;

	MPI_Init(&argc, &argv);
	MPI_Error_class(
		MPI_File_open(MPI_COMM_SELF, "nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
		&class);
	MPI_Error_string(class, text, &len);
	printf("class %d text %d untouched %d\n", class, len > 0, file == MPI_FILE_NULL);
	MPI_File_create_errhandler(tell, &teller);
	MPI_File_set_errhandler(MPI_FILE_NULL, teller);
	MPI_File_delete("nowhere", MPI_INFO_NULL);
	MPI_Errhandler_free(&teller);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Error_class(MPI_Lookup_name("nobody", MPI_INFO_NULL, text), &class);
	printf("told %d class %d\n", told, class);
	return MPI_Finalize();
}
