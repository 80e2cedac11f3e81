/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the program. For an image each of them but the one that takes it is stopped by a
 * signal, in whose handler it notes what the kernel knows of it and waits; registers, mask and
 * stack of signals lie in the frame that the kernel made for the handler. In a process that wakes
 * up each is begun again in that handler, with the same thread pointer; when all are there, all go
 * on, by returning from it.
 *
 * The signal is number 33, which libc uses for setuid(2) and keeps out of the program's sets, or,
 * for a thread that blocks it, SIGRTMAX - 1: programs count from SIGRTMIN upwards, or take
 * SIGRTMAX. Their handlers stay from the first image of a process with threads on; a program that
 * uses the latter is refused.
 *
 * What waits in a system call waits on, in the process that goes on and in the one that woke up:
 * the kernel begins the call again (SA_RESTART, signal(7)), or the handler does (thread_wait.h).
 *
 * Threads have new ids in a process that woke up. glibc's own note of them is put right; what else
 * holds one does not: recursive, error-checking and priority-inheriting mutexes, unless they are
 * robust, that a thread has locked at that moment (and dlopen and dl_iterate_phdr, which lock one),
 * and what the program keeps of gettid.
 *
 * A child of the process is in no image. So there is none while a thread waits for one: as
 * system(3) does, it would learn nothing of it.
 *
 * No signal is pending for a thread in a process that woke up, and all run on the processors, and
 * with the priority, with which that process was begun.
 */
#ifndef FTMPI_IMAGE_THREADS_H
#define FTMPI_IMAGE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "thread_state.h"

enum {
	IMAGE_THREADS_MAX = 1024,     /* with the one that takes the image */
	IMAGE_PATIENCE_MS = 10 * 1000 /* for all of them to stop, unless another is given */
};

/* ---- by the thread that takes the image ---- */

/*
 * All other threads are stopped, which lasts at most so long (0: IMAGE_PATIENCE_MS), and the
 * calling one is noted, too. Until image_threads_release it uses nothing of libc that may lock, and
 * has to block signals. -errno: all go on, and *why is a sentence; but not for -EBUSY: another
 * thread takes an image.
 */
int image_threads_park(uint32_t patience_ms, char *why, size_t size);

/* Where its context belongs; and those of the first thread, for the loader. */
struct image_context *image_threads_own_context(void);
const struct image_context *image_threads_first_context(void);
uint64_t image_threads_first_pointer(void);

/* All go on. */
void image_threads_release(void);

/* By a thread that was interrupted in this system call and is going to begin it again, in the
 * handler; 0: it is not, any more. One at a time. */
void image_threads_interrupted_in(long call);

/* In the process that woke up: this thread is there, and all others have come, within
 * IMAGE_PATIENCE_MS. 0 or -errno. */
int image_threads_back(void);

/* ---- by the loader ---- */

/* With all signals blocked, when the image's memory is in its place: all threads but the first, and
 * the first goes on after that in image_threads_first_context. By system calls alone. 0 or -errno.
 */
int image_threads_begin(void);

#endif
