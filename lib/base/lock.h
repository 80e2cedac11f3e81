/* SPDX-License-Identifier: BSD-3-Clause */
/* A mutex that knows its owner, so that functions which need it can assert that it is held. */
#ifndef FTMPI_BASE_LOCK_H
#define FTMPI_BASE_LOCK_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
	pthread_mutex_t mutex;
	_Atomic uintptr_t owner;    /* lock_self of its holder, 0 when free */
	_Atomic unsigned impatient; /* threads in lock_take_before */
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
	pthread_mutex_init(&l->mutex, NULL);
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	atomic_store_explicit(&l->impatient, 0, memory_order_relaxed);
}

static inline void lock_fini(struct lock *l)
{
	pthread_mutex_destroy(&l->mutex);
}

static inline bool lock_held(struct lock *l)
{
	return atomic_load_explicit(&l->owner, memory_order_relaxed) == lock_self();
}

static inline void lock_take(struct lock *l)
{
	assert(!lock_held(l));
	pthread_mutex_lock(&l->mutex);
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

static inline bool lock_try(struct lock *l)
{
	if (pthread_mutex_trylock(&l->mutex) != 0)
		return false;
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
	return true;
}

static inline void lock_give(struct lock *l)
{
	assert(lock_held(l));
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	pthread_mutex_unlock(&l->mutex);
}

/* Wait on a condition; the lock is let go meanwhile. */
static inline void lock_wait(struct lock *l, pthread_cond_t *cond)
{
	assert(lock_held(l));
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	pthread_cond_wait(cond, &l->mutex);
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
}

#endif
