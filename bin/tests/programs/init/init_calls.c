/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * init_calls: the most basic calls. Prints argv before and after MPI_Init (which takes its own
 * arguments out), what MPI_Initialized and MPI_Finalized say, rank and size; every rank sends
 * 5 * rank to rank 0, which checks it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "prog.h"

enum { TAG = 5 };

static void show_arguments(int argc, char **argv)
{
	printf("Initial parameters [%d] :", argc);
	for (int i = 0; i < argc; i++)
		printf(" %s", argv[i]);
	printf("\n");
}

static int show_flag(const char *what, int (*query)(int *))
{
	int flag = -1;
	query(&flag);
	printf("%s? %s\n", what, flag ? "Yes" : "No");
	return flag;
}

static void gather_at_master(const struct prog *prog)
{
	for (int from = 1; from < prog->size; from++) {
		int number = -1;
		MPI_Status status;
		MPI_Recv(&number, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &status);
		printf("Received %d from %d.\n", number, from);
		if (number != from * 5)
			prog_wrong(prog, "rank %d sent %d, not %d", from, number, from * 5);
		if (status.MPI_SOURCE != from || status.MPI_TAG != TAG)
			prog_wrong(prog, "status of rank %d's message says source %d, tag %d", from,
				status.MPI_SOURCE, status.MPI_TAG);
	}
}

static void send_to_master(const struct prog *prog)
{
	int number = prog->rank * 5;
	MPI_Send(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
	printf("Sent %d to master.\n", number);
}

/* What is left of argv must still end with NULL, as C promises for main. */
static void check_arguments(const struct prog *prog, int argc, char **argv)
{
	if (argv[argc] != NULL)
		prog_wrong(prog, "argv[argc] is not NULL after MPI_Init");
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-ftmpi") == 0)
			prog_wrong(prog, "MPI_Init left -ftmpi in argv");
}

int main(int argc, char **argv)
{
	struct prog prog = {
		"init_calls", "the most basic MPI calls; takes any arguments", NULL, 0, 0, 1};
	show_arguments(argc, argv);
	int before = show_flag("Initialized", MPI_Initialized);
	int ended = 0;
	MPI_Init(&argc, &argv);
	show_arguments(argc, argv);
	/* any argument is welcome here, so only -h is read */
	prog_begin(&prog, argc > 1 && strcmp(argv[1], "-h") == 0 ? argc : 1, argv);
	int after = show_flag("Initialized", MPI_Initialized);
	printf("Size: %d Rank: %d\n", prog.size, prog.rank);
	if (before || !after)
		prog_wrong(&prog, "MPI_Initialized said %d before MPI_Init, %d after it", before,
			after);
	check_arguments(&prog, argc, argv);
	if (prog.rank == 0)
		gather_at_master(&prog);
	else
		send_to_master(&prog);
	ended = show_flag("Finalized", MPI_Finalized);
	if (ended)
		prog_wrong(&prog, "MPI_Finalized said yes before MPI_Finalize");
	MPI_Finalize();
	ended = show_flag("Finalized", MPI_Finalized);
	if (!ended || show_flag("Initialized", MPI_Initialized) != 1) {
		fprintf(stderr, "init_calls: rank %d: WRONG: flags after MPI_Finalize\n", prog.rank);
		return 1;
	}
	if (prog.rank == 0)
		printf("init_calls: right, %d ranks, %d arguments\n", prog.size, argc);
	return 0;
}
