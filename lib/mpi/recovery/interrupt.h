/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of the program that is in no call is brought to a safe point by a signal, SIGRTMAX - 2:
 * its handler is one. Not when the thread is in a function of libc, of the dynamic linker or of
 * what has malloc, which may hold a lock, or holds a lock of this library, or is in a handler of
 * the program's: then the handler returns, and the signal is to be sent again. But one that waits
 * in the kernel, in a call that signals interrupt, holds no such lock, wherever it is, and the call
 * is begun again, for the time that it has left, unless a signal of the program's has come
 * meanwhile. Those of which nobody knows that time (poll and epoll_wait with a limit, a sleep that
 * does not ask for the rest), pause, sigsuspend and the like are not interrupted.
 */
#ifndef FTMPI_MPI_INTERRUPT_H
#define FTMPI_MPI_INTERRUPT_H

#include <stdbool.h>

/* Before the first: it is found out where threads must not be, which takes locks of the dynamic
 * linker. On a thread of the program's: another may have these for long. */
void interrupt_prepare(void);

/* One of the threads that run now, another each time, the first most often; asleep: also of those
 * that wait. On a thread of the library's, without the lock. Nothing happens where the program uses
 * the signal itself, or is linked statically with libc. */
void interrupt_one(bool asleep);

#endif
