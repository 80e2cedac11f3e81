/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of the library's under a limit of their length (RLIMIT_FSIZE, `ulimit -f`): the kernel
 * sends SIGXFSZ, which ends a process that has no handler, beside the error EFBIG. A call that may
 * meet the limit is put between these two: then there is only the error. The program's own handling
 * of the signal, for its own files, stays as it is. By one thread for itself.
 */
#ifndef FTMPI_BASE_FILE_LIMIT_H
#define FTMPI_BASE_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>

struct file_limit {
	sigset_t before;
	bool pending; /* one that is not ours */
};

void file_limit_enter(struct file_limit *l);

/* errno stays. */
void file_limit_leave(const struct file_limit *l);

#endif
