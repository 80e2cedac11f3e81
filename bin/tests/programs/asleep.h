/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread of this process sleeps: seen in /proc, not guessed from the time that has passed.
 */
#ifndef FTMPI_PROGRAMS_ASLEEP_H
#define FTMPI_PROGRAMS_ASLEEP_H

#include "prog.h"

enum asleep_where {
	ASLEEP_WATCHING,     /* the sockets, in epoll_wait */
	ASLEEP_ON_CONDITION, /* or, for a moment, waiting for the lock */
	ASLEEP_ANYWHERE,     /* in any system call, or it has ended */
};

/* For the thread itself to store where asleep_wait finds it. */
long asleep_self(void);

/* Wait until the thread sleeps there; *tid is 0 until it runs. When it never does the job ends. */
void asleep_wait(const struct prog *prog, const _Atomic long *tid, enum asleep_where where);

#endif
