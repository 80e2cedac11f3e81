/* SPDX-License-Identifier: BSD-3-Clause */
/* Which thread of the program is interrupted (interrupt.h). */
#ifndef FTMPI_MPI_INTERRUPT_FIND_H
#define FTMPI_MPI_INTERRUPT_FIND_H

#include <stdbool.h>
#include <sys/types.h>

#include "image/thread_status.h"

/* One that runs, another each time, the first most often; asleep: or that waits in a call which is
 * begun again. None that blocks the signal. 0: there is none. *of: in that call; all zero: it runs.
 * On one thread. */
pid_t interrupt_find(int signal, bool asleep, struct thread_call *of);

/* A thread in these holds no lock of malloc's, unless it forks or waits for another arena, and with
 * SA_RESTART the kernel begins the call again. */
bool interrupt_is_begun_by_kernel(long call);

#endif
