/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that do not lie in one piece: `bytes` of data in blocks of 8 B, 1 KiB or 64 KiB, with a
 * gap as long as a block behind each (MPI_Type_vector), from rank 0 to rank 1 and back. Blocks as
 * rows: strided_BLOCK is microseconds one way, holding_BLOCK the MiB that the greater rank had in
 * memory at its peak beyond its buffer. The latter wants a process of its own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpibench.h"
#include "resident.h"

enum { TAG = 7 };

static char *area;
static MPI_Datatype vector;

/* The buffer is written, so it is in memory before anything is sent. */
static void begin(int block)
{
	int blocks = bytes / block;

	area = malloc(2 * (size_t)bytes);
	if (area == NULL) {
		fprintf(stderr, "mpibench: no memory for blocks of %d bytes\n", block);
		MPI_Abort(MPI_COMM_WORLD, 1);
		exit(1);
	}
	memset(area, rank + 1, 2 * (size_t)bytes);
	MPI_Type_vector(blocks, block, 2 * block, MPI_BYTE, &vector);
	MPI_Type_commit(&vector);
}

static void end(void)
{
	MPI_Type_free(&vector);
	free(area);
}

static void there_and_back(void)
{
	if (rank == 0) {
		MPI_Send(area, 1, vector, 1, TAG, MPI_COMM_WORLD);
		MPI_Recv(area, 1, vector, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(area, 1, vector, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(area, 1, vector, 0, TAG, MPI_COMM_WORLD);
	}
}

/* For at least SECONDS, at least twice; the first does not count. */
static double strided(int block)
{
	const double enough = 0.5;
	double t, used = 0;
	int rounds = 0;

	begin(block);
	there_and_back();
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	while (rounds < 2 || used < enough) {
		there_and_back();
		rounds++;
		used = MPI_Wtime() - t;
		MPI_Bcast(&used, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	}
	end();
	return used / rounds / 2 * 1e6;
}

static double holding(int block)
{
	double before, mine, most = 0;

	begin(block);
	MPI_Barrier(MPI_COMM_WORLD);
	before = resident_mib();
	there_and_back();
	mine = peak_mib() - before;
	MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	end();
	return most;
}

double strided_8(void)
{
	return strided(8);
}

double strided_1k(void)
{
	return strided(1 << 10);
}

double strided_64k(void)
{
	return strided(64 << 10);
}

double holding_8(void)
{
	return holding(8);
}

double holding_1k(void)
{
	return holding(1 << 10);
}

double holding_64k(void)
{
	return holding(64 << 10);
}
