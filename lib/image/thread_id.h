/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread id that glibc keeps in the thread's own block, for mutexes that know their owner and
 * for pthread_join. In a process that woke up it is the old one. glibc does not say where it lies,
 * so it is looked for.
 */
#ifndef FTMPI_IMAGE_THREAD_ID_H
#define FTMPI_IMAGE_THREAD_ID_H

#include <stdbool.h>

/* Where it lies, in the first thread and in a second one that is begun for this. 0; -ENOSYS: it was
 * not found at one place in both; or -errno, when there can be no second one. */
int thread_id_find(void);

/* Where it was found; -1: thread_id_find has found none. */
int thread_id_offset(void);

/* The calling thread's is what the kernel says. */
void thread_id_set(void);

/* The calling thread's. */
int *thread_id_word(void);
bool thread_id_is_right(void);

#endif
