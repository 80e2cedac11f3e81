/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that is not there for long: it is held by a FIFO that nobody has opened for writing yet,
 * or by whoever stops it, while the others go on.
 */
#include "load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

enum { BLOCK = 65536, AHEAD = 100, HELD = 2 };

/* Blocks in open until somebody opens the other end. */
static void be_held(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);
	if (fd < 0) {
		fprintf(stderr, "load: cannot open %s\n", fifo);
		_exit(2);
	}
	close(fd);
}

static void let_go(const struct load *l)
{
	int fd = open(l->file, O_WRONLY);
	if (fd < 0)
		prog_wrong(&l->prog, "cannot open %s", l->file);
	close(fd);
}

/* With the arguments `late -file FIFO` or `later -file FIFO`, in this order. */
void load_absent_before_init(int argc, char **argv)
{
	const char *rank = getenv("FTMPI_RANK");
	if (argc >= 4 && strncmp(argv[1], "late", 4) == 0 && rank != NULL && atoi(rank) == HELD)
		be_held(argv[3]);
}

/* Ranks 0 and 1 among themselves. */
static void play(const struct load *l, long rounds)
{
	int other = 1 - l->prog.rank;
	for (long i = 0; i < rounds; i++) {
		long got = -1;
		MPI_Sendrecv(&i, 1, MPI_LONG, other, 1, &got, 1, MPI_LONG, other, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		if (got != i)
			prog_wrong(&l->prog, "round %ld: %ld came", i, got);
	}
}

/* More than rank 2 may be sent without a receive: some of these wait here. */
static void send_ahead(const struct load *l, unsigned char *block, MPI_Request *r)
{
	int done = 0;
	for (int i = 0; i < AHEAD; i++) {
		memset(block + (size_t)i * BLOCK, i, BLOCK);
		MPI_Isend(
			block + (size_t)i * BLOCK, BLOCK, MPI_BYTE, HELD, 2, MPI_COMM_WORLD, &r[i]);
	}
	MPI_Testall(AHEAD, r, &done, MPI_STATUSES_IGNORE);
	if (done)
		prog_wrong(&l->prog, "%d blocks are sent to a rank that receives none", AHEAD);
}

static void receive_ahead(const struct load *l, unsigned char *block)
{
	for (int i = 0; i < AHEAD; i++) {
		MPI_Recv(block, BLOCK, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 0; k < BLOCK; k++)
			if (block[k] != (unsigned char)i)
				prog_wrong(&l->prog, "byte %d of block %d is %d", k, i, block[k]);
	}
}

static void others(const struct load *l, unsigned char *block, MPI_Request *r)
{
	if (l->prog.rank == 0)
		send_ahead(l, block, r);
	play(l, l->rounds);
	if (l->prog.rank == 0) {
		printf("load: ranks 0 and 1 are through\n");
		fflush(stdout);
		if (strcmp(l->what, "later") != 0)
			let_go(l);
		MPI_Waitall(AHEAD, r, MPI_STATUSES_IGNORE);
	}
}

static void run_late(struct load *l)
{
	unsigned char *block = prog_alloc(&l->prog, (size_t)AHEAD * BLOCK);
	MPI_Request r[AHEAD];
	if (l->prog.rank < HELD)
		others(l, block, r);
	if (l->prog.rank == HELD)
		receive_ahead(l, block);
	free(block);
}

static void run_held(struct load *l)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (l->prog.rank == HELD)
		be_held(l->file);
	run_late(l);
}

/* Sums until the file is there. */
static void run_until(struct load *l)
{
	long p = l->prog.size, round = 0, stop = 0;
	for (; !stop; round++) {
		long mine[2] = {l->prog.rank + round, access(l->file, F_OK) == 0}, all[2];
		if (round == 10 && l->prog.rank == 0) {
			printf("load: under way\n");
			fflush(stdout);
		}
		MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		if (all[0] != p * (p - 1) / 2 + p * round)
			prog_wrong(&l->prog, "round %ld: the sum is %ld", round, all[0]);
		stop = all[1] > 0;
	}
}

const struct load_case load_absent_cases[] = {
	{"held", run_held, 3},
	{"late", run_late, 3},
	{"later", run_late, 3}, /* let go by somebody else */
	{"until", run_until, 1},
	{NULL, NULL, 0},
};
