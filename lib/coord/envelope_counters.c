/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/envelope_counters.h"

#include <stdlib.h>

enum { FIRST_ROOM = 8 };

static struct envlog_entry nothing = {.context = ENVLOG_FREE};

static void forget_recent(struct envlog *l)
{
	for (int i = 0; i < ENVLOG_RECENT; i++)
		l->recent[i] = &nothing;
}

static void note_recent(struct envlog *l, struct envlog_entry *e)
{
	l->recent[(uint32_t)e->tag % ENVLOG_RECENT] = e;
}

void envlog_init(struct envlog *l)
{
	*l = (struct envlog){0};
	forget_recent(l);
}

void envlog_free(struct envlog *l)
{
	free(l->slots);
	envlog_init(l);
}

static uint32_t hash(uint64_t context, int32_t tag)
{
	uint64_t h = (context ^ (uint64_t)(uint32_t)tag << 17) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

/* Its entry, or the free one where it belongs. There is always a free one. */
static struct envlog_entry *slot(const struct envlog *l, uint64_t context, int32_t tag)
{
	for (uint32_t i = hash(context, tag);; i++) {
		struct envlog_entry *e = &l->slots[i & (l->room - 1)];

		if (e->context == ENVLOG_FREE || (e->context == context && e->tag == tag))
			return e;
	}
}

struct envlog_entry *envlog_find(const struct envlog *l, uint64_t context, int32_t tag)
{
	struct envlog_entry *e = l->room ? slot(l, context, tag) : NULL;

	return e && e->context != ENVLOG_FREE ? e : NULL;
}

struct envlog_entry *envlog_again(struct envlog *l, uint64_t context, int32_t tag)
{
	struct envlog_entry *e = envlog_find(l, context, tag);

	if (e)
		note_recent(l, e);
	return e;
}

static void free_all(struct envlog_entry *slots, uint32_t room)
{
	for (uint32_t i = 0; i < room; i++)
		slots[i].context = ENVLOG_FREE;
}

/* All of it at places of their own again. */
static bool grow(struct envlog *l)
{
	struct envlog was = *l;
	uint32_t room = was.room ? 2 * was.room : FIRST_ROOM;
	struct envlog_entry *slots = room > was.room ? malloc(room * sizeof *slots) : NULL;

	if (!slots)
		return false;
	free_all(slots, room);
	l->slots = slots;
	l->room = room;
	for (uint32_t i = 0; i < was.room; i++)
		if (was.slots[i].context != ENVLOG_FREE)
			*slot(l, was.slots[i].context, was.slots[i].tag) = was.slots[i];
	free(was.slots);
	forget_recent(l);
	return true;
}

struct envlog_entry *envlog_get(struct envlog *l, uint64_t context, int32_t tag)
{
	struct envlog_entry *e = envlog_find(l, context, tag);

	if (!e) {
		if (l->n >= l->room / 2 && !grow(l))
			return NULL;
		e = slot(l, context, tag);
		*e = (struct envlog_entry){.context = context, .tag = tag};
		l->n++;
	}
	note_recent(l, e);
	return e;
}

void envlog_clear(struct envlog *l)
{
	if (l->n)
		free_all(l->slots, l->room);
	l->n = 0;
	forget_recent(l);
}

/* Entries behind one that goes may have to move up, so all are placed anew; from the first free
 * one on, no place is taken that is still to be read. */
void envlog_keep(struct envlog *l)
{
	uint32_t start = 0;

	if (!l->n)
		return;
	while (l->slots[start].context != ENVLOG_FREE)
		start++;
	l->n = 0;
	forget_recent(l);
	for (uint32_t i = 1; i <= l->room; i++) {
		struct envlog_entry *e = &l->slots[(start + i) & (l->room - 1)], was = *e;

		if (was.context == ENVLOG_FREE)
			continue;
		e->context = ENVLOG_FREE;
		if (!was.held && was.a == was.s)
			continue;
		was.held = false;
		*slot(l, was.context, was.tag) = was;
		l->n++;
	}
}

static int by_envelope(const void *a, const void *b)
{
	const struct envlog_entry *x = a, *y = b;

	return envlog_order(x->context, x->tag, y->context, y->tag);
}

struct envlog_entry *envlog_sorted(const struct envlog *l)
{
	struct envlog_entry *all = malloc((l->n + 1) * sizeof *all);
	uint32_t n = 0;

	if (!all)
		return NULL;
	for (uint32_t i = 0; i < l->room; i++)
		if (l->slots[i].context != ENVLOG_FREE)
			all[n++] = l->slots[i];
	qsort(all, n, sizeof *all, by_envelope);
	return all;
}
