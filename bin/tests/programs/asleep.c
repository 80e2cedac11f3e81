/* SPDX-License-Identifier: BSD-3-Clause */
#include "asleep.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_S = 60 };
enum { RUNNING = -1, ENDED = -2 }; /* beside the numbers of system calls */

static const char *const places[] = {"watching the sockets", "on the condition", "anywhere"};

long asleep_self(void)
{
	return syscall(SYS_gettid);
}

static bool is_epoll(long call)
{
#ifdef SYS_epoll_wait
	if (call == SYS_epoll_wait)
		return true;
#endif
	return call == SYS_epoll_pwait;
}

static bool is_there(long call, enum asleep_where where)
{
	switch (where) {
	case ASLEEP_WATCHING:
		return is_epoll(call);
	case ASLEEP_ON_CONDITION:
		return call == SYS_futex;
	case ASLEEP_ANYWHERE:
		break;
	}
	return call != RUNNING;
}

/* The system call that the thread sleeps in, or RUNNING or ENDED. */
static long system_call_of(const struct prog *prog, long tid)
{
	char name[64], text[64] = "";
	FILE *in;
	bool got;

	snprintf(name, sizeof name, "/proc/self/task/%ld/syscall", tid);
	in = fopen(name, "r");
	if (!in && errno != ENOENT)
		prog_wrong(prog, "%s cannot be read: %s", name, strerror(errno));
	got = in && fgets(text, sizeof text, in);
	if (in)
		fclose(in);
	if (!got)
		return ENDED;
	return strncmp(text, "running", 7) == 0 ? RUNNING : strtol(text, NULL, 10);
}

void asleep_wait(const struct prog *prog, const _Atomic long *tid, enum asleep_where where)
{
	time_t until = time(NULL) + prog_patience(DEADLINE_S);
	long call = RUNNING;

	while (time(NULL) < until) {
		if (*tid && is_there(call = system_call_of(prog, *tid), where))
			return;
		sched_yield();
	}
	prog_wrong(
		prog, "a thread does not sleep %s: it is in system call %ld", places[where], call);
}
