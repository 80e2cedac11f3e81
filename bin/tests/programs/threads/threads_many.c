/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many threads of each rank send at once, on one communicator. Thread t of a rank exchanges with
 * rank t % size, where the thread of the same block has this rank for its partner; so all pairs of
 * ranks are busy in both directions. Between messages threads meet in a barrier of the program's
 * own, in which they sleep, or (-spin) compute without end, so that cores are rare.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "prog.h"

enum { THREADS_MOST = 64, WINDOW = 16, TAG_WINDOW = 1000 };

static struct prog prog;
static struct {
	long blocks, rounds, longest;
	int spin;
	int threads;
	pthread_barrier_t barrier;
	_Atomic int left;
	_Atomic unsigned phase;
	MPI_Request requests[2 * THREADS_MOST];
	_Atomic long messages;
} s;

struct worker {
	pthread_t thread;
	int id, partner, block;
	int *out, *in;
};

/* ---- the program's own barrier ---- */

static void spin_together(void)
{
	unsigned phase = s.phase;

	if (--s.left == 0) {
		s.left = s.threads;
		s.phase++;
	}
	while (s.phase == phase)
		continue;
}

static void meet(void)
{
	if (s.spin)
		spin_together();
	else
		pthread_barrier_wait(&s.barrier);
}

/* ---- what is sent ---- */

static int element(int from, int to, int block, long round, int i)
{
	uint32_t x = (uint32_t)from * 31 + (uint32_t)to;

	x = x * 31 + (uint32_t)block;
	x = x * 31 + (uint32_t)round;
	return (int)(x * 2654435761u + (uint32_t)i);
}

static void fill(struct worker *w, int n, long round)
{
	for (int i = 0; i < n; i++) {
		w->out[i] = element(prog.rank, w->partner, w->block, round, i);
		w->in[i] = -1;
	}
}

static void check(const struct worker *w, const int *in, int n, long round)
{
	for (int i = 0; i < n; i++) {
		int right = element(w->partner, prog.rank, w->block, round, i);

		if (in[i] != right)
			prog_wrong(&prog,
				"thread %d, round %ld: element %d of %d from rank %d is %d, not %d",
				w->id, round, i, n, w->partner, in[i], right);
	}
	s.messages++;
}

static void check_status(const struct worker *w, const MPI_Status *status, int n, int tag)
{
	int count;

	MPI_Get_count(status, MPI_INT, &count);
	if (count != n || status->MPI_TAG != tag || status->MPI_SOURCE != w->partner)
		prog_wrong(&prog, "thread %d: %d elements with tag %d from rank %d, not %d, %d, %d",
			w->id, count, status->MPI_TAG, status->MPI_SOURCE, n, tag, w->partner);
}

/* ---- what is tried ---- */

static void begin(struct worker *w, int n, long round)
{
	MPI_Request *mine = &s.requests[2 * w->id];

	fill(w, n, round);
	MPI_Isend(w->out, n, MPI_INT, w->partner, w->block, MPI_COMM_WORLD, &mine[0]);
	MPI_Irecv(w->in, n, MPI_INT, w->partner, w->block, MPI_COMM_WORLD, &mine[1]);
}

static void each_waits(struct worker *w, int n, long round)
{
	MPI_Status status[2];

	meet();
	begin(w, n, round);
	MPI_Waitall(2, &s.requests[2 * w->id], status);
	check_status(w, &status[1], n, w->block);
	check(w, w->in, n, round);
}

/* The requests of all threads; the others are outside MPI. */
static void one_waits(struct worker *w, int n, long round)
{
	begin(w, n, round);
	meet();
	if (w->id == round % s.threads)
		MPI_Waitall(2 * s.threads, s.requests, MPI_STATUSES_IGNORE);
	meet();
	check(w, w->in, n, round);
}

/* Blocking sends of short messages, which are received in the order in which they were sent. */
static void window(struct worker *w, int n, long round)
{
	MPI_Request requests[WINDOW];
	MPI_Status statuses[WINDOW];
	int got[WINDOW], tag = TAG_WINDOW + w->block;

	(void)n;
	meet();
	for (int i = 0; i < WINDOW; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, w->partner, tag, MPI_COMM_WORLD, &requests[i]);
	for (int i = 0; i < WINDOW; i++) {
		int x = element(prog.rank, w->partner, w->block, round * WINDOW + i, 0);

		MPI_Send(&x, 1, MPI_INT, w->partner, tag, MPI_COMM_WORLD);
	}
	MPI_Waitall(WINDOW, requests, statuses);
	for (int i = 0; i < WINDOW; i++) {
		check_status(w, &statuses[i], 1, tag);
		check(w, &got[i], 1, round * WINDOW + i);
	}
}

static void (*step)(struct worker *w, int n, long round);

static void *work(void *arg)
{
	struct worker *w = arg;
	long round = 0;

	for (int n = 1; n <= s.longest; n *= 4)
		for (long i = 0; i < s.rounds; i++)
			step(w, n, round++);
	return NULL;
}

static void run(void)
{
	struct worker w[THREADS_MOST];

	s.left = s.threads;
	pthread_barrier_init(&s.barrier, NULL, (unsigned)s.threads);
	for (int t = 0; t < s.threads; t++) {
		size_t bytes = (size_t)s.longest * sizeof(int);

		w[t] = (struct worker){.id = t,
			.partner = t % prog.size,
			.block = t / prog.size,
			.out = prog_alloc(&prog, bytes),
			.in = prog_alloc(&prog, bytes)};
	}
	for (int t = 0; t < s.threads; t++)
		if (pthread_create(&w[t].thread, NULL, work, &w[t]) != 0)
			prog_wrong(&prog, "no thread can be made");
	for (int t = 0; t < s.threads; t++) {
		pthread_join(w[t].thread, NULL);
		free(w[t].out);
		free(w[t].in);
	}
	pthread_barrier_destroy(&s.barrier);
}

static void run_each(void)
{
	step = each_waits;
	run();
}

static void run_one(void)
{
	step = one_waits;
	run();
}

static void run_window(void)
{
	step = window;
	run();
}

static const struct prog_case cases[] = {
	{"each", run_each},
	{"one", run_one},
	{"window", run_window},
};

int main(int argc, char **argv)
{
	const char *name = "";
	const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &name, 0, "each, one or window"},
		{"-blocks", "N", PROG_LONG, &s.blocks, 1, "threads for each rank there is"},
		{"-rounds", "N", PROG_LONG, &s.rounds, 1, "exchanges of each length"},
		{"-longest", "N", PROG_LONG, &s.longest, 1, "ints in a message, at most"},
		{"-spin", NULL, PROG_FLAG, &s.spin, 0, "threads that wait for others compute"}};
	int level;

	s.blocks = 1;
	s.rounds = 4;
	s.longest = 1 << 18;
	prog = (struct prog){"threads_many", "many threads that send at once", options,
		sizeof options / sizeof *options, 0, 1};
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	if (level != MPI_THREAD_MULTIPLE)
		prog_wrong(&prog, "the level of threads is %d", level);
	if (s.blocks > THREADS_MOST / prog.size)
		prog_wrong(&prog, "%ld threads for each of %d ranks are more than %d", s.blocks,
			prog.size, THREADS_MOST);
	s.threads = (int)s.blocks * prog.size;
	const struct prog_case *c =
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name);
	MPI_Barrier(MPI_COMM_WORLD);
	c->run();
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("threads_many: right, %s, %d threads, %ld messages\n", name, s.threads,
			(long)s.messages);
	MPI_Finalize();
	return 0;
}
