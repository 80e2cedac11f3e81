/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of an image are taken by the process that becomes it. */
#ifndef FTMPI_IMAGE_FILES_LOCK_TAKE_H
#define FTMPI_IMAGE_FILES_LOCK_TAKE_H

#include "files_steps.h"

/* How long to wait for another process's lock: that process may just be ending. */
enum { FILES_LOCK_PATIENCE_MS = 2000 };

/*
 * When all is opened, for each entry of t: takes its locks. 0; or -errno, and *why is a sentence.
 * Those of the process (POSIX) are lost again with the first descriptor of their file that is
 * closed: where there is something else at its number, or the process has the file mapped. So they
 * are taken once more at the end of the exchange.
 */
int files_locks_take(
	const struct files_table *t, const struct files_opened *opened, char *why, size_t size);

/* Could they be had? Those of flock(2) are taken to see that. */
int files_locks_try(
	const struct files_table *t, const struct files_opened *opened, char *why, size_t size);

/* By a system call alone, without waiting, on this descriptor. 0 or -errno. */
long files_lock_take_raw(const struct files_lock *l, int fd);

#endif
