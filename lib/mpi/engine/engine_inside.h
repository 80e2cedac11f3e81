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
	unsigned yield_interval; /* looks a yield */
};

/*
 * The flags are no states of one thing: each is set and cleared by another event, at any time,
 * whatever the progress thread does and whatever the others say.
 */
struct engine {
	struct engine_physical phys;
	int inside;    /* threads in MPI calls */
	int waiting;   /* of these, on a condition */
	bool sleeping; /* one is in tp_sleep */
	_Atomic uint32_t calls;
	struct link deferred;
	bool making, visited; /* a line; what a visitor said is not flushed yet */
	bool windows;	      /* that others may access */
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

/* engine_tell, for those that have completed something: most have nobody to tell. */
static inline void engine_tell_if_due(void)
{
	if (!engine_news.completed)
		return;
	engine_news.completed = false;
	if (__builtin_expect(engine.sleeping || engine.waiting > 0, false))
		engine_tell();
}

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
