/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: look, yield, then sleep. One thread at a time sleeps in the transport's epoll; others
 * that wait sleep on a condition and are woken when something was completed or when nobody watches
 * the sockets any more.
 */
#include <pthread.h>
#include <sched.h>

#include "base/clock.h"
#include "base/knob.h"
#include "engine_inside.h"

enum { YIELD_WANTED_NS = 3000, YIELD_INTERVAL_MAX = 16, ROOMY_SPIN = 5 };

/* something was completed, or nobody sleeps in epoll */
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned yield_interval = 1; /* looks a yield */

inline bool engine_look_at(int expect, bool of_program)
{
	bool moved = tp_look(engine.tp, expect);

	if (__builtin_expect(!list_empty(&engine.chores), false)) {
		engine_do_chores(of_program);
		tp_flush(engine.tp);
		moved = true;
	}
	return moved;
}

/* Whoever sleeps shall look again. */
void engine_tell(void)
{
	engine.completed = false;
	if (engine.sleeping)
		tp_kick(engine.tp);
	if (engine.waiting)
		pthread_cond_broadcast(&cond);
}

static void sleep_until_news(void)
{
	if (engine.sleeping) {
		tp_watch(engine.tp);
		engine.waiting++;
		lock_wait(&engine.lock, &cond);
		engine.waiting--;
		return;
	}
	engine.sleeping = true;
	tp_sleep(engine.tp, -1);
	engine.sleeping = false;
	engine_tell();
}

static void yield(void)
{
	lock_give(&engine.lock);
	sched_yield();
	lock_take(&engine.lock);
}

/* A yield that nobody wanted only makes the next look later, so they grow rare; one that let
 * somebody run shows that the core is shared, and then every look is followed by one. */
static void yield_at_times(unsigned looks, uint64_t now)
{
	if (looks % yield_interval != 0 && engine.inside == 1)
		return;
	yield();
	if (clock_ns() - now > YIELD_WANTED_NS)
		yield_interval = 1;
	else if (yield_interval < YIELD_INTERVAL_MAX)
		yield_interval *= 2;
}

static uint64_t spin_ns(void)
{
	return (uint64_t)knob_get(KNOB_SPIN_US) * 1000 * (engine.crowded ? 1 : ROOMY_SPIN);
}

void engine_wait(bool (*done)(void *arg, int *expect), void *arg)
{
	uint64_t since = 0;
	unsigned looks = 0;
	int expect = -1;

	if (done(arg, &expect))
		return;
	/* it is asked again when that can have changed the answer */
	if (tp_flush(engine.tp) && done(arg, &expect))
		return;
	do {
		uint64_t now;
		bool moved;

		moved = engine_look_at(expect, true);
		expect = -1;
		/* also what this call completed before it came here: it may sleep next */
		if (engine.completed)
			engine_tell();
		if (moved) {
			since = 0;
			continue;
		}
		now = clock_ns();
		if (!since)
			since = now;
		if (now - since < spin_ns()) {
			yield_at_times(++looks, now);
		} else {
			sleep_until_news();
			since = 0;
		}
	} while (!done(arg, &expect));
	if (engine.waiting && !engine.sleeping)
		engine_tell();
}

void engine_look(void)
{
	tp_flush(engine.tp);
	if (!engine_look_at(-1, true) && engine.crowded)
		yield();
}
