/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads inside MPI: calls begin, wait and end here, and leave what is pending to whichever
 * thread goes on. The lock is in engine_lock.c, the progress thread in engine_tick.c.
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

/* MOMENT_NS: in this time a peer that is in MPI has read much of a full ring, and in
 * CROWDED_MOMENT_NS several have that take turns on a processor. GIVE_WAY_NS: a thread that is
 * woken has run by then, unless others keep it from running; then it is waited for again after
 * IN_VAIN_NS. */
enum {
	GIVE_WAY_NS = 1000000,
	IN_VAIN_NS = 20000000,
	MOMENT_NS = 100000,
	CROWDED_MOMENT_NS = 2000000,
	CROWDED_MOMENT_SPINS = 10, /* at most so many times the time to spin */
	YIELD_WANTED_NS = 3000,
	YIELD_INTERVAL_MAX = 16,
	SHARED_SPIN = 5,
	ROOMY_SPIN = 50
};

/* something was completed, or nobody sleeps in epoll */
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

/* until then (clock_ns) nobody is given way to */
static _Atomic uint64_t in_vain;

/* ---- start and end ---- */

void engine_start(void)
{
	engine.making = engine.windows = false;
	atomic_store(&engine.due, 0);
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
	engine.waiting = 0;
	atomic_store(&engine_mutex.impatient, 0); /* threads that are not there */
	atomic_store(&in_vain, 0);		  /* the clock may be another host's */
	engine_clear_due(~(unsigned)DUE_SAFE_POINT);
	if (alone)
		engine.inside = 1;
	pthread_cond_init(&cond, NULL);
}

/* ---- the lock's turn ---- */

/* A program that asks again and again (MPI_Test, MPI_Iprobe) would keep the library's threads from
 * making connections, or from beginning a line. */
static __attribute__((noinline)) void give_way(void)
{
	uint64_t until;

	sched_yield();
	if (!lock_is_awaited(&engine_mutex))
		return;
	until = clock_ns() + GIVE_WAY_NS;
	if (until < atomic_load_explicit(&in_vain, memory_order_relaxed))
		return;
	do
		sched_yield();
	while (lock_is_awaited(&engine_mutex) && clock_ns() < until);
	if (lock_is_awaited(&engine_mutex))
		atomic_store_explicit(&in_vain, until + IN_VAIN_NS, memory_order_relaxed);
}

/* ---- a call begins ---- */

/* Only the holder of the lock writes it, so it costs no more than an ordinary number. */
static void count_call(void)
{
	uint32_t calls = atomic_load_explicit(&engine.calls, memory_order_relaxed);

	atomic_store_explicit(&engine.calls, calls + 1, memory_order_relaxed);
}

uint32_t engine_calls(void)
{
	return atomic_load_explicit(&engine.calls, memory_order_relaxed);
}

static inline void begin_call(void)
{
	engine.inside++;
	count_call();
	if (__builtin_expect(engine_is_due(DUE_SAFE_POINT), false))
		engine_pass_safe_point();
}

void engine_enter(void)
{
	if (__builtin_expect(lock_is_awaited(&engine_mutex), false))
		give_way();
	lock_take(&engine_mutex);
	begin_call();
}

bool engine_try_enter(void)
{
	if (!lock_try(&engine_mutex))
		return false;
	if (engine_somebody_sleeps()) {
		lock_give(&engine_mutex);
		return false;
	}
	begin_call();
	return true;
}

void engine_visit(void)
{
	lock_take_before(&engine_mutex);
	engine.inside++;
	engine_set_due(DUE_VISIT);
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

/* A watching progress thread receives what comes, but does nothing else. */
static bool wants_ticks(void)
{
	switch (engine.phys.ticking) {
	case TICKING_STOPPED:
		return engine_has_work();
	case TICKING_ON:
		return (engine.windows || engine_must_tick()) &&
		       atomic_load_explicit(&engine.phys.slow, memory_order_relaxed);
	default:
		return engine_must_tick() || engine.phys.work->unheard;
	}
}

/* Whoever sleeps shall look again. */
void engine_tell(void)
{
	engine_assert_held();
	engine_news.completed = false;
	if (engine_is_due(DUE_SLEEPER))
		tp_kick(engine.phys.tp);
	if (engine_is_due(DUE_WAITERS))
		pthread_cond_broadcast(&cond);
	/* the loop's thread has found work while the program computes */
	if (engine.inside == 0 && engine.phys.tp && wants_ticks())
		engine_tick_start();
}

static void tell_if_due(void)
{
	if (engine_news.completed)
		engine_tell();
}

/* ---- waiting ---- */

/* ms: at most so long, but where another thread sleeps in epoll; -1: without end. False: it was
 * woken for nothing, or the time was over. */
static bool sleep_until_news(int ms)
{
	bool news;

	if (engine_is_due(DUE_SLEEPER)) {
		tp_watch(engine.phys.tp);
		engine.waiting++;
		engine_set_due(DUE_WAITERS);
		lock_wait(&engine_mutex, &cond);
		if (--engine.waiting == 0)
			engine_clear_due(DUE_WAITERS);
		return true;
	}
	engine_set_due(DUE_SLEEPER);
	news = tp_sleep(engine.phys.tp, ms);
	engine_clear_due(DUE_SLEEPER);
	engine_tell();
	return news;
}

static void yield(void)
{
	lock_give(&engine_mutex);
	give_way();
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

/* A core that the last yields have shown to be shared is not kept for long: who spins there runs
 * later, when there is something for it, than who sleeps. */
static uint64_t spin_ns(void)
{
	uint64_t unit = 1000 * (uint64_t)knob_get(KNOB_SPIN_US);

	if (engine.phys.crowded)
		return unit;
	return unit * (engine.phys.yield_interval < YIELD_INTERVAL_MAX ? SHARED_SPIN : ROOMY_SPIN);
}

static uint64_t at_most(uint64_t ns, uint64_t most)
{
	return ns < most ? ns : most;
}

/* What others wait for, in the middle of a wait. True: a safe point was passed. Threads that came
 * in meanwhile have left their work to the one that waits, which may sleep next. */
static bool see_to_others(void)
{
	tell_if_due();
	if (!engine_is_due(DUE_SAFE_POINT) || !engine_pass_safe_point())
		return false;
	engine_look_at(-1, true);
	tell_if_due();
	return true;
}

/* What was waited for has come perhaps while the lock was let go, and whoever took it makes a line:
 * the call begins no message then before that is over. */
static inline bool is_over(bool (*done)(void *arg, int *expect), void *arg, int *expect)
{
	if (!done(arg, expect))
		return false;
	return __builtin_expect(!engine_is_due(DUE_SAFE_POINT), true) ||
	       !engine_pass_safe_point() || done(arg, expect);
}

/* False: the time to spin is over, and it does not sleep. */
static inline __attribute__((always_inline)) bool wait_on(
	int expect, bool (*done)(void *arg, int *expect), void *arg, uint64_t spin, bool sleeps)
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
		if (__builtin_expect(!engine_is_due(~0u), true))
			engine_news.completed = false;
		else if (see_to_others() && done(arg, &expect))
			break;
		if (moved && sleeps) {
			since = 0;
			if (__builtin_expect(lock_is_awaited(&engine_mutex), false))
				yield();
			continue;
		}
		now = clock_ns();
		if (!since)
			since = now;
		if (now - since < (sleeps ? spin_ns() : spin)) {
			yield_at_times(++looks, now);
		} else if (!sleeps) {
			over = true;
			break;
		} else if (sleep_until_news(-1)) {
			since = 0;
		}
	} while (!is_over(done, arg, &expect));
	if (engine_is_due(DUE_WAITERS) && !engine_is_due(DUE_SLEEPER))
		engine_tell();
	return !over;
}

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	wait_on(expect, done, arg, 0, true);
}

static bool spin_on(int expect, bool (*done)(void *arg, int *expect), void *arg, uint64_t ns)
{
	bool ok = wait_on(expect, done, arg, ns, false);

	if (!ok && engine_is_due(DUE_SAFE_POINT))
		engine_pass_safe_point();
	return ok;
}

bool engine_spin_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	return spin_on(expect, done, arg, at_most(spin_ns(), MOMENT_NS));
}

bool engine_spin_for_room(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	if (!engine.phys.crowded)
		return engine_spin_on(expect, done, arg);
	return spin_on(
		expect, done, arg, at_most(CROWDED_MOMENT_SPINS * spin_ns(), CROWDED_MOMENT_NS));
}

void engine_nap(int ms)
{
	engine_assert_held();
	tell_if_due();
	if (!engine_is_due(DUE_SLEEPER | DUE_SAFE_POINT))
		sleep_until_news(ms);
}

void engine_look(void)
{
	engine_assert_held();
	tp_flush(engine.phys.tp);
	if (!engine_look_at(-1, true) && engine.phys.crowded)
		yield();
	if (engine_is_due(DUE_SAFE_POINT))
		engine_pass_safe_point();
}

void engine_lock_again(void)
{
	lock_take(&engine_mutex);
	if (engine_is_due(DUE_SAFE_POINT))
		engine_pass_safe_point();
}

/* ---- a call ends ---- */

/* What others wait for. A visitor's messages are for other ranks, or a thread that may wait here.
 * The sleeper knows of no output that came after it fell asleep, and the tick leaves all to
 * those inside. */
static void leave_to_others(void)
{
	if (engine_is_due(DUE_VISIT)) {
		engine_clear_due(DUE_VISIT);
		engine_news.completed = true;
		tp_flush(engine.phys.tp);
	} else if (engine_is_due(DUE_SAFE_POINT)) {
		tell_if_due();
		engine_pass_safe_point();
	}
	if (engine_is_due(DUE_SLEEPER)) {
		tp_flush(engine.phys.tp);
		tp_watch(engine.phys.tp);
	}
	tell_if_due();
}

void engine_leave(void)
{
	engine_assert_held();
	if (__builtin_expect(!engine_is_due(~0u), true))
		engine_news.completed = false;
	else
		leave_to_others();
	engine.inside--;
	if (engine.phys.tp && wants_ticks())
		engine_tick_start();
	lock_give(&engine_mutex);
}
