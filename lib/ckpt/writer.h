/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread for what waits for the disk. It exists while there is something to do, and a little
 * longer. Tasks run in the order in which they were posted, one at a time; those that were posted
 * first run before all that wait.
 */
#ifndef FTMPI_CKPT_WRITER_H
#define FTMPI_CKPT_WRITER_H

#include <stdint.h>

#include "base/list.h"

/* The caller's memory; the writer does not look at it any more once run was called. */
struct ckpt_task {
	struct link link;
	void (*run)(struct ckpt_task *t);
};

/* Any thread, a task's too. 0 or FT_ESYS (there is no thread for it): nothing was done. */
int ckpt_writer_post(struct ckpt_task *t);

/* The same, before all tasks that wait. */
int ckpt_writer_post_first(struct ckpt_task *t);

/* Until nothing is to be done and the thread is gone: 0; at until_ns (clock_ns): FT_ETIME, and it
 * goes on. Not from a task; nobody posts meanwhile but tasks. */
int ckpt_writer_wait(uint64_t until_ns);

/* In a process that woke up from an image: there is no thread, and tasks that it had not run are
 * dropped; their memory is the caller's. While no other thread calls anything here. */
void ckpt_writer_forget(void);

#endif
