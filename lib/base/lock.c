/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_while_taken(struct lock *l)
{
	while (atomic_load_explicit(&l->taken, memory_order_acquire))
		syscall(SYS_futex, &l->taken, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

void lock_wake(struct lock *l)
{
	syscall(SYS_futex, &l->taken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* By the holder of the mutex. */
static bool is_shared_with_favoured(const struct lock *l)
{
	return atomic_load_explicit(&l->favoured, memory_order_relaxed) != 0;
}

static void claim(struct lock *l)
{
	atomic_store_explicit(&l->claimed, 1, memory_order_relaxed);
	barrier_of_threads();
}

static void unclaim(struct lock *l)
{
	atomic_store_explicit(&l->claimed, 0, memory_order_release);
}

/* Whoever has the mutex may be the favoured thread: nobody else is claiming the lock then, but for
 * those that wait on a condition, and claim it anew. It holds the lock without the mutex. */
static void have_mutex(struct lock *l)
{
	if (lock_favours(l)) {
		atomic_store_explicit(&l->taken, 1, memory_order_relaxed);
		unclaim(l);
		pthread_mutex_unlock(&l->mutex);
	} else if (is_shared_with_favoured(l)) {
		claim(l);
		wait_while_taken(l);
	}
}

void lock_take_mutex(struct lock *l)
{
	pthread_mutex_lock(&l->mutex);
	have_mutex(l);
}

bool lock_try_mutex(struct lock *l)
{
	if (pthread_mutex_trylock(&l->mutex) != 0)
		return false;
	if (!is_shared_with_favoured(l))
		return true;
	/* most often that is all to see */
	if (!atomic_load_explicit(&l->taken, memory_order_relaxed)) {
		claim(l);
		if (!atomic_load_explicit(&l->taken, memory_order_acquire))
			return true;
		unclaim(l);
	}
	pthread_mutex_unlock(&l->mutex);
	return false;
}

void lock_give_mutex(struct lock *l)
{
	unclaim(l);
	pthread_mutex_unlock(&l->mutex);
}

void lock_favour(struct lock *l)
{
	assert(lock_held(l));
	if (is_shared_with_favoured(l) || !barrier_join())
		return;
	atomic_store_explicit(&l->favoured, lock_self(), memory_order_relaxed);
	atomic_store_explicit(&l->taken, 1, memory_order_relaxed);
	pthread_mutex_unlock(&l->mutex);
}

/* Who tells the condition holds the lock, and the favoured thread does so without the mutex: as
 * long as `claimed` stays, it has to come by the mutex, which pthread_cond_wait lets go. */
void lock_wait(struct lock *l, pthread_cond_t *cond)
{
	assert(lock_held(l));
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	if (lock_favours(l) && pthread_mutex_trylock(&l->mutex) != 0) {
		lock_untake(l);
		pthread_mutex_lock(&l->mutex);
	} else {
		if (lock_favours(l))
			atomic_store_explicit(&l->taken, 0, memory_order_release);
		pthread_cond_wait(cond, &l->mutex);
	}
	have_mutex(l);
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
}
