/* SPDX-License-Identifier: BSD-3-Clause */
/* The one lock, with what it guards of the engine's: the floor of the other files. */
#include "engine_inside.h"

struct engine engine = {
	.lock = {.mutex = PTHREAD_MUTEX_INITIALIZER}, .chores = {&engine.chores, &engine.chores}};

struct engine_news engine_news;

struct lock *engine_lock_object(void)
{
	return &engine.lock;
}

void engine_lock(void)
{
	lock_take(&engine.lock);
}

void engine_unlock(void)
{
	lock_give(&engine.lock);
}

bool engine_held(void)
{
	return lock_held(&engine.lock);
}

struct tp *engine_tp(void)
{
	return engine.tp;
}
