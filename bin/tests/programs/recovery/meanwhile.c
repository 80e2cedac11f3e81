/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does what the test's files ask for, one after the other, while lines are made: `round-1` a
 * message round the ring, `call-2` a line by the program's own call, `late-2` such a line to which
 * only rank 0 comes before there is `come-2`, `over` the end. Between these it computes and talks.
 */
#include <ftmpi.h>
#include <glob.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

static const char *folder, *work;
static struct prog prog;

enum command { NOTHING, ROUND, CALL, LATE, END };

static int is_there(const char *what, int number)
{
	char path[4096];

	snprintf(path, sizeof path, number ? "%s/%s-%d" : "%s/%s", folder, what, number);
	return access(path, F_OK) == 0;
}

static int next_command(int number)
{
	int command = NOTHING;

	if (prog.rank == 0 && is_there("round", number))
		command = ROUND;
	else if (prog.rank == 0 && is_there("call", number))
		command = CALL;
	else if (prog.rank == 0 && is_there("late", number))
		command = LATE;
	else if (prog.rank == 0 && is_there("over", 0))
		command = END;
	MPI_Bcast(&command, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return command;
}

static void say(const char *what, int number)
{
	if (prog.rank == 0)
		printf("meanwhile: %s %d\n", what, number);
	fflush(stdout);
}

static void go_round(int number)
{
	int to = (prog.rank + 1) % prog.size, from = (prog.rank + prog.size - 1) % prog.size;
	int mine = 100 * number + prog.rank, got;

	MPI_Sendrecv(&mine, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	if (got != 100 * number + from)
		prog_wrong(&prog, "%d came in round %d", got, number);
	MPI_Barrier(MPI_COMM_WORLD);
	say("round", number);
}

/* What the call returned, and how many lines are committed then: each rank looks. */
static void call(int number)
{
	int said[2] = {FTMPI_Perform_Checkpoint(), 0}, least[2], most[2];
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/*/line-*.manifest", work);
	if (glob(pattern, 0, NULL, &found) == 0)
		said[1] = (int)found.gl_pathc;
	MPI_Allreduce(said, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	MPI_Allreduce(said, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (least[0] != most[0])
		prog_wrong(&prog, "call %d returned %d and %d", number, least[0], most[0]);
	if (prog.rank == 0)
		printf("meanwhile: call %d: %s, %d lines\n", number,
			least[0] == FTMPI_CHECKPOINTED ? "checkpointed"
			: least[0] == FTMPI_RESTORED   ? "restored"
						       : "an error",
			least[1]);
	fflush(stdout);
}

static void live(void)
{
	struct timespec a_moment = {0, 1000000};
	int number = 1;

	for (;;)
		switch (next_command(number)) {
		case ROUND:
			go_round(number++);
			break;
		case CALL:
			call(number++);
			break;
		case LATE:
			say("calls", number);
			while (prog.rank != 0 && !is_there("come", number))
				nanosleep(&a_moment, NULL);
			call(number++);
			break;
		case END:
			return;
		}
}

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"FOLDER", NULL, PROG_TEXT, &folder, 0, "where the test's files are"},
		{"WORK", NULL, PROG_TEXT, &work, 0, "where lines are"}};

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "meanwhile",
		.text = "Goes on while lines are written.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	MPI_Barrier(MPI_COMM_WORLD);
	say("begins", 0);
	live();
	say("ends", 0);
	MPI_Finalize();
	if (prog.rank == 0)
		printf("meanwhile: right\n");
	return 0;
}
