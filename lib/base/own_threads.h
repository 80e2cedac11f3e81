/* SPDX-License-Identifier: BSD-3-Clause */
/* Which threads of the process are the library's, and none of the program's. By their ids, as the
 * program may give its threads any name. */
#ifndef FTMPI_BASE_OWN_THREADS_H
#define FTMPI_BASE_OWN_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

/* On a thread of the library's, as its first and last. */
void own_threads_enter(const char *name);
void own_threads_leave(void);

/* On any thread. */
bool own_threads_have(pid_t tid);

#endif
