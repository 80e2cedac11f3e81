/* SPDX-License-Identifier: BSD-3-Clause */
#include "file_limit.h"

#include <errno.h>
#include <time.h>

static sigset_t signal_alone(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	return set;
}

void file_limit_enter(struct file_limit *l)
{
	sigset_t set = signal_alone(), pending;

	sigpending(&pending);
	l->pending = sigismember(&pending, SIGXFSZ) == 1;
	pthread_sigmask(SIG_BLOCK, &set, &l->before);
}

/* What the kernel has sent to this thread meanwhile is taken back before it can be delivered. */
void file_limit_leave(const struct file_limit *l)
{
	const struct timespec now = {0};
	sigset_t set = signal_alone();
	int error = errno;

	while (!l->pending && sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &l->before, NULL);
	errno = error;
}
