/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether there is a thread is decided under the mutex, by the thread that posts and by one that
 * finds nothing to do: so a task is never left behind, and there are never two threads. A thread
 * that is through touches nothing any more, and is joined by the next thread that posts or waits.
 */
#include "ckpt/writer.h"

#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/own_threads.h"

/* From one line to its commit takes less; from one line to the next mostly more. */
enum { GRACE_NS = 200000000 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t work; /* something to do, or somebody waits for the end */
	pthread_cond_t end;
	struct link tasks;
	pthread_t thread;
	bool running; /* it looks for tasks */
	bool to_join; /* it was started, and nobody has joined it */
	unsigned waiting;
} writer = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.end = PTHREAD_COND_INITIALIZER,
	.tasks = {&writer.tasks, &writer.tasks}};

/* NULL: there was nothing to do for a while, or somebody waits for that. */
static struct ckpt_task *next(void)
{
	struct timespec until = clock_timespec(clock_ns() + GRACE_NS);
	struct link *item;

	while (list_empty(&writer.tasks) && !writer.waiting)
		if (pthread_cond_clockwait(&writer.work, &writer.mutex, CLOCK_MONOTONIC, &until) !=
			0)
			break;
	item = list_pop(&writer.tasks);
	return item ? container_of(item, struct ckpt_task, link) : NULL;
}

static void *writer_main(void *arg)
{
	struct ckpt_task *task;

	own_threads_enter("ftmpi-writer");
	pthread_mutex_lock(&writer.mutex);
	while ((task = next())) {
		pthread_mutex_unlock(&writer.mutex);
		task->run(task);
		pthread_mutex_lock(&writer.mutex);
	}
	writer.running = false;
	pthread_cond_broadcast(&writer.end);
	pthread_mutex_unlock(&writer.mutex);
	own_threads_leave();
	return arg;
}

static void join(void)
{
	if (writer.to_join)
		pthread_join(writer.thread, NULL);
	writer.to_join = false;
}

static int start(void)
{
	sigset_t all, before;
	int rc;

	join();
	/* signals belong to the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&writer.thread, NULL, writer_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	writer.running = writer.to_join = rc == 0;
	return rc == 0 ? 0 : FT_ESYS;
}

static int enqueue(struct ckpt_task *t, void (*enter)(struct link *tasks, struct link *t))
{
	int rc = 0;

	pthread_mutex_lock(&writer.mutex);
	if (!writer.running)
		rc = start();
	if (rc == 0) {
		enter(&writer.tasks, &t->link);
		pthread_cond_signal(&writer.work);
	}
	pthread_mutex_unlock(&writer.mutex);
	return rc;
}

int ckpt_writer_post(struct ckpt_task *t)
{
	return enqueue(t, list_append);
}

int ckpt_writer_post_first(struct ckpt_task *t)
{
	return enqueue(t, list_prepend);
}

int ckpt_writer_wait(uint64_t until_ns)
{
	struct timespec until = clock_timespec(until_ns);
	int rc = 0;

	pthread_mutex_lock(&writer.mutex);
	writer.waiting++;
	pthread_cond_signal(&writer.work);
	while (writer.running && rc == 0)
		rc = pthread_cond_clockwait(&writer.end, &writer.mutex, CLOCK_MONOTONIC, &until);
	rc = writer.running ? FT_ETIME : 0;
	if (rc == 0)
		join();
	writer.waiting--;
	pthread_mutex_unlock(&writer.mutex);
	return rc;
}

/* Nothing here is waited for, or destroyed: what waited is not there any more. */
void ckpt_writer_forget(void)
{
	pthread_mutex_init(&writer.mutex, NULL);
	pthread_cond_init(&writer.work, NULL);
	pthread_cond_init(&writer.end, NULL);
	list_init(&writer.tasks);
	writer.running = writer.to_join = false;
	writer.waiting = 0;
}
