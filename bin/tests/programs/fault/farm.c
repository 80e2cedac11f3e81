/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A master deals tasks to whoever answers first, and workers do them: who does which is chance, and
 * each task has to be done once. With -save all ranks make checkpoints of their data when they are
 * due.
 */
#include <ftmpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { ASK, TASK, ENOUGH = -1 };

static long tasks = 1000;
static int trace, save;
static const char *gate;

static const struct prog_option options[] = {
	{"tasks", "TASKS", PROG_LONG, &tasks, 1, "how many"},
	{"-trace", NULL, PROG_FLAG, &trace, 0, "the master prints each task that was done"},
	{"-gate", "FILE", PROG_TEXT, &gate, 0,
		"after its last task each rank waits until this file is there"},
	{"-save", NULL, PROG_FLAG, &save, 0, "each rank makes checkpoints"}};
static struct prog prog = {.name = "farm",
	.text = "a master deals tasks to whoever answers first",
	.options = options,
	.count = sizeof options / sizeof *options};

/* What a worker says: the task that it did, and what came of that. */
struct answer {
	int64_t task, result;
};

/* Protected: of the master and of a worker. */
static int64_t next, over, in_hand = ENOUGH, worked;
static int64_t *results;
static int32_t begun;

static void protect(int id, void *at, int n, MPI_Datatype type)
{
	if (FTMPI_CKPT_Protect(id, at, n, type) != MPI_SUCCESS)
		prog_wrong(&prog, "FTMPI_CKPT_Protect failed");
}

static void save_if_due(void)
{
	int due;

	if (save && FTMPI_Checkpoint_due(&due) == MPI_SUCCESS && due)
		FTMPI_Perform_Checkpoint();
}

static int64_t result_of(int64_t task)
{
	uint64_t h = (uint64_t)task + 7;

	for (int i = 0; i < 200; i++)
		h = h * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)(h >> 33) + 1;
}

static void deal(void)
{
	while (over < prog.size - 1) {
		struct answer a;
		MPI_Status status;
		int64_t task;

		MPI_Recv(&a, 2, MPI_INT64_T, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
		if (a.task != ENOUGH && results[a.task])
			prog_wrong(&prog, "task %lld is done twice", (long long)a.task);
		if (a.task != ENOUGH)
			results[a.task] = a.result;
		if (a.task != ENOUGH && trace)
			printf("round %lld\n", (long long)a.task);
		task = next < tasks ? next++ : ENOUGH;
		over += task == ENOUGH;
		MPI_Send(&task, 1, MPI_INT64_T, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
		save_if_due();
	}
}

static void ask(void)
{
	struct answer a = {in_hand, in_hand == ENOUGH ? 0 : result_of(in_hand)};

	MPI_Send(&a, 2, MPI_INT64_T, 0, ASK, MPI_COMM_WORLD);
	MPI_Recv(&in_hand, 1, MPI_INT64_T, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	worked += in_hand != ENOUGH;
}

static void work(void)
{
	if (!begun)
		ask();
	begun = 1;
	while (in_hand != ENOUGH) {
		save_if_due();
		ask();
	}
}

static void wait_at_gate(void)
{
	const struct timespec moment = {0, 10000000};
	struct timespec left;

	while (gate && access(gate, F_OK) != 0) {
		nanosleep(&moment, &left);
		save_if_due();
	}
}

static void compare(void)
{
	int64_t all = 0;

	MPI_Reduce(&worked, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (prog.rank > 0)
		return;
	if (all != tasks)
		prog_wrong(&prog, "workers have done %lld tasks", (long long)all);
	for (int64_t i = 0; i < tasks; i++)
		if (results[i] != result_of(i))
			prog_wrong(&prog, "task %lld is not done", (long long)i);
	printf("farm: right, %ld tasks\n", tasks);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	results = calloc((size_t)tasks, sizeof *results);
	if (!results || prog.size < 2)
		prog_wrong(&prog, "it needs memory, and two ranks");
	protect(1, &next, 1, MPI_INT64_T);
	protect(2, &over, 1, MPI_INT64_T);
	protect(3, &in_hand, 1, MPI_INT64_T);
	protect(4, &worked, 1, MPI_INT64_T);
	protect(5, &begun, 1, MPI_INT32_T);
	protect(6, results, (int)tasks, MPI_INT64_T);
	if (save)
		FTMPI_Restore();
	if (prog.rank == 0)
		deal();
	else
		work();
	fflush(stdout);
	wait_at_gate();
	compare();
	MPI_Finalize();
	return 0;
}
