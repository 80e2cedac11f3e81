/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/loop.h"

#include <event2/event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/loop_opened.h"
#include "base/own_threads.h"

/* So often a base is made that the descriptors of which are not known. */
enum { TRIES = 20 };

struct loop {
	struct event_base *base;
	struct event *wake;
	int wake_fd;
	int opened[LOOP_OPENED]; /* by libevent, for the base; -1: not known */
	pthread_t thread;
	bool started;
	struct loop *forgotten; /* the one that was forgotten before; itself: this one is not */
	const char *name;
	pthread_mutex_t mutex; /* guards what follows */
	pthread_cond_t changed;
	struct link tasks;
	enum loop_end {
		END_NOT, /* the thread goes on */
		END_ASKED,
		END_BEGUN, /* it has seen that, and does nothing else any more */
	} end;
};

static struct loop_task *next_task(struct loop *l)
{
	struct link *item;

	pthread_mutex_lock(&l->mutex);
	item = l->end == END_NOT ? list_pop(&l->tasks) : NULL;
	pthread_mutex_unlock(&l->mutex);
	return item ? container_of(item, struct loop_task, link) : NULL;
}

static void on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct loop *l = arg;
	struct loop_task *task;
	uint64_t count;

	(void)what;
	if (read((int)fd, &count, sizeof count) < 0)
		return;
	while ((task = next_task(l)))
		task->run(task);
	pthread_mutex_lock(&l->mutex);
	if (l->end != END_NOT) {
		l->end = END_BEGUN;
		pthread_cond_signal(&l->changed);
		event_base_loopbreak(l->base);
	}
	pthread_mutex_unlock(&l->mutex);
}

static void close_base(struct loop *l)
{
	if (l->wake)
		event_free(l->wake);
	if (l->base)
		event_base_free(l->base);
	l->wake = NULL;
	l->base = NULL;
}

static bool open_base(struct loop *l, const struct event_config *config)
{
	descriptors_fill_streams();
	l->base = event_base_new_with_config(config);
	descriptors_free_streams(-1);
	l->wake = l->base ? event_new(l->base, l->wake_fd, EV_READ | EV_PERSIST, on_wake, l) : NULL;
	if (l->wake && event_add(l->wake, NULL) == 0)
		return true;
	close_base(l);
	return false;
}

/* The numbers of what the base has open are known, but for a program that never stops opening
 * descriptors, or a system that does not tell. */
static bool open_known_base(struct loop *l, const struct event_config *config)
{
	bool known = false, open = true;

	for (int i = 0; i < TRIES && open && !known; i++) {
		struct loop_opened before = {0};

		close_base(l);
		descriptors_lock();
		known = loop_opened_before(&before);
		open = open_base(l, config);
		known = known && open && loop_opened_find(&before, l->wake_fd, l->opened);
		descriptors_unlock();
		loop_opened_free(&before);
	}
	for (int i = 0; i < LOOP_OPENED && !known; i++)
		l->opened[i] = -1;
	return open;
}

struct loop *loop_new(const char *name)
{
	struct event_config *config = event_config_new();
	struct loop *l = calloc(1, sizeof *l);

	if (!l || !config)
		goto free_memory;
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	l->name = name;
	l->forgotten = l;
	list_init(&l->tasks);
	l->wake_fd = descriptor_past_streams(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	if (l->wake_fd < 0)
		goto free_memory;
	if (!open_known_base(l, config))
		goto close_wake;
	pthread_mutex_init(&l->mutex, NULL);
	pthread_cond_init(&l->changed, NULL);
	event_config_free(config);
	return l;

close_wake:
	close(l->wake_fd);
free_memory:
	if (config)
		event_config_free(config);
	free(l);
	return NULL;
}

static void *loop_main(void *arg)
{
	struct loop *l = arg;

	own_threads_enter(l->name);
	event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY);
	own_threads_leave();
	return NULL;
}

static void wake(struct loop *l)
{
	uint64_t one = 1;

	if (write(l->wake_fd, &one, sizeof one) < 0)
		return; /* only when the counter is full: then it is awake anyway */
}

int loop_start(struct loop *l)
{
	sigset_t all, before;
	int rc;

	l->end = END_NOT;
	if (!list_empty(&l->tasks))
		wake(l);
	/* signals belong to the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&l->thread, NULL, loop_main, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	l->started = rc == 0;
	return rc == 0 ? 0 : FT_ESYS;
}

void loop_post(struct loop *l, struct loop_task *task)
{
	pthread_mutex_lock(&l->mutex);
	list_append(&l->tasks, &task->link);
	pthread_mutex_unlock(&l->mutex);
	wake(l);
}

static void join(struct loop *l)
{
	pthread_join(l->thread, NULL);
	l->started = false;
}

int loop_pause(struct loop *l, uint64_t until_ns)
{
	struct timespec until = clock_timespec(until_ns);
	bool begun;
	int rc = 0;

	pthread_mutex_lock(&l->mutex);
	l->end = END_ASKED;
	wake(l);
	while (l->end == END_ASKED && rc == 0)
		rc = pthread_cond_clockwait(&l->changed, &l->mutex, CLOCK_MONOTONIC, &until);
	begun = l->end == END_BEGUN;
	if (!begun)
		l->end = END_NOT;
	pthread_mutex_unlock(&l->mutex);
	if (begun)
		join(l);
	return begun ? 0 : FT_ETIME;
}

void loop_stop(struct loop *l)
{
	pthread_mutex_lock(&l->mutex);
	l->end = END_ASKED;
	list_init(&l->tasks);
	pthread_mutex_unlock(&l->mutex);
	if (!l->started)
		return;
	wake(l);
	join(l);
}

/* What stays can be found. */
static struct loop *last_forgotten;

void loop_forget(struct loop *l)
{
	l->forgotten = last_forgotten;
	last_forgotten = l;
}

void loop_free(struct loop *l)
{
	if (l->forgotten != l)
		return;
	close_base(l);
	close(l->wake_fd);
	pthread_cond_destroy(&l->changed);
	pthread_mutex_destroy(&l->mutex);
	free(l);
}

struct event_base *loop_base(struct loop *l)
{
	return l->base;
}

void loop_own_descriptors(const struct loop *l, struct descriptor_list *list)
{
	descriptor_list_add(list, l->wake_fd);
	for (int i = 0; i < LOOP_OPENED; i++) {
		descriptor_list_add(list, l->opened[i]);
		list->incomplete |= l->opened[i] < 0;
	}
}
