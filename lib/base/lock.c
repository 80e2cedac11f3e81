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

/* The caller has the mutex, and then the lock. The favoured thread keeps the lock without the
 * mutex. A claim that it finds is of a thread that waits on a condition, which claims anew when it
 * has the mutex again. */
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

static bool is_taken(const struct lock *l)
{
	return atomic_load_explicit(&l->taken, memory_order_acquire);
}

/* By another than the favoured thread, which has the mutex. */
static bool try_to_claim(struct lock *l)
{
	claim(l);
	if (!is_taken(l))
		return true;
	unclaim(l);
	return false;
}

/* The favoured thread asks for the mutex, too: in a handler it may have interrupted itself where it
 * has that, and not the lock yet. */
bool lock_try_mutex(struct lock *l)
{
	if (is_taken(l) || pthread_mutex_trylock(&l->mutex) != 0)
		return false;
	if (lock_favours(l)) {
		have_mutex(l);
		return true;
	}
	if (!is_shared_with_favoured(l) || try_to_claim(l))
		return true;
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
	atomic_store_explicit(&l->taken, 1, memory_order_relaxed);
	barrier_compiler(); /* a handler that comes between finds it taken */
	atomic_store_explicit(&l->favoured, lock_self(), memory_order_relaxed);
	pthread_mutex_unlock(&l->mutex);
}

/* Who tells the condition holds the lock, and the favoured thread does so without the mutex: as
 * long as `claimed` stays, it has to come by the mutex, which pthread_cond_wait lets go. */
void lock_wait(struct lock *l, pthread_cond_t *cond)
{
	assert(lock_held(l));
	atomic_store_explicit(&l->owner, 0, memory_order_relaxed);
	if (!lock_favours(l)) {
		pthread_cond_wait(cond, &l->mutex);
	} else if (pthread_mutex_trylock(&l->mutex) == 0) {
		/* nobody waits for this, as whoever does has the mutex */
		atomic_store_explicit(&l->taken, 0, memory_order_release);
		pthread_cond_wait(cond, &l->mutex);
	} else {
		lock_untake(l);
		pthread_mutex_lock(&l->mutex);
	}
	have_mutex(l);
	atomic_store_explicit(&l->owner, lock_self(), memory_order_relaxed);
}
