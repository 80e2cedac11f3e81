/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Beginning again in place: the process runs its program from the start, with the same process id
 * and the same sockets to its agent and its peers. What the process was started with is kept when
 * the library is loaded, before the program can change it.
 *
 * As at the start: arguments, environment, working directory, processors, the signal mask, which
 * signals are ignored, umask, the soft limits of resources, as far as the hard ones are as they
 * were, and the descriptors with their flags. No timer runs, no signal waits, and what the program
 * had opened is closed. Not undone: hard limits, niceness. Output that was not flushed is lost.
 */
#ifndef FTMPI_LAUNCH_REEXEC_H
#define FTMPI_LAUNCH_REEXEC_H

#include <stddef.h>

/* The process was started with these, as the C library gives them to a constructor (NULL: it does
 * not), and with all else that is kept as it is now. Once. */
void reexec_keep(char *const *argv, char *const *envp);

/*
 * What was kept, as bytes without pointers: a process that becomes the one of an image keeps them
 * in memory that the image does not have. Returns how many bytes that takes; with more than `room`
 * nothing is written. 0: it is not known. In one thread, as reexec_carried.
 */
size_t reexec_carry(void *arena, size_t room);

/*
 * In the process of an image: what was kept is that of the process which woke up, and not of the
 * one that the image was taken of, whose descriptors are others. The arena is the caller's. 0, or
 * FT_EPROTO: these are not the bytes of reexec_carry, or FT_ENOMEM: then, and with 0 bytes, it is
 * not known, so reexec_now ends the process.
 */
int reexec_carried(const void *arena, size_t bytes);

/*
 * On a thread that blocks all signals. Takes no lock and no memory, as the other threads, which end
 * here, may hold any. Where it cannot be done in place (the program has closed or replaced a
 * descriptor that it was started with, has children, its directory is gone) the process ends with
 * status 1 and its agent starts the rank in a new one.
 */
_Noreturn void reexec_now(void);

#endif
