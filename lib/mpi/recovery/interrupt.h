/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of the program that is in no call is brought to a safe point by a signal, SIGRTMAX - 2:
 * its handler is one. Not when the thread is in a function of libc, of the dynamic linker or of
 * what has malloc, which may hold a lock, or holds a lock of this library: then the handler
 * returns, and the signal is to be sent again. But one that waits in the kernel, in a call that
 * signals interrupt, holds no such lock, wherever it is; it notices what it notices of a handler
 * with SA_RESTART (signal(7)): nanosleep, poll, select and epoll_wait end with EINTR.
 */
#ifndef FTMPI_MPI_INTERRUPT_H
#define FTMPI_MPI_INTERRUPT_H

#include <stdbool.h>

/* One of the threads that run now, another each time, the first most often; asleep: also of those
 * that wait. On a thread of the library's, without the lock. Nothing happens where the program uses
 * the signal itself, or is linked statically with libc. */
void interrupt_one(bool asleep);

#endif
