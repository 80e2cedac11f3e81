/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_queues CASE: ranks that wait for ever, each in a way of its own, so that what they print of their
 * queues can be read. "p2p": rank 0 waits in MPI_Recv and has other operations open, rank 1
 * computes, the others wait in a barrier. "odd": rank 0 has what is no plain message, and what must
 * not be listed. "wait": all wait in MPI_Recv.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "prog.h"

enum { GUARD_SECONDS = 300, LONG = 1 << 20 };

static const char *name;
static const struct prog_option options[] = {
	{"CASE", NULL, PROG_TEXT, &name, 0, "p2p, odd or wait"},
};
static struct prog prog = {"dump_queues", "waits for ever", options, 1, 0, 1};

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

static int query(void *extra, MPI_Status *status)
{
	(void)extra;
	(void)status;
	return MPI_SUCCESS;
}

static int ended(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

/* One message is found, one nobody asks for, one is of a communicator that is freed when it is
 * here; one request is generalised, one of a barrier that rank 1 does not come to. A request that
 * was not started, and two that are done, are not waited for. */
static void have_odd_ones(MPI_Comm barrier, MPI_Comm gone)
{
	static int in[3];
	MPI_Request open[5];
	MPI_Message found;
	MPI_Status status;

	MPI_Mprobe(1, 1, MPI_COMM_WORLD, &found, &status);
	MPI_Probe(1, 3, gone, &status);
	MPI_Comm_free(&gone);
	MPI_Recv_init(&in[0], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &open[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &open[1]);
	MPI_Isend(&in[2], 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &open[2]);
	MPI_Grequest_start(query, ended, cancel, NULL, &open[3]);
	MPI_Ibarrier(barrier, &open[4]);
}

static void run_odd(void)
{
	int number = 5;
	MPI_Comm barrier, gone;

	MPI_Comm_dup(MPI_COMM_WORLD, &barrier);
	MPI_Comm_set_name(barrier, "the barrier");
	MPI_Comm_dup(MPI_COMM_WORLD, &gone);
	if (prog.rank == 0) {
		have_odd_ones(barrier, gone);
	} else {
		MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Send(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		MPI_Send(&number, 1, MPI_INT, 0, 3, gone);
		MPI_Comm_free(&gone);
	}
	tell("waits");
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run_wait(void)
{
	tell("waits");
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct prog_case cases[] = {{"p2p", run_p2p}, {"odd", run_odd}, {"wait", run_wait}};

enum { CASES = sizeof cases / sizeof *cases };

int main(int argc, char **argv)
{
	alarm(GUARD_SECONDS);
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	prog_case_named(&prog, cases, CASES, name ? name : "(none)")->run();
	MPI_Finalize();
	return 0;
}
