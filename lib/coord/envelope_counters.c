/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/envelope_counters.h"

#include <stdlib.h>

enum { FIRST_ROOM = 8 };

static struct envelope_slot nothing = {.context = ENVELOPE_COUNTERS_FREE};

static void forget_recent(struct envelope_counters *l)
{
	for (int i = 0; i < ENVELOPE_COUNTERS_RECENT; i++)
		l->recent[i] = &nothing;
}

static void note_recent(struct envelope_counters *l, struct envelope_slot *e)
{
	l->recent[(uint32_t)e->tag % ENVELOPE_COUNTERS_RECENT] = e;
}

void envelope_counters_init(struct envelope_counters *l)
{
	*l = (struct envelope_counters){0};
	forget_recent(l);
}

void envelope_counters_free(struct envelope_counters *l)
{
	free(l->slots);
	envelope_counters_init(l);
}

static uint32_t hash(uint64_t context, int32_t tag)
{
	uint64_t h = (context ^ (uint64_t)(uint32_t)tag << 17) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

/* Its entry, or the free one where it belongs. There is always a free one. */
static struct envelope_slot *slot(const struct envelope_counters *l, uint64_t context, int32_t tag)
{
	for (uint32_t i = hash(context, tag);; i++) {
		struct envelope_slot *e = &l->slots[i & (l->room - 1)];

		if (e->context == ENVELOPE_COUNTERS_FREE ||
			(e->context == context && e->tag == tag))
			return e;
	}
}

struct envelope_slot *envelope_counters_find(
	const struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = l->room ? slot(l, context, tag) : NULL;

	return e && e->context != ENVELOPE_COUNTERS_FREE ? e : NULL;
}

struct envelope_slot *envelope_counters_again(
	struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = envelope_counters_find(l, context, tag);

	if (e)
		note_recent(l, e);
	return e;
}

static void free_all(struct envelope_slot *slots, uint32_t room)
{
	for (uint32_t i = 0; i < room; i++)
		slots[i].context = ENVELOPE_COUNTERS_FREE;
}

/* All of it at places of their own again. */
static bool grow(struct envelope_counters *l)
{
	struct envelope_counters was = *l;
	uint32_t room = was.room ? 2 * was.room : FIRST_ROOM;
	struct envelope_slot *slots = room > was.room ? malloc(room * sizeof *slots) : NULL;

	if (!slots)
		return false;
	free_all(slots, room);
	l->slots = slots;
	l->room = room;
	for (uint32_t i = 0; i < was.room; i++)
		if (was.slots[i].context != ENVELOPE_COUNTERS_FREE)
			*slot(l, was.slots[i].context, was.slots[i].tag) = was.slots[i];
	free(was.slots);
	forget_recent(l);
	return true;
}

struct envelope_slot *envelope_counters_get(
	struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = envelope_counters_find(l, context, tag);

	if (!e) {
		if (l->n >= l->room / 2 && !grow(l))
			return NULL;
		e = slot(l, context, tag);
		*e = (struct envelope_slot){.context = context, .tag = tag};
		l->n++;
	}
	note_recent(l, e);
	return e;
}

void envelope_counters_clear(struct envelope_counters *l)
{
	if (l->n)
		free_all(l->slots, l->room);
	l->n = 0;
	forget_recent(l);
}

/* Entries behind one that goes may have to move up, so all are placed anew; from the first free
 * one on, no place is taken that is still to be read. */
void envelope_counters_keep(struct envelope_counters *l)
{
	uint32_t start = 0;

	if (!l->n)
		return;
	while (l->slots[start].context != ENVELOPE_COUNTERS_FREE)
		start++;
	l->n = 0;
	forget_recent(l);
	for (uint32_t i = 1; i <= l->room; i++) {
		struct envelope_slot *e = &l->slots[(start + i) & (l->room - 1)], was = *e;

		if (was.context == ENVELOPE_COUNTERS_FREE)
			continue;
		e->context = ENVELOPE_COUNTERS_FREE;
		if (!was.held && was.a == was.s)
			continue;
		was.held = false;
		*slot(l, was.context, was.tag) = was;
		l->n++;
	}
}

static int by_envelope(const void *a, const void *b)
{
	const struct envelope_slot *x = a, *y = b;

	return envelope_counters_order(x->context, x->tag, y->context, y->tag);
}

struct envelope_slot *envelope_counters_sorted(const struct envelope_counters *l)
{
	struct envelope_slot *all = malloc((l->n + 1) * sizeof *all);
	uint32_t n = 0;

	if (!all)
		return NULL;
	for (uint32_t i = 0; i < l->room; i++)
		if (l->slots[i].context != ENVELOPE_COUNTERS_FREE)
			all[n++] = l->slots[i];
	qsort(all, n, sizeof *all, by_envelope);
	return all;
}
