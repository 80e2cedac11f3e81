/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the peers that share memory with a process have news for it: a bit for each peer, in
 * memory that all of them have mapped, so that one look costs the same with 2 and with 64 of them.
 * A bit that is set says no more than that a look at that peer may be worth while: it may be stale.
 * A peer that writes here what it should not can keep its owner awake, or keep others from waking
 * it for as long as its longest sleep; it cannot make it read anything else than its rings.
 *
 * Before the owner sleeps in the kernel it marks each word; the peer that finds the mark, and
 * removes it, rings: a byte over the socket. Bits and mark are in one word, so one of the two
 * always sees the other.
 */
#ifndef FTMPI_TRANSPORT_MAILBOX_H
#define FTMPI_TRANSPORT_MAILBOX_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MAILBOX_WORDS = 64,
	MAILBOX_BITS = 63, /* of a word; its last bit is the mark */
	MAILBOX_SLOTS = MAILBOX_WORDS * MAILBOX_BITS,
};

#define MAILBOX_ASLEEP ((uint64_t)1 << MAILBOX_BITS)

/* All zero when it is new. */
struct mailbox {
	struct {
		_Alignas(64) _Atomic uint64_t bits;
	} words[MAILBOX_WORDS];
};
static_assert(sizeof(struct mailbox) == 4096, "a page");

/* How many words `slots` slots take. */
static inline unsigned mailbox_words(unsigned slots)
{
	return (slots + MAILBOX_BITS - 1) / MAILBOX_BITS;
}

/* By a peer, after it has written to its ring: there is news in this slot. True: the owner sleeps,
 * and it is this caller's to wake it. */
static inline bool mailbox_post(struct mailbox *m, unsigned slot)
{
	_Atomic uint64_t *word = &m->words[slot / MAILBOX_BITS].bits;
	uint64_t bit = (uint64_t)1 << slot % MAILBOX_BITS;

	if (__builtin_expect(!(atomic_fetch_or(word, bit) & MAILBOX_ASLEEP), true))
		return false;
	return atomic_fetch_and(word, ~MAILBOX_ASLEEP) & MAILBOX_ASLEEP;
}

/* By the owner: it has not seen all that there is in this slot. True: a thread of its own sleeps.
 */
static inline bool mailbox_keep(struct mailbox *m, unsigned slot)
{
	uint64_t bit = (uint64_t)1 << slot % MAILBOX_BITS;

	return atomic_fetch_or(&m->words[slot / MAILBOX_BITS].bits, bit) & MAILBOX_ASLEEP;
}

/* By the owner: the slots of this word that have news, which have none after that. */
static inline uint64_t mailbox_take(struct mailbox *m, unsigned word)
{
	_Atomic uint64_t *bits = &m->words[word].bits;

	if (!(atomic_load_explicit(bits, memory_order_relaxed) & ~MAILBOX_ASLEEP))
		return 0;
	return atomic_fetch_and(bits, MAILBOX_ASLEEP) & ~MAILBOX_ASLEEP;
}

/* By the owner, before it sleeps. False: there is news, and it had better not. */
static inline bool mailbox_sleep(struct mailbox *m, unsigned words)
{
	uint64_t news = 0;

	for (unsigned i = 0; i < words; i++)
		news |= atomic_fetch_or(&m->words[i].bits, MAILBOX_ASLEEP) & ~MAILBOX_ASLEEP;
	return news == 0;
}

/* By the owner, when it is awake again: nobody needs to ring. */
static inline void mailbox_wake(struct mailbox *m, unsigned words)
{
	for (unsigned i = 0; i < words; i++)
		atomic_fetch_and(&m->words[i].bits, ~MAILBOX_ASLEEP);
}

#endif
