/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 stays in one place, in MPI or outside, until a file is there; the others compute. So a
 * test can have a line made while it is there.
 */
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "prog.h"

enum { ITERATIONS = 1 << 20, TAG = 7, POLLS = 50 };

static struct prog prog;
static const char *file, *name;
static volatile double number = 1;

static bool is_over(void)
{
	return access(file, F_OK) == 0;
}

/* Some milliseconds, in which no function is called. */
static void compute_a_while(void)
{
	double x = number;

	for (int i = 0; i < ITERATIONS; i++)
		x = x * 0.999999 + 0.000001;
	number = x;
}

static void compute(void)
{
	while (!is_over())
		compute_a_while();
}

static void a_moment(void)
{
	struct timespec some = {0, 50000000};

	nanosleep(&some, &some);
}

static void sleeps(void)
{
	while (!is_over())
		a_moment();
}

static void selects(void)
{
	while (!is_over()) {
		struct timeval some = {0, 50000};

		select(0, NULL, NULL, NULL, &some);
	}
}

static void *wait_for_file(void *arg)
{
	sleeps();
	return arg;
}

/* The first thread waits for another, which waits most of the time. */
static void joins(void)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, wait_for_file, &prog) != 0)
		prog_wrong(&prog, "no thread");
	pthread_join(thread, &result);
	if (result != &prog)
		prog_wrong(&prog, "the thread did not return what it was given");
}

static int in[2];

static void *write_later(void *arg)
{
	sleeps();
	if (write(in[1], "x", 1) != 1)
		prog_wrong(&prog, "a pipe of its own takes nothing");
	return arg;
}

static void reads(void)
{
	pthread_t thread;
	char c = 0;

	if (pipe(in) != 0 || pthread_create(&thread, NULL, write_later, NULL) != 0)
		prog_wrong(&prog, "no pipe, or no thread");
	if (read(in[0], &c, 1) != 1 || c != 'x')
		prog_wrong(&prog, "what another thread wrote to a pipe does not come");
	pthread_join(thread, NULL);
}

static void receives(void)
{
	int v = 0;

	MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (v != 5)
		prog_wrong(&prog, "received %d", v);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* Alarms of its own come all the time, and still come when the file is there. */
static void alarmed(void)
{
	struct sigaction a = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	int before;

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	compute();
	before = alarms;
	while (alarms < before + 3)
		compute_a_while();
	setitimer(ITIMER_REAL, &never, NULL);
}

/* malloc is where a thread must not be interrupted, and this one is there most of the time. */
static void allocates(void)
{
	void *held[64] = {0};
	unsigned at = 1;

	while (!is_over())
		for (int i = 0; i < ITERATIONS / 64; i++) {
			void **p;

			at = at * 1103515245 + 12345;
			p = &held[at >> 16 & 63];
			free(*p);
			*p = malloc(at >> 20);
		}
	for (int i = 0; i < 64; i++)
		free(held[i]);
}

/* A wait whose time is over ends as if nothing had been, though it came to a line in that moment. */
static void polls(void)
{
	while (!is_over()) {
		for (int i = 0; i < POLLS; i++)
			if (poll(NULL, 0, 10) != 0)
				prog_wrong(&prog, "poll was interrupted");
		compute_a_while();
	}
}

static FILE *open_log(void)
{
	char path[4096];
	FILE *log;

	snprintf(path, sizeof path, "%s.log", file);
	log = fopen(path, "a+");
	if (!log)
		prog_wrong(&prog, "there is no log");
	return log;
}

static void *compute_on(void *arg)
{
	compute();
	return arg;
}

/* In a thread of the smallest stack that there is. */
static void computes_on_small_stack(void)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) != 0 ||
		pthread_create(&thread, &small, compute_on, NULL) != 0)
		prog_wrong(&prog, "no thread");
	pthread_join(thread, NULL);
	pthread_attr_destroy(&small);
}

/* Locked memory is all alike, so that the heap is one mapping with what lies before it. */
static void computes_locked(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0 && prog.rank == 0)
		printf("places: memory may not be locked\n");
	allocates();
}

/* It grows all the time; what was mapped private stays. */
static void writes_mapped_log(void)
{
	FILE *log = open_log();
	char *at;

	fprintf(log, "begun\n");
	fflush(log);
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(log), 0);
	if (at == MAP_FAILED)
		prog_wrong(&prog, "the log is not mapped");
	at[0] = 'B';
	while (!is_over()) {
		compute_a_while();
		fprintf(log, "on\n");
		fflush(log);
	}
	if (memcmp(at, "Begun\n", 6) != 0)
		prog_wrong(&prog, "the log is not what was mapped");
	munmap(at, 4096);
	fclose(log);
}

static const struct prog_case cases[] = {{"compute", compute}, {"sleep", sleeps},
	{"select", selects}, {"join", joins}, {"read", reads}, {"receive", receives},
	{"alarm", alarmed}, {"malloc", allocates}, {"poll", polls},
	{"small-stack", computes_on_small_stack}, {"locked", computes_locked}, {"log", writes_mapped_log}};

int main(int argc, char **argv)
{
	static const struct prog_option options[] = {
		{"PLACE", NULL, PROG_TEXT, &name, 0, "where rank 0 stays"},
		{"FILE", NULL, PROG_TEXT, &file, 0, "until this is there"}};
	int five = 5, ranks, sum;

	MPI_Init(&argc, &argv);
	prog = (struct prog){.name = "places",
		.text = "Rank 0 stays in one place until a file is there.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("places: rank 0 is there\n");
	fflush(stdout);
	if (prog.rank == 0)
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name)->run();
	else
		compute();
	if (prog.rank == 1 && strcmp(name, "receive") == 0)
		MPI_Send(&five, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
	MPI_Allreduce(&five, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (sum != 5 * ranks)
		prog_wrong(&prog, "the sum is %d", sum);
	MPI_Finalize();
	if (prog.rank == 0)
		printf("places: right, %s\n", name);
	return 0;
}
