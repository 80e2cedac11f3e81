/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the engine (engine*.c) share, and nobody else sees. */
#ifndef FTMPI_MPI_ENGINE_INSIDE_H
#define FTMPI_MPI_ENGINE_INSIDE_H

#include <stdatomic.h>

#include "engine.h"

/* What the progress thread does. */
enum ticking {
	TICKING_STOPPED,  /* nothing: neither its timer nor news wake it */
	TICKING_ON,	  /* it ticks by its timer */
	TICKING_WATCHING, /* it sleeps until there are news */
	TICKING_STATES
};

/* What belongs to this process: empty without an attachment (engine_attach). */
struct engine_physical {
	struct tp *tp;
	const struct tp_work *work; /* the transport's */
	struct loop *loop;
	bool crowded;
	enum ticking ticking;
	_Atomic bool slow;	 /* its next tick is later than work that must be done may wait */
	unsigned yield_interval; /* looks a yield */
};

/*
 * What a thread that looks or leaves has to see to beside its own call: most calls find none of it,
 * and ask once. No states of one thing: each is set and cleared by another event, at any time. They
 * change with the lock held, but for the last: so they do by atomic operations.
 */
enum engine_due {
	DUE_SLEEPER = 1,    /* one is in tp_sleep */
	DUE_WAITERS = 2,    /* some are on the condition */
	DUE_VISIT = 4,	    /* what a visitor said is not flushed yet */
	DUE_SAFE_POINT = 8, /* is wanted */
};

/* The flags are no states of one thing, either. */
struct engine {
	struct engine_physical phys;
	int inside;  /* threads in MPI calls */
	int waiting; /* of these, on a condition */
	_Atomic uint32_t calls;
	_Atomic unsigned due; /* enum engine_due */
	struct link deferred;
	bool making;  /* a line */
	bool windows; /* that others may access */
	void (*on_safe_point)(bool begins);
};

/* Hidden: every call goes through it, and is to find it without asking where it is. */
extern struct engine engine __attribute__((visibility("hidden")));

/* Other work than to hear what comes. */
static inline bool engine_must_tick(void)
{
	return engine.making || !list_empty(&engine.deferred) || tp_is_pending(engine.phys.work);
}

static inline bool engine_has_work(void)
{
	return engine_news.posted > 0 || engine.windows || engine_must_tick();
}

/* Any of these? What whoever wants a safe point wrote before can be read after it. */
static inline bool engine_is_due(unsigned any)
{
	return atomic_load_explicit(&engine.due, memory_order_acquire) & any;
}

static inline void engine_set_due(unsigned bits)
{
	atomic_fetch_or(&engine.due, bits);
}

static inline void engine_clear_due(unsigned bits)
{
	atomic_fetch_and(&engine.due, ~bits);
}

/* ---- engine_safe_point.c ---- */

/* The thread is at a safe point, and one is wanted; it has told others what it completed. False:
 * this is none, after all. Afterwards all that the lock guards may have changed. */
bool engine_pass_safe_point(void);

/* ---- engine_defer.c ---- */

/* of_program: this is one of its threads, not the progress thread. Was there anything for it? */
bool engine_defer_run(bool of_program);

/* One look, at this peer first, and the work that it deferred. Has anything moved? */
static inline bool engine_look_at(int expect, bool of_program)
{
	bool moved = tp_look(engine.phys.tp, expect);

	if (__builtin_expect(list_empty(&engine.deferred), true))
		return moved;
	moved |= engine_defer_run(of_program);
	tp_flush(engine.phys.tp);
	return moved;
}

/* ---- engine_tick.c ---- */

/* For the loop that the engine has now. 0 or FT_ENOMEM; what there is of it then, close frees. */
int engine_tick_open(void);
void engine_tick_close(void);

/* As engine_tick_close, where the descriptors are gone or are others'. */
void engine_tick_forget(void);

/* Where there is a loop. */
void engine_tick_start(void);

#endif
