/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For a long time: all ranks look at the clock of rank 0 between cases, and compare the memory they
 * have when a tenth of the time is over with what they have in the end. Between cases nothing is
 * under way, so what is in use then is what is kept for good.
 */
#include "rt_soak.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "memory.h"

enum { MORE_IN_USE = 128 << 10, MORE_RESIDENT = 2 << 20, LARGEST = 8 << 20 };

static struct {
	double begin, seconds;
	bool measured;
	size_t in_use, resident;
} soak;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The library keeps the largest block of scratch memory that it has used, up to 8 MiB, for the next
 * operation. Let it find that one now, and not at a random time. */
static void find_scratch(const struct prog *prog)
{
	char *buf = prog_alloc(prog, LARGEST);
	memset(buf, 0, LARGEST);
	for (int bytes = LARGEST; bytes > LARGEST - LARGEST / 8; bytes -= LARGEST / 128) {
		MPI_Scan(MPI_IN_PLACE, buf, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
		MPI_Reduce(prog->rank == 0 ? MPI_IN_PLACE : buf, buf, bytes, MPI_BYTE, MPI_BOR, 0,
			MPI_COMM_WORLD);
	}
	free(buf);
}

void rt_soak_begin(const struct prog *prog, double seconds)
{
	if (seconds > 0)
		find_scratch(prog);
	soak.begin = now();
	soak.seconds = seconds;
}

static void measure(const struct prog *prog, size_t *in_use, size_t *resident)
{
	MPI_Barrier(MPI_COMM_WORLD);
	malloc_trim(0);
	*in_use = memory_in_use();
	*resident = memory_resident(prog);
}

static void compare(const struct prog *prog)
{
	size_t in_use, resident;
	measure(prog, &in_use, &resident);
	printf("randtest: rank %d: %zu KiB in use, then %zu; %zu KiB resident, then %zu\n",
		prog->rank, soak.in_use >> 10, in_use >> 10, soak.resident >> 10, resident >> 10);
	fflush(stdout);
	if (in_use > soak.in_use + MORE_IN_USE || resident > soak.resident + MORE_RESIDENT)
		prog_wrong(prog,
			"memory has grown: %zu KiB in use, then %zu; %zu KiB resident, then %zu",
			soak.in_use >> 10, in_use >> 10, soak.resident >> 10, resident >> 10);
}

bool rt_soak_over(const struct prog *prog)
{
	double t = now() - soak.begin;
	MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (!soak.measured && t >= soak.seconds / 10) {
		measure(prog, &soak.in_use, &soak.resident);
		soak.measured = true;
	}
	if (t < soak.seconds)
		return false;
	compare(prog);
	return true;
}
