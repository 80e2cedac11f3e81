/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks of the dynamic linker. A thread has one in dlopen(3), while constructors and destructors
 * run there, and in a function that dl_iterate_phdr(3) calls. They are recursive mutexes, which
 * know their owner by the thread's id: in a process that woke up that is another thread's or
 * nobody's, and they would never be free again. So there is no image while one is held.
 */
#ifndef FTMPI_IMAGE_LINKER_LOCKS_H
#define FTMPI_IMAGE_LINKER_LOCKS_H

#include <stdbool.h>

/* Where they can lie. Takes such a lock itself; once, and before any other call. In a process
 * without a dynamic linker they are not found. */
void linker_locks_find(void);

/* Is one held, by whichever thread? In a signal handler, too. */
bool linker_locks_held(void);

/* Which thread holds the recursive mutex that may be here; 0: none does, or there is none. */
int linker_locks_owner(const void *mutex);

#endif
