/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sent_bytes: in each step every rank sends to itself, to the next rank and to the one before it,
 * to each a number of bytes that follows from the two ranks. For what is told of the traffic of a
 * job.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ftmpi.h>

#include "prog.h"

enum { ID = 1, LONG = 300000, MOST = 1 << 20, PUT = 5000, GOT = 7000 };

static long steps = 1, line, hold, puts_too;
static const char *gate = "";

static const struct prog_option options[] = {
	{"-steps", "N", PROG_LONG, &steps, 0, "(1)"},
	{"-line", "N", PROG_LONG, &line, 0, "make a checkpoint after that step (0: none)"},
	{"-hold", "N", PROG_LONG, &hold, 0,
		"after that step wait until nobody writes to the FIFO any more (0: never)"},
	{"-gate", "FIFO", PROG_TEXT, &gate, 0, "of -hold"},
	{"-put", "N", PROG_LONG, &puts_too, 0,
		"then so often put 5000 bytes into a window of the next rank, and get 7000 (0)"},
};

static struct prog prog = {"sent_bytes", "sends known bytes to known ranks", options,
	sizeof options / sizeof *options, 0, 1};

static char *out, *in;
static long done;

/* One in two of the bytes, which lie apart. */
static void send_apart(int bytes, int to, MPI_Request *request)
{
	MPI_Datatype apart;

	MPI_Type_vector(bytes, 1, 2, MPI_CHAR, &apart);
	MPI_Type_commit(&apart);
	MPI_Isend(out, 1, apart, to, 0, MPI_COMM_WORLD, request);
	MPI_Type_free(&apart);
}

static int bytes_of(int from, int to)
{
	return 1 + 1000 * from + 10 * to;
}

static void step(void)
{
	int next = (prog.rank + 1) % prog.size, before = (prog.rank + prog.size - 1) % prog.size;
	int from[] = {prog.rank, before, next};
	MPI_Request requests[8];
	int n = 0;

	for (int i = 0; i < 3; i++)
		MPI_Irecv(
			in + i * LONG, LONG, MPI_CHAR, from[i], 0, MPI_COMM_WORLD, &requests[n++]);
	if (prog.rank == 1)
		MPI_Irecv(
			in + 3 * LONG - LONG, LONG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[n++]);
	MPI_Isend(out, bytes_of(prog.rank, prog.rank), MPI_CHAR, prog.rank, 0, MPI_COMM_WORLD,
		&requests[n++]);
	send_apart(bytes_of(prog.rank, before), before, &requests[n++]);
	if (prog.rank == 0 && prog.size > 1)
		MPI_Issend(out, LONG, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[n++]);
	MPI_Send(out, bytes_of(prog.rank, next), MPI_CHAR, next, 0, MPI_COMM_WORLD);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void wait_at_gate(void)
{
	char c;
	int fd = open(gate, O_RDONLY | O_CLOEXEC);

	fprintf(stderr, "sent_bytes: rank %d waits at the gate\n", prog.rank);
	if (fd < 0 || read(fd, &c, 1) != 0)
		prog_wrong(&prog, "cannot read %s to its end", gate);
	close(fd);
}

/* What one epoch of a window brings. */
static void put(void)
{
	int next = (prog.rank + 1) % prog.size;
	MPI_Win win;

	MPI_Win_create(in, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (long i = 0; i < puts_too; i++) {
		MPI_Win_fence(0, win);
		MPI_Put(out, PUT, MPI_CHAR, next, 0, PUT, MPI_CHAR, win);
		MPI_Get(out + PUT, GOT, MPI_CHAR, next, PUT, GOT, MPI_CHAR, win);
		MPI_Win_fence(0, win);
	}
	MPI_Win_free(&win);
}

static int make_checkpoint(void)
{
	int made = FTMPI_Perform_Checkpoint();

	if (made == FTMPI_CHECKPOINTED)
		made = FTMPI_CKPT_Wait();
	if (made != FTMPI_CHECKPOINTED && made != FTMPI_RESTORED)
		prog_wrong(&prog, "the checkpoint was not made");
	return made;
}

int main(int argc, char **argv)
{
	int restored;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	out = prog_alloc(&prog, MOST);
	in = prog_alloc(&prog, MOST);
	if (FTMPI_CKPT_Protect(ID, &done, 1, MPI_LONG) != MPI_SUCCESS)
		prog_wrong(&prog, "the steps cannot be protected");
	restored = FTMPI_Restore() == FTMPI_RESTORED;
	while (done < steps) {
		step();
		done++;
		if (done == line)
			restored |= make_checkpoint() == FTMPI_RESTORED;
		if (done == hold && !restored)
			wait_at_gate();
	}
	if (puts_too)
		put();
	if (prog.rank == 0)
		printf("sent_bytes: %ld steps%s\n", done, restored ? ", restored" : "");
	free(out);
	free(in);
	MPI_Finalize();
	return 0;
}
