/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/envelope_counters.h"

#include <stdlib.h>
#include <string.h>

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
	free(l->places);
	envelope_counters_init(l);
}

static uint32_t hash(uint64_t context, int32_t tag)
{
	uint64_t h = (context ^ (uint64_t)(uint32_t)tag << 17) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32);
}

/* Where its number is, or belongs. There is always a free place. */
static uint32_t *place(const struct envelope_counters *l, uint64_t context, int32_t tag)
{
	for (uint32_t i = hash(context, tag);; i++) {
		uint32_t *number = &l->places[i & (l->room - 1)];

		if (!*number || (l->slots[*number - 1].context == context &&
					l->slots[*number - 1].tag == tag))
			return number;
	}
}

struct envelope_slot *envelope_counters_find(
	const struct envelope_counters *l, uint64_t context, int32_t tag)
{
	uint32_t number = l->room ? *place(l, context, tag) : 0;

	return number ? &l->slots[number - 1] : NULL;
}

struct envelope_slot *envelope_counters_again(
	struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = envelope_counters_find(l, context, tag);

	if (e)
		note_recent(l, e);
	return e;
}

/* All places are free. */
static void place_all(struct envelope_counters *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		*place(l, l->slots[i].context, l->slots[i].tag) = i + 1;
}

static bool grow(struct envelope_counters *l)
{
	uint32_t room = l->room ? 2 * l->room : FIRST_ROOM;
	uint32_t *places = room > l->room ? calloc(room, sizeof *places) : NULL;
	struct envelope_slot *slots = places ? realloc(l->slots, room / 2 * sizeof *slots) : NULL;

	if (!slots) {
		free(places);
		return false;
	}
	free(l->places);
	l->places = places;
	l->slots = slots;
	l->room = room;
	place_all(l);
	forget_recent(l);
	return true;
}

struct envelope_slot *envelope_counters_get(
	struct envelope_counters *l, uint64_t context, int32_t tag)
{
	struct envelope_slot *e = envelope_counters_find(l, context, tag);

	if (!e) {
		if (l->n == l->room / 2 && !grow(l))
			return NULL;
		e = &l->slots[l->n++];
		*e = (struct envelope_slot){.context = context, .tag = tag};
		*place(l, context, tag) = l->n;
	}
	note_recent(l, e);
	return e;
}

static void free_places(struct envelope_counters *l)
{
	if (l->n)
		memset(l->places, 0, l->room * sizeof *l->places);
	forget_recent(l);
}

void envelope_counters_clear(struct envelope_counters *l)
{
	free_places(l);
	l->n = 0;
}

void envelope_counters_keep(struct envelope_counters *l)
{
	uint32_t n = 0;

	free_places(l);
	for (uint32_t i = 0; i < l->n; i++) {
		struct envelope_slot e = l->slots[i];

		if (!e.held && e.a == e.s)
			continue;
		e.held = false;
		l->slots[n++] = e;
	}
	l->n = n;
	place_all(l);
}
