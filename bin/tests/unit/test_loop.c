/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread of a loop ends at a known point and begins again; tasks and events outlast it. */
#include <dirent.h>
#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/list.h"
#include "base/loop.h"
#include "unit.h"

enum { TASKS = 50, SHORTLY_NS = 20000000 };

static struct numbered {
	struct loop_task task;
	int number;
} tasks[TASKS];

static int order[TASKS];
static atomic_int ran;
static sem_t done, let_go;
static struct loop *l;

/* What loop_pause waits with: it has asked by then. */
int __real_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
	const struct timespec *until);
int __wrap_pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
	const struct timespec *until);

static bool let_go_when_asked;

int __wrap_pthread_cond_clockwait(
	pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	if (let_go_when_asked)
		sem_post(&let_go);
	let_go_when_asked = false;
	return __real_pthread_cond_clockwait(cond, mutex, clock, until);
}

static uint64_t long_from_now(void)
{
	return clock_ns() + UNIT_DEADLINE_S * 500000000ull;
}

static void wait_for(sem_t *s)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += UNIT_DEADLINE_S / 2;
	ck_assert_int_eq(sem_timedwait(s, &until), 0);
}

static void run(struct loop_task *task)
{
	int at = ran++;

	order[at] = container_of(task, struct numbered, task)->number;
	if (at == TASKS - 1)
		sem_post(&done);
}

static void run_stuck(struct loop_task *task)
{
	(void)task;
	sem_post(&done);
	wait_for(&let_go);
}

static void begin(void)
{
	sem_init(&done, 0, 0);
	sem_init(&let_go, 0, 0);
	ran = 0;
	l = loop_new("test");
	ck_assert_ptr_nonnull(l);
}

static void end(void)
{
	loop_stop(l);
	loop_free(l);
}

static void post(int from, int to)
{
	for (int i = from; i < to; i++) {
		tasks[i] = (struct numbered){.task.run = run, .number = i};
		loop_post(l, &tasks[i].task);
	}
}

static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Before the start, while it runs, and while it is paused. */
START_TEST(tasks_run_in_order)
{
	begin();
	post(0, 10);
	for (int i = 10; i < TASKS; i += 10) {
		ck_assert_int_eq(loop_start(l), 0);
		post(i, i + 5);
		ck_assert_int_eq(loop_pause(l, long_from_now()), 0);
		post(i + 5, i + 10);
	}
	ck_assert_int_eq(loop_start(l), 0);
	wait_for(&done);
	for (int i = 0; i < TASKS; i++)
		ck_assert_int_eq(order[i], i);
	end();
}
END_TEST

START_TEST(a_paused_loop_has_no_thread)
{
	int before = threads();

	begin();
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(loop_start(l), 0);
		ck_assert_int_eq(loop_pause(l, long_from_now()), 0);
	}
	/* one that was joined is listed until it has ended, and a sanitizer has one of its own */
	for (uint64_t until = long_from_now(); threads() > before + 2 && clock_ns() < until;)
		sched_yield();
	ck_assert_int_le(threads(), before + 2);
	post(0, TASKS);
	ck_assert_int_eq(ran, 0);
	ck_assert_int_eq(loop_start(l), 0);
	wait_for(&done);
	end();
}
END_TEST

/* It is told, and the loop goes on as if nobody had asked. */
START_TEST(a_callback_that_does_not_end)
{
	struct loop_task stuck = {.run = run_stuck};

	begin();
	ck_assert_int_eq(loop_start(l), 0);
	loop_post(l, &stuck);
	wait_for(&done);
	post(0, TASKS);
	ck_assert_int_eq(loop_pause(l, clock_ns() + SHORTLY_NS), FT_ETIME);
	ck_assert_int_eq(loop_pause(l, 0), FT_ETIME);
	ck_assert_int_eq(ran, 0);
	sem_post(&let_go);
	wait_for(&done);
	ck_assert_int_eq(loop_pause(l, long_from_now()), 0);
	end();
}
END_TEST

static void on_stuck_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	sem_post(&done);
	wait_for(&let_go);
}

/* The thread hears of them and of its end at once. The next thread finds them by itself. */
START_TEST(tasks_that_were_left_run_later)
{
	struct timeval now = {0, 0};
	struct event *stuck;

	begin();
	stuck = event_new(loop_base(l), -1, 0, on_stuck_timer, NULL);
	ck_assert_int_eq(event_add(stuck, &now), 0);
	ck_assert_int_eq(loop_start(l), 0);
	wait_for(&done);
	post(0, TASKS);
	let_go_when_asked = true;
	ck_assert_int_eq(loop_pause(l, long_from_now()), 0);
	ck_assert_int_eq(ran, 0);
	ck_assert_int_eq(loop_start(l), 0);
	wait_for(&done);
	loop_stop(l);
	event_free(stuck);
	loop_free(l);
}
END_TEST

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	sem_post(&done);
}

/* What is due while it is paused comes afterwards. */
START_TEST(events_stay)
{
	struct timeval soon = {0, 1000};
	struct event *timer;

	begin();
	timer = event_new(loop_base(l), -1, EV_PERSIST, on_timer, NULL);
	ck_assert_int_eq(event_add(timer, &soon), 0);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(loop_start(l), 0);
		wait_for(&done);
		ck_assert_int_eq(loop_pause(l, long_from_now()), 0);
		while (sem_trywait(&done) == 0)
			;
	}
	loop_stop(l);
	event_free(timer);
	loop_free(l);
}
END_TEST

/* ---- what it has open ---- */

enum { DESCRIPTORS = 256, LOOPS = 300 };

static void see_open(bool open[DESCRIPTORS])
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
}

/* Is the list exactly what is open now and was not before? */
static void check_list(const struct descriptor_list *list, const bool before[DESCRIPTORS])
{
	bool open[DESCRIPTORS], said[DESCRIPTORS] = {false};

	see_open(open);
	for (size_t i = 0; i < list->n; i++) {
		ck_assert(!said[list->v[i]]);
		said[list->v[i]] = true;
	}
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		ck_assert_msg(said[fd] == (open[fd] && !before[fd]), "%d", fd);
}

START_TEST(it_knows_what_it_has_open)
{
	struct descriptor_list list = {0};
	bool before[DESCRIPTORS];

	see_open(before);
	begin();
	loop_own_descriptors(l, &list);
	ck_assert(!list.incomplete);
	ck_assert_uint_eq(list.n, 4);
	check_list(&list, before);
	end();
	descriptor_list_free(&list);
	see_open(before);
	check_list(&list, before);
}
END_TEST

static atomic_bool opening;

/* Again and again what a loop has open, too. */
static void *open_and_close(void *arg)
{
	while (opening) {
		int fd[5] = {epoll_create1(EPOLL_CLOEXEC)};

		ck_assert_int_eq(pipe2(fd + 1, O_CLOEXEC | O_NONBLOCK), 0);
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd + 3), 0);
		for (int i = 0; i < 5; i++)
			close(fd[i]);
	}
	return arg;
}

/* Then it is known, or it is known that it is not. */
START_TEST(another_thread_opens_the_like)
{
	struct descriptor_list list = {0};
	bool before[DESCRIPTORS];
	pthread_t thread;

	see_open(before);
	for (int i = 0; i < LOOPS; i++) {
		opening = true;
		ck_assert_int_eq(pthread_create(&thread, NULL, open_and_close, NULL), 0);
		begin();
		opening = false;
		pthread_join(thread, NULL);
		loop_own_descriptors(l, &list);
		if (!list.incomplete)
			check_list(&list, before);
		end();
		descriptor_list_free(&list);
	}
}
END_TEST

UNIT_MAIN("loop", tcase_add_test(tc, tasks_run_in_order);
	  tcase_add_test(tc, a_paused_loop_has_no_thread);
	  tcase_add_test(tc, a_callback_that_does_not_end);
	  tcase_add_test(tc, tasks_that_were_left_run_later); tcase_add_test(tc, events_stay);
	  tcase_add_test(tc, it_knows_what_it_has_open);
	  tcase_add_test(tc, another_thread_opens_the_like);)
