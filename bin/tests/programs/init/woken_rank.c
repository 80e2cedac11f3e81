/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank wakes up (mpi/init/wake.h), as far as that can be seen without an image: a copy of this
 * process, made inside a call, has its memory and neither its threads nor its descriptors. It
 * becomes the rank, in the job that another agent tells it of, and goes on; this process waits for
 * it and ends as it does. Linked with the objects of the library, whose own names are not to be
 * seen from outside. The other agent's sockets are open at three numbers from NEXT_FDS on.
 */
#include <ftmpi.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "ckpt/writer.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"
#include "mpi/init/physical.h"
#include "mpi/init/wake.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/recovery/ckpt_job.h"
#include "prog.h"

enum {
	BEAT_FD = 61,
	CONTROL_FD,
	LISTEN_FD,
	NEXT_FDS = 71,
	DESCRIPTORS = 1024,
	DEADLINE_S = 60,
	HIGHEST = 9,
	LONG = 1 << 18, /* ints: announced, and sent when it is asked for */
};

#define NS 1000000000ull

static struct prog prog;
static bool woken;		 /* this is the one that woke up */
static bool waiting;		 /* not where the call begins, but while it waits */
static _Thread_local bool taker; /* the thread that takes the image */

static _Noreturn void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "woken_rank: rank %d: WRONG: ", prog.rank);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "\n");
	_exit(1);
}

#define MUST(holds)                                                                                \
	do {                                                                                       \
		if (!(holds))                                                                      \
			die("line %d: not %s", __LINE__, #holds);                                  \
	} while (0)

/* ---- waking up ---- */

static void read_all(void *to, size_t len)
{
	for (char *at = to; len > 0;) {
		ssize_t n = read(CONTROL_FD, at, len);

		MUST(n > 0);
		at += n;
		len -= (size_t)n;
	}
}

/* As an agent's child has them. */
static void take_descriptors(void)
{
	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
		if (fd < NEXT_FDS || fd >= NEXT_FDS + 3)
			close(fd);
	for (int i = 0; i < 3; i++) {
		MUST(dup2(NEXT_FDS + i, BEAT_FD + i) >= 0);
		close(NEXT_FDS + i);
	}
}

/* The calling thread holds the engine's lock, as it did in the image. */
static void wake_up(void)
{
	uint8_t head[8];
	struct cursor c = cursor_over(head, sizeof head);
	struct physical_start start = {
		.control_fd = CONTROL_FD, .listen_fd = LISTEN_FD, .beat_fd = BEAT_FD};
	void *body;

	woken = true;
	alarm(prog_patience(DEADLINE_S));
	take_descriptors();
	read_all(head, sizeof head);
	start.len = cursor_u32(&c);
	MUST(cursor_u16(&c) == CONTROL_START);
	body = malloc(start.len);
	read_all(body, start.len);
	start.body = body;
	wake(&start, HIGHEST, true);
	free(body);
	MUST(engine_held());
}

static void pause_library(void)
{
	uint64_t until = clock_ns() + prog_patience(DEADLINE_S) * NS;

	engine_unlock();
	for (int i = 0; i < 2; i++) {
		MUST(i == 0 || physical_go_on() == 0);
		MUST(physical_pause(until) == 0);
	}
	MUST(ckpt_writer_wait(until) == 0);
	engine_lock();
}

/* At a safe point: the image. Its process is sending to the agent, so it holds the lock of that. */
static void hook(bool begins)
{
	int status;
	pid_t pid;

	(void)begins;
	if (!taker)
		return;
	if (waiting) {
		waiting = false;
		return;
	}
	engine_want_safe_point(false);
	engine_on_safe_point(NULL);
	MUST(p2p_secure_found());
	pause_library();
	physical_note();
	control_restarting(physical_launch()->control_fd, 3);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	MUST(pid >= 0);
	if (pid == 0) {
		wake_up();
		return;
	}
	MUST(waitpid(pid, &status, 0) == pid);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* In the next call, when it begins or while it waits. */
static void want_image(void)
{
	taker = true;
	engine_lock();
	engine_on_safe_point(hook);
	engine_unlock();
	engine_want_safe_point(true);
}

/* ---- a rank alone ---- */

enum { UNEXPECTED = 1, ANNOUNCED, POSTED, DONE, FOUND, PERSISTENT, NONE, NEVER };

static int delete_attr(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	++*(int *)extra;
	MUST(*(int *)value == 17);
	return MPI_SUCCESS;
}

static int *numbers(int first)
{
	int *v = malloc(LONG * sizeof *v);

	MUST(v);
	for (int i = 0; i < LONG; i++)
		v[i] = first + i;
	return v;
}

static void must_be(const int *v, int first)
{
	for (int i = 0; i < LONG; i++)
		MUST(v[i] == first + i);
}

static MPI_Request isend(const int *v, int n, int to, int tag)
{
	MPI_Request r;

	MPI_Isend(v, n, MPI_INT, to, tag, MPI_COMM_WORLD, &r);
	return r;
}

static MPI_Request irecv(int *v, int n, int from, int tag)
{
	MPI_Request r;

	MPI_Irecv(v, n, MPI_INT, from, tag, MPI_COMM_WORLD, &r);
	return r;
}

static int receive(int from, int tag)
{
	int v = -1;

	MPI_Recv(&v, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return v;
}

static bool is_there(int from, int tag)
{
	int flag;

	MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return flag;
}

static void make_line(void)
{
	MUST(FTMPI_Perform_Checkpoint() == FTMPI_CHECKPOINTED);
	MUST(FTMPI_CKPT_Wait() == FTMPI_CHECKPOINTED);
}

static void time_goes_on(double before)
{
	double now = MPI_Wtime();

	MUST(now >= before && now - before < prog_patience(DEADLINE_S));
}

/* Another thread sleeps in a call, and does not come back. */
static void *look_for_nothing(void *arg)
{
	MPI_Probe(0, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return arg;
}

static void have_a_sleeper(void)
{
	pthread_t thread;
	bool sleeps = false;

	MUST(pthread_create(&thread, NULL, look_for_nothing, NULL) == 0);
	while (!sleeps) {
		sched_yield();
		engine_lock();
		sleeps = engine_somebody_sleeps();
		engine_unlock();
	}
}

/* Another one is about to fork, and no user of the runtime may come or go meanwhile. */
static sem_t forking, never;

static void stay(void)
{
	sem_post(&forking);
	while (sem_wait(&never) != 0)
		;
}

static void *fork_for_ever(void *arg)
{
	fork();
	return arg;
}

static void have_a_forker(void)
{
	pthread_t thread;

	MUST(pthread_create(&thread, NULL, fork_for_ever, NULL) == 0);
	while (sem_wait(&forking) != 0)
		;
}

static void alone(void)
{
	int one = 1, seventeen = 17, deleted = 0, key, flag, level, npsets, got[4] = {0}, *attr;
	int *sent = numbers(100), *long_got = numbers(0), sum;
	MPI_Request announced, posted, done, done_send, persistent;
	MPI_Message found;
	MPI_Session session;
	MPI_Comm dup;
	MPI_Status status;
	double before;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attr, &key, &deleted);
	MPI_Comm_set_attr(dup, key, &seventeen);
	MPI_Send(&one, 1, MPI_INT, 0, UNEXPECTED, MPI_COMM_WORLD);
	announced = isend(sent, LONG, 0, ANNOUNCED);
	posted = irecv(&got[0], 1, 0, POSTED);
	done = irecv(&got[1], 1, 0, DONE);
	done_send = isend(&one, 1, 0, DONE);
	MPI_Send(&one, 1, MPI_INT, 0, FOUND, MPI_COMM_WORLD);
	MPI_Mprobe(0, FOUND, MPI_COMM_WORLD, &found, &status);
	MPI_Recv_init(&got[3], 1, MPI_INT, 0, PERSISTENT, MPI_COMM_WORLD, &persistent);
	have_a_sleeper();
	have_a_forker();
	before = MPI_Wtime();

	want_image();
	MUST(!is_there(0, NONE));
	MUST(woken);

	time_goes_on(before);
	MPI_Query_thread(&level);
	MUST(level == MPI_THREAD_MULTIPLE);
	MPI_Test(&posted, &flag, &status);
	MUST(!flag);
	one = 2;
	MPI_Send(&one, 1, MPI_INT, 0, POSTED, MPI_COMM_WORLD);
	MPI_Wait(&posted, MPI_STATUS_IGNORE);
	MUST(got[0] == 2);
	MPI_Wait(&done, MPI_STATUS_IGNORE);
	MPI_Wait(&done_send, MPI_STATUS_IGNORE);
	MUST(got[1] == 1);
	MPI_Mrecv(&got[2], 1, MPI_INT, &found, &status);
	MUST(got[2] == 1 && status.MPI_TAG == FOUND);
	MUST(receive(0, UNEXPECTED) == 1);
	MPI_Recv(long_got, LONG, MPI_INT, 0, ANNOUNCED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&announced, MPI_STATUS_IGNORE);
	must_be(long_got, 100);
	MPI_Start(&persistent);
	MPI_Send(&one, 1, MPI_INT, 0, PERSISTENT, MPI_COMM_WORLD);
	MPI_Wait(&persistent, MPI_STATUS_IGNORE);
	MUST(got[3] == 2);
	MPI_Request_free(&persistent);

	MPI_Comm_get_attr(dup, key, &attr, &flag);
	MUST(flag && attr == &seventeen && deleted == 0);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup);
	MUST(sum == 2);
	MPI_Comm_free(&dup);
	MUST(deleted == 1);
	MPI_Session_get_num_psets(session, MPI_INFO_NULL, &npsets);
	MUST(npsets >= 2);
	MPI_Session_finalize(&session);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Session_finalize(&session);
	MUST(FTMPI_Restore() == FTMPI_NOTHING); /* not any more */
	make_line();
	time_goes_on(before);
	free(sent);
	free(long_got);
}

/* ---- two ranks ---- */

enum { READY = 20, EAGER, LEFT, LOST, BEHIND, LATE, WAITED, WORD };

static void send_one(int v, int to, int tag)
{
	MPI_Send(&v, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* Rank 1 has waited for its messages until they were in its memory, as far as they had left. */
static void one_of_two(void)
{
	int *early = numbers(0), late = -1, whole;
	MPI_Request left, posted;

	left = irecv(early, LONG, 0, LEFT);
	posted = irecv(&late, 1, 0, LATE);
	MPI_Barrier(MPI_COMM_WORLD);
	MUST(receive(0, READY) == 1);
	while (!is_there(0, EAGER) || !is_there(0, LOST) || !is_there(0, BEHIND))
		;
	waiting = true;
	want_image();
	MUST(receive(0, WAITED) == 3);
	MUST(woken);

	/* what is not whole comes again, as from a sender that has gone back to before it; so
	 * does what was behind it */
	MPI_Test(&left, &whole, MPI_STATUS_IGNORE);
	send_one(whole, 0, WORD);
	MPI_Wait(&left, MPI_STATUS_IGNORE);
	must_be(early, 50);
	MUST(receive(0, WORD) == 0);
	MUST(!is_there(0, LOST) && !is_there(0, BEHIND));
	send_one(0, 0, WORD);
	MPI_Recv(early, LONG, MPI_INT, 0, LOST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	must_be(early, 70);
	MUST(receive(0, BEHIND) == 6);
	MPI_Wait(&posted, MPI_STATUS_IGNORE);
	MUST(late == 4);
	free(early);
}

static void other_of_two(void)
{
	int *v = numbers(50), *w = numbers(60), *again = numbers(70);
	MPI_Request left, lost;

	MPI_Barrier(MPI_COMM_WORLD);
	send_one(2, 1, EAGER);
	left = isend(v, LONG, 1, LEFT);
	lost = isend(w, LONG, 1, LOST);
	send_one(5, 1, BEHIND);
	send_one(1, 1, READY);
	/* a line that rank 1 never comes to is in the making */
	if (!coord_is_blocking(&ckpt_job()->coord))
		MUST(FTMPI_Perform_Checkpoint() == FTMPI_CHECKPOINTED);
	want_image();
	MUST(!is_there(1, NONE));
	MUST(woken);

	send_one(3, 1, WAITED);
	MPI_Wait(&left, MPI_STATUS_IGNORE); /* the receivers have them, or the line */
	MPI_Wait(&lost, MPI_STATUS_IGNORE);
	if (!receive(1, WORD)) {
		left = isend(v, LONG, 1, LEFT);
		MPI_Wait(&left, MPI_STATUS_IGNORE);
	}
	send_one(0, 1, WORD);
	MUST(receive(1, WORD) == 0);
	MPI_Send(again, LONG, MPI_INT, 1, LOST, MPI_COMM_WORLD);
	send_one(6, 1, BEHIND);
	send_one(4, 1, LATE);
	free(v);
	free(w);
	free(again);
}

static int ranks_here(void)
{
	MPI_Comm here;
	int n;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &n);
	MPI_Comm_free(&here);
	return n;
}

/* The second line holds what has come with the image and was not received. */
static void two(void)
{
	char host[MPI_MAX_PROCESSOR_NAME];
	int n;

	MUST(FTMPI_Restore() == FTMPI_NOTHING);
	make_line();
	MUST(ranks_here() == 2);
	if (prog.rank == 1)
		one_of_two();
	else
		other_of_two();
	make_line();
	MPI_Get_processor_name(host, &n);
	MUST(ranks_here() == (strcmp(host, "here") ? 1 : 2));
	if (prog.rank == 1)
		MUST(receive(0, EAGER) == 2);
	MPI_Barrier(MPI_COMM_WORLD);
}

static const struct prog_case cases[] = {{"alone", alone}, {"two", two}};

int main(int argc, char **argv)
{
	static const char *name;
	static const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &name, 0, "what the rank is in the midst of"}};
	char host[MPI_MAX_PROCESSOR_NAME];
	int level;

	sem_init(&forking, 0, 0);
	sem_init(&never, 0, 0);
	MUST(pthread_atfork(stay, NULL, NULL) == 0); /* after the library's, which comes later */
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	prog = (struct prog){.name = "woken_rank",
		.text = "A rank goes on in another process, without an image.",
		.options = options,
		.count = sizeof options / sizeof *options};
	prog_begin(&prog, argc, argv);
	prog_case_named(&prog, cases, sizeof cases / sizeof *cases, name)->run();
	MPI_Get_processor_name(host, &level);
	MPI_Finalize();
	printf("woken_rank: rank %d on %s: right, %s\n", prog.rank, host, name);
	return 0;
}
