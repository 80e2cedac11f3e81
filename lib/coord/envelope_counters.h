/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts by (context, tag): of what is sent to a peer, or has come from it. Hashed, so that any
 * number of envelopes costs the same; the latest entries are kept at hand, by the low bits of the
 * tag, so streams of a few envelopes (collective operations, whose tags follow each other, too)
 * cost two comparisons a message. Entries lie in the order in which they were made, so a checkpoint
 * copies counts one after the other and needs no names with them: number i of the copy is entry i
 * here until entries are forgotten. Pure.
 */
#ifndef FTMPI_COORD_ENVELOPE_COUNTERS_H
#define FTMPI_COORD_ENVELOPE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct envelope_slot {
	uint64_t context; /* never ENVELOPE_COUNTERS_FREE */
	int32_t tag;
	bool held;  /* for envelope_counters_keep */
	uint64_t a; /* sent, or arrived */
	uint64_t s; /* arrivals: what the peer says it has sent */
};

#define ENVELOPE_COUNTERS_FREE UINT64_MAX

enum { ENVELOPE_COUNTERS_RECENT = 16 };

struct envelope_counters {
	struct envelope_slot
		*recent[ENVELOPE_COUNTERS_RECENT]; /* never NULL; perhaps of no entry */
	struct envelope_slot *slots;		   /* n, in the order in which they were made */
	uint32_t *places;			   /* hashed: a slot's number, from 1; 0: free */
	uint32_t n, room; /* room: of places, 0 or a power of 2; half as many slots */
};

void envelope_counters_init(struct envelope_counters *l);
void envelope_counters_free(struct envelope_counters *l);

/* The entry, made if there is none. NULL: no memory. Valid until the next that is made. */
struct envelope_slot *envelope_counters_get(
	struct envelope_counters *l, uint64_t context, int32_t tag);

/* NULL: there is none. */
struct envelope_slot *envelope_counters_find(
	const struct envelope_counters *l, uint64_t context, int32_t tag);

/* The latest entry with such a tag, if it is that; else NULL. */
static inline struct envelope_slot *envelope_counters_last(
	const struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = l->recent[(uint32_t)tag % ENVELOPE_COUNTERS_RECENT];

	return e->context == context && e->tag == tag ? e : NULL;
}

/* As envelope_counters_find; it is one of the latest then. */
struct envelope_slot *envelope_counters_again(
	struct envelope_counters *l, uint64_t context, int32_t tag);

/* Forget all, keep the memory. */
void envelope_counters_clear(struct envelope_counters *l);

/* Forget entries that are not held and have a == s; nothing is held afterwards. Others get new
 * numbers, in the same order. */
void envelope_counters_keep(struct envelope_counters *l);

static inline int envelope_counters_order(
	uint64_t context, int32_t tag, uint64_t context2, int32_t tag2)
{
	if (context != context2)
		return context < context2 ? -1 : 1;
	return tag < tag2 ? -1 : tag > tag2;
}

#endif
