/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is inside: calls begin and end here, and what they leave behind is handed to whoever goes on.
 * The lock is in engine_lock.c, how they wait in engine_wait.c, the progress thread in
 * engine_tick.c.
 */
#include "engine_inside.h"

/* ---- start and end ---- */

int engine_start(struct tp *tp, struct loop *loop, bool crowded)
{
	int rc;

	engine.tp = tp;
	engine.work = tp_work(tp);
	engine.loop = loop;
	engine.crowded = crowded;
	engine.ticking = engine.watching = engine.completed = false;
	engine.making = engine.visited = engine.windows = false;
	engine.posted = 0;
	rc = engine_tick_open();
	if (rc)
		engine_stop();
	return rc;
}

void engine_stop(void)
{
	engine_tick_close();
	engine.tp = NULL;
	engine.loop = NULL;
}

/* ---- calls ---- */

/* The one who sleeps knows of no output that came after it fell asleep, and the tick leaves all to
 * those inside. */
static void hand_over(void)
{
	tp_flush(engine.tp);
	tp_watch(engine.tp);
}

/* Only who holds the lock writes it, so that it costs no more than an ordinary number. */
static void count_call(void)
{
	uint32_t calls = atomic_load_explicit(&engine.calls, memory_order_relaxed);

	atomic_store_explicit(&engine.calls, calls + 1, memory_order_relaxed);
}

uint32_t engine_calls(void)
{
	return atomic_load_explicit(&engine.calls, memory_order_relaxed);
}

void engine_enter(void)
{
	lock_take(&engine.lock);
	engine.inside++;
	count_call();
}

void engine_visit(void)
{
	lock_take(&engine.lock);
	engine.inside++;
	engine.visited = true;
}

void engine_post(struct loop_task *task)
{
	loop_post(engine.loop, task);
}

/* Who watches hears what comes, but does nothing else. */
static bool wants_ticks(void)
{
	if (engine.ticking)
		return engine.watching && engine_must_tick();
	return engine_has_work();
}

/* A visitor's words are for other ranks, who wait for them, and for a thread that may wait here. */
static void end_visit(void)
{
	engine.visited = false;
	engine.completed = true;
	tp_flush(engine.tp);
}

void engine_leave(void)
{
	engine.inside--;
	if (__builtin_expect(engine.visited, false))
		end_visit();
	if (engine.sleeping)
		hand_over();
	if (engine.completed)
		engine_tell();
	if (engine.tp && wants_ticks())
		engine_tick_start();
	lock_give(&engine.lock);
}

bool engine_alone(void)
{
	return engine.inside == 1;
}

/* ---- what there is to do ---- */

void engine_completed(void)
{
	engine.completed = true;
}

void engine_set_making(bool making)
{
	engine.making = making;
}

void engine_set_windows(bool any)
{
	engine.windows = any;
}

void engine_set_posted(unsigned receives)
{
	engine.posted = receives;
}
