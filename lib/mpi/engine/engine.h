/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: the one lock, waiting, and the thread that makes progress while the program is
 * outside MPI. doc/threads.md has the whole story.
 *
 * The lock guards the transport, the matching lists, requests and every MPI object. It is held from
 * api_enter to api_leave and let go only while a call waits (engine_wait) or runs a user's
 * function. Lock order: the engine's lock, then (inside loop_post) the loop's own.
 */
#ifndef FTMPI_MPI_ENGINE_H
#define FTMPI_MPI_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/lock.h"
#include "base/loop.h"
#include "transport/transport.h"

struct descriptor_list; /* base/descriptors.h */

/* Once per MPI_Init, before anything uses the engine: nothing is posted, in the making or open to
 * others yet. */
void engine_start(void);

/*
 * What belongs to this process is built for a transport and a loop, which are the caller's and
 * outlive it, and dropped again; what waits to be done stays, and the ticks that it wants begin
 * again with the next attachment. The loop's thread must not run meanwhile, and no other thread may
 * sleep in a wait or come in. 0 or FT_ENOMEM (memory, or descriptors): then nothing is attached.
 */
int engine_attach(struct tp *tp, struct loop *loop, bool crowded);
void engine_detach(void);

/*
 * As engine_detach, in a process that has the memory of another and neither its descriptors nor the
 * library's threads. Before anything is opened, and before the old loop is forgotten: libevent
 * names descriptors of old. The calling thread is inside a call and holds the lock, in this process
 * as in that of the image, before and after: other threads of the program, which run again, wait
 * for it, some since before the image. Those that were inside calls did not sleep in a wait, and
 * are still inside; with `alone` none of them is there any more. A safe point that was wanted
 * still is.
 */
void engine_forget(bool alone);

/* Adds what is open, but for the transport's and the loop's. Lock held. */
void engine_own_descriptors(struct descriptor_list *list);

/* The lock exists before engine_start, too. */
struct lock *engine_lock_object(void);
void engine_lock(void);

/* Also around a call of a user's function (operator, attribute copy, error handler): nothing looked
 * up before it may be trusted after it unless it is held by a reference. */
void engine_unlock(void);

/* engine_lock behind such a function, in the middle of a call: another thread may make a line by
 * now, and this one begins no message before that is over. */
void engine_lock_again(void);

/* The calling thread, which holds the lock, is the one of the program's that calls MPI: it has the
 * lock for less than others from now on. */
void engine_favour_thread(void);

/* For engine_held alone. */
extern struct lock engine_mutex __attribute__((visibility("hidden")));

static inline bool engine_held(void)
{
	return lock_held(&engine_mutex);
}

/* At the head of what needs the lock, as in the transport. */
static inline void engine_assert_held(void)
{
	assert(engine_held());
}

/* An MPI call begins and ends: engine_lock and engine_unlock, and the progress thread knows. */
void engine_enter(void);
void engine_leave(void);

/* As engine_enter, in a signal handler: not when the lock is not free at once, perhaps because the
 * interrupted thread holds it, nor while a thread sleeps in a wait, perhaps this one. */
bool engine_try_enter(void);

/* As engine_enter, for a thread of the library's: it is no call of the program. engine_leave lets
 * the kernel have what it said. */
void engine_visit(void);

/* Run it on the progress thread, without the lock. */
void engine_post(struct loop_task *task);

/* How many calls have begun, modulo 2^32. Any thread, without the lock. */
uint32_t engine_calls(void);

/* Is no thread inside MPI but the one that asks? Lock held. */
bool engine_alone(void);

struct tp *engine_tp(void);

/* Wait until done, which was asked already. When it is not, done may set *expect to the peer whose
 * socket shall be looked at first (it is -1, nobody in particular, otherwise). Yields between
 * looks, and after KNOB_SPIN_US (longer when not crowded) sleeps in the kernel. */
void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg);

static inline void engine_wait(bool (*done)(void *arg, int *expect), void *arg)
{
	int expect = -1;

	if (!done(arg, &expect))
		engine_wait_on(expect, done, arg);
}

/* The same for what need not be waited for: false when it was not done after 100 us, or
 * KNOB_SPIN_US where that is less. */
bool engine_spin_on(int expect, bool (*done)(void *arg, int *expect), void *arg);

/* The same where a peer has to read first: on a crowded host it has to have its turn for that, so
 * false after 2 ms, or ten times KNOB_SPIN_US. */
bool engine_spin_for_room(int expect, bool (*done)(void *arg, int *expect), void *arg);

/* Sleep in the kernel until something comes, at most so many ms, after a look that found nothing:
 * for calls that answer at once, but need not do so always. Not where another thread sleeps. */
void engine_nap(int ms);

/* One look at everything, for calls that must not wait. */
void engine_look(void);

/*
 * Safe points. While one is wanted, each thread of the program that is inside a call runs the hook
 * when it comes to a point where the call could let the lock go, or has let it go: where it begins,
 * between two looks while it waits, where it has waited, behind a function of the user's, and where
 * it ends. So a call that the hook keeps begins no message meanwhile. A thread that computes, or is
 * in a function of the user's, comes to none until it is back. Threads of the library's never do.
 *
 * The hook runs with the lock held, perhaps several times in a thread, and once more when nothing
 * is wanted any more. It may let the lock go (engine_unlock, engine_lock) and stay for long, but
 * must not begin a call or wait in one. begins: else the thread is in the midst of deferred work,
 * and may stay, but not make a line itself. Whether the call that it is in may be interrupted is
 * for the hook to ask; where it may not, the hook returns and is asked again when the thread comes
 * by.
 */

/* NULL: none. Lock held. */
void engine_on_safe_point(void (*hook)(bool begins));

/* From now on, or not any more. The sleeper is woken once: a thread that has slept again
 * since then is woken by another engine_want_safe_point(true). Any thread, with or without the
 * lock, or a signal handler; between engine_attach and engine_detach. */
void engine_want_safe_point(bool wanted);

/* Does a thread sleep in a wait, though perhaps it is being woken? Lock held. */
bool engine_somebody_sleeps(void);

/* What every message tells the engine. Guarded by the lock. */
struct engine_news {
	bool completed;	 /* something, since somebody was last told */
	unsigned posted; /* receives */
};

extern struct engine_news engine_news __attribute__((visibility("hidden")));

/* Something was completed that another thread may be waiting for. */
static inline void engine_completed(void)
{
	engine_news.completed = true;
}

/* engine_completed, and tell them now: for the loop's thread, which never leaves an MPI call. */
void engine_tell(void);

/* Deferred work: what must be done with the lock held, but not here: in an upcall of the transport,
 * say. It is done after the look that is under way, on whichever thread makes progress, and before
 * any thread that waits is asked whether it is done. Once, also when it is deferred twice. */
struct engine_deferred {
	struct link link;
	bool queued;
	bool by_program; /* calls what the program wrote: only on a thread of the program's, which
			    is inside a call */
	void (*run)(struct engine_deferred *deferred);
};

void engine_defer(struct engine_deferred *deferred);

/* Is this thread in the midst of deferred work? Then it must not wait. */
bool engine_is_deferring(void);

/* Forget it, if it is queued. */
void engine_defer_cancel(struct engine_deferred *deferred);

/* Whether this thread does what calls the program's functions, from now on: in a signal handler it
 * must not. */
void engine_defer_for_program(bool does);

/* There is work for the progress thread even though nothing waits to be sent (receives are posted).
 */
static inline void engine_set_posted(unsigned receives)
{
	engine_news.posted = receives;
}

/* The same while there are windows, which others may access at any time. */
void engine_set_windows(bool any);

/* The same while a line is being made. */
void engine_set_making(bool making);

#endif
