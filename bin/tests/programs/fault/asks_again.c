/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 of two asks again and again for what it knows: that a request is done, which of several
 * are, and which message waits, in turns with what is not there. Then it kills itself, once (a file
 * tells).
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "prog.h"

enum { FIRST = 1, LATE, WAITS, SYNC, ANSWER, NEVER };

static long times = 10000;
static const char *mark;
static const struct prog_option options[] = {
	{"mark", "FILE", PROG_TEXT, &mark, 0, "is there when rank 0 runs again"},
	{"times", "TIMES", PROG_LONG, &times, 1, "as often"}};
static struct prog prog = {.name = "asks_again",
	.text = "asks again and again for what it knows",
	.options = options,
	.count = 2};
static int in[2];
static MPI_Request requests[2];

static void send(int to, int tag)
{
	MPI_Send(&in[0], 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int tag)
{
	MPI_Recv(&in[0], 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void must(int is, int wanted, const char *what)
{
	if (is != wanted)
		prog_wrong(&prog, "%s: %d, and not %d", what, is, wanted);
}

static void ask(void)
{
	int flag, n, i, indices[2];
	MPI_Status status;

	MPI_Request_get_status(requests[0], &flag, &status);
	must(flag, 1, "MPI_Request_get_status");
	must(status.MPI_SOURCE, 1, "its source");
	MPI_Request_get_status_some(2, requests, &n, indices, MPI_STATUSES_IGNORE);
	must(n, 1, "MPI_Request_get_status_some");
	must(indices[0], 0, "its index");
	MPI_Request_get_status_any(2, requests, &i, &flag, &status);
	must(i, 0, "MPI_Request_get_status_any");
	MPI_Iprobe(MPI_ANY_SOURCE, WAITS, MPI_COMM_WORLD, &flag, &status);
	must(flag, 1, "MPI_Iprobe");
	must(status.MPI_TAG, WAITS, "its tag");
	MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &flag, &status);
	must(flag, 0, "another MPI_Iprobe");
}

static void first(void)
{
	int n = 0, indices[2];

	for (int i = 0; i < 2; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 1, i ? LATE : FIRST, MPI_COMM_WORLD, &requests[i]);
	receive(1, ANSWER);
	while (n == 0)
		MPI_Request_get_status_some(2, requests, &n, indices, MPI_STATUSES_IGNORE);
	for (long i = 0; i < times; i++)
		ask();
	send(1, SYNC);
	receive(1, ANSWER);
	if (open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
		kill(getpid(), SIGKILL);
	send(1, SYNC);
	receive(1, WAITS);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	printf("asks_again: right\n");
}

static void second(void)
{
	send(0, FIRST);
	send(0, WAITS);
	send(0, ANSWER);
	receive(0, SYNC);
	send(0, ANSWER);
	receive(0, SYNC);
	send(0, LATE);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (!mark)
		prog_wrong(&prog, "asks_again MARK TIMES");
	if (prog.rank == 0)
		first();
	else
		second();
	MPI_Finalize();
	return 0;
}
