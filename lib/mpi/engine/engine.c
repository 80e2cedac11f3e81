/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is inside: calls begin, wait and end here, and what they leave behind is handed to whoever
 * goes on. The lock is in engine_lock.c, the progress thread in engine_tick.c.
 *
 * Waiting is: look, yield, then sleep. One thread at a time sleeps in the transport's epoll; others
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

/* ---- start and end ---- */

void engine_start(void)
{
	engine.making = engine.visited = engine.windows = false;
	engine_news = (struct engine_news){0};
}

int engine_attach(struct tp *tp, struct loop *loop, bool crowded)
{
	int rc;

	engine.phys = (struct engine_physical){.tp = tp,
		.work = tp_work(tp),
		.loop = loop,
		.crowded = crowded,
		.yield_interval = 1};
	rc = engine_tick_open();
	if (rc)
		engine_detach();
	else if (engine_has_work())
		engine_tick_start();
	return rc;
}

void engine_detach(void)
{
	engine_tick_close();
	engine.phys = (struct engine_physical){0};
}

void engine_forget(bool alone)
{
	engine_assert_held();
	engine_tick_forget();
	engine.phys = (struct engine_physical){0};
	engine.sleeping = false;
	engine.waiting = 0;
	if (alone)
		engine.inside = 1;
	pthread_cond_init(&cond, NULL);
	lock_init(&engine_mutex);
}

/* ---- a call begins ---- */

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
	lock_take(&engine_mutex);
	engine.inside++;
	count_call();
}

void engine_visit(void)
{
	lock_take(&engine_mutex);
	engine.inside++;
	engine.visited = true;
}

void engine_post(struct loop_task *task)
{
	loop_post(engine.phys.loop, task);
}

bool engine_alone(void)
{
	engine_assert_held();
	return engine.inside == 1;
}

void engine_set_making(bool making)
{
	engine_assert_held();
	engine.making = making;
}

void engine_set_windows(bool any)
{
	engine_assert_held();
	engine.windows = any;
}

/* ---- others are told ---- */

/* Whoever sleeps shall look again. */
void engine_tell(void)
{
	engine_assert_held();
	engine_news.completed = false;
	if (engine.sleeping)
		tp_kick(engine.phys.tp);
	if (engine.waiting)
		pthread_cond_broadcast(&cond);
}

/* ---- waiting ---- */

static void sleep_until_news(void)
{
	if (engine.sleeping) {
		tp_watch(engine.phys.tp);
		engine.waiting++;
		lock_wait(&engine_mutex, &cond);
		engine.waiting--;
		return;
	}
	engine.sleeping = true;
	tp_sleep(engine.phys.tp, -1);
	engine.sleeping = false;
	engine_tell();
}

static void yield(void)
{
	lock_give(&engine_mutex);
	sched_yield();
	lock_take(&engine_mutex);
}

/* A yield that nobody wanted only makes the next look later, so they grow rare; one that let
 * somebody run shows that the core is shared, and then every look is followed by one. */
static void yield_at_times(unsigned looks, uint64_t now)
{
	if (looks % engine.phys.yield_interval != 0 && engine.inside == 1)
		return;
	yield();
	if (clock_ns() - now > YIELD_WANTED_NS)
		engine.phys.yield_interval = 1;
	else if (engine.phys.yield_interval < YIELD_INTERVAL_MAX)
		engine.phys.yield_interval *= 2;
}

static uint64_t spin_ns(void)
{
	return (uint64_t)knob_get(KNOB_SPIN_US) * 1000 * (engine.phys.crowded ? 1 : ROOMY_SPIN);
}

/* False: the time to spin is over, and it does not sleep. */
static inline __attribute__((always_inline)) bool wait_on(
	int expect, bool (*done)(void *arg, int *expect), void *arg, bool sleeps)
{
	uint64_t since = 0;
	unsigned looks = 0;
	bool over = false;

	engine_assert_held();
	/* it is asked again when that can have changed the answer */
	if (tp_flush(engine.phys.tp) && done(arg, &expect))
		return true;
	do {
		uint64_t now;
		bool moved;

		moved = engine_look_at(expect, true);
		expect = -1;
		/* also what this call completed before it came here: it may sleep next */
		engine_tell_if_due();
		if (moved && sleeps) {
			since = 0;
			continue;
		}
		now = clock_ns();
		if (!since)
			since = now;
		if (now - since < spin_ns()) {
			yield_at_times(++looks, now);
		} else if (!sleeps) {
			over = true;
			break;
		} else {
			sleep_until_news();
			since = 0;
		}
	} while (!done(arg, &expect));
	if (engine.waiting && !engine.sleeping)
		engine_tell();
	return !over;
}

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	wait_on(expect, done, arg, true);
}

bool engine_spin_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	return wait_on(expect, done, arg, false);
}

void engine_look(void)
{
	engine_assert_held();
	tp_flush(engine.phys.tp);
	if (!engine_look_at(-1, true) && engine.phys.crowded)
		yield();
}

/* ---- a call ends ---- */

/* The one who sleeps knows of no output that came after it fell asleep, and the tick leaves all to
 * those inside. */
static void hand_over(void)
{
	tp_flush(engine.phys.tp);
	tp_watch(engine.phys.tp);
}

/* Who watches hears what comes, but does nothing else. */
static bool wants_ticks(void)
{
	if (engine.phys.ticking == TICKING_STOPPED)
		return engine_has_work();
	return engine.phys.ticking == TICKING_WATCHING &&
	       (engine_must_tick() || engine.phys.work->unheard);
}

/* A visitor's words are for other ranks, who wait for them, and for a thread that may wait here. */
static void end_visit(void)
{
	engine.visited = false;
	engine_news.completed = true;
	tp_flush(engine.phys.tp);
}

void engine_leave(void)
{
	engine_assert_held();
	engine.inside--;
	if (__builtin_expect(engine.visited, false))
		end_visit();
	if (engine.sleeping)
		hand_over();
	engine_tell_if_due();
	if (engine.phys.tp && wants_ticks())
		engine_tick_start();
	lock_give(&engine_mutex);
}
