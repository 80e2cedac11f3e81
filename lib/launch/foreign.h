/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that the launcher of another MPI, or srun, has started. Each of them would be a job of
 * one, compute everything by itself, and end with status 0.
 */
#ifndef FTMPI_LAUNCH_FOREIGN_H
#define FTMPI_LAUNCH_FOREIGN_H

#include <stddef.h>

/* For a process that our launcher has not started: 0, or FT_EINVAL with a sentence in err when its
 * environment says that it is one of several. The variable FTMPI_SINGLETON, with the value 1,
 * allows that. */
int foreign_check(char *err, size_t errsize);

#endif
