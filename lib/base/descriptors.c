/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/descriptors.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

void descriptors_raise(unsigned wanted)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= wanted)
		return;
	r.rlim_cur = r.rlim_max < wanted ? r.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* Some may be in use in between, so only opening them tells. */
int descriptors_free(unsigned count)
{
	int fd = count ? eventfd(0, EFD_CLOEXEC) : -1;
	int enough = count == 0 || (fd >= 0 && descriptors_free(count - 1));

	if (fd >= 0)
		close(fd);
	return enough;
}

static char text[100];

static void make_text(void)
{
	struct rlimit r = {0};

	getrlimit(RLIMIT_NOFILE, &r);
	snprintf(text, sizeof text,
		"too many open files: this process may have %llu; raise the limit (ulimit -n)",
		(unsigned long long)r.rlim_cur);
}

const char *descriptors_text(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_text);
	return text;
}
