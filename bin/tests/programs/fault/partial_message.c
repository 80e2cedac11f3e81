/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * partial_message: one rank sends the last one a long message with holes, and one of the two
 * kills itself when a part of it has arrived. A line was made before, or just then. In the
 * second run the last rank gets every byte, which the sender sends again or the line holds. Of
 * two ranks the first sends; of four the second, and the last rank hears nothing else from it:
 * the control messages of the other ranks overtake the message, and the one behind it, which is
 * in the sender's buffer (MPI_Bsend).
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

#include "prog.h"

static long victim = -1, block = 100;
static int through;
static const struct prog_option options[] = {
	{"-victim", "RANK", PROG_LONG, &victim, 0, "who kills itself; else nobody does"},
	{"-block", "BYTES", PROG_LONG, &block, 1, "length of what lies in one piece"},
	{"-through", NULL, PROG_FLAG, &through, 0, "the line is made when a part has come"}};
static struct prog prog = {.name = "partial_message",
	.text = "a rank dies when a part of a message has come",
	.options = options,
	.count = 3};

enum { DATA = 64 << 20, GAP = 0x7b, TAG = 3, WORD = 4, BEHIND = 5, NUMBER = 4711 };

static int from, to;
static size_t count, stride;
static unsigned char *area;
static MPI_Datatype t;

static unsigned char byte_of(size_t i)
{
	return (unsigned char)(i % 113);
}

static void begin(void)
{
	MPI_Datatype one;

	to = prog.size - 1;
	from = to / 2;
	stride = (size_t)block + 3;
	count = DATA / (size_t)block;
	area = prog_alloc(&prog, count * stride);
	memset(area, GAP, count * stride);
	for (size_t i = 0; prog.rank == from && i < count * stride; i++)
		area[i] = byte_of(i);
	MPI_Type_contiguous((int)block, MPI_BYTE, &one);
	MPI_Type_create_resized(one, 0, (MPI_Aint)stride, &t);
	MPI_Type_commit(&t);
	MPI_Type_free(&one);
}

static void check(void)
{
	for (size_t i = 0; i < count * stride; i++) {
		unsigned char want = i % stride < (size_t)block ? byte_of(i) : GAP;

		if (area[i] != want)
			prog_wrong(&prog, "byte %zu of %zu is %d, not %d", i, count * stride,
				area[i], want);
	}
}

_Noreturn static void die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

/* A part of the message has come, and not all of it: it is looked at while it comes. */
__attribute__((no_sanitize("thread"))) static void come_halfway(MPI_Request *r)
{
	int done = 0;

	while (!done && *(volatile unsigned char *)area == GAP)
		MPI_Test(r, &done, MPI_STATUS_IGNORE);
	if (done || area[(count - 1) * stride] != GAP)
		prog_wrong(&prog, "the whole message came at once");
}

/* Nobody needs one else. */
static void make_line(void)
{
	if (victim < 0)
		return;
	FTMPI_Perform_Checkpoint();
	FTMPI_CKPT_Wait();
}

/* In the buffer, and on its way behind what is left of the message. */
static void put_word(void)
{
	int number = NUMBER;

	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
	MPI_Bsend(&number, 1, MPI_INT, to, BEHIND, MPI_COMM_WORLD);
}

static void strike(MPI_Request *r)
{
	if (prog.rank == to) {
		come_halfway(r);
		MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD);
	}
	if (prog.rank == from) {
		MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		put_word();
	}
	if (through)
		make_line();
	if (prog.rank == to && victim == from) {
		MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD);
		for (;;)
			pause(); /* until it is begun again */
	}
	if (prog.rank == from && victim == from)
		MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (prog.rank == victim)
		die();
}

static void take_word(void)
{
	int number = 0;

	MPI_Recv(&number, 1, MPI_INT, from, BEHIND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (number != NUMBER)
		prog_wrong(&prog, "the word behind it is %d", number);
}

int main(int argc, char **argv)
{
	bool restored;
	MPI_Request r = MPI_REQUEST_NULL;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	restored = FTMPI_Restore() == FTMPI_RESTORED;
	begin();
	if (!restored && !through)
		make_line();
	if (prog.rank == to)
		MPI_Irecv(area, (int)count, t, from, TAG, MPI_COMM_WORLD, &r);
	else if (prog.rank == from && (!restored || !through))
		MPI_Isend(area, (int)count, t, to, TAG, MPI_COMM_WORLD, &r);
	if (!restored)
		strike(&r);
	else if (prog.rank == from && !through)
		put_word();
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (prog.rank == to) {
		take_word();
		check();
		printf("%shalfway: right, every byte\n", restored ? "restored\n" : "");
	}
	MPI_Type_free(&t);
	free(area);
	MPI_Finalize();
	return 0;
}
