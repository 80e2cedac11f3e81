/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stuck CASE: ranks that wait for ever, each in a way of its own, so that what they print of their
 * queues can be read. "p2p": rank 0 waits in MPI_Recv and has other operations open, rank 1
 * computes, the others wait in a barrier. "wait": all wait in MPI_Recv.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "prog.h"

enum { GUARD_SECONDS = 300, LONG = 1 << 20 };

static const char *name;
static const struct prog_option options[] = {
	{"CASE", NULL, PROG_TEXT, &name, 0, "p2p or wait"},
};
static struct prog prog = {"stuck", "waits for ever", options, 1, 0, 1};

static void tell(const char *what)
{
	printf("rank %d %s\n", prog.rank, what);
	fflush(stdout);
}

static _Noreturn void compute(void)
{
	volatile unsigned long turns = 0;

	for (;;)
		turns++;
}

/* Two messages from rank 1 have come when it begins to wait. */
static void wait_with_queues(MPI_Comm pair)
{
	static char in[LONG], out[LONG];
	double d[4];
	MPI_Request open[3];
	MPI_Status status;

	MPI_Irecv(in, LONG, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &open[0]);
	MPI_Irecv(d, 4, MPI_DOUBLE, 2, 8, MPI_COMM_WORLD, &open[1]);
	MPI_Isend(out, LONG, MPI_CHAR, 0, 11, pair, &open[2]);
	MPI_Probe(0, 6, pair, &status);
	tell("waits");
	MPI_Recv(in, 20, MPI_CHAR, 0, 7, pair, &status);
}

static void run_p2p(void)
{
	int color = prog.rank < 2 ? 0 : MPI_UNDEFINED, number = 5;
	char text[100] = "";
	MPI_Comm pair;

	/* in the opposite order: rank 1 of the world is its rank 0 */
	MPI_Comm_split(MPI_COMM_WORLD, color, -prog.rank, &pair);
	if (prog.rank < 2)
		MPI_Comm_set_name(pair, "the pair");
	if (prog.rank == 0)
		wait_with_queues(pair);
	if (prog.rank == 1) {
		MPI_Send(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
		MPI_Send(text, 100, MPI_CHAR, 1, 6, pair);
		tell("computes");
		compute();
	}
	tell("waits");
	MPI_Barrier(MPI_COMM_WORLD);
}

static void run_wait(void)
{
	tell("waits");
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct prog_case cases[] = {{"p2p", run_p2p}, {"wait", run_wait}};

int main(int argc, char **argv)
{
	alarm(GUARD_SECONDS);
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	prog_case_named(&prog, cases, 2, name ? name : "(none)")->run();
	MPI_Finalize();
	return 0;
}
