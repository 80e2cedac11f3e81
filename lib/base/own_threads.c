/* SPDX-License-Identifier: BSD-3-Clause */
#include "own_threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* There are three at most; more where those of a former life are forgotten. */
enum { THREADS = 16 };

static _Atomic pid_t ids[THREADS]; /* 0: free */

static bool replace(pid_t from, pid_t to)
{
	for (size_t i = 0; i < THREADS; i++) {
		pid_t is = from;

		if (atomic_compare_exchange_strong(&ids[i], &is, to))
			return true;
	}
	return false;
}

static pid_t own_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

void own_threads_enter(const char *name)
{
	bool there = replace(0, own_id());

	assert(there);
	(void)there;
	pthread_setname_np(pthread_self(), name);
}

void own_threads_leave(void)
{
	replace(own_id(), 0);
}

bool own_threads_have(pid_t tid)
{
	for (size_t i = 0; i < THREADS; i++)
		if (atomic_load(&ids[i]) == tid)
			return true;
	return false;
}
