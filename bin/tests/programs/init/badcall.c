/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * badcall CASE: does something a program should not do, so that tests can see what comes of it. One
 * rank (-rank, default the last) misbehaves; the others wait for it in MPI.
 */
#include "badcall.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { GUARD_SECONDS = 300, LARGE = 8 << 20 };

struct bad {
	struct prog prog;
	const char *name;
	long rank, code, signal;
};

static int is_culprit(const struct bad *b)
{
	return b->prog.rank == b->rank;
}

/* What the well-behaved ranks do: wait for the one that will never answer. */
static void wait_for_culprit(const struct bad *b)
{
	int x = 0;
	if (b->prog.rank % 2 == 0)
		MPI_Recv(&x, 1, MPI_INT, (int)b->rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

static void run_arguments(struct bad *b)
{
	int calls = badcall_arguments(&b->prog);
	MPI_Barrier(MPI_COMM_WORLD);
	if (b->prog.rank == 0)
		printf("badcall: right, %d wrong arguments on %d ranks\n", calls, b->prog.size);
}

static void run_exit(struct bad *b)
{
	if (!is_culprit(b))
		wait_for_culprit(b);
	exit((int)b->code);
}

static void run_abort(struct bad *b)
{
	if (!is_culprit(b))
		wait_for_culprit(b);
	MPI_Abort(MPI_COMM_WORLD, (int)b->code);
}

static void run_signal(struct bad *b)
{
	if (!is_culprit(b))
		wait_for_culprit(b);
	signal((int)b->signal, SIG_DFL);
	raise((int)b->signal);
}

/* A wrong argument under the error handler that every program starts with. */
static void run_fatal(struct bad *b)
{
	int x = 0;
	if (!is_culprit(b))
		wait_for_culprit(b);
	MPI_Send(&x, 1, MPI_INT, b->prog.size, 0, MPI_COMM_WORLD);
}

/* The same of a communicator that began with it, where errors of MPI_COMM_WORLD return. */
static void run_fatal_begun(struct bad *b)
{
	MPI_Comm begun;
	int x = 0;

	MPI_Comm_dup(MPI_COMM_WORLD, &begun);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (!is_culprit(b))
		wait_for_culprit(b);
	MPI_Send(&x, 1, MPI_INT, b->prog.size, 0, begun);
}

/* A null result, of a communicator where it was set. */
static void run_fatal_set(struct bad *b)
{
	MPI_Comm begun;

	MPI_Comm_dup(MPI_COMM_WORLD, &begun);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(begun, MPI_ERRORS_ARE_FATAL);
	if (!is_culprit(b))
		wait_for_culprit(b);
	MPI_Comm_size(begun, NULL);
}

static void run_after_finalize(struct bad *b)
{
	int x = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (is_culprit(b))
		MPI_Comm_rank(MPI_COMM_WORLD, &x);
	exit(0);
}

static void run_finalize_twice(struct bad *b)
{
	MPI_Finalize();
	if (is_culprit(b))
		MPI_Finalize();
	exit(0);
}

static void run_init_twice(struct bad *b)
{
	if (!is_culprit(b))
		wait_for_culprit(b);
	MPI_Init(NULL, NULL);
}

static void run_exit_late(struct bad *b)
{
	MPI_Finalize();
	exit(is_culprit(b) ? (int)b->code : 0);
}

/* Messages that nobody receives, small and large, and receives for which nobody sends. */
static void run_unmatched(struct bad *b)
{
	int next = (b->prog.rank + 1) % b->prog.size, small = 5, never = 0;
	char *large = prog_alloc(&b->prog, LARGE);
	MPI_Request request;
	memset(large, 1, LARGE);
	MPI_Send(&small, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
	MPI_Isend(&small, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &request);
	MPI_Isend(large, LARGE, MPI_BYTE, next, 3, MPI_COMM_WORLD, &request);
	MPI_Irecv(&never, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &request);
	MPI_Finalize();
	free(large);
	if (b->prog.rank == 0)
		printf("badcall: finalized with unmatched messages\n");
	exit(0);
}

static void run_hang(struct bad *b)
{
	printf("rank %d waits\n", b->prog.rank);
	fflush(stdout);
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int was_cancelled(const MPI_Status *status)
{
	int flag = -1;

	MPI_Test_cancelled(status, &flag);
	return flag;
}

static int class_of(int code)
{
	int class = -1;

	MPI_Error_class(code, &class);
	return class;
}

/* A receive from a rank that is gone fails, which is not the same as being cancelled. */
static void run_gone(struct bad *b)
{
	int x = 0, from = (int)b->rank, failed, both;
	MPI_Request request;
	MPI_Status status, cancelled;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	printf("rank %d waits\n", b->prog.rank);
	fflush(stdout);
	failed = class_of(MPI_Recv(&x, 1, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	printf("badcall: a receive posted before %s\n",
		failed == MPI_ERR_PROC_ABORTED ? "failed" : "is wrong");
	MPI_Irecv(&x, 1, MPI_INT, from, 99, MPI_COMM_WORLD, &request);
	failed = class_of(MPI_Wait(&request, &status));
	printf("badcall: a receive posted afterwards %s, %s\n",
		failed == MPI_ERR_PROC_ABORTED ? "failed" : "is wrong",
		was_cancelled(&status) ? "cancelled" : "not cancelled");
	both = class_of(MPI_Sendrecv(&x, 1, MPI_INT, from, 99, &x, 1, MPI_INT, from, 99,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	printf("badcall: a send and a receive %s\n",
		both == MPI_ERR_PROC_ABORTED ? "failed" : "are wrong");
	MPI_Irecv(&x, 1, MPI_INT, b->prog.rank, 99, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &cancelled);
	printf("badcall: a receive taken back is %s\n",
		was_cancelled(&cancelled) ? "cancelled" : "not cancelled");
}

static void run_spin(struct bad *b)
{
	volatile unsigned long turns = 0;
	printf("rank %d computes\n", b->prog.rank);
	fflush(stdout);
	for (;;)
		turns++;
}

/* Ignores SIGTERM, as a program may. */
static void run_stubborn(struct bad *b)
{
	signal(SIGTERM, SIG_IGN);
	run_spin(b);
}

static void run_environment(struct bad *b)
{
	char host[MPI_MAX_PROCESSOR_NAME];
	int length = 0;
	MPI_Get_processor_name(host, &length);
	const char *names[] = {"FTMPI_RANK", "FTMPI_SIZE", "FTMPI_LOCAL_RANK"};
	printf("rank %d of %d on %s:", b->prog.rank, b->prog.size, host);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf(" %s=%s", names[i], getenv(names[i]) != NULL ? getenv(names[i]) : "none");
	printf("\n");
}

static const struct {
	const char *name;
	void (*run)(struct bad *b);
} cases[] = {
	{"arguments", run_arguments},
	{"exit", run_exit},
	{"abort", run_abort},
	{"signal", run_signal},
	{"fatal", run_fatal},
	{"fatal-begun", run_fatal_begun},
	{"fatal-set", run_fatal_set},
	{"after-finalize", run_after_finalize},
	{"finalize-twice", run_finalize_twice},
	{"init-twice", run_init_twice},
	{"exit-late", run_exit_late},
	{"unmatched", run_unmatched},
	{"hang", run_hang},
	{"gone", run_gone},
	{"spin", run_spin},
	{"stubborn", run_stubborn},
	{"environment", run_environment},
};

/* Cases that end before MPI_Init; they know their rank from the launcher. */
static void before_init(int argc, char **argv)
{
	int rank = getenv("FTMPI_RANK") != NULL ? atoi(getenv("FTMPI_RANK")) : 0;
	int x = 0;
	if (argc < 2)
		return;
	if (strcmp(argv[1], "before-init") == 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &x);
	if (strcmp(argv[1], "exit-before-init") == 0 && rank == 1)
		exit(argc > 2 ? atoi(argv[2]) : 0);
	if (strcmp(argv[1], "exit-before-init") == 0) {
		MPI_Init(&argc, &argv);
		MPI_Barrier(MPI_COMM_WORLD);
		exit(0);
	}
}

int main(int argc, char **argv)
{
	struct bad b = {.rank = -1, .code = 3, .signal = SIGKILL};
	const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &b.name, 0,
			"arguments, exit, abort, signal, fatal, unmatched, hang, ... (see the "
			"source)"},
		{"-rank", "R", PROG_LONG, &b.rank, 0, "who misbehaves (default: the last rank)"},
		{"-code", "N", PROG_LONG, &b.code, 0, "exit status or abort code (default 3)"},
		{"-signal", "N", PROG_LONG, &b.signal, 1, "signal to die of (default 9)"},
	};
	b.prog = (struct prog){"badcall", "does what a program should not do", options, 4, 0, 1};
	alarm(GUARD_SECONDS);
	before_init(argc, argv);
	MPI_Init(&argc, &argv);
	prog_begin(&b.prog, argc, argv);
	if (b.rank < 0)
		b.rank = b.prog.size - 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (b.name != NULL && strcmp(cases[i].name, b.name) == 0) {
			cases[i].run(&b);
			MPI_Finalize();
			return 0;
		}
	prog_wrong(&b.prog, "there is no case called %s", b.name != NULL ? b.name : "(none)");
}
