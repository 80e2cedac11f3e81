/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a program stands still while recovery lines are made, and what its lines hold:
 *
 *	gaps BYTES TENTHS
 *
 * Each rank has BYTES, a multiple of 64 KiB; of each ten blocks of that length TENTHS are not zero,
 * and all were written. Without end the ranks write a block anew and sum up with the others. Lines
 * are made by time (ftmpirun -ckpt-interval): of the bytes by calls, or, with -image, without: then
 * FTMPI_Checkpoint_due is not true. Every TELL_NS rank 0 prints "gap MILLISECONDS", the longest
 * time between two sums since it printed last.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ftmpi.h>

enum { ID = 1, BYTES_MAX = 1 << 30, BLOCK = 65536, TELL_NS = 50000000 };

static char *data;
static long blocks;
static int tenths;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wrong(const char *what)
{
	fprintf(stderr, "gaps: %s\n", what);
	exit(1);
}

static void write_block(long block, int round)
{
	memset(data + block * BLOCK, block % 10 < tenths ? round | 1 : 0, BLOCK);
}

/* The next block, and a sum: no rank is ahead of the others. */
static void work(int round)
{
	static long block;
	int all = 0;

	write_block(block, round);
	block = (block + 1) % blocks;
	MPI_Allreduce(&round, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

static void save(void)
{
	int due = 0;

	FTMPI_Checkpoint_due(&due);
	if (due && FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED)
		wrong("there is no recovery line");
}

static void compute(bool tells)
{
	int64_t last = now(), told = last, longest = 0;

	for (int round = 0;; round = (round + 1) % 128) {
		int64_t t;

		work(round);
		t = now();
		longest = t - last > longest ? t - last : longest;
		if (tells && t - told >= TELL_NS) {
			printf("gap %.3f\n", (double)longest * 1e-6);
			fflush(stdout);
			longest = 0;
			told = t = now();
		}
		last = t;
		save();
	}
}

/* Before MPI_Init, as lines by time begin after it. */
static void make_data(void)
{
	data = aligned_alloc(BLOCK, (size_t)blocks * BLOCK);
	if (data == NULL)
		wrong("no memory");
	for (long block = 0; block < blocks; block++)
		write_block(block, 1);
}

int main(int argc, char **argv)
{
	long bytes = argc == 3 ? atol(argv[1]) : 0;
	int rank;

	blocks = bytes / BLOCK;
	tenths = argc == 3 ? atoi(argv[2]) : 0;
	if (bytes < BLOCK || bytes > BYTES_MAX || bytes % BLOCK != 0 || tenths < 1 || tenths > 10)
		wrong("usage: gaps BYTES TENTHS");
	make_data();
	MPI_Init(&argc, &argv);
	FTMPI_Restore();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (FTMPI_CKPT_Protect(ID, data, bytes, MPI_BYTE) != MPI_SUCCESS)
		wrong("FTMPI_CKPT_Protect failed");
	compute(rank == 0);
}
