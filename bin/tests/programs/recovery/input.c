/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 reads its standard input, a byte at a time, and does what each line of it says: a number
 * is added by all ranks, `line` makes a line by the program's own call, `gate` waits for the file
 * GATE, and `die` kills rank 1 unless the job was restarted.
 */
#include <ftmpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prog.h"

static const char *gate;
static struct prog prog;

enum command { ADD, LINE, GATE, DIE, END };

struct order {
	int command, number;
};

static struct order read_order(void)
{
	char text[64];

	if (!fgets(text, sizeof text, stdin))
		return (struct order){END, 0};
	if (strcmp(text, "line\n") == 0)
		return (struct order){LINE, 0};
	if (strcmp(text, "gate\n") == 0)
		return (struct order){GATE, 0};
	if (strcmp(text, "die\n") == 0)
		return (struct order){DIE, 0};
	return (struct order){ADD, atoi(text)};
}

static void wait_for_gate(void)
{
	int is_open = 0;

	if (prog.rank == 0)
		printf("input: at the gate\n");
	fflush(stdout);
	while (!is_open) {
		is_open = prog.rank == 0 && access(gate, F_OK) == 0;
		MPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}

static int add(int number)
{
	int sum = 0;

	MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

static void make_line(void)
{
	int verdict = FTMPI_Perform_Checkpoint();

	if (verdict == FTMPI_CHECKPOINTED)
		verdict = FTMPI_CKPT_Wait();
	if (verdict != FTMPI_CHECKPOINTED && verdict != FTMPI_RESTORED)
		prog_wrong(&prog, "the line was not committed: %d", verdict);
}

static void die_once(void)
{
	int restarts = 0;

	FTMPI_Get_restart_count(&restarts);
	if (prog.rank == 1 && restarts == 0)
		raise(SIGKILL);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"GATE", NULL, PROG_TEXT, &gate, 0, "the file that `gate` waits for"}};
	struct order order;
	int sum = 0;

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "input",
		.text = "Does what its standard input says.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	setvbuf(stdin, NULL, _IONBF, 0);
	do {
		if (prog.rank == 0)
			order = read_order();
		MPI_Bcast(&order, 2, MPI_INT, 0, MPI_COMM_WORLD);
		if (order.command == ADD)
			sum += add(order.number);
		if (order.command == LINE)
			make_line();
		if (order.command == GATE)
			wait_for_gate();
		if (order.command == DIE)
			die_once();
		if (prog.rank == 0 && order.command == ADD)
			printf("input: %d, sum %d\n", order.number, sum);
		fflush(stdout);
	} while (order.command != END);
	MPI_Finalize();
	if (prog.rank == 0)
		printf("input: the end, sum %d\n", sum);
	return 0;
}
