/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/idtab.h"

#include <stdlib.h>

void idtab_init(struct idtab *t)
{
	*t = (struct idtab){0};
}

void idtab_fini(struct idtab *t)
{
	free(t->slots);
	idtab_init(t);
}

static int grow(struct idtab *t)
{
	uint32_t count = t->count ? t->count * 2 : 64;
	struct idtab_slot *slots = realloc(t->slots, count * sizeof *slots);

	if (!slots)
		return -1;
	for (uint32_t i = count; i-- > t->count;) {
		slots[i] = (struct idtab_slot){.generation = 1, .next_free = t->first_free};
		t->first_free = i + 1;
	}
	t->slots = slots;
	t->count = count;
	return 0;
}

uint64_t idtab_add(struct idtab *t, void *object)
{
	struct idtab_slot *s;
	uint32_t slot;

	if (!t->first_free && grow(t) != 0)
		return 0;
	slot = t->first_free - 1;
	s = &t->slots[slot];
	t->first_free = s->next_free;
	s->object = object;
	return (uint64_t)s->generation << 32 | slot;
}

static struct idtab_slot *slot_of(const struct idtab *t, uint64_t id)
{
	uint32_t slot = (uint32_t)id;

	if (slot >= t->count || t->slots[slot].generation != id >> 32 || !t->slots[slot].object)
		return NULL;
	return &t->slots[slot];
}

void *idtab_find(const struct idtab *t, uint64_t id)
{
	struct idtab_slot *s = slot_of(t, id);

	return s ? s->object : NULL;
}

void idtab_remove(struct idtab *t, uint64_t id)
{
	struct idtab_slot *s = slot_of(t, id);

	if (!s)
		return;
	s->object = NULL;
	s->generation = s->generation == UINT32_MAX ? 1 : s->generation + 1;
	s->next_free = t->first_free;
	t->first_free = (uint32_t)(s - t->slots) + 1;
}
