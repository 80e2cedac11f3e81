/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heartbeats' thread runs for some microseconds a period, and others are killed for what it
 * does too late. So it asks to be before others that want the processor: real time, the least there
 * is of it (CAP_SYS_NICE, or ulimit -r), else what ulimit -e allows. Most users may have neither;
 * then it runs like any other thread.
 */
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heartbeat/hb.h"

enum { NICE_BEST = -20, NICE_ORDINARY = 0, NICE_CEILING = 20 };

int priority_nice(unsigned long long limit)
{
	if (limit >= NICE_CEILING - NICE_BEST)
		return NICE_BEST;
	return limit > NICE_CEILING - NICE_ORDINARY ? NICE_CEILING - (int)limit : NICE_ORDINARY;
}

/* A process that is forked here is an ordinary one. */
void priority_rise(void)
{
	struct sched_param least = {.sched_priority = sched_get_priority_min(SCHED_RR)};
	struct rlimit limit;
	int nice;

	if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &least) == 0 ||
		getrlimit(RLIMIT_NICE, &limit) != 0)
		return;
	nice = priority_nice(limit.rlim_cur);
	if (nice < NICE_ORDINARY)
		setpriority(PRIO_PROCESS, (id_t)gettid(), nice);
}
