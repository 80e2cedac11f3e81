/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of the program that computes is brought to a safe point by a signal, SIGRTMAX - 2: its
 * handler is one, when the thread is in no function of libc, of the dynamic linker or of what has
 * malloc, which may hold a lock, and holds no lock of this library. Else the handler returns, and
 * the signal is to be sent again. Threads that wait in the kernel are left alone: what they wait in
 * may be one of those that end with EINTR.
 */
#ifndef FTMPI_MPI_INTERRUPT_H
#define FTMPI_MPI_INTERRUPT_H

/* One of the threads that run now, another each time, the first most often. On a thread of the
 * library's, without the lock. Nothing happens where the program uses the signal itself, or is
 * linked statically with libc. */
void interrupt_one(void);

#endif
