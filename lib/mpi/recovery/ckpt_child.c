/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_child.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { KILLED_MS = 1000 };

#define MS UINT64_C(1000000)

/* A small image is there within a millisecond; a large one is not looked for all the time. */
static const uint64_t nap_least = MS / 10, nap_most = 10 * MS;

static void sleep_ns(uint64_t ns)
{
	struct timespec left = {0, (long)ns};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static bool has_ended(pid_t child, int *status)
{
	pid_t pid;

	do
		pid = waitpid(child, status, __WALL | WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		*status = -1;
	return pid != 0;
}

/* Naps are counted and no clock is read: this process may be stopped together with its child. */
bool ckpt_child_wait(pid_t child, uint64_t (*progress)(void), uint32_t idle_ms, int *status)
{
	uint64_t seen = progress(), idle = 0, nap = nap_least;

	while (!has_ended(child, status)) {
		uint64_t now = progress();

		if (now != seen)
			idle = 0;
		else if (idle >= idle_ms * MS)
			return false;
		seen = now;
		sleep_ns(nap);
		idle += nap;
		nap = 2 * nap < nap_most ? 2 * nap : nap_most;
	}
	return true;
}

void ckpt_child_kill(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	for (int i = 0; i < KILLED_MS && !has_ended(child, &status); i++)
		sleep_ns(MS);
}
