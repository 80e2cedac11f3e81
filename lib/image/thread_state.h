/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel knows of a thread beside its registers and its mask of signals. By system calls
 * alone, in the thread itself. Not held: its scheduling class, priority and processors, which are
 * those of the thread that loads the image.
 */
#ifndef FTMPI_IMAGE_THREAD_STATE_H
#define FTMPI_IMAGE_THREAD_STATE_H

#include <stdint.h>

#include "thread_status.h"

struct thread_state {
	uint64_t id;
	uint64_t thread_pointer;
	uint64_t robust_list, robust_bytes;  /* get_robust_list(2) */
	uint64_t sequences, sequences_bytes; /* rseq(2): where, and how long; 0: not registered */
	uint64_t signal_stack[3];	     /* sigaltstack(2) */
	char name[THREAD_NAME_BYTES];
};

/* NULL, or why it cannot be brought back: what the thread does, for a sentence. */
const char *thread_state_read(struct thread_state *s);

/* In the process that woke up, while no other thread of the program goes on. Its thread pointer is
 * right already; its id is the new one afterwards, also in the robust mutexes that it has locked. 0
 * or -errno. */
int thread_state_set(const struct thread_state *s);

#endif
