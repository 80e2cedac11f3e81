/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that is there before main, as those of some libraries are: it waits for ever. */
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

__attribute__((constructor(101))) static void begin(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
		_exit(3);
}
