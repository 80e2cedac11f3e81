/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Safe points (mpi/engine/engine.h): a thread that makes no call asks the others of rank 0 for one,
 * many times, while they wait in a call, and rank 1 lets them wait. Linked with the objects of the
 * library, whose own names are not to be seen from outside.
 */
#include <ftmpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/recovery/ckpt_job.h"
#include "prog.h"

enum {
	THREADS = 3,
	WAITING_BY = 30,
	DEADLINE_S = 60,
	GATHER = 10,
	GIVEN = 200,
	LINES = 20,
	REDUCTIONS = 200
};

static struct prog prog;
static long asks = 1000;
static pid_t other; /* rank 1 */

/* A thread of rank 0 that may be asked. */
struct asked {
	pthread_t thread;
	int index;
	_Atomic long tid;
	sem_t passed, refused;
	long round; /* in which it passed last */
	long runs;  /* of the hook */
};

static struct asked asked[THREADS];
static pthread_t asking;
static int nasked = 1;
static _Thread_local struct asked *self; /* NULL: it is not to come to a safe point */
static _Thread_local bool in_operator, in_wait;

/* ---- the hook ---- */

static atomic_long round_now;
static int gathered; /* threads that are in the hook; this and what follows: the engine's lock */
static bool gathering;
static sem_t in_hook, go_on; /* "given" */
static bool giving;

static _Noreturn void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "safe_points: WRONG: ");
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	_exit(1);
}

static void wait_for(sem_t *s, const char *what, int index)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += prog_patience(DEADLINE_S);
	if (sem_timedwait(s, &until) != 0)
		die("in round %ld thread %d %s", (long)round_now, index, what);
}

/* Nobody goes on before all are here, and then nobody sleeps in a wait. */
static void gather(void)
{
	time_t until = time(NULL) + prog_patience(DEADLINE_S);

	gathered++;
	while (gathering && gathered < nasked) {
		engine_unlock();
		sched_yield();
		if (time(NULL) > until)
			die("%d of %d threads have come", gathered, nasked);
		engine_lock();
	}
	if (gathering && engine_somebody_sleeps())
		die("all threads are in the hook, and one sleeps");
	gathering = false;
}

/* Lines are made, or gone back to, here or by another thread. Before a call for that begins with
 * them it agrees with those of the other ranks. */
static bool coordinates(void)
{
	return strncmp(fail_call(), "FTMPI_", 6) == 0 || ckpt_job()->coord.state != COORD_IDLE;
}

static void hook(bool begins)
{
	if (!engine_held())
		die("the hook runs without the lock");
	if (!self)
		die("the hook runs in a thread that is not the program's, or does not wait");
	if (in_operator && in_wait && begins)
		die("a line may begin in the midst of deferred work");
	self->runs++;
	if (coordinates()) {
		sem_post(&self->refused);
		return;
	}
	if (self->round == round_now)
		return;
	self->round = round_now;
	if (giving) {
		engine_unlock();
		sem_post(&in_hook);
		wait_for(&go_on, "is not let go", 0);
		engine_lock();
	} else if (self->round % GATHER == 0) {
		gather();
	} else if (self->round % 2) {
		engine_unlock();
		sched_yield();
		engine_lock();
	}
	sem_post(&self->passed);
}

static void set_hook(void (*to)(bool begins))
{
	engine_lock();
	engine_on_safe_point(to);
	engine_unlock();
}

/* ---- asking ---- */

/* The n-th time: every thread comes, and makes no call for it. */
static void ask(long n)
{
	engine_lock();
	round_now = n;
	gathered = 0;
	gathering = true;
	engine_unlock();
	engine_want_safe_point(true);
	for (int i = 0; i < nasked; i++)
		wait_for(&asked[i].passed, "does not come to a safe point", i);
	engine_want_safe_point(false);
}

/* A call that does not wait can be met twice, as it begins and as it ends, and each thread makes
 * few of these before it waits. */
static void ask_often(void)
{
	uint32_t calls = 0;

	for (long n = 1; n <= asks; n++) {
		ask(n);
		if (n == WAITING_BY)
			calls = engine_calls();
	}
	if (asks > WAITING_BY && engine_calls() != calls)
		die("the threads have begun %u calls meanwhile", engine_calls() - calls);
}

static void *ask_and_release(void *unused)
{
	(void)unused;
	ask_often();
	kill(other, SIGUSR1);
	return NULL;
}

static void be_asked(struct asked *a)
{
	self = a;
	a->tid = asleep_self();
}

static pthread_t begin(void *(*run)(void *arg), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		die("no thread can be made");
	return thread;
}

static void wait_for_usr1(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &signo);
}

static void send_int(int x, int dest, int tag)
{
	MPI_Send(&x, 1, MPI_INT, dest, tag, MPI_COMM_WORLD);
}

static void want_int(int x, int wanted)
{
	if (x != wanted)
		die("%d has come, not %d", x, wanted);
}

/* ---- where threads wait ---- */

static void receive(struct asked *a)
{
	int x = 0;

	MPI_Recv(&x, 1, MPI_INT, 1, a->index, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	want_int(x, a->index);
}

static void wait_any(struct asked *a)
{
	MPI_Request requests[3];
	int x[3] = {0}, at;

	for (int i = 0; i < 3; i++)
		MPI_Irecv(&x[i], 1, MPI_INT, 1, 10 * i + a->index, MPI_COMM_WORLD, &requests[i]);
	MPI_Waitany(3, requests, &at, MPI_STATUS_IGNORE);
	want_int(at, 0);
	want_int(x[0], a->index);
	for (int i = 1; i < 3; i++) {
		MPI_Cancel(&requests[i]);
		MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
	}
}

static void probe(struct asked *a)
{
	MPI_Probe(1, a->index, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	receive(a);
}

static void (*const ways[THREADS])(struct asked *a) = {receive, wait_any, probe};

static void *wait_there(void *arg)
{
	struct asked *a = arg;

	be_asked(a);
	ways[a->index](a);
	return NULL;
}

/* ---- what is tried ---- */

static void run_blocked(void (*way)(struct asked *a))
{
	if (prog.rank == 1) {
		wait_for_usr1();
		send_int(0, 0, 0);
		return;
	}
	be_asked(&asked[0]);
	asking = begin(ask_and_release, NULL);
	way(&asked[0]);
	pthread_join(asking, NULL);
}

static void run_receive(void)
{
	run_blocked(receive);
}

static void run_any(void)
{
	run_blocked(wait_any);
}

static void run_three(void)
{
	if (prog.rank == 1) {
		wait_for_usr1();
		for (int i = 0; i < THREADS; i++)
			send_int(i, 0, i);
		return;
	}
	nasked = THREADS;
	for (int i = 0; i < THREADS; i++)
		asked[i].thread = begin(wait_there, &asked[i]);
	ask_and_release(NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(asked[i].thread, NULL);
}

/* It makes a communicator, and agrees on that by collectives of the library's own. */
static void run_collective(void)
{
	MPI_Comm comm;
	int sum, one = 1;

	if (prog.rank == 1) {
		wait_for_usr1();
	} else {
		be_asked(&asked[0]);
		asking = begin(ask_and_release, NULL);
	}
	MPI_Comm_split(MPI_COMM_WORLD, 0, prog.rank, &comm);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	want_int(sum, prog.size);
	MPI_Comm_free(&comm);
	if (prog.rank == 0)
		pthread_join(asking, NULL);
}

static atomic_bool computes = true;

/* Whoever asks gives up at its own limit. */
static void *ask_in_vain(void *unused)
{
	(void)unused;
	for (long n = 1; n <= asks; n++) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		round_now = n;
		engine_want_safe_point(true);
		if (sem_timedwait(&asked[0].passed, &until) == 0)
			die("a thread that computes has come to a safe point");
		if (n == asks / 2)
			kill(other, SIGUSR1);
		engine_want_safe_point(false);
	}
	computes = false;
	return NULL;
}

static void one_call(long runs, const char *what)
{
	long before = asked[0].runs;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (asked[0].runs - before != runs)
		die("%s a call runs the hook %ld times", what, asked[0].runs - before);
}

/* What comes meanwhile is received by the progress thread, which comes to no safe point. */
static void run_computing(void)
{
	MPI_Request request;
	int x;

	if (prog.rank == 1) {
		wait_for_usr1();
		send_int(0, 0, 0);
		return;
	}
	MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	be_asked(&asked[0]);
	asking = begin(ask_in_vain, NULL);
	while (computes)
		sched_yield();
	pthread_join(asking, NULL);
	one_call(0, "when nothing is wanted");
	engine_want_safe_point(true);
	one_call(2, "when a safe point is wanted");
	engine_want_safe_point(false);
	one_call(0, "when nothing is wanted any more");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Another thread completes the wait while the hook has let the lock go: nobody else will say so. */
static void *complete_in_hook(void *unused)
{
	struct asked *guest = &asked[1];

	(void)unused;
	for (int n = 1; n <= GIVEN; n++) {
		wait_for(&asked[0].refused, "does not receive", 0);
		asleep_wait(&prog, &asked[0].tid, ASLEEP_WATCHING);
		round_now = n;
		engine_want_safe_point(true);
		wait_for(&in_hook, "does not come to a safe point", 0);
		engine_want_safe_point(false);
		self = guest;
		send_int(n, 0, 0);
		self = NULL;
		sem_post(&go_on);
		wait_for(&asked[0].passed, "does not leave the hook", 0);
		wait_for(&guest->passed, "has received nothing", 0);
	}
	return NULL;
}

static void run_given(void)
{
	giving = true;
	be_asked(&asked[0]);
	asking = begin(complete_in_hook, NULL);
	for (int n = 1; n <= GIVEN; n++) {
		int x = 0;

		sem_post(&asked[0].refused);
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		want_int(x, n);
		sem_post(&asked[1].passed);
	}
	pthread_join(asking, NULL);
}

/* A line that waits for rank 1 is no place to interrupt: the hook says so, and is asked again when
 * the next call begins. */
static void *ask_and_be_refused(void *unused)
{
	struct asked *a = &asked[0];

	(void)unused;
	for (long n = 1; n <= asks; n++) {
		while (sem_trywait(&a->refused) == 0)
			;
		engine_want_safe_point(true);
		wait_for(&a->refused, "is not asked", 0);
		engine_want_safe_point(false);
	}
	engine_lock();
	round_now = asks + 1;
	engine_unlock();
	engine_want_safe_point(true);
	if (sem_trywait(&a->passed) == 0)
		die("a call of the coordination was interrupted");
	kill(other, SIGUSR1);
	wait_for(&a->passed, "does not come to a safe point after the line", 0);
	engine_want_safe_point(false);
	return NULL;
}

static void run_line(void)
{
	if (prog.rank == 1) {
		wait_for_usr1();
	} else {
		be_asked(&asked[0]);
		asking = begin(ask_and_be_refused, NULL);
	}
	if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED)
		die("the line was not made");
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		pthread_join(asking, NULL);
}

/* Lines that other threads of the library write, and say so, while a safe point is wanted. */
static void run_written(void)
{
	if (FTMPI_Restore() != FTMPI_NOTHING)
		die("there is a line already");
	if (prog.rank == 0) {
		be_asked(&asked[0]);
		engine_want_safe_point(true);
	}
	for (int i = 0; i < LINES; i++) {
		if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED ||
			FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
			die("the line was not made");
	}
	if (prog.rank == 0)
		engine_want_safe_point(false);
}

static int late_operators;

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int size;

	in_operator = true;
	MPI_Type_size(*type, &size);
	in_operator = false;
	late_operators += in_wait;
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* What rank 1 sends late is added where a wait finds it, as deferred work. */
static void run_operator(void)
{
	MPI_Op op;

	MPI_Op_create(add, 1, &op);
	if (prog.rank == 0) {
		be_asked(&asked[0]);
		engine_want_safe_point(true);
	}
	for (int i = 0; i < REDUCTIONS; i++) {
		MPI_Request request;
		int x = i, sum, begun = 0;

		if (prog.rank == 1)
			MPI_Recv(&begun, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Iallreduce(&x, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
		if (prog.rank == 0)
			send_int(i, 1, 0);
		in_wait = true;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		in_wait = false;
		want_int(sum, i * prog.size);
	}
	if (prog.rank == 0)
		one_call(2, "after deferred work");
	engine_want_safe_point(false);
	if (prog.rank == 0 && (asked[0].runs == 0 || late_operators != REDUCTIONS))
		die("the hook ran %ld times, the operator %d times in a wait", asked[0].runs,
			late_operators);
	MPI_Op_free(&op);
}

/* ---- messages of a call that is kept ---- */

/* Longer than what goes at once: each rank adds one half, and then sends it. */
enum { KEPT_INTS = 1 << 18 };

static sem_t in_add, end_add;
static bool adding;

static void add_slowly(void *in, void *inout, int *len, MPI_Datatype *type)
{
	add(in, inout, len, type); /* with a call in it, which is a safe point itself */
	if (adding) {
		adding = false;
		sem_post(&in_add);
		wait_for(&end_add, "may not end", 0);
	}
}

static void reduce_long(MPI_Op op)
{
	int *x = calloc(KEPT_INTS, sizeof *x), *sum = calloc(KEPT_INTS, sizeof *sum);

	for (int i = 0; i < KEPT_INTS; i++)
		x[i] = i;
	MPI_Allreduce(x, sum, KEPT_INTS, MPI_INT, op, MPI_COMM_WORLD);
	for (int i = 0; i < KEPT_INTS; i++)
		want_int(sum[i], prog.size * i);
	free(x);
	free(sum);
}

static uint64_t sent(void)
{
	return ckpt_job()->coord.sent[1];
}

/* A line is begun while the call is out of the lock, and then the call may go on. It begins no
 * message before the hook lets it go. */
static void keep(void (*let)(void))
{
	uint64_t before;

	engine_lock();
	let();
	before = sent();
	giving = true;
	round_now++;
	engine_want_safe_point(true);
	engine_unlock();
	wait_for(&in_hook, "is not kept", 0);
	engine_lock();
	if (sent() != before)
		die("%d messages were begun after a line was", (int)(sent() - before));
	giving = false;
	engine_unlock();
	engine_want_safe_point(false);
	sem_post(&go_on);
}

/* It comes to the lock when the lock is given back. */
static void let_add(void)
{
	sem_post(&end_add);
}

static void *keep_adding(void *arg)
{
	wait_for(&in_add, "does not add", 0);
	keep(let_add);
	return arg;
}

static void run_kept_operator(void)
{
	MPI_Op op;

	MPI_Op_create(add_slowly, 1, &op);
	sem_init(&in_add, 0, 0);
	sem_init(&end_add, 0, 0);
	if (prog.rank == 0) {
		be_asked(&asked[0]);
		adding = true;
		asking = begin(keep_adding, NULL);
	}
	reduce_long(op);
	if (prog.rank == 0)
		pthread_join(asking, NULL);
	MPI_Op_free(&op);
}

/* What rank 1 sends is read here, for the thread that sleeps until it comes. */
static void let_come(void)
{
	uint64_t before = ckpt_job()->coord.arrived;
	time_t until = time(NULL) + prog_patience(DEADLINE_S);

	kill(other, SIGUSR1);
	while (ckpt_job()->coord.arrived == before || p2p_receiving()) {
		tp_look(engine_tp(), 1);
		if (time(NULL) > until)
			die("nothing comes from rank 1");
	}
}

static void *keep_waiting(void *arg)
{
	asleep_wait(&prog, &asked[0].tid, ASLEEP_WATCHING);
	keep(let_come);
	return arg;
}

static void run_kept_wait(void)
{
	if (prog.rank == 1) {
		wait_for_usr1();
	} else {
		be_asked(&asked[0]);
		asking = begin(keep_waiting, NULL);
	}
	reduce_long(MPI_SUM);
	if (prog.rank == 0)
		pthread_join(asking, NULL);
}

static const struct prog_case cases[] = {
	{"receive", run_receive},
	{"any", run_any},
	{"collective", run_collective},
	{"three", run_three},
	{"computing", run_computing},
	{"given", run_given},
	{"line", run_line},
	{"written", run_written},
	{"operator", run_operator},
	{"kept-operator", run_kept_operator},
	{"kept-wait", run_kept_wait},
};

static void get_ready(void)
{
	int pid = (int)getpid();

	if (prog.rank == 1)
		MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (prog.rank != 0)
		return;
	if (prog.size > 1)
		MPI_Recv(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	other = (pid_t)pid;
	sem_init(&in_hook, 0, 0);
	sem_init(&go_on, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		asked[i].index = i;
		sem_init(&asked[i].passed, 0, 0);
		sem_init(&asked[i].refused, 0, 0);
	}
	set_hook(hook);
}

int main(int argc, char **argv)
{
	const char *name = "";
	const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &name, 0,
			"receive, any, collective, three, computing, given, line, written or "
			"operator"},
		{"-asks", "N", PROG_LONG, &asks, 2, "how often (1000)"}};
	sigset_t set;
	int level;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	prog = (struct prog){
		"safe_points", "threads in calls are asked for safe points", options, 2, 0, 1};
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog_begin(&prog, argc, argv);
	const struct prog_case *c =
		prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name);
	get_ready();
	MPI_Barrier(MPI_COMM_WORLD);
	c->run();
	self = NULL;
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0) {
		set_hook(NULL);
		printf("safe_points: right, %s\n", name);
	}
	MPI_Finalize();
	return 0;
}
