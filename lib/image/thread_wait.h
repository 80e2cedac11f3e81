/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that waits in a system call is stopped by a signal, for an image. The kernel begins many
 * calls again after that (SA_RESTART); others end with EINTR, which a program that takes no signals
 * may not expect. The handler begins these again: the thread returns from the handler into a piece
 * of code that makes the same call, and goes from there to where the call would have returned to.
 *
 * What is left of a limit of time counts from when the call is begun again for the first time,
 * unless the kernel has written it down: nobody knows when the program began it. So a wait lasts at
 * most twice as long as its limit, and the time of the stops, however often it is stopped; for a
 * socket three times, as its limit is the socket's and each new call has all of it.
 *
 * A call that has done a part of its work when the signal comes ends with that (call_rest.h). The
 * same piece of code makes it for the rest, and adds the parts.
 *
 * All of it is for the handler, by system calls alone; in a process that woke up it goes on as in
 * the one that was stopped.
 */
#ifndef FTMPI_IMAGE_THREAD_WAIT_H
#define FTMPI_IMAGE_THREAD_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#include "call_rest.h"
#include "thread_status.h"

/* What that piece of code knows. It is on the stack of the thread, until the call is over. */
struct thread_wait {
	uint64_t at, stack; /* where the thread goes on */
	uint64_t argument[THREAD_CALL_ARGUMENTS];
	uint64_t done, part; /* of its bytes, before it was begun again, and since */
	long number;
	int64_t left_ns; /* of its limit; */
	uint64_t since;	 /* from this time on, of CLOCK_MONOTONIC */
	struct timespec limit;
	struct iovec pieces[CALL_REST_PIECES];
} __attribute__((aligned(16)));

/* As a handler begins: the number of the call that the thread begins when the handler ends, once
 * more where the kernel has seen to that (SA_RESTART); -1: none. */
long thread_wait_next(const ucontext_t *u);

/*
 * As a handler begins: was a call ended by its signal, as it waits, or in the midst? *noted: in
 * which call the thread was seen before that; NULL: not known, and then it may as well have been
 * ended by a handler of the program's without SA_RESTART, if there is any: no. What has to be known
 * is written to *room, a variable of the function that is the handler, or is there from the last
 * time. NULL: no.
 */
struct thread_wait *thread_wait_ended(
	const ucontext_t *u, const struct thread_call *noted, struct thread_wait *room);

/* As the handler ends, for what the former has returned: the call is begun again, unless another
 * signal with a handler has come meanwhile, which would have ended it. Signals of the set `own` do
 * not count, bit n - 1 being signal n. */
void thread_wait_again(ucontext_t *u, struct thread_wait *w, uint64_t own);

#endif
