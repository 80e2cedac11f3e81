/* SPDX-License-Identifier: BSD-3-Clause */
/* The one lock, with what it guards of the engine's: the floor of the other files. */
#include "engine_inside.h"

struct lock engine_mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER};
struct engine engine = {.deferred = {&engine.deferred, &engine.deferred}};

struct engine_news engine_news;

struct lock *engine_lock_object(void)
{
	return &engine_mutex;
}

void engine_lock(void)
{
	lock_take(&engine_mutex);
}

void engine_unlock(void)
{
	lock_give(&engine_mutex);
}

void engine_favour_thread(void)
{
	lock_favour(&engine_mutex);
}

struct tp *engine_tp(void)
{
	return engine.phys.tp;
}
