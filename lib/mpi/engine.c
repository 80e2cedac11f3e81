/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: look, yield, then sleep. One thread at a time sleeps in the transport's epoll; others
 * that wait sleep on a condition and are woken when something was completed or when nobody watches
 * the sockets any more.
 *
 * The progress thread is the loop's. It ticks only while the program is outside MPI and something
 * is pending, and stops after IDLE_TICKS in which there was nothing for it to do. The first thread
 * to leave MPI with work pending starts it again. While there are windows, and nothing to do but to
 * hear what others want there, it sleeps until something comes.
 */
#include "engine.h"

#include <event2/event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/knob.h"

enum { TICK_US = 1000, IDLE_TICKS = 20 };

static struct {
	struct lock lock;
	pthread_cond_t cond; /* something was completed, or nobody sleeps in epoll */
	struct tp *tp;
	struct loop *loop;
	bool crowded;
	int inside;	/* threads in MPI calls */
	int waiting;	/* of these, on cond */
	bool sleeping;	/* one is in tp_sleep */
	bool completed; /* since somebody was last told */
	_Atomic uint32_t calls;
	unsigned posted;
	struct link chores;
	bool making, visited;	 /* a line; what a visitor said is not flushed yet */
	bool windows;		 /* that others may access */
	unsigned yield_interval; /* looks a yield */
	/* the tick */
	int timer; /* a timerfd; any thread sets it */
	struct event *on_timer;
	struct event *on_news; /* something comes: the loop thread's */
	bool ticking;
	bool watching; /* no tick before there are news */
	int idle_ticks;
	int locked_ticks; /* the loop thread's */
} e = {.lock = {.mutex = PTHREAD_MUTEX_INITIALIZER},
	.cond = PTHREAD_COND_INITIALIZER,
	.timer = -1,
	.chores = {&e.chores, &e.chores},
	.yield_interval = 1};

struct lock *engine_lock_object(void)
{
	return &e.lock;
}

void engine_lock(void)
{
	lock_take(&e.lock);
}

void engine_unlock(void)
{
	lock_give(&e.lock);
}

bool engine_held(void)
{
	return lock_held(&e.lock);
}

struct tp *engine_tp(void)
{
	return e.tp;
}

/* Other work than to hear what comes. */
static bool must_tick(void)
{
	return e.making || !list_empty(&e.chores) || tp_pending(e.tp);
}

static bool work_pending(void)
{
	return e.posted > 0 || e.windows || must_tick();
}

/* ---- chores ---- */

void engine_soon(struct engine_chore *chore)
{
	if (chore->queued)
		return;
	chore->queued = true;
	list_append(&e.chores, &chore->link);
}

void engine_never(struct engine_chore *chore)
{
	if (chore->queued)
		list_remove(&chore->link);
	chore->queued = false;
}

/* One may queue others, and may let the lock go. */
static void do_chores(bool of_program)
{
	struct link *item, later;

	list_init(&later);
	while ((item = list_first(&e.chores))) {
		struct engine_chore *chore = container_of(item, struct engine_chore, link);

		if (chore->by_program && !of_program) {
			list_remove(item);
			list_append(&later, item);
			continue;
		}
		engine_never(chore);
		chore->run(chore);
	}
	while ((item = list_pop(&later)))
		list_append(&e.chores, item);
}

/* of_program: this is one of its threads, not the progress thread. */
static bool look(int expect, bool of_program)
{
	bool moved = tp_look(e.tp, expect);

	if (__builtin_expect(!list_empty(&e.chores), false)) {
		do_chores(of_program);
		tp_flush(e.tp);
		moved = true;
	}
	return moved;
}

/* ---- the progress thread ---- */

/* By any thread: the progress thread is not woken before it is time. */
static void arm_timer(void)
{
	struct itimerspec t = {.it_value.tv_nsec = TICK_US * 1000};

	timerfd_settime(e.timer, 0, &t, NULL);
}

/* Who has the lock is inside MPI and does what a tick would do. A thread that waits there hardly
 * lets it go, and ticks beside it would take its core: the last one waits for the lock, to end
 * them. */
static bool lock_for_tick(void)
{
	if (lock_try(&e.lock))
		return true;
	if (++e.locked_ticks < IDLE_TICKS)
		return false;
	engine_lock();
	return true;
}

static void tick_later(void)
{
	event_del(e.on_news);
	arm_timer();
}

/* News that were none, such as a kick that nobody has taken, are not waited for at once again. */
static void go_on(bool busy, bool believed)
{
	e.watching = busy && believed && e.windows && !must_tick();
	if (e.watching)
		event_add(e.on_news, NULL);
	else if (e.idle_ticks < IDLE_TICKS)
		tick_later();
	else
		e.ticking = false;
}

static void tick(bool news)
{
	bool busy = false, moved = false;

	if (!lock_for_tick()) {
		tick_later();
		return;
	}
	if (e.inside == 0 && work_pending()) {
		tp_flush(e.tp);
		moved = look(-1, false);
		busy = true;
	}
	e.idle_ticks = busy ? 0 : e.idle_ticks + 1 + e.locked_ticks;
	e.locked_ticks = 0;
	go_on(busy, moved || !news);
	engine_unlock();
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	uint64_t times;

	(void)what;
	(void)arg;
	if (read(fd, &times, sizeof times) < 0)
		return; /* it was set anew meanwhile */
	tick(false);
}

static void on_news(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	tick(true);
}

static void start_ticking(void)
{
	e.ticking = true;
	e.watching = false;
	e.idle_ticks = 0;
	arm_timer();
}

/* ---- start, end, calls ---- */

int engine_start(struct tp *tp, struct loop *loop, bool crowded)
{
	e.tp = tp;
	e.loop = loop;
	e.crowded = crowded;
	e.ticking = e.watching = e.completed = e.making = e.visited = e.windows = false;
	e.posted = 0;
	e.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	e.on_timer = event_new(loop_base(loop), e.timer, EV_READ | EV_PERSIST, on_tick, NULL);
	e.on_news = event_new(loop_base(loop), tp_descriptor(tp), EV_READ, on_news, NULL);
	if (e.timer >= 0 && e.on_timer && e.on_news && event_add(e.on_timer, NULL) == 0)
		return 0;
	engine_stop();
	return FT_ENOMEM;
}

void engine_stop(void)
{
	if (e.on_timer)
		event_free(e.on_timer);
	if (e.on_news)
		event_free(e.on_news);
	if (e.timer >= 0)
		close(e.timer);
	e.on_timer = e.on_news = NULL;
	e.timer = -1;
	e.tp = NULL;
	e.loop = NULL;
}

/* Whoever sleeps shall look again. */
static void tell_others(void)
{
	e.completed = false;
	if (e.sleeping)
		tp_kick(e.tp);
	if (e.waiting)
		pthread_cond_broadcast(&e.cond);
}

/* The one who sleeps knows of no output that came after it fell asleep, and the tick leaves all to
 * those inside. */
static void hand_over(void)
{
	tp_flush(e.tp);
	tp_watch(e.tp);
}

/* Only who holds the lock writes it, so that it costs no more than an ordinary number. */
static void count_call(void)
{
	uint32_t calls = atomic_load_explicit(&e.calls, memory_order_relaxed);

	atomic_store_explicit(&e.calls, calls + 1, memory_order_relaxed);
}

uint32_t engine_calls(void)
{
	return atomic_load_explicit(&e.calls, memory_order_relaxed);
}

void engine_enter(void)
{
	engine_lock();
	e.inside++;
	count_call();
}

void engine_visit(void)
{
	engine_lock();
	e.inside++;
	e.visited = true;
}

void engine_post(struct loop_task *task)
{
	loop_post(e.loop, task);
}

/* Who watches hears what comes, but does nothing else. */
static bool wants_ticks(void)
{
	if (e.ticking)
		return e.watching && must_tick();
	return work_pending();
}

/* A visitor's words are for other ranks, who wait for them, and for a thread that may wait here. */
static void end_visit(void)
{
	e.visited = false;
	e.completed = true;
	tp_flush(e.tp);
}

void engine_leave(void)
{
	e.inside--;
	if (__builtin_expect(e.visited, false))
		end_visit();
	if (e.sleeping)
		hand_over();
	if (e.completed)
		tell_others();
	if (e.tp && wants_ticks() && e.on_timer)
		start_ticking();
	engine_unlock();
}

bool engine_alone(void)
{
	return e.inside == 1;
}

void engine_completed(void)
{
	e.completed = true;
}

void engine_tell(void)
{
	tell_others();
}

void engine_set_making(bool making)
{
	e.making = making;
}

void engine_set_windows(bool any)
{
	e.windows = any;
}

void engine_set_posted(unsigned receives)
{
	e.posted = receives;
}

/* ---- waiting ---- */

static void sleep_until_news(void)
{
	if (e.sleeping) {
		tp_watch(e.tp);
		e.waiting++;
		lock_wait(&e.lock, &e.cond);
		e.waiting--;
		return;
	}
	e.sleeping = true;
	tp_sleep(e.tp, -1);
	e.sleeping = false;
	tell_others();
}

static void yield(void)
{
	engine_unlock();
	sched_yield();
	engine_lock();
}

enum { YIELD_WANTED_NS = 3000, YIELD_INTERVAL_MAX = 16, ROOMY_SPIN = 5 };

/* A yield that nobody wanted only makes the next look later, so they grow rare; one that let
 * somebody run shows that the core is shared, and then every look is followed by one. */
static void yield_at_times(unsigned looks, uint64_t now)
{
	if (looks % e.yield_interval != 0 && e.inside == 1)
		return;
	yield();
	if (clock_ns() - now > YIELD_WANTED_NS)
		e.yield_interval = 1;
	else if (e.yield_interval < YIELD_INTERVAL_MAX)
		e.yield_interval *= 2;
}

static uint64_t spin_ns(void)
{
	return (uint64_t)knob_get(KNOB_SPIN_US) * 1000 * (e.crowded ? 1 : ROOMY_SPIN);
}

void engine_wait(bool (*done)(void *arg, int *expect), void *arg)
{
	uint64_t since = 0;
	unsigned looks = 0;
	int expect = -1;

	if (done(arg, &expect))
		return;
	/* it is asked again when that can have changed the answer */
	if (tp_flush(e.tp) && done(arg, &expect))
		return;
	do {
		uint64_t now;
		bool moved;

		moved = look(expect, true);
		expect = -1;
		/* also what this call completed before it came here: it may sleep next */
		if (e.completed)
			tell_others();
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
	if (e.waiting && !e.sleeping)
		tell_others();
}

void engine_look(void)
{
	tp_flush(e.tp);
	if (!look(-1, true) && e.crowded)
		yield();
}
