/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mutex that knows its owner, so that functions which need it can assert that it is held.
 *
 * One thread may be favoured: it takes and gives the lock by plain loads and stores, as long as no
 * other wants it. Another then pays for both with a barrier of the kernel's (barrier.h):
 *
 *	the favoured thread: taken = 1, then, if claimed is 0, it holds the lock
 *	any other, behind the mutex: claimed = 1, barrier, then, when taken is 0, it holds the lock
 *
 * So one of the two sees the other. The favoured one steps back then, and waits for the mutex.
 */
#ifndef FTMPI_BASE_LOCK_H
#define FTMPI_BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/barrier.h"

struct lock {
	pthread_mutex_t mutex;
	_Atomic uintptr_t owner;    /* lock_self of its holder, 0 when free */
	_Atomic unsigned impatient; /* threads in lock_take_before */
	_Atomic uintptr_t favoured; /* lock_self of a thread; 0: none, and the mutex is all */
	_Atomic uint32_t taken; /* 1: by the favoured thread, which holds it or is about to look */
	_Atomic uint32_t claimed; /* 1: by another */
};

/* Never 0 on Linux: the address of the thread's descriptor. Every assertion asks for it, so it is
 * had without a call where the compiler knows how. */
static inline uintptr_t lock_self(void)
{
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
	return (uintptr_t)__builtin_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

static inline void lock_init(struct lock *l)
{
	*l = (struct lock){.owner = 0};
	pthread_mutex_init(&l->mutex, NULL);
}

static inline void lock_fini(struct lock *l)
{
	pthread_mutex_destroy(&l->mutex);
}

static inline bool lock_held(struct lock *l)
{
	return atomic_load_explicit(&l->owner, memory_order_relaxed) == lock_self();
}

static inline bool lock_favours(const struct lock *l)
{
	return atomic_load_explicit(&l->favoured, memory_order_relaxed) == lock_self();
}

/* lock.c: what is not the favoured thread's short way. */
void lock_take_mutex(struct lock *l);
bool lock_try_mutex(struct lock *l);
void lock_give_mutex(struct lock *l);
void lock_wake(struct lock *l);

/* The lock is the caller's, which is favoured from now on, for good: only one thread ever is, and
 * only where the kernel has such barriers. */
void lock_favour(struct lock *l);

static inline void lock_untake(struct lock *l)
{
	atomic_store_explicit(&l->taken, 0, memory_order_release);
	barrier_compiler();
	if (__builtin_expect(atomic_load_explicit(&l->claimed, memory_order_relaxed), 0))
		lock_wake(l);
}

static inline bool lock_take_favoured(struct lock *l)
{
	atomic_store_explicit(&l->taken, 1, memory_order_relaxed);
	barrier_compiler();
	if (__builtin_expect(!atomic_load_explicit(&l->claimed, memory_order_acquire), 1))
		return true;
	lock_untake(l);
	return false;
}

static inline void lock_take(struct lock *l)
{
	assert(!lock_held(l));
	if (!lock_favours(l) || !lock_take_favoured(l))
		lock_take_mutex(l);
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
}

/* A mutex is given to whoever asks first once it is free: a thread that gives it and takes it
 * again, in a loop, keeps it from one that has to be woken. So such a thread asks lock_is_awaited
 * before, and one that would starve takes it so. */
static inline void lock_take_before(struct lock *l)
{
	atomic_fetch_add_explicit(&l->impatient, 1, memory_order_relaxed);
	lock_take(l);
	atomic_fetch_sub_explicit(&l->impatient, 1, memory_order_relaxed);
}

static inline bool lock_is_awaited(const struct lock *l)
{
	return atomic_load_explicit(&l->impatient, memory_order_relaxed) > 0;
}

/* Also in a signal handler, which may have interrupted any of the others. */
static inline bool lock_try(struct lock *l)
{
	if (!lock_try_mutex(l))
		return false;
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
	return true;
}

static inline void lock_give(struct lock *l)
{
	assert(lock_held(l));
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	if (lock_favours(l))
		lock_untake(l);
	else
		lock_give_mutex(l);
}

/* Wait on a condition; the lock is let go meanwhile. It may return for no reason. */
void lock_wait(struct lock *l, pthread_cond_t *cond);

#endif
