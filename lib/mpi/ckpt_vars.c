/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_vars.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"

/* A protected variable with holes. */
struct scattered {
	struct link link;
	uint32_t id;
	size_t count;
	struct type *type; /* held */
};

static struct link all = {&all, &all};

static struct scattered *find(uint32_t id)
{
	list_for_each (item, &all) {
		struct scattered *s = container_of(item, struct scattered, link);

		if (s->id == id)
			return s;
	}
	return NULL;
}

static void drop(struct scattered *s)
{
	if (!s)
		return;
	list_remove(&s->link);
	type_release(s->type);
	free(s);
}

static struct scattered *scattered_new(int id, size_t count, struct type *type)
{
	struct scattered *s = malloc(sizeof *s);

	if (!s)
		return NULL;
	*s = (struct scattered){.id = (uint32_t)id, .count = count, .type = type};
	type_hold(type);
	list_append(&all, &s->link);
	return s;
}

static uint32_t word_of(const struct type *t)
{
	return handle_is_predefined(t->basic) ? (uint32_t)(uintptr_t)t->basic : 0;
}

int ckpt_vars_protect(struct ckpt_registry *r, int id, void *addr, size_t count, struct type *type)
{
	struct scattered *old = find((uint32_t)id), *now = NULL;
	int rc;

	if (!type->contiguous) {
		now = scattered_new(id, count, type);
		if (!now)
			return FT_ENOMEM;
	}
	rc = ckpt_protect(r, (uint32_t)id, addr, count * type->size, word_of(type), count);
	drop(rc ? now : old);
	return rc;
}

int ckpt_vars_unprotect(struct ckpt_registry *r, int id)
{
	drop(find((uint32_t)id));
	return ckpt_unprotect(r, (uint32_t)id);
}

void ckpt_vars_clear(void)
{
	while (!list_empty(&all))
		drop(container_of(list_first(&all), struct scattered, link));
}

bool ckpt_vars_section(const struct ckpt_protected *v, struct ckpt_section *out, void **packed)
{
	const struct scattered *s = find(v->id);

	*packed = NULL;
	*out = (struct ckpt_section){.kind = CKPT_VARIABLE,
		.id = v->id,
		.type = v->type,
		.data = v->addr,
		.len = v->bytes};
	if (!s)
		return true;
	*packed = malloc(v->bytes ? (size_t)v->bytes : 1);
	if (!*packed)
		return false;
	type_pack(s->type, v->addr, s->count, *packed);
	out->data = *packed;
	return true;
}

bool ckpt_vars_capture(const struct ckpt_protected *v, struct ckpt_capture *c)
{
	const struct scattered *s = find(v->id);
	struct ckpt_section whole = {.kind = CKPT_VARIABLE,
		.id = v->id,
		.type = v->type,
		.data = v->addr,
		.len = v->bytes};
	void *room;

	if (!s)
		return ckpt_capture_add(c, &whole) == 0;
	room = ckpt_capture_room(c, CKPT_VARIABLE, v->id, v->type, v->bytes);
	if (room)
		type_pack(s->type, v->addr, s->count, room);
	return room != NULL;
}

void ckpt_vars_set(const struct ckpt_protected *v, const void *bytes)
{
	const struct scattered *s = find(v->id);

	if (s)
		type_unpack(s->type, v->addr, s->count, bytes, (size_t)v->bytes);
	else if (v->bytes)
		memcpy(v->addr, bytes, (size_t)v->bytes);
}
