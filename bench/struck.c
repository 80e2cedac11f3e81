/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that computes until it is ended, and comes back from whatever strikes it:
 *
 *	struck BYTES
 *
 * Each rank protects BYTES; in the first life all make one recovery line. Then every rank computes
 * and sums up with the others, says in one line, whenever it has come so far, and goes on and on:
 *
 *	running RANK PROCESS LIFE MAIN INITED RESTORED COMPUTED
 *
 * The last four are CLOCK_MONOTONIC in ns: in main, after MPI_Init, with what the line has, and
 * after the first sum. In an image job (ftmpirun -image) the first two are always those of the
 * first life.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ftmpi.h>

enum { ID = 1, BYTES_MAX = 1 << 30, WORK_NS = 1000000 };

static int rank;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wrong(const char *what)
{
	fprintf(stderr, "struck: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static unsigned char byte_at(long i)
{
	return (unsigned char)((i * 31 + rank * 7) >> 3);
}

/* Ends the job unless the bytes are those of the line. */
static void check(const unsigned char *data, long bytes)
{
	for (long i = 0; i < bytes; i++)
		if (data[i] != byte_at(i))
			wrong("what was restored is not what was saved");
}

/* Makes the line, or restores it: images go on behind FTMPI_Perform_Checkpoint. Which life it is.
 */
static int begin(unsigned char *data, long bytes)
{
	int got, life = 0;

	if (FTMPI_CKPT_Protect(ID, data, bytes, MPI_BYTE) != MPI_SUCCESS)
		wrong("FTMPI_CKPT_Protect failed");
	got = FTMPI_Restore();
	if (got == FTMPI_NOTHING) {
		for (long i = 0; i < bytes; i++)
			data[i] = byte_at(i);
		got = FTMPI_Perform_Checkpoint();
	}
	if (FTMPI_Get_restart_count(&life) != MPI_SUCCESS)
		wrong("there is no count of restarts");
	if (got != (life == 0 ? FTMPI_CHECKPOINTED : FTMPI_RESTORED))
		wrong("the line was not made, or not restored");
	if (life == 0 && FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		wrong("there is no recovery line");
	return life;
}

static void compute(void)
{
	int one = 1, all = 0;

	for (int64_t end = now() + WORK_NS; now() < end;)
		;
	MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int64_t in_main = now(), inited, restored, computed;
	long bytes = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	unsigned char *data;
	int life;

	MPI_Init(&argc, &argv);
	inited = now();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (bytes < 1 || bytes > BYTES_MAX)
		wrong("usage: struck BYTES");
	data = malloc((size_t)bytes);
	if (data == NULL)
		wrong("no memory");
	life = begin(data, bytes);
	restored = now();
	compute();
	computed = now();
	check(data, bytes);
	printf("running %d %ld %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", rank,
		(long)getpid(), life, in_main, inited, restored, computed);
	fflush(stdout);
	for (;;)
		compute();
}
