/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * two_threads: while one thread of rank 0 is in FTMPI_CKPT_Wait, another asks for a line, which is
 * not made (a thread is inside MPI), or waits as well. Rank 1 comes to its part of the first line
 * only when that is done.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <ftmpi.h>

#include "asleep.h"
#include "prog.h"

enum { TAG_GO = 1 };

static const char *what = "line";
static const struct prog_option options[] = {
	{"case", "CASE", PROG_TEXT, &what, 0, "line or wait: what the second thread does"},
};
static struct prog prog = {.name = "two_threads",
	.text = "a thread in FTMPI_CKPT_Wait, and another that makes a line or waits as well",
	.options = options,
	.count = sizeof options / sizeof *options};

static _Atomic long waiter;

static void *waits(void *verdict)
{
	waiter = asleep_self();
	*(int *)verdict = FTMPI_CKPT_Wait();
	return NULL;
}

static void expect(const char *call, int verdict, int right)
{
	if (verdict != right)
		prog_wrong(&prog, "%s gave %d, not %d", call, verdict, right);
}

/* Rank 0's other thread, while the first one sleeps in its wait. */
static void beside(bool line)
{
	if (line)
		expect("FTMPI_Perform_Checkpoint", FTMPI_Perform_Checkpoint(), FTMPI_CKPTERROR);
	MPI_Send(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD);
	if (!line)
		expect("FTMPI_CKPT_Wait", FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
}

static void with_two(bool line)
{
	pthread_t thread;
	int verdict;

	expect("FTMPI_Perform_Checkpoint", FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	if (pthread_create(&thread, NULL, waits, &verdict) != 0)
		prog_wrong(&prog, "there is no second thread");
	asleep_wait(&prog, &waiter, ASLEEP_WATCHING);
	beside(line);
	pthread_join(thread, NULL);
	expect("its FTMPI_CKPT_Wait", verdict, line ? FTMPI_CKPTERROR : FTMPI_CHECKPOINTED);
}

static void with_one(bool line)
{
	MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i <= line; i++)
		expect("FTMPI_Perform_Checkpoint", FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	expect("FTMPI_CKPT_Wait", FTMPI_CKPT_Wait(), line ? FTMPI_CKPTERROR : FTMPI_CHECKPOINTED);
}

int main(int argc, char **argv)
{
	static int state;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	if (prog.size != 2)
		prog_wrong(&prog, "it needs 2 ranks");
	expect("FTMPI_CKPT_Protect", FTMPI_CKPT_Protect(0, &state, 1, MPI_INT), MPI_SUCCESS);
	FTMPI_Restore();
	(prog.rank == 0 ? with_two : with_one)(strcmp(what, "line") == 0);
	expect("FTMPI_Perform_Checkpoint", FTMPI_Perform_Checkpoint(), FTMPI_CHECKPOINTED);
	expect("the last FTMPI_CKPT_Wait", FTMPI_CKPT_Wait(), FTMPI_CHECKPOINTED);
	if (prog.rank == 0)
		printf("two_threads: right\n");
	MPI_Finalize();
	return 0;
}
