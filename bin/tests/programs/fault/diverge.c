/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * diverge: programs that send something else when they are run again from a line. Rank 0 makes its
 * checkpoint and sends; rank 1 receives, and makes its own then, so that what it received is an
 * orphan of the line: to be sent again, and thrown away. In the first run a rank kills itself when
 * the line is committed. In the second, rank 0 sends something else, in a way that -how names, and
 * nobody may come to the end; with -same it does not. "deal" is a master that serves who comes
 * first, and breaks no rule of MPI: run again, it finds two questions of rank 1 waiting, between
 * which the first time one of rank 2 came.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

#include "prog.h"

static const char *how = "contents";
static int same;
static long victim = -1;
static const struct prog_option options[] = {
	{"-how", "WHAT", PROG_TEXT, &how, 0,
		"contents, length, order, tag, long, holes, sum, never or deal"},
	{"-same", NULL, PROG_FLAG, &same, 0, "what is sent again is the same"},
	{"-victim", "RANK", PROG_LONG, &victim, 0,
		"who kills itself; without it no checkpoint is made"}};
static struct prog prog = {.name = "diverge",
	.text = "a program that sends something else when it is run again",
	.options = options,
	.count = sizeof options / sizeof *options};

enum { TAG = 5, OTHER = 6, LONG = 1 << 20, TASKS = 3, ASK = 1, TASK, GO, BACK };

/* Protected. */
static int place;
static int got;
static int done[TASKS];

static int all[TASKS]; /* at rank 0, how often each task was done by anybody */
static int again; /* not the first run, and it is to be another */
static int numbers[LONG];

static int is(const char *name)
{
	return strcmp(how, name) == 0;
}

static void checkpoint(void)
{
	int verdict;

	if (victim < 0)
		return;
	place = 1;
	verdict = FTMPI_Perform_Checkpoint();
	if (verdict != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_Perform_Checkpoint gave %d", verdict);
}

/* ---- one rank sends another something ---- */

static void send_one(void)
{
	int count = is("long") || is("holes") ? LONG : 2;

	for (int i = 0; i < count; i++)
		numbers[i] = i;
	if (again && !is("order"))
		numbers[count - 1]++;
	if (again && is("never"))
		return;
	if (again && is("length"))
		count--;
	if (is("order"))
		MPI_Send(numbers + again, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
	if (is("order"))
		MPI_Send(numbers + 1 - again, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
	else
		MPI_Send(numbers, count, MPI_INT, 1, again && is("tag") ? OTHER : TAG,
			MPI_COMM_WORLD);
}

/* Every second number. */
static void receive_holes(void)
{
	int *holes = prog_alloc(&prog, sizeof *holes * 2 * LONG);
	MPI_Datatype t;

	MPI_Type_vector(LONG, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Recv(holes, 1, t, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < LONG; i++)
		numbers[i] = holes[2 * i];
	MPI_Type_free(&t);
	free(holes);
}

static void receive_one(void)
{
	if (is("holes"))
		receive_holes();
	else
		MPI_Recv(numbers, LONG, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (is("order"))
		MPI_Recv(numbers + 1, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	got = numbers[0] + 10 * numbers[1];
}

static void one(void)
{
	if (prog.rank == 0 && !place)
		checkpoint();
	if (prog.rank == 0)
		send_one();
	if (prog.rank == 1 && !place)
		receive_one();
	if (prog.rank > 0 && !place)
		checkpoint();
	if (prog.rank == 1 && got != 10)
		prog_wrong(&prog, "got %d", got);
}

/* ---- a collective operation, of which the root's part alone is run again ---- */

static void sum(void)
{
	int mine = 1 + (prog.rank == 0 && again);

	if (prog.rank == 0 && !place)
		checkpoint();
	if (prog.rank == 0 || !place)
		MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
	got = mine;
	if (prog.rank > 0 && !place)
		checkpoint();
}

/* ---- a master ---- */

static void deal(void)
{
	for (int task = 0; task < TASKS; task++) {
		MPI_Status status;

		MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
		MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
	}
}

static void ask(void)
{
	int task;

	MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
	MPI_Recv(&task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	done[task]++;
}

static void say(int to, int tag)
{
	MPI_Send(NULL, 0, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void hear(int from, int tag)
{
	MPI_Recv(NULL, 0, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tasks(void)
{
	if (prog.rank != 1 && !place)
		checkpoint();
	if (prog.rank == 0)
		deal();
	if (prog.rank == 1 && !place) {
		ask();
		say(2, GO);
		hear(2, BACK);
		ask();
		checkpoint();
	}
	if (prog.rank == 2) {
		hear(1, GO);
		ask();
		say(1, BACK);
	}
	MPI_Reduce(done, all, TASKS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void check_tasks(void)
{
	for (int i = 0; prog.rank == 0 && i < TASKS; i++)
		if (all[i] != 1)
			prog_wrong(&prog, "task %d was done %d times", i, all[i]);
}

/* ---- all ---- */

static void strike(int restarts)
{
	int verdict = FTMPI_CKPT_Wait();

	if (verdict != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_CKPT_Wait gave %d", verdict);
	MPI_Barrier(MPI_COMM_WORLD);
	while (!restarts && prog.rank == victim)
		kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	int restarts;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (FTMPI_CKPT_Protect(0, &place, 1, MPI_INT) || FTMPI_CKPT_Protect(1, &got, 1, MPI_INT) ||
		FTMPI_CKPT_Protect(2, done, TASKS, MPI_INT))
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
	if (FTMPI_Restore() == FTMPI_RESTORED && prog.rank == 0)
		printf("restored\n");
	FTMPI_Get_restart_count(&restarts);
	again = restarts > 0 && !same;
	if (is("deal"))
		tasks();
	else if (is("sum"))
		sum();
	else
		one();
	if (victim >= 0)
		strike(restarts);
	MPI_Barrier(MPI_COMM_WORLD); /* nobody has died */
	/* what rank 0 sends comes in its order: with two barriers between, it has been compared */
	if (is("deal"))
		check_tasks();
	if (prog.rank == 0)
		printf("diverge: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
