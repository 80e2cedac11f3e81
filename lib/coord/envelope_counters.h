/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts by (context, tag): of what is sent to a peer, or has come from it. Hashed, so that any
 * number of envelopes costs the same; the latest entries are kept at hand, by the low bits of the
 * tag, so streams of a few envelopes (collective operations, whose tags follow each other, too)
 * cost two comparisons a message. Pure.
 */
#ifndef FTMPI_COORD_ENVLOG_H
#define FTMPI_COORD_ENVLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct envlog_entry {
	uint64_t context; /* ENVLOG_FREE: none */
	int32_t tag;
	bool held;  /* for envlog_keep */
	uint64_t a; /* sent, or arrived */
	uint64_t s; /* arrivals: what the peer says it has sent */
};

#define ENVLOG_FREE UINT64_MAX

enum { ENVLOG_RECENT = 16 };

struct envlog {
	struct envlog_entry *recent[ENVLOG_RECENT]; /* never NULL; perhaps of no entry */
	struct envlog_entry *slots;
	uint32_t n, room; /* room: 0 or a power of 2 */
};

void envlog_init(struct envlog *l);
void envlog_free(struct envlog *l);

/* The entry, made if there is none. NULL: no memory. Valid until the next that is made. */
struct envlog_entry *envlog_get(struct envlog *l, uint64_t context, int32_t tag);

/* NULL: there is none. */
struct envlog_entry *envlog_find(const struct envlog *l, uint64_t context, int32_t tag);

/* The latest entry with such a tag, if it is that; else NULL. */
static inline struct envlog_entry *envlog_last(
	const struct envlog *l, uint64_t context, int32_t tag)
{
	struct envlog_entry *e = l->recent[(uint32_t)tag % ENVLOG_RECENT];

	return e->context == context && e->tag == tag ? e : NULL;
}

/* As envlog_find; it is one of the latest then. */
struct envlog_entry *envlog_again(struct envlog *l, uint64_t context, int32_t tag);

/* Forget all, keep the memory. */
void envlog_clear(struct envlog *l);

/* Forget entries that are not held and have a == s; nothing is held afterwards. */
void envlog_keep(struct envlog *l);

/* Copies of all, sorted by envlog_order: malloc'ed, never NULL but for want of memory. */
struct envlog_entry *envlog_sorted(const struct envlog *l);

static inline int envlog_order(uint64_t context, int32_t tag, uint64_t context2, int32_t tag2)
{
	if (context != context2)
		return context < context2 ? -1 : 1;
	return tag < tag2 ? -1 : tag > tag2;
}

#endif
