/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory barriers that one side has for all (membarrier(2)). Of two sides that each write one word
 * and then read the other's, both need a full barrier between, or neither may see the other. Where
 * one side does that millions of times a second and the other seldom, the frequent one goes without
 * (barrier_compiler), and the other has the kernel execute one on every processor that runs the
 * threads in question. Any thread.
 */
#ifndef FTMPI_BASE_BARRIER_H
#define FTMPI_BASE_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

/* This process takes part, from now on and until it executes another program. False: the kernel
 * cannot, and both sides need a barrier of their own. Costs milliseconds where there are several
 * threads and it was not called before. */
bool barrier_join(void);

/* On all threads of this process, which has joined, perhaps before it became another one (an
 * image). */
void barrier_of_threads(void);

/* On all threads of all processes of this host that have joined. False: it cannot be had. */
bool barrier_of_processes(void);

/* A barrier of this thread's own. */
static inline void barrier_full(void)
{
#ifdef __SANITIZE_THREAD__
	static _Atomic int any; /* that sanitizer knows no fences */

	atomic_fetch_add(&any, 1);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* Here the compiler alone keeps the order: for the frequent side. */
static inline void barrier_compiler(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
