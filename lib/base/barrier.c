/* SPDX-License-Identifier: BSD-3-Clause */
#include "barrier.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool command(int what)
{
	return syscall(SYS_membarrier, what, 0, 0) == 0;
}

static bool join_threads(void)
{
	return command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

bool barrier_join(void)
{
	return join_threads() && command(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

/* A process that went on from an image has joined nothing yet. Where it may not (another host, with
 * a filter of system calls) there is time instead: whatever a processor has written is seen by all
 * others long before this is over. */
void barrier_of_threads(void)
{
	struct timespec long_after = {.tv_nsec = 10000000};

	if (command(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
		(errno == EPERM && join_threads() && command(MEMBARRIER_CMD_PRIVATE_EXPEDITED)))
		return;
	/* not by nanosleep(3), at which a thread may be cancelled */
	while (syscall(SYS_nanosleep, &long_after, &long_after) != 0 && errno == EINTR)
		;
}

bool barrier_of_processes(void)
{
	return command(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
