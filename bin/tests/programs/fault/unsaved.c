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
static MPI_Message message;
static MPI_Comm copy, for_sums[2];

static void begin(const char *what)
{
	if (strcmp(what, "open-send") == 0)
		MPI_Isend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
	else if (strcmp(what, "cancelled") == 0) {
		MPI_Irecv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
		MPI_Cancel(&request);
	} else if (strcmp(what, "open-sum") == 0)
		MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, for_sums[prog.rank], &request);
	else if (strcmp(what, "copy") == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	else if (strcmp(what, "found") == 0) {
		MPI_Send(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
		MPI_Mprobe(other, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	}
}

static void end(const char *what)
{
	if (strcmp(what, "found") == 0)
		MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	if (strcmp(what, "open-send") == 0)
		MPI_Recv(&in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (strcmp(what, "any-source") == 0)
		MPI_Send(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
	if (strcmp(what, "copy") == 0)
		MPI_Comm_free(&copy);
	if (strcmp(what, "open-sum") == 0)
		MPI_Iallreduce(&out, &in, 1, MPI_INT, MPI_SUM, for_sums[other], &second);
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
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &for_sums[i]);
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
