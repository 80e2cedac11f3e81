/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call that this version does not have says: one rank, errors returned. */
#include <stdio.h>

#include "mpi.h"

int main(int argc, char **argv)
{
	char text[MPI_MAX_ERROR_STRING];
	int provided = 0, tools = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	int class = MPI_SUCCESS, len = 0;
	MPI_Session session = MPI_SESSION_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Error_class(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), &class);
	MPI_Error_string(class, text, &len);
	printf("tools %d class %d text %d untouched %d\n", tools, class, len > 0,
		session == MPI_SESSION_NULL);
	return MPI_Finalize();
}
