/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queues of a rank in words, for who wants to know where a program hangs (ftmpirun -dump):
 * operations that are not done, and messages that no receive has taken.
 */
#ifndef FTMPI_MPI_QUEUES_H
#define FTMPI_MPI_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Set before there are requests, from the job's settings: whether it is noted when operations begin
 * and messages come. */
extern bool queues_timed;

/* Now, or 0: nobody will ask. */
static inline uint64_t queues_moment(void)
{
	return __builtin_expect(queues_timed, false) ? clock_ns() : 0;
}

/* Write them to standard error, a line each, as far as it takes them without delay. On the progress
 * thread, without the lock, whatever the program does meanwhile. */
void queues_dump(void);

#endif
