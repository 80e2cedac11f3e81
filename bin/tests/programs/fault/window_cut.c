/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_cut: a window is made, used and freed after one rank has made its checkpoint, and
 * before the others make theirs; so no checkpoint has it open, and yet the line cuts its use. A
 * rank kills itself when the line has come to its end, and all must end with the right answer
 * in the second run. With -before all make their checkpoints first, with -behind after the
 * window is freed: then the line is whole, and they go on from it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

#include "prog.h"

static const char *use = "put";
static int before, behind;
static long first, victim = -1;
static const struct prog_option options[] = {
	{"-use", "WHAT", PROG_TEXT, &use, 0, "put, lock, post, shared or nothing"},
	{"-before", NULL, PROG_FLAG, &before, 0, "the others make their checkpoints before, too"},
	{"-behind", NULL, PROG_FLAG, &behind, 0, "nobody makes a checkpoint before"},
	{"-first", "RANK", PROG_LONG, &first, 0, "who makes its checkpoint before (default 0)"},
	{"-victim", "RANK", PROG_LONG, &victim, 0,
		"who kills itself; without it no checkpoint is made"}};
static struct prog prog = {.name = "window_cut",
	.text = "a window is made and freed between the checkpoints of some ranks and of others",
	.options = options,
	.count = sizeof options / sizeof *options};

enum { AT_FIRST, BEFORE_WINDOW, AFTER_WINDOW };

/* Protected. */
static int place = AT_FIRST;
static int sum;

static int *memory;

static MPI_Win make(void)
{
	MPI_Win w;

	if (strcmp(use, "shared") == 0)
		MPI_Win_allocate_shared(
			sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
	else
		MPI_Win_allocate(
			sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
	return w;
}

static void put(MPI_Win w, int to)
{
	int number = 100 + prog.rank;

	MPI_Put(&number, 1, MPI_INT, to, 0, 1, MPI_INT, w);
}

/* In a ring: each rank's memory gets the number of the one before. */
static void fill(MPI_Win w)
{
	int to = (prog.rank + 1) % prog.size, from = (prog.rank + prog.size - 1) % prog.size;
	MPI_Group all, one;

	if (strcmp(use, "put") == 0) {
		MPI_Win_fence(0, w);
		put(w, to);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
	} else if (strcmp(use, "lock") == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w);
		put(w, to);
		MPI_Win_unlock(to, w);
		MPI_Barrier(MPI_COMM_WORLD);
	} else if (strcmp(use, "post") == 0) {
		MPI_Comm_group(MPI_COMM_WORLD, &all);
		MPI_Group_incl(all, 1, &from, &one);
		MPI_Win_post(one, 0, w);
		MPI_Group_free(&one);
		MPI_Group_incl(all, 1, &to, &one);
		MPI_Win_start(one, 0, w);
		put(w, to);
		MPI_Win_complete(w);
		MPI_Win_wait(w);
		MPI_Group_free(&one);
		MPI_Group_free(&all);
	} else if (strcmp(use, "shared") == 0) {
		*memory = 100 + from;
	}
}

static void use_window(void)
{
	MPI_Win w = make();

	*memory = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	fill(w);
	sum += *memory;
	MPI_Win_free(&w);
}

static void checkpoint(int where)
{
	int verdict;

	if (victim < 0)
		return;
	place = where;
	verdict = FTMPI_Perform_Checkpoint();
	if (verdict != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "FTMPI_Perform_Checkpoint gave %d", verdict);
}

/* The line is over: in the first run one rank dies. */
static void strike(void)
{
	int restarts, verdict = FTMPI_CKPT_Wait();

	if (prog.rank == 0) {
		printf("the line was %s\n",
			verdict == FTMPI_CHECKPOINTED ? "committed" : "given up");
		fflush(stdout);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	FTMPI_Get_restart_count(&restarts);
	while (restarts == 0 && prog.rank == victim)
		kill(getpid(), SIGKILL);
}

static int checkpoints_before(void)
{
	return !behind && (prog.rank == first || before);
}

int main(int argc, char **argv)
{
	int want;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	if (FTMPI_CKPT_Protect(0, &place, 1, MPI_INT))
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
	if (FTMPI_CKPT_Protect(1, &sum, 1, MPI_INT))
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
	if (FTMPI_Restore() == FTMPI_RESTORED && prog.rank == 0)
		printf("restored\n");
	if (place == AT_FIRST && checkpoints_before())
		checkpoint(BEFORE_WINDOW);
	if (place != AFTER_WINDOW)
		use_window();
	if (place == AT_FIRST)
		checkpoint(AFTER_WINDOW);
	if (victim >= 0)
		strike();
	want = strcmp(use, "nothing") == 0 ? 0 : 100 + (prog.rank + prog.size - 1) % prog.size;
	if (sum != want)
		prog_wrong(&prog, "the window held %d, not %d", sum, want);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("window_cut: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
