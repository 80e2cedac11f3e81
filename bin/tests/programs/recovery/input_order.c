/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 reads the numbers from 1 on, one a line, from its standard input, a few at a time, and
 * every rank adds them. A number that comes twice, or is missing, ends the job with a sentence.
 */
#include <ftmpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { PIECE_MOST = 23 };

static struct prog prog;
static const char *way;
static long pause_us = 500, line_each, die_at;

/* By read(2), pieces of lengths that differ: what a line lacks comes with the next. */
static int next_byte(void)
{
	static char piece[PIECE_MOST];
	static size_t at, length, wanted;

	if (strcmp(way, "stdio") == 0)
		return getchar();
	if (at == length) {
		ssize_t n = read(0, piece, 1 + wanted++ % PIECE_MOST);

		if (n < 0)
			prog_wrong(&prog, "its standard input cannot be read");
		at = 0;
		length = n > 0 ? (size_t)n : 0;
		if (n == 0)
			return EOF;
	}
	return piece[at++];
}

/* 0: the end. */
static int next_number(void)
{
	int number = 0, c;

	while ((c = next_byte()) != EOF && c != '\n')
		number = 10 * number + (c - '0');
	return number;
}

static void rest(void)
{
	struct timespec left = {0, 1000 * pause_us};

	while (nanosleep(&left, &left) != 0)
		;
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
		{"WAY", NULL, PROG_TEXT, &way, 0, "stdio or read"},
		{"-pause-us", "N", PROG_LONG, &pause_us, 0, "between numbers"},
		{"-line-each", "N", PROG_LONG, &line_each, 0, "numbers, the program makes a line"},
		{"-die-at", "N", PROG_LONG, &die_at, 0,
			"rank 1 dies, unless the job was restarted"}};
	int number, last = 0;
	long long sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "input_order",
		.text = "Reads numbers in their order.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	do {
		number = prog.rank == 0 ? next_number() : 0;
		MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
		if (number && number != last + 1)
			prog_wrong(&prog, "%d comes behind %d", number, last);
		if (number)
			last = number;
		sum += number;
		rest();
		if (line_each && number && number % line_each == 0)
			make_line();
		if (die_at && number == die_at)
			die_once();
	} while (number);
	MPI_Allreduce(&sum, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("input_order: last %d, sum %lld\n", last, all);
	MPI_Finalize();
	return 0;
}
