/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread with an event loop (libevent). Everything that touches its events runs on that thread:
 * others hand it tasks with loop_post. That is why libevent needs no locks of its own here.
 */
#ifndef FTMPI_BASE_LOOP_H
#define FTMPI_BASE_LOOP_H

#include <stdint.h>

#include "base/list.h"

struct loop;
struct event_base;
struct descriptor_list;

/* A task is the caller's memory, and belongs to the caller again when run is called. */
struct loop_task {
	struct link link;
	void (*run)(struct loop_task *task);
};

/* NULL when memory or descriptors are short. The thread starts with loop_start; 0 or FT_ESYS. */
struct loop *loop_new(const char *name);
int loop_start(struct loop *l);

/* Ends and joins the thread between two callbacks; events and tasks stay for the one that
 * loop_start begins. FT_ETIME: at until_ns (clock_ns) one callback had not come back, and the
 * thread goes on. Not on the loop's thread, and not with a lock held that one of its callbacks
 * takes. */
int loop_pause(struct loop *l, uint64_t until_ns);

/* Any thread, also before the start; tasks run in order. */
void loop_post(struct loop *l, struct loop_task *task);

/* Ends and joins the thread (if it was started). Tasks that did not run yet are dropped. Not on the
 * loop's thread, and not with a lock held that one of its callbacks takes. */
void loop_stop(struct loop *l);

/* After loop_stop, when all events are freed. */
void loop_free(struct loop *l);

/* In a process that woke up from an image: the numbers of what l has open may be the program's by
 * now, so loop_free closes nothing. As libevent closes what it frees, its part stays: some KiB. */
void loop_forget(struct loop *l);

struct event_base *loop_base(struct loop *l);

/* Those of libevent were found when the loop was made; where that was not for sure (loop_opened.h),
 * the list is incomplete. Any thread. */
void loop_own_descriptors(const struct loop *l, struct descriptor_list *list);

#endif
