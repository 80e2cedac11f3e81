/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress thread is the loop's. It ticks only while the program is outside MPI and something
 * is pending: each tick in vain, with nothing to do or only to look for what does not come, doubles
 * the time to the next, up to TICK_MAX_US, as a tick takes its core from a program that computes.
 * IDLE_TICKS in a row with nothing to do end it. The first thread to leave MPI with work pending
 * starts it again. What is pending then is over by itself in most programs, as the next call waits
 * for it: where IDLE_TICKS, and all since then, have found nothing to do, ticks are rare. One
 * comes, and no more, TICK_MAX_US after a thread has left MPI, or RARE_US where only receives are
 * posted. While there are windows, and nothing to do but to hear what others want there, it sleeps
 * until something comes.
 */
#include <event2/event.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "engine_inside.h"

enum {
	TICK_US = 1000,
	TICK_MAX_US = 8 * TICK_US,
	RARE_US = 64 * TICK_US,
	BUSY_US = 50,
	AT_ONCE_NS = 200000,
	IDLE_TICKS = 10
};

static struct {
	int timer; /* a timerfd; any thread sets it */
	struct event *on_timer;
	struct event *on_news;	/* something comes: the loop thread's */
	_Atomic bool anew;	/* the ticks were started since the last one */
	_Atomic int idle_ticks; /* without anything to do, in a row; written with the lock held */
	/* the loop thread's: without anything to do, or only to look for what did not come; those
	 * that did not get the lock since then */
	int vain_ticks, locked_ticks;
} t = {.timer = -1};

/* Any thread that leaves MPI may start the ticks, also while the progress thread watches. The
 * latter alone goes on, watches or stops, at the end of a tick. */
static void become(enum ticking ticking)
{
	static const bool leads[TICKING_STATES][TICKING_STATES] = {
		[TICKING_STOPPED] = {[TICKING_ON] = true},
		[TICKING_ON] =
			{[TICKING_ON] = true, [TICKING_WATCHING] = true, [TICKING_STOPPED] = true},
		[TICKING_WATCHING] =
			{[TICKING_ON] = true, [TICKING_WATCHING] = true, [TICKING_STOPPED] = true},
	};

	assert(leads[engine.phys.ticking][ticking]);
	engine.phys.ticking = ticking;
}

/* By any thread: the progress thread is not woken before it is time. 0: not at all. */
static void set_timer(long us)
{
	struct itimerspec when = {.it_value.tv_nsec = us * 1000};

	timerfd_settime(t.timer, 0, &when, NULL);
}

/* The holder of the lock is inside MPI and does what a tick would do. One that waits there hardly
 * lets it go, and ticks beside it would take its core: the last one waits for the lock, to end
 * them. */
static bool lock_for_tick(void)
{
	if (lock_try(&engine_mutex))
		return true;
	if (++t.locked_ticks < IDLE_TICKS)
		return false;
	lock_take_before(&engine_mutex);
	return true;
}

static bool is_rare(void)
{
	return atomic_load(&t.idle_ticks) >= IDLE_TICKS;
}

/* So long may work wait that must be done. */
static long must_us(void)
{
	return is_rare() ? TICK_MAX_US : TICK_US;
}

/* After so many ticks in a row in vain. */
static long tick_us(int vain)
{
	long us = TICK_US;

	while (vain-- > 0 && us < TICK_MAX_US)
		us *= 2;
	return us;
}

/* The timer first: a thread that starts the ticks just now sets it behind this, or finds them slow,
 * or has set it before. */
static void tick_later(long us)
{
	event_del(t.on_news);
	set_timer(us);
	atomic_store(&engine.phys.slow, us > must_us());
	if (us > must_us() && atomic_load(&t.anew))
		set_timer(must_us());
}

/* Peers ring from here on. What comes before that is seen to at once, for a while: who asks again
 * as soon as it is answered would else wait for a tick each time. *moved: something was seen to. */
static bool watch(bool *moved)
{
	uint64_t end = clock_ns() + AT_ONCE_NS;

	do {
		if (tp_listen(engine.phys.tp, true))
			return true;
		*moved |= engine_look_at(TP_EVERYBODY, false);
	} while (!engine_must_tick() && clock_ns() < end);
	return false;
}

/* News that were none, such as a kick that nobody has taken, are not waited for at once again.
 * Ticks that were started while this thread watched, or waited for the lock, have left news to be
 * waited for, or the timer set: one that stops takes both back. */
static void go_on(bool busy, bool moved, bool believed)
{
	bool goes_on = moved && engine_must_tick();

	if (busy && believed && engine.windows && !engine_must_tick() && watch(&goes_on)) {
		struct timeval lost = {TP_BELL_LOST_MS / 1000, TP_BELL_LOST_MS % 1000 * 1000};

		become(TICKING_WATCHING);
		event_add(t.on_news, &lost);
		return;
	}
	tp_listen(engine.phys.tp, false);
	if (!is_rare()) {
		become(TICKING_ON);
		/* as long as bytes move: the other side may wait for room */
		tick_later(goes_on ? BUSY_US : tick_us(t.vain_ticks));
	} else {
		become(TICKING_STOPPED);
		event_del(t.on_news);
		set_timer(0);
	}
}

static void tick(bool news)
{
	bool busy = false, moved = false;

	if (!lock_for_tick()) {
		tick_later(is_rare() ? RARE_US : tick_us(t.vain_ticks + t.locked_ticks));
		return;
	}
	if (atomic_exchange(&t.anew, false))
		t.vain_ticks = 0;
	if (engine.inside == 0 && engine_has_work()) {
		tp_flush(engine.phys.tp);
		moved = engine_look_at(TP_EVERYBODY, false);
		busy = true;
	}
	if (busy)
		atomic_store(&t.idle_ticks, 0);
	else if (!is_rare())
		atomic_fetch_add(&t.idle_ticks, 1 + t.locked_ticks);
	if (moved || engine.windows || (busy && engine_must_tick()))
		t.vain_ticks = 0;
	else if (t.vain_ticks < IDLE_TICKS)
		t.vain_ticks += 1 + t.locked_ticks;
	t.locked_ticks = 0;
	go_on(busy, moved, moved || !news);
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
	(void)arg;
	tick(what & EV_READ);
}

void engine_tick_start(void)
{
	long us;

	if (!t.on_timer)
		return;
	become(TICKING_ON);
	if (engine.windows)
		atomic_store(&t.idle_ticks, 0);
	us = is_rare() && !engine_must_tick() ? RARE_US : must_us();
	atomic_store(&t.anew, true);
	atomic_store(&engine.phys.slow, us > must_us());
	set_timer(us);
}

int engine_tick_open(void)
{
	struct event_base *base = loop_base(engine.phys.loop);

	t.anew = false;
	t.idle_ticks = t.vain_ticks = t.locked_ticks = 0;
	t.timer = descriptor_past_streams(
		timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
	t.on_timer = event_new(base, t.timer, EV_READ | EV_PERSIST, on_tick, NULL);
	t.on_news = event_new(base, tp_descriptor(engine.phys.tp), EV_READ, on_news, NULL);
	if (t.timer >= 0 && t.on_timer && t.on_news && event_add(t.on_timer, NULL) == 0)
		return 0;
	return FT_ENOMEM;
}

void engine_tick_forget(void)
{
	if (t.on_timer)
		event_free(t.on_timer);
	if (t.on_news)
		event_free(t.on_news);
	t.on_timer = t.on_news = NULL;
	t.timer = -1;
}

void engine_tick_close(void)
{
	int timer = t.timer;

	engine_tick_forget();
	if (timer >= 0)
		close(timer);
}

void engine_own_descriptors(struct descriptor_list *list)
{
	engine_assert_held();
	descriptor_list_add(list, t.timer);
}
