/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What unit tests of lib/mpi need of api.h and engine.h when there is no engine: errors go back to
 * the caller, and the one thread, or each of the processes, has the lock all the time. fake_unlocks
 * counts how often a user's function ran.
 */
#include "mpi/bindings/api.h"
#include "mpi/engine/engine.h"

extern int fake_unlocks;
int fake_unlocks;
struct lock engine_mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static __attribute__((constructor)) void have_lock(void)
{
	lock_take(&engine_mutex);
}

void api_enter(const char *name)
{
	fail_begin(name);
}

void engine_leave(void)
{
}

int api_raise(struct comm *c, int rc)
{
	(void)c;
	return rc;
}

int api_leave_session(uint64_t number, int rc)
{
	(void)number;
	return rc;
}

void api_enter_anytime(const char *name)
{
	fail_begin(name);
}

int api_leave_anytime(int rc)
{
	return rc;
}

void engine_unlock(void)
{
	fake_unlocks++;
}

void engine_lock(void)
{
}

void engine_lock_again(void)
{
	engine_lock();
}
