/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nobody is forgotten asleep. One thread sleeps in the kernel watching the sockets, perhaps another
 * on the condition; a third completes something of theirs, or leaves work behind that only they can
 * do, and then makes no further MPI call until they have woken. A wakeup that is lost hangs the
 * program. Run with FTMPI_SPIN_US=0, so that waiting threads sleep at once.
 */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asleep.h"
#include "prog.h"

enum { LARGE = 64 << 20, FILLINGS = 5, ROUNDS = 200, SMALL = 10 };
enum { TAG_DATA = SMALL, TAG_REPLY, TAG_END, TAG_PID };

static struct prog prog;

struct sleeper {
	pthread_t thread;
	_Atomic long tid; /* 0: not running yet */
	sem_t woken;
	int source, rounds;
};

static void wait_asleep(struct sleeper *s, enum asleep_where where)
{
	asleep_wait(&prog, &s->tid, where);
}

/* Receives `rounds` messages and says so after each. */
static void *receive(void *arg)
{
	struct sleeper *s = arg;
	int x;

	s->tid = asleep_self();
	for (int i = 0; i < s->rounds; i++) {
		MPI_Recv(&x, 1, MPI_INT, s->source, TAG_END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (x != i)
			prog_wrong(&prog, "message %d says %d", i, x);
		sem_post(&s->woken);
	}
	return NULL;
}

static void start(struct sleeper *s, void *(*run)(void *arg), int source, int rounds)
{
	*s = (struct sleeper){.source = source, .rounds = rounds};
	sem_init(&s->woken, 0, 0);
	if (pthread_create(&s->thread, NULL, run, s) != 0)
		prog_wrong(&prog, "no thread can be made");
}

static void end(struct sleeper *s)
{
	pthread_join(s->thread, NULL);
	sem_destroy(&s->woken);
}

static void send_end(int dest, int x)
{
	MPI_Send(&x, 1, MPI_INT, dest, TAG_END, MPI_COMM_WORLD);
}

/* ---- what is tried ---- */

/* Announcements that are gathered must leave although their sender does not come back to MPI. The
 * last is received first: an answer to the first would wake the one who watches. */
static void run_gathered(void)
{
	struct sleeper s;
	MPI_Request requests[SMALL];
	int x[SMALL] = {0};

	if (prog.rank == 1) {
		for (int i = SMALL - 1; i >= 0; i--)
			MPI_Recv(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		send_end(0, 0);
	}
	if (prog.rank != 0)
		return;
	start(&s, receive, 1, 1);
	wait_asleep(&s, ASLEEP_WATCHING);
	for (int i = 0; i < SMALL; i++)
		MPI_Issend(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
	end(&s);
	MPI_Waitall(SMALL, requests, MPI_STATUSES_IGNORE);
}

static char large[LARGE];

static void *send_large(void *arg)
{
	struct sleeper *s = arg;

	s->tid = asleep_self();
	MPI_Send(large, LARGE, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD);
	return NULL;
}

static void wait_for_usr1(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &signo);
}

/* A rank whose only thread is in here is inside MPI and reads no socket. */
static void wait_for_signal(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	wait_for_usr1();
}

static void take_large(void)
{
	MPI_Errhandler handler;
	MPI_Request request;

	MPI_Comm_create_errhandler(wait_for_signal, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	for (int i = 0; i < FILLINGS; i++) {
		MPI_Probe(0, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Irecv(large, LARGE, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD, &request);
		MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		send_end(0, i);
	}
	MPI_Errhandler_free(&handler);
}

/* Who fills a socket and sleeps on the condition must have somebody watch for room. */
static void run_full(void)
{
	struct sleeper watching, sending;
	int pid = (int)getpid();

	if (prog.rank == 1) {
		MPI_Send(&pid, 1, MPI_INT, 0, TAG_PID, MPI_COMM_WORLD);
		take_large();
	}
	if (prog.rank != 0)
		return;
	MPI_Recv(&pid, 1, MPI_INT, 1, TAG_PID, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	start(&watching, receive, 1, FILLINGS);
	for (int i = 0; i < FILLINGS; i++) {
		wait_asleep(&watching, ASLEEP_WATCHING);
		start(&sending, send_large, 1, 0);
		wait_asleep(&sending, ASLEEP_ANYWHERE);
		kill((pid_t)pid, SIGUSR1);
		end(&sending);
		sem_wait(&watching.woken);
	}
	end(&watching);
}

/* What completes the sleeper's receive must not also swallow what wakes it. */
static void run_swallowed(void)
{
	struct sleeper s;
	int flag;

	if (prog.rank != 0)
		return;
	start(&s, receive, 0, ROUNDS);
	for (int i = 0; i < ROUNDS; i++) {
		wait_asleep(&s, ASLEEP_WATCHING);
		send_end(0, i);
		for (int look = 0; look < 4; look++)
			MPI_Iprobe(0, TAG_REPLY, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		sem_wait(&s.woken);
	}
	end(&s);
}

/* Who watched and leaves must see to it that another watches. */
static void run_left(void)
{
	struct sleeper watching, waiting;
	int pid = (int)getpid();

	if (prog.rank == 1)
		MPI_Send(&pid, 1, MPI_INT, 0, TAG_PID, MPI_COMM_WORLD);
	for (int i = 0; prog.rank == 1 && i < ROUNDS; i++) {
		wait_for_usr1();
		send_end(0, 0);
	}
	if (prog.rank != 0)
		return;
	MPI_Recv(&pid, 1, MPI_INT, 1, TAG_PID, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < ROUNDS; i++) {
		start(&watching, receive, 0, 1);
		wait_asleep(&watching, ASLEEP_WATCHING);
		start(&waiting, receive, 1, 1);
		wait_asleep(&waiting, ASLEEP_ON_CONDITION);
		send_end(0, 0);
		end(&watching);
		kill((pid_t)pid, SIGUSR1);
		end(&waiting);
	}
}

static void *answer(void *arg)
{
	struct sleeper *s = arg;
	int x;

	s->tid = asleep_self();
	MPI_Recv(&x, 1, MPI_INT, s->source, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&x, 1, MPI_INT, s->source, TAG_REPLY, MPI_COMM_WORLD);
	return NULL;
}

/* Who completes another's receive and then sleeps himself must tell before. */
static void run_untold(void)
{
	struct sleeper watching, waiting;
	int out = 7, in = 0;

	if (prog.rank != 0)
		return;
	start(&watching, receive, 0, 1);
	wait_asleep(&watching, ASLEEP_WATCHING);
	start(&waiting, answer, 0, 1);
	wait_asleep(&waiting, ASLEEP_ON_CONDITION);
	MPI_Sendrecv(&out, 1, MPI_INT, 0, TAG_DATA, &in, 1, MPI_INT, 0, TAG_REPLY, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	if (in != out)
		prog_wrong(&prog, "the answer is %d, not %d", in, out);
	send_end(0, 0);
	end(&waiting);
	end(&watching);
}

static void *probe(void *arg)
{
	struct sleeper *s = arg;
	int x = 0;

	s->tid = asleep_self();
	MPI_Probe(s->source, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sem_post(&s->woken);
	MPI_Recv(&x, 1, MPI_INT, s->source, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

/* A message that completes nothing, not even itself, is news to who probes for it. */
static void run_probed(void)
{
	struct sleeper watching, probing;
	MPI_Request request;
	int x = 1;

	if (prog.rank != 0)
		return;
	start(&watching, receive, 0, 1);
	wait_asleep(&watching, ASLEEP_WATCHING);
	start(&probing, probe, 0, 1);
	wait_asleep(&probing, ASLEEP_ON_CONDITION);
	MPI_Issend(&x, 1, MPI_INT, 0, TAG_DATA, MPI_COMM_WORLD, &request);
	sem_wait(&probing.woken);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	end(&probing);
	send_end(0, 0);
	end(&watching);
}

static const struct prog_case cases[] = {
	{"gathered", run_gathered},
	{"full", run_full},
	{"swallowed", run_swallowed},
	{"left", run_left},
	{"untold", run_untold},
	{"probed", run_probed},
};

int main(int argc, char **argv)
{
	const char *name = "";
	const struct prog_option options[] = {{"CASE", NULL, PROG_TEXT, &name, 0,
		"gathered, full, swallowed, left, untold or probed"}};
	sigset_t set;
	int level;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	prog = (struct prog){
		"threads_wake", "sleeping threads and who wakes them", options, 1, 0, 1};
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	const struct prog_case *c =
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name);
	MPI_Barrier(MPI_COMM_WORLD);
	c->run();
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("threads_wake: right, %s\n", name);
	MPI_Finalize();
	return 0;
}
