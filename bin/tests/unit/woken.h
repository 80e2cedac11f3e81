/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that woke up from its image, as far as a unit test can have one: a copy of this one.
 * All of the memory is there, held locks included, but no thread beside the one that made it, and
 * no descriptor. It is not made with fork(3), after which libc would not know of those threads any
 * more.
 */
#ifndef FTMPI_TESTS_WOKEN_H
#define FTMPI_TESTS_WOKEN_H

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { WOKEN_DEADLINE_S = UNIT_DEADLINE_S / 2, WOKEN_DESCRIPTORS = 1024 };

/* In it Check cannot be told, so nothing that asserts by Check may be called. */
#define WOKEN_MUST(holds)                                                                          \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			fprintf(stderr, "%s:%d: in the woken process: not %s\n", __FILE__,         \
				__LINE__, #holds);                                                 \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

#ifdef __SANITIZE_THREAD__

/* To it all threads of the image are still there. */
static inline void woken(void (*body)(void))
{
	(void)body;
	puts("left out: the thread sanitizer knows of no process that woke up");
}

#else

/* It runs body, within a limit, and ends. */
static inline void woken(void (*body)(void))
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	int status;

	if (pid == 0) {
		alarm(WOKEN_DEADLINE_S);
		for (int fd = STDERR_FILENO + 1; fd < WOKEN_DESCRIPTORS; fd++)
			close(fd);
		body();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "the woken process ended with status %#x", (unsigned)status);
}

#endif

#endif
