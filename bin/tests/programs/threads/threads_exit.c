/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads_exit CASE: how a rank with several threads ends, well or otherwise: errors and
 * MPI_Abort while others are inside MPI, MPI_Finalize too early or by another thread, children.
 * The last rank does it; the others talk or wait.
 */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"
#include "prog.h"

enum { THREADS = 4, CHILDREN = 20, TAG_NEVER = 99 };

static struct prog prog;
static long code = 7;
static pthread_barrier_t together;

static void start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	if (pthread_create(thread, NULL, run, arg) != 0)
		prog_wrong(&prog, "no thread can be made");
}

static bool is_culprit(void)
{
	return prog.rank == prog.size - 1;
}

static void *wait_for_ever(void *arg)
{
	int x;

	(void)arg;
	MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, TAG_NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

/* ---- errors ---- */

static void *fail(void *arg)
{
	_Atomic long *mine = arg;
	int x = 0;

	*mine = asleep_self();
	MPI_Send(&x, 1, MPI_INT, prog.size, 0, MPI_COMM_WORLD);
	return NULL;
}

/* None can end the process, which writes out stdout, before all have come to the same point. */
static void run_fatal(void)
{
	static _Atomic long tids[THREADS];
	pthread_t threads[THREADS];

	if (!is_culprit())
		wait_for_ever(NULL);
	flockfile(stdout);
	for (int t = 0; t < THREADS; t++)
		start(&threads[t], fail, &tids[t]);
	for (int t = 0; t < THREADS; t++)
		asleep_wait(&prog, &tids[t], ASLEEP_ANYWHERE);
	funlockfile(stdout);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
}

static void *abort_job(void *arg)
{
	MPI_Abort(MPI_COMM_WORLD, (int)code);
	return arg;
}

static void run_abort(void)
{
	pthread_t waiting, aborting;

	if (is_culprit()) {
		start(&waiting, wait_for_ever, NULL);
		start(&aborting, abort_job, NULL);
	}
	MPI_Barrier(MPI_COMM_SELF);
	wait_for_ever(NULL);
}

/* ---- MPI_Finalize ---- */

static _Atomic long tid;

static void *wait_inside(void *arg)
{
	tid = asleep_self();
	return wait_for_ever(arg);
}

static void run_finalize_inside(void)
{
	pthread_t thread;

	if (is_culprit()) {
		start(&thread, wait_inside, NULL);
		asleep_wait(&prog, &tid, ASLEEP_WATCHING);
	}
	MPI_Finalize();
	exit(0);
}

static void stay_away(MPI_Comm *comm, int *errorcode, ...)
{
	(void)comm;
	(void)errorcode;
	pthread_barrier_wait(&together);
	for (;;)
		pause();
}

static void *call_handler(void *arg)
{
	MPI_Errhandler handler;

	MPI_Comm_create_errhandler(stay_away, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
	return arg;
}

/* A function of the program's that a call of MPI has called belongs to the call. */
static void run_finalize_called(void)
{
	pthread_t thread;

	if (is_culprit()) {
		pthread_barrier_init(&together, NULL, 2);
		start(&thread, call_handler, NULL);
		pthread_barrier_wait(&together);
	}
	MPI_Finalize();
	exit(0);
}

static void *finalize(void *arg)
{
	MPI_Finalize();
	return arg;
}

static void run_finalize_elsewhere(void)
{
	pthread_t thread;
	int done = 0;

	start(&thread, finalize, NULL);
	pthread_join(thread, NULL);
	MPI_Finalized(&done);
	if (prog.rank == 0)
		printf("threads_exit: %s\n", done ? "finalized by another thread" : "WRONG");
	exit(0);
}

/* ---- children ---- */

static _Atomic bool over;

/* Both sides of the last rank's neighbourhood talk until it says that it is over. */
static void *talk(void *arg)
{
	MPI_Comm comm = *(MPI_Comm *)arg;
	long sum = 0, round = 0;
	int go = 1;

	while (go) {
		long mine = round * (prog.rank + 1), want = round * prog.size * (prog.size + 1) / 2;

		MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
		if (sum != want)
			prog_wrong(&prog, "round %ld: the sum is %ld, not %ld", round, sum, want);
		if (is_culprit())
			go = !over;
		MPI_Bcast(&go, 1, MPI_INT, prog.size - 1, comm);
		round++;
	}
	return NULL;
}

static int status_of(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			prog_wrong(&prog, "a child is lost: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Children that leave at once, and children that become another program. */
static void child_leaves(int i)
{
	if (i % 2)
		_exit(3);
	execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
	_exit(4);
}

static void child_calls(int i)
{
	int x = i;

	alarm(prog_patience(60)); /* a call that hangs shall not outlive the test */
	if (i % 3 == 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &x);
	else if (i % 3 == 1)
		MPI_Finalize();
	else
		MPI_Init(NULL, NULL);
	_exit(0);
}

static void run_children(void (*child)(int i), int want, int children)
{
	pthread_t talkers[THREADS];
	MPI_Comm comms[THREADS];

	for (int t = 0; t < THREADS; t++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
		start(&talkers[t], talk, &comms[t]);
	}
	for (int i = 0; is_culprit() && i < children; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(i);
		if (pid < 0)
			prog_wrong(&prog, "fork: %s", strerror(errno));
		int status = status_of(pid);
		if (status != want)
			prog_wrong(&prog, "child %d ended with %d, not %d", i, status, want);
	}
	over = true;
	for (int t = 0; t < THREADS; t++) {
		pthread_join(talkers[t], NULL);
		MPI_Comm_free(&comms[t]);
	}
	if (prog.rank == 0)
		printf("threads_exit: right, with children\n");
}

static void run_fork(void)
{
	run_children(child_leaves, 3, CHILDREN);
}

static void run_fork_call(void)
{
	run_children(child_calls, 1, 3);
}

static const struct prog_case cases[] = {
	{"fatal", run_fatal},
	{"abort", run_abort},
	{"finalize-inside", run_finalize_inside},
	{"finalize-called", run_finalize_called},
	{"finalize-elsewhere", run_finalize_elsewhere},
	{"fork", run_fork},
	{"fork-call", run_fork_call},
};

int main(int argc, char **argv)
{
	const char *name = "";
	const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &name, 0,
			"fatal, abort, finalize-inside, finalize-called, finalize-elsewhere, fork, "
			"fork-call"},
		{"-code", "N", PROG_LONG, &code, 0, "abort code (default 7)"},
	};
	int level;

	prog = (struct prog){"threads_exit", "ends of ranks with threads", options, 2, 0, 1};
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	const struct prog_case *c =
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name);
	MPI_Barrier(MPI_COMM_WORLD);
	c->run();
	MPI_Finalize();
	return 0;
}
