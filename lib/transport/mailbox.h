/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the peers that share memory with a process have news for it: a byte for each peer, in
 * memory that all of them have mapped, and a cache line has 64 of them, so that one look costs
 * about the same with 2 and with 64 peers. A byte that is set says no more than that a look at that
 * peer may be worth while: it may be stale. A peer that writes here what it should not can keep its
 * owner awake, or keep others from waking it for as long as its longest sleep; it cannot make it
 * read anything else than its rings.
 *
 * Before the owner sleeps in the kernel it marks the box; the peer that finds the mark, and removes
 * it, rings: a byte over the socket. A peer first writes its byte, then reads the mark, and the
 * owner does it the other way round, each with a barrier between, so one of the two always sees the
 * other. Peers do that with every message. So where the kernel has barriers for others
 * (base/barrier.h) the owner, when it is about to sleep, has one for all.
 */
#ifndef FTMPI_TRANSPORT_MAILBOX_H
#define FTMPI_TRANSPORT_MAILBOX_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/barrier.h"

enum {
	MAILBOX_GROUP = 8, /* slots that are looked at together */
	MAILBOX_GROUPS = 504,
	MAILBOX_SLOTS = MAILBOX_GROUPS * MAILBOX_GROUP,
};

/* All zero when it is new. */
struct mailbox {
	_Alignas(64) _Atomic uint32_t asleep; /* 1: the mark */
	_Atomic uint32_t
		barrier;  /* 1: its owner has a barrier for all before it sleeps; for peers */
	uint8_t name[16]; /* of the files of its owner (memory_pull.c) */
	/* by slots: 1 is news */
	_Alignas(64) union {
		_Atomic uint64_t groups[MAILBOX_GROUPS];
		_Atomic uint8_t slots[MAILBOX_SLOTS];
	};
};
static_assert(sizeof(struct mailbox) == 4096, "a page");

/* How many groups so many slots take. */
static inline unsigned mailbox_groups(unsigned slots)
{
	return (slots + MAILBOX_GROUP - 1) / MAILBOX_GROUP;
}

/* By a peer, after it has written to its ring: there is news in this slot. owed: the owner has the
 * barrier for both (mailbox_owes). True: the owner sleeps, and it is this caller's to wake it. */
static inline bool mailbox_post(struct mailbox *m, unsigned slot, bool owed)
{
	atomic_store_explicit(&m->slots[slot], 1, memory_order_release);
	if (owed)
		barrier_compiler();
	else
		barrier_full();
	if (__builtin_expect(!atomic_load_explicit(&m->asleep, memory_order_relaxed), true))
		return false;
	return atomic_exchange(&m->asleep, 0);
}

/* By a peer that has joined (barrier_join). */
static inline bool mailbox_owes(struct mailbox *m)
{
	return atomic_load(&m->barrier);
}

/* By the owner: it has not seen all that there is in this slot. True: a thread of its own sleeps.
 */
static inline bool mailbox_keep(struct mailbox *m, unsigned slot)
{
	atomic_store(&m->slots[slot], 1);
	return atomic_load(&m->asleep);
}

/* By the owner: the slots of this group that have news, and have none after that: a bit for each.
 */
static inline unsigned mailbox_take(struct mailbox *m, unsigned group)
{
	unsigned news = 0;

	if (!atomic_load_explicit(&m->groups[group], memory_order_relaxed))
		return 0;
	for (unsigned i = 0; i < MAILBOX_GROUP; i++) {
		_Atomic uint8_t *slot = &m->slots[group * MAILBOX_GROUP + i];

		if (atomic_load_explicit(slot, memory_order_relaxed) && atomic_exchange(slot, 0))
			news |= 1u << i;
	}
	return news;
}

/* By the owner, before it sleeps: peers ring from here on. Then come a barrier, and a last look. */
static inline void mailbox_mark(struct mailbox *m)
{
	atomic_store(&m->asleep, 1);
}

static inline bool mailbox_has_news(struct mailbox *m, unsigned groups)
{
	uint64_t news = 0;

	for (unsigned i = 0; i < groups; i++)
		news |= atomic_load(&m->groups[i]);
	return news != 0;
}

/* By the owner, when it is awake again: nobody needs to ring. */
static inline void mailbox_wake(struct mailbox *m)
{
	atomic_store(&m->asleep, 0);
}

#endif
