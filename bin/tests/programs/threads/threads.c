/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads: MPI_THREAD_MULTIPLE. Four threads of each rank do everything at once, chosen at random,
 * while a fifth is in a receive all the time; every result is checked. With a lower level of
 * threads the main thread does it alone.
 */
#include "threads.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

MPI_Comm threads_shared;

static struct prog prog;
int threads_lines;
static struct worker workers[THREADS];
static long seed = 1, rounds = 50, deadline = 100;
static const char *only = "";
static _Thread_local struct worker *self;

struct worker *threads_self(void)
{
	return self;
}

/* ---- random, and the same in all ranks ---- */

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

int threads_draw(struct worker *w, int n)
{
	w->random += UINT64_C(0x9e3779b97f4a7c15);
	return (int)(mix(w->random) % (uint64_t)n);
}

int threads_length(struct worker *w)
{
	int kind = threads_draw(w, 10);

	if (kind < 6)
		return 1 + threads_draw(w, 20);
	return kind < 8 ? 1 + threads_draw(w, 2000) : LONGEST - threads_draw(w, 2000);
}

/* ---- what is said ---- */

int threads_word(const struct worker *w, int from, int i)
{
	return (int)((unsigned)from * 1000003u + (unsigned)w->id * 10007u +
		     (unsigned)w->round * 101u + (unsigned)i);
}

void threads_fill(struct worker *w, int n)
{
	for (int i = 0; i < n; i++)
		w->out[i] = threads_word(w, w->rank, i);
}

void threads_check(struct worker *w, int from, int n)
{
	for (int i = 0; i < n; i++)
		threads_expect(w, w->in[i] == threads_word(w, from, i),
			"element %d of %d from rank %d is %d, not %d", i, n, from, w->in[i],
			threads_word(w, from, i));
}

void threads_expect(struct worker *w, bool right, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (right)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	prog_wrong(&prog, "seed %ld, thread %d, round %ld, %s: %s", seed, w->id, (long)w->round,
		w->activity->name, text);
}

/* ---- the threads ---- */

static const struct activity *const families[] = {
	threads_p2p, threads_requests, threads_coll, threads_objects, threads_callbacks};

/* Number n of those that may be chosen, or how many there are in *count. */
static const struct activity *activity_at(int n, int *count)
{
	const struct activity *found = NULL;

	*count = 0;
	for (size_t f = 0; f < sizeof families / sizeof *families; f++)
		for (const struct activity *a = families[f]; a->name; a++)
			if (!*only || strcmp(a->name, only) == 0)
				if ((*count)++ == n)
					found = a;
	return found;
}

static void *work(void *arg)
{
	struct worker *w = self = arg;
	int count;

	activity_at(0, &count);
	for (long round = 0; round < rounds; round++) {
		w->round = round;
		w->activity = activity_at(threads_draw(w, count), &count);
		w->activity->run(w);
	}
	return NULL;
}

/* All the time in one receive, like the thread of a program that waits for orders. */
static void *wait_for_stop(void *arg)
{
	int x = 0;

	MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (x != TAG_STOP)
		prog_wrong(&prog, "the word to stop is %d", x);
	return arg;
}

static void worker_open(struct worker *w, int id)
{
	w->id = id;
	w->rank = prog.rank;
	w->size = prog.size;
	w->right = (prog.rank + 1) % prog.size;
	w->left = (prog.rank + prog.size - 1) % prog.size;
	w->random = mix((uint64_t)seed * THREADS + (uint64_t)id + 1);
	MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &w->quiet);
	MPI_Comm_set_errhandler(w->quiet, MPI_ERRORS_RETURN);
}

static void worker_close(struct worker *w)
{
	MPI_Comm_free(&w->comm);
	MPI_Comm_free(&w->quiet);
}

static void start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	if (pthread_create(thread, NULL, run, arg) != 0)
		prog_wrong(&prog, "no thread can be made");
}

static void run_all(void)
{
	pthread_t waiting;
	int stop = TAG_STOP;

	start(&waiting, wait_for_stop, NULL);
	for (int t = 0; t < THREADS; t++)
		start(&workers[t].thread, work, &workers[t]);
	for (int t = 0; t < THREADS; t++)
		pthread_join(workers[t].thread, NULL);
	MPI_Send(&stop, 1, MPI_INT, (prog.rank + 1) % prog.size, TAG_STOP, MPI_COMM_WORLD);
	pthread_join(waiting, NULL);
}

/* ---- start and end ---- */

static void on_alarm(int signal_number)
{
	for (int t = 0; t < THREADS; t++) {
		const struct activity *a = workers[t].activity;
		char text[200];
		int n = snprintf(text, sizeof text,
			"threads: rank %d, seed %ld: thread %d hangs in round %ld: %s\n", prog.rank,
			seed, t, (long)workers[t].round, a ? a->name : "(none)");

		if (write(STDERR_FILENO, text, (size_t)n) != n)
			break;
	}
	_exit(signal_number == SIGALRM ? 1 : 2);
}

static void *ask_level(void *arg)
{
	int *flag = arg;

	MPI_Is_thread_main(flag);
	return NULL;
}

/* These two may be asked by any thread at any level (MPI 5.0 section 11.6.2). */
static void check_level(int asked, int provided)
{
	pthread_t other;
	int level = -1, here = 0, there = 1;

	MPI_Query_thread(&level);
	if (provided != asked || level != asked)
		prog_wrong(&prog, "asked for level %d, given %d, then %d", asked, provided, level);
	MPI_Is_thread_main(&here);
	start(&other, ask_level, &there);
	pthread_join(other, NULL);
	if (!here || there)
		prog_wrong(&prog, "MPI_Is_thread_main: %d in the main thread, %d in another", here,
			there);
}

static const struct {
	const char *name;
	int level;
} levels[] = {
	{"single", MPI_THREAD_SINGLE},
	{"funneled", MPI_THREAD_FUNNELED},
	{"serialized", MPI_THREAD_SERIALIZED},
	{"multiple", MPI_THREAD_MULTIPLE},
};

/* The level is needed before MPI_Init_thread takes its own arguments away. */
static int wanted_level(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
			if (strcmp(argv[i], "-level") == 0 &&
				strcmp(argv[i + 1], levels[l].name) == 0)
				return levels[l].level;
	return MPI_THREAD_MULTIPLE;
}

int main(int argc, char **argv)
{
	const char *name = "multiple";
	const struct prog_option options[] = {
		{"ROUNDS", NULL, PROG_LONG, &rounds, 1, "activities of each thread (default 50)"},
		{"-seed", "S", PROG_LONG, &seed, 0, "seed of the random numbers (default 1)"},
		{"-only", "NAME", PROG_TEXT, &only, 0, "this activity alone"},
		{"-level", "LEVEL", PROG_TEXT, &name, 0,
			"single, funneled, serialized or multiple (default)"},
		{"-deadline", "S", PROG_LONG, &deadline, 1, "seconds in all (default 100)"},
		{"-lines", NULL, PROG_FLAG, &threads_lines, 0,
			"a line may be made at any moment: no send is taken back"},
	};
	int asked = wanted_level(argc, argv), provided = -1, count;

	MPI_Init_thread(&argc, &argv, asked, &provided);
	prog = (struct prog){"threads", "everything at once in four threads", options, 6, 0, 1};
	prog_begin(&prog, argc, argv);
	check_level(asked, provided);
	if (activity_at(0, &count) == NULL)
		prog_wrong(&prog, "there is no activity called %s", only);
	if (prog.size > RANKS_MOST)
		prog_wrong(&prog, "at most %d ranks, not %d", RANKS_MOST, prog.size);
	signal(SIGALRM, on_alarm);
	alarm(prog_patience((unsigned)deadline));
	MPI_Comm_dup(MPI_COMM_WORLD, &threads_shared);
	for (int t = 0; t < THREADS; t++)
		worker_open(&workers[t], t);
	if (asked == MPI_THREAD_MULTIPLE)
		run_all();
	else
		work(&workers[0]);
	threads_check_pool(&prog);
	for (int t = 0; t < THREADS; t++)
		worker_close(&workers[t]);
	MPI_Comm_free(&threads_shared);
	if (prog.rank == 0)
		printf("threads: right, %d ranks, %s, %ld rounds, seed %ld\n", prog.size, name,
			rounds, seed);
	MPI_Finalize();
	return 0;
}
