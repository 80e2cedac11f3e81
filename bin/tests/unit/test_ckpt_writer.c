/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that writes: one at most, in order, gone when there is nothing to do. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "ckpt/writer.h"
#include "unit.h"

enum { TASKS = 200, POSTERS = 4, DEADLINE_S = 60 };

static atomic_int active, ran;

struct noted {
	struct ckpt_task task; /* first */
	int number;
	pid_t thread;
	int at; /* its place in the order */
	sigset_t mask;
};

static void note(struct ckpt_task *t)
{
	struct noted *n = container_of(t, struct noted, task);

	if (atomic_fetch_add(&active, 1) != 0)
		abort(); /* two tasks at a time */
	n->thread = gettid();
	pthread_sigmask(SIG_SETMASK, NULL, &n->mask);
	n->at = atomic_fetch_add(&ran, 1);
	sched_yield(); /* another one would get in between here */
	atomic_fetch_sub(&active, 1);
}

static void post(struct ckpt_task *t)
{
	ck_assert_int_eq(ckpt_writer_post(t), 0);
}

START_TEST(tasks_run_in_order)
{
	static struct noted n[TASKS];

	for (int i = 0; i < TASKS; i++) {
		n[i].task.run = note;
		post(&n[i].task);
	}
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, TASKS);
	for (int i = 0; i < TASKS; i++)
		ck_assert_int_eq(n[i].at, i);
}
END_TEST

START_TEST(signals_are_not_for_the_writer)
{
	struct noted n = {.task.run = note};
	sigset_t before, after;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	post(&n.task);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int s = 1; s < 32; s++) {
		ck_assert_int_eq(sigismember(&after, s), sigismember(&before, s));
		if (s != SIGKILL && s != SIGSTOP)
			ck_assert_msg(sigismember(&n.mask, s) == 1, "signal %d is not blocked", s);
	}
}
END_TEST

/* ---- one thread ---- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void note_behind_gate(struct ckpt_task *t)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	note(t);
}

START_TEST(a_second_task_gets_no_second_thread)
{
	struct noted first = {.task.run = note_behind_gate}, second = {.task.run = note};

	pthread_mutex_lock(&gate);
	post(&first.task);
	post(&second.task);
	pthread_mutex_unlock(&gate);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(first.at, 0);
	ck_assert_int_eq(second.at, 1);
	ck_assert_int_eq(first.thread, second.thread);
	ck_assert_int_ne(first.thread, gettid());
}
END_TEST

START_TEST(what_is_posted_first_runs_before_all_that_wait)
{
	struct noted running = {.task.run = note_behind_gate}, waits[3],
		     urgent = {.task.run = note};

	pthread_mutex_lock(&gate);
	post(&running.task);
	for (int i = 0; i < 3; i++) {
		waits[i] = (struct noted){.task.run = note};
		post(&waits[i].task);
	}
	ck_assert_int_eq(ckpt_writer_post_first(&urgent.task), 0);
	pthread_mutex_unlock(&gate);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	/* the writer may not have taken the first task yet when the urgent one was posted */
	ck_assert_int_le(urgent.at, 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(waits[i].at, i + 2);
}
END_TEST

static struct noted by[POSTERS][TASKS];

static void *post_all(void *arg)
{
	struct noted *n = arg;

	for (int i = 0; i < TASKS; i++) {
		n[i].task.run = note;
		if (ckpt_writer_post(&n[i].task) != 0)
			abort();
	}
	return NULL;
}

START_TEST(many_threads_may_post)
{
	pthread_t t[POSTERS];

	for (int i = 0; i < POSTERS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, post_all, by[i]), 0);
	for (int i = 0; i < POSTERS; i++)
		pthread_join(t[i], NULL);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, POSTERS * TASKS);
	for (int i = 0; i < POSTERS; i++)
		for (int k = 1; k < TASKS; k++)
			ck_assert_int_gt(by[i][k].at, by[i][k - 1].at);
}
END_TEST

/* ---- beginning and end ---- */

static bool is_writer(const char *task)
{
	char path[300], name[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
	f = fopen(path, "r");
	if (!f)
		return false; /* it is gone */
	if (!fgets(name, sizeof name, f))
		name[0] = '\0';
	fclose(f);
	return strcmp(name, "ftmpi-writer\n") == 0;
}

/* By their names: sanitizers have threads of their own. */
static int writers(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = 0;

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.' && is_writer(e->d_name);
	closedir(d);
	return n;
}

static void note_writers(struct ckpt_task *t)
{
	struct noted *n = container_of(t, struct noted, task);

	n->number = writers();
	note(t);
}

START_TEST(it_ends_by_itself_and_begins_again)
{
	struct noted n = {.task.run = note_writers};
	time_t deadline = time(NULL) + DEADLINE_S;

	for (int round = 1; round <= 3; round++) {
		post(&n.task);
		while (atomic_load(&ran) < round || writers() > 0) {
			ck_assert_msg(time(NULL) < deadline, "%d tasks, %d writers",
				atomic_load(&ran), writers());
			sched_yield();
		}
		ck_assert_int_eq(n.number, 1);
	}
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
}
END_TEST

START_TEST(after_waiting_it_begins_again)
{
	struct noted n = {.task.run = note};

	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0); /* there is nothing to wait for */
	for (int round = 1; round <= 200; round++) {
		post(&n.task);
		ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
		ck_assert_int_eq(ran, round);
	}
}
END_TEST

static struct noted later = {.task.run = note};

static void post_another(struct ckpt_task *t)
{
	note(t);
	if (ckpt_writer_post(&later.task) != 0)
		abort();
}

START_TEST(a_task_may_post_and_that_is_waited_for)
{
	struct noted n = {.task.run = post_another};

	post(&n.task);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, 2);
	ck_assert_int_eq(later.at, 1);
}
END_TEST

/* The task is gone when it runs: the writer must not look at it afterwards. */
static void free_it(struct ckpt_task *t)
{
	atomic_fetch_add(&ran, 1);
	free(t);
}

static pthread_barrier_t both;

static void meet(struct ckpt_task *t)
{
	pthread_barrier_wait(&both);
	pthread_barrier_wait(&both);
	note(t);
}

/* It is told, and the task goes on; so does what is posted meanwhile. */
START_TEST(waiting_may_have_a_limit)
{
	struct noted n = {.task.run = meet}, next = {.task.run = note};

	pthread_barrier_init(&both, NULL, 2);
	post(&n.task);
	pthread_barrier_wait(&both);
	ck_assert_int_eq(ckpt_writer_wait(0), FT_ETIME);
	ck_assert_int_eq(ckpt_writer_wait(clock_ns() + 10000000), FT_ETIME);
	post(&next.task);
	ck_assert_int_eq(ran, 0);
	pthread_barrier_wait(&both);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, 2);
	pthread_barrier_destroy(&both);
}
END_TEST

START_TEST(a_task_may_free_itself)
{
	for (int i = 0; i < TASKS; i++) {
		struct ckpt_task *t = calloc(1, sizeof *t);

		ck_assert_ptr_nonnull(t);
		t->run = free_it;
		post(t);
	}
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, TASKS);
}
END_TEST

START_TEST(without_a_thread_it_says_so)
{
	struct noted n = {.task.run = note};
	pthread_attr_t attr;
	size_t usual;

	ck_assert_int_eq(pthread_getattr_default_np(&attr), 0);
	pthread_attr_getstacksize(&attr, &usual);
	ck_assert_int_eq(pthread_attr_setstacksize(&attr, (size_t)1 << 48), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
	ck_assert_int_eq(ckpt_writer_post(&n.task), FT_ESYS);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, 0);
	pthread_attr_setstacksize(&attr, usual);
	ck_assert_int_eq(pthread_setattr_default_np(&attr), 0);
	post(&n.task);
	ck_assert_int_eq(ckpt_writer_wait(UINT64_MAX), 0);
	ck_assert_int_eq(ran, 1);
	pthread_attr_destroy(&attr);
}
END_TEST

UNIT_MAIN("ckpt_writer", tcase_add_test(tc, tasks_run_in_order);
	  tcase_add_test(tc, signals_are_not_for_the_writer);
	  tcase_add_test(tc, a_second_task_gets_no_second_thread);
	  tcase_add_test(tc, what_is_posted_first_runs_before_all_that_wait);
	  tcase_add_test(tc, many_threads_may_post);
	  tcase_add_test(tc, it_ends_by_itself_and_begins_again);
	  tcase_add_test(tc, after_waiting_it_begins_again);
	  tcase_add_test(tc, a_task_may_post_and_that_is_waited_for);
	  tcase_add_test(tc, waiting_may_have_a_limit); tcase_add_test(tc, a_task_may_free_itself);
	  tcase_add_test(tc, without_a_thread_it_says_so);)
