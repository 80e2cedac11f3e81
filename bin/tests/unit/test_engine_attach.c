/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The physical half of the engine is dropped and built anew, here or in a process that has nothing
 * of it but the memory: what waited to be done goes on without a call of the program. Node 0 is the
 * engine's; its messages come when a tick looks for them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/knob.h"
#include "mpi/engine/engine_inside.h"
#include "tp_nodes.h"

/* The thread sanitizer lets the child of a process with threads begin none. */
#ifdef __SANITIZE_THREAD__
enum { CHILD_HAS_THREADS = 0 };
#else
enum { CHILD_HAS_THREADS = 1 };
#endif

enum { ROUNDS = 20, LENGTH = 8, OLD_DESCRIPTORS = 64 };

static struct loop *ticks; /* the engine's */
static uint32_t epoch;
static int first_descriptor; /* of the transports and the engine; those before are Check's */

static void attach(void)
{
	ticks = loop_new("ticks");
	ck_assert_ptr_nonnull(ticks);
	ck_assert_int_eq(engine_attach(nodes[0].tp, ticks, true), 0);
	ck_assert_int_eq(loop_start(ticks), 0);
}

static void detach(void)
{
	loop_stop(ticks);
	engine_detach();
	loop_free(ticks);
}

static void begin(void)
{
	first_descriptor = dup(STDERR_FILENO);
	close(first_descriptor);
	epoch = 1;
	nodes_leave_first(engine_lock_object());
	nodes_start();
	engine_start();
	attach();
}

static void end(void)
{
	detach();
	nodes_stop();
}

static void rebuild(void)
{
	detach();
	for (int i = 0; i < N; i++) {
		listeners[i] = tp_detach(nodes[i].tp, TP_KEEP_LISTENER);
		loop_free(nodes[i].loop);
	}
	epoch++;
	for (int i = 0; i < N; i++)
		node_attach(i, epoch);
	attach();
}

/* A message for node 0, which makes no call. */
static void message_comes(uint32_t number)
{
	uint8_t bytes[LENGTH];
	struct slot *s = post(0, 1, number, got, sizeof got);

	fill(bytes, LENGTH, number);
	ck_assert_int_eq(send_to(1, 0, number, bytes, LENGTH, 0), 1);
	WAIT_FOR(s->done);
	ck_assert_int_eq(memcmp(got, bytes, LENGTH), 0);
}

/* Of these the engine alone has one. */
static int timers(void)
{
	char name[64], what[64];
	int n = 0;

	for (int fd = 0; fd < OLD_DESCRIPTORS; fd++) {
		ssize_t len;

		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		len = readlink(name, what, sizeof what - 1);
		what[len < 0 ? 0 : len] = '\0';
		n += strcmp(what, "anon_inode:[timerfd]") == 0;
	}
	return n;
}

static void wait_ticking(enum ticking ticking)
{
	WAIT_FOR(engine.phys.ticking == ticking);
}

START_TEST(posted_receives_keep_ticking)
{
	begin();
	engine_enter();
	engine_set_posted(1);
	engine_leave();
	for (uint32_t i = 0; i < ROUNDS; i++) {
		message_comes(i);
		rebuild();
		ck_assert_int_eq(timers(), 1);
	}
	message_comes(ROUNDS);
	ck_assert_uint_eq(engine_news.posted, 1);
	end();
}
END_TEST

/* Not by ticks: the progress thread sleeps until something comes. */
START_TEST(windows_are_watched)
{
	begin();
	engine_enter();
	engine_set_windows(true);
	engine_leave();
	for (uint32_t i = 0; i < ROUNDS; i++) {
		wait_ticking(TICKING_WATCHING);
		message_comes(i);
		rebuild();
	}
	wait_ticking(TICKING_WATCHING);
	end();
}
END_TEST

static int ran;

static void run(struct engine_deferred *deferred)
{
	(void)deferred;
	ran++;
}

START_TEST(deferred_work_is_done)
{
	struct engine_deferred deferred = {.run = run};

	begin();
	engine_lock();
	engine_defer(&deferred);
	engine_unlock();
	detach();
	ck_assert_int_eq(ran, 0);
	attach();
	WAIT_FOR(ran == 1);
	wait_ticking(TICKING_STOPPED);
	end();
}
END_TEST

START_TEST(who_wants_nothing_has_no_ticks)
{
	begin();
	engine_lock();
	ck_assert_int_eq(engine.phys.ticking, TICKING_STOPPED);
	engine_unlock();
	rebuild();
	engine_lock();
	ck_assert_int_eq(engine.phys.ticking, TICKING_STOPPED);
	engine_unlock();
	end();
}
END_TEST

/* ---- news without end ---- */

enum { LOOKS_MOST = 5000000 };

static struct engine_deferred always = {.run = run};
static bool taken; /* guarded by the engine's lock */
static long looks;

static void *take_it(void *arg)
{
	(void)arg;
	lock_take_before(engine_lock_object());
	taken = true;
	lock_give(engine_lock_object());
	return NULL;
}

static bool is_taken(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	engine_defer(&always);
	return taken || ++looks > LOOKS_MOST;
}

START_TEST(a_wait_with_news_has_its_turns)
{
	pthread_t thread;

	begin();
	taken = false;
	engine_enter();
	ck_assert_int_eq(pthread_create(&thread, NULL, take_it, NULL), 0);
	while (!lock_is_awaited(engine_lock_object()))
		continue;
	engine_wait(is_taken, NULL);
	engine_defer_cancel(&always);
	ck_assert(taken);
	engine_leave();
	pthread_join(thread, NULL);
	end();
}
END_TEST

/* A start is no attachment: nothing is left of what another wanted. */
START_TEST(a_start_wants_nothing)
{
	begin();
	engine_enter();
	engine_set_posted(1);
	engine_set_windows(true);
	engine_set_making(true);
	engine_leave();
	end();
	begin();
	engine_enter();
	engine_leave();
	engine_lock();
	ck_assert_int_eq(engine.phys.ticking, TICKING_STOPPED);
	engine_unlock();
	end();
}
END_TEST

/* ---- a process that woke up ---- */

static bool let_go; /* guarded by the engine's lock */

static bool is_let_go(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return let_go;
}

static void *wait_inside(void *arg)
{
	(void)arg;
	engine_enter();
	engine_wait(is_let_go, NULL);
	engine_leave();
	return NULL;
}

static bool is_done(void *slot, int *expect)
{
	(void)expect;
	return ((struct slot *)slot)->done;
}

/* A call that receives message `number`. */
static void *receive(void *number)
{
	struct slot *s = post(0, 1, *(uint32_t *)number, got, sizeof got);

	engine_enter();
	engine_wait(is_done, s);
	engine_leave();
	return NULL;
}

static void begin_thread(pthread_t *thread, void *(*run_it)(void *arg), void *arg)
{
	ck_assert_int_eq(pthread_create(thread, NULL, run_it, arg), 0);
}

/* One watches the sockets, so many sleep on the condition. */
static void wait_asleep(int waiting)
{
	WAIT_FOR(engine_is_due(DUE_SLEEPER) && engine.waiting == waiting);
}

/* Every number that was open is that of something else now. */
static void exchange_descriptors(void)
{
	for (int fd = first_descriptor; fd < OLD_DESCRIPTORS; fd++) {
		int other = epoll_create1(EPOLL_CLOEXEC);

		ck_assert_int_ge(other, 0);
		if (other == fd)
			continue;
		ck_assert_int_eq(dup3(other, fd, O_CLOEXEC), fd);
		close(other);
	}
}

static void none_was_closed(void)
{
	for (int fd = first_descriptor; fd < OLD_DESCRIPTORS; fd++)
		ck_assert_msg(fcntl(fd, F_GETFD) >= 0, "descriptor %d was closed", fd);
}

/* Two threads wait, one of them told by the other; the last message comes without a call. */
static void wake_up(void)
{
	static uint32_t numbers[] = {0, 1};
	pthread_t threads[2];

	alarm(UNIT_DEADLINE_S / 2);
	exchange_descriptors();
	engine_set_due(DUE_SAFE_POINT);
	engine_forget(true);
	ck_assert(engine_held());
	ck_assert(engine_is_due(DUE_SAFE_POINT));
	ck_assert(!engine_is_due(~(unsigned)DUE_SAFE_POINT));
	engine_want_safe_point(false);
	engine_unlock();
	none_was_closed();
	memset(nodes, 0, sizeof nodes);
	nodes_start();
	attach();
	engine_lock();
	ck_assert(engine_alone());
	engine_leave();
	for (int i = 0; i < 2; i++) {
		begin_thread(&threads[i], receive, &numbers[i]);
		wait_asleep(i);
	}
	for (int i = 1; i >= 0; i--) {
		ck_assert_int_eq(send_to(1, 0, numbers[i], big, LENGTH, 0), 1);
		pthread_join(threads[i], NULL);
		if (i == 1)
			wait_asleep(0);
	}
	message_comes(2);
	end();
	none_was_closed();
	_exit(0);
}

/* Threads sleep in waits, the lock is taken, ticks go on: none of that is there afterwards, but the
 * receive that was posted. */
START_TEST(memory_alone_is_left)
{
	pthread_t threads[2];
	pid_t child;
	int status;

	if (!CHILD_HAS_THREADS) {
		puts("memory_alone_is_left: left out under the thread sanitizer");
		return;
	}
	ck_assert(knob_set(KNOB_SPIN_US, 0));
	begin();
	for (int i = 0; i < 2; i++) {
		begin_thread(&threads[i], wait_inside, NULL);
		wait_asleep(i);
	}
	engine_enter();
	engine_set_posted(1);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		wake_up();
	engine_unlock();
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	engine_lock();
	let_go = true;
	engine_tell();
	engine_leave();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	message_comes(0);
	end();
}
END_TEST

NODES_MAIN("engine_attach", tcase_add_test(tc, posted_receives_keep_ticking);
	   tcase_add_test(tc, windows_are_watched); tcase_add_test(tc, deferred_work_is_done);
	   tcase_add_test(tc, who_wants_nothing_has_no_ticks);
	   tcase_add_test(tc, a_wait_with_news_has_its_turns);
	   tcase_add_test(tc, a_start_wants_nothing); tcase_add_test(tc, memory_alone_is_left);)
