/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long message between a rank that computes and one that waits in MPI: first the receiver
 * computes, having posted its receive, then the sender, having started its send. The one that waits
 * tells the other by a signal that the message is through; without a progress thread it never would
 * be. Ranks 0 and 1 on one machine.
 */
#include <dirent.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { BYTES = 1 << 20, DEADLINE_S = 20, ROUNDS = 20 };

static volatile sig_atomic_t told;

static void on_signal(int signo)
{
	(void)signo;
	told = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(int steps)
{
	volatile double work = 1;

	for (int i = 0; i < steps; i++)
		work = work * 1.0000001 + 1e-9;
}

static void compute_until_told(const struct prog *p, int round)
{
	double until = now() + prog_patience(DEADLINE_S);

	while (!told && now() < until)
		compute(10000);
	if (!told)
		prog_wrong(p,
			"round %d: the message did not get through within %d s without a call",
			round, DEADLINE_S);
	told = 0;
}

/* The message goes from 0 to 1; the rank `busy` computes meanwhile. */
static void one_round(const struct prog *p, unsigned char *buf, int round, int busy, pid_t other)
{
	MPI_Request request = MPI_REQUEST_NULL;

	memset(buf, p->rank == 0 ? round : 0, BYTES);
	MPI_Barrier(MPI_COMM_WORLD);
	if (p->rank == 0)
		MPI_Isend(buf, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
	else
		MPI_Irecv(buf, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
	if (p->rank == busy)
		compute_until_told(p, round);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (p->rank != busy)
		kill(other, SIGUSR1);
	for (int i = 0; i < BYTES; i++)
		if (buf[i] != (unsigned char)round)
			prog_wrong(p, "round %d: byte %d is %d", round, i, buf[i]);
}

/* How often the progress thread has gone to sleep. */
static long sleeps(const struct prog *p)
{
	DIR *tasks = opendir("/proc/self/task");
	long found = -1;

	for (struct dirent *d; found < 0 && tasks && (d = readdir(tasks));) {
		char path[300], line[128];
		FILE *in;
		int ours = 0;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", d->d_name);
		in = fopen(path, "r");
		while (in && fgets(line, sizeof(line), in)) {
			ours |= strcmp(line, "Name:\tftmpi-progress\n") == 0;
			if (ours)
				sscanf(line, "voluntary_ctxt_switches: %ld", &found);
		}
		if (in)
			fclose(in);
	}
	if (tasks)
		closedir(tasks);
	if (found < 0)
		prog_wrong(p, "there is no progress thread");
	return found;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* How often it does in a while of which *ms is the length then. */
static long ticks_of_a_while(const struct prog *p, double *ms)
{
	enum { MS = 300 };
	long before = sleeps(p);
	double begin = now();

	for (*ms = 0; *ms < MS; *ms = (now() - begin) * 1e3)
		poll(NULL, 0, MS / 10);
	return sleeps(p) - before;
}

/* What only a thread of the program may do, the user's operator, keeps the progress thread waiting:
 * it may ask once a millisecond whether there is something else. */
static void left_to_the_program(const struct prog *p)
{
	double ms;
	long ticks;
	int one = 1, sum = 0;
	MPI_Request request;
	MPI_Op op;

	MPI_Op_create(add, 1, &op);
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
	ticks = ticks_of_a_while(p, &ms);
	if ((double)ticks > 1.2 * ms + 50)
		prog_wrong(p, "%ld ticks in %.0f ms in which nothing could be done", ticks, ms);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Op_free(&op);
	if (sum != 2)
		prog_wrong(p, "the sum is %d", sum);
}

/* What does not come is asked for ever more rarely, in the end every 8 ms. */
static void nothing_comes(const struct prog *p)
{
	double ms;
	long ticks;
	int mine = 1, its = 0;
	MPI_Request request;

	MPI_Irecv(&its, 1, MPI_INT, 1 - p->rank, 1, MPI_COMM_WORLD, &request);
	ticks = ticks_of_a_while(p, &ms);
	MPI_Barrier(MPI_COMM_WORLD);
	if ((double)ticks > ms / 7 + 50)
		prog_wrong(p, "%ld ticks in %.0f ms in which nothing came", ticks, ms);
	MPI_Send(&mine, 1, MPI_INT, 1 - p->rank, 1, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (its != 1)
		prog_wrong(p, "%d came", its);
}

/* A program whose receives are over whenever it computes is left alone: ticks that find nothing to
 * do end, and from then on a few come each second. What is left open later gets through all the
 * same. */
static void nothing_is_left(const struct prog *p, unsigned char *buf, pid_t other)
{
	enum { SETTLE_MS = 500, MS = 1000 };
	double begin = now(), ms = 0;
	long before = -1, ticks;
	int mine = 0, its = 0;

	while (!mine || !its) {
		MPI_Request request;

		if (before < 0 && ms > SETTLE_MS)
			before = sleeps(p);
		mine = ms > SETTLE_MS + MS;
		MPI_Irecv(&its, 1, MPI_INT, 1 - p->rank, 2, MPI_COMM_WORLD, &request);
		MPI_Send(&mine, 1, MPI_INT, 1 - p->rank, 2, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		compute(100000);
		ms = (now() - begin) * 1e3;
	}
	ticks = sleeps(p) - before;
	if ((double)ticks > (ms - SETTLE_MS) / 16 + 30)
		prog_wrong(p, "%ld ticks in %.0f ms with nothing to do", ticks, ms - SETTLE_MS);
	for (int busy = 0; busy < 2; busy++)
		one_round(p, buf, ROUNDS + 1 + busy, busy, other);
}

int main(int argc, char **argv)
{
	struct prog p = {
		.name = "progress", .text = "long messages to and from a rank that computes"};
	unsigned char *buf;
	int mine = (int)getpid(), other = 0;

	signal(SIGUSR1, on_signal);
	MPI_Init(&argc, &argv);
	prog_begin(&p, argc, argv);
	if (p.size != 2)
		prog_wrong(&p, "give it 2 ranks, not %d", p.size);
	MPI_Sendrecv(&mine, 1, MPI_INT, 1 - p.rank, 0, &other, 1, MPI_INT, 1 - p.rank, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	buf = prog_alloc(&p, BYTES);
	for (int round = 1; round <= ROUNDS; round++)
		one_round(&p, buf, round, round % 2, (pid_t)other);
	left_to_the_program(&p);
	nothing_comes(&p);
	nothing_is_left(&p, buf, (pid_t)other);
	if (p.rank == 0)
		printf("progress: right, %d rounds\n", ROUNDS);
	free(buf);
	MPI_Finalize();
	return 0;
}
