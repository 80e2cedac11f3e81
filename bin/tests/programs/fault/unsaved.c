/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checkpoint of data cannot hold under message logging: the call says so, twice, and the
 * program goes on. Two ranks. */
#include <ftmpi.h>
#include <stdio.h>
#include <string.h>

#include "prog.h"

static struct prog prog = {.name = "unsaved", .text = "is not saved as something is open"};
static int other, in, out = 7;
static MPI_Request request = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;
static MPI_Comm graph, copy;

static void begin(const char *what)
{
	if (strcmp(what, "cancelled") == 0) {
		MPI_Irecv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
		MPI_Cancel(&request);
	} else if (strcmp(what, "freed") == 0) {
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
		MPI_Irecv(&in, 1, MPI_INT, other, 1, copy, &request);
		MPI_Isend(&out, 1, MPI_INT, other, 1, copy, &second);
		MPI_Comm_free(&copy);
	} else if (strcmp(what, "graph") == 0) {
		MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
			MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	} else if (strcmp(what, "partitioned") == 0) {
		MPI_Psend_init(
			&out, 1, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Request_free(&request);
	}
}

static void end(const char *what)
{
	if (strcmp(what, "any-source") == 0)
		MPI_Send(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
	if (strcmp(what, "graph") == 0)
		MPI_Comm_free(&graph);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Wait(&second, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *what;
	int saved;

	MPI_Init(&argc, &argv);
	what = argc > 1 ? argv[1] : "";
	prog.rank = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &prog.rank);
	other = 1 - prog.rank;
	if (strcmp(what, "any-source") == 0)
		MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
	if (strcmp(what, "no-restore") != 0)
		FTMPI_Restore();
	begin(what);
	saved = FTMPI_Perform_Checkpoint() != FTMPI_CKPTERROR ||
		FTMPI_Perform_Checkpoint() != FTMPI_CKPTERROR;
	MPI_Barrier(MPI_COMM_WORLD); /* nothing ends before both have tried */
	end(what);
	if (saved)
		prog_wrong(&prog, "%s: there is a checkpoint", what);
	if (prog.rank == 0)
		printf("unsaved: right\n");
	MPI_Finalize();
	return 0;
}
