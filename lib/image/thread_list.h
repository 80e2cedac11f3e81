/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of this process, out of /proc/self/task. By system calls alone, and by one thread at
 * a time. */
#ifndef FTMPI_IMAGE_THREAD_LIST_H
#define FTMPI_IMAGE_THREAD_LIST_H

#include "thread_status.h"

/* Each is looked at, the calling one, too, until what look returns is not 0: that is the result.
 * -errno: the list cannot be read. */
int thread_list_each(int (*look)(int id, void *arg), void *arg);

/* False: there is no such thread (any more). */
bool thread_list_status(int id, struct thread_status *s);

/* False: it waits in no system call. */
bool thread_list_call(int id, struct thread_call *c);

/* Is that call sigwait or the like, for this signal among others? Then the kernel does not say that
 * the thread blocks it. */
bool thread_list_waits_for(const struct thread_call *c, int signal);

#endif
