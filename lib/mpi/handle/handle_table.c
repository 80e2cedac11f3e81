/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open addressing with linear probes. An entry lies between its home slot and the next empty slot;
 * removal closes the gap, so there are no tombstones and a probe for a stranger ends soon.
 */
#include "handle_table.h"

#include <stddef.h>
#include <stdlib.h>

#include "fail.h"
#include "mpi.h"

static struct {
	struct object **slots;
	size_t mask; /* slots - 1, a power of two less one */
	size_t count;
	size_t last; /* slot that live_any has found */
} live;

static size_t home_of(const void *address)
{
	uint64_t x = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;

	return (size_t)(x >> 32) & live.mask;
}

static void put(struct object *object)
{
	size_t i = home_of(object);

	while (live.slots[i])
		i = (i + 1) & live.mask;
	live.slots[i] = object;
}

static int grow(void)
{
	struct object **old = live.slots;
	size_t n = old ? live.mask + 1 : 0;
	size_t bigger = n ? 2 * n : 64;
	struct object **slots = calloc(bigger, sizeof(*slots));

	if (!slots)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a table of %zu handles", bigger);
	live.slots = slots;
	live.mask = bigger - 1;
	for (size_t i = 0; i < n; i++) {
		if (old[i])
			put(old[i]);
	}
	free(old);
	return MPI_SUCCESS;
}

int live_add(struct object *object)
{
	if (!live.slots || 2 * (live.count + 1) > live.mask + 1) {
		int rc = grow();

		if (rc != MPI_SUCCESS)
			return rc;
	}
	put(object);
	live.count++;
	return MPI_SUCCESS;
}

/* The slot that holds address, or NULL. */
static struct object **find(const void *address)
{
	if (!live.slots)
		return NULL;
	for (size_t i = home_of(address); live.slots[i]; i = (i + 1) & live.mask) {
		if (live.slots[i] == address)
			return &live.slots[i];
	}
	return NULL;
}

void live_remove(const struct object *object)
{
	struct object **slot = find(object);
	size_t gap;

	if (!slot)
		return;
	gap = (size_t)(slot - live.slots);
	live.count--;
	for (size_t i = (gap + 1) & live.mask; live.slots[i]; i = (i + 1) & live.mask) {
		/* an entry may move back as long as it stays at or behind its home */
		if (((i - home_of(live.slots[i])) & live.mask) >= ((i - gap) & live.mask)) {
			live.slots[gap] = live.slots[i];
			gap = i;
		}
	}
	live.slots[gap] = NULL;
}

bool live_has(const void *handle, enum object_kind kind)
{
	struct object **slot = find(handle);

	return slot && (*slot)->kind == kind;
}

struct object *live_any(enum object_kind kind)
{
	/* from the last one on, so that who frees all of them does not begin at the beginning
	 * each time */
	for (size_t i = 0; live.slots && i <= live.mask; i++) {
		size_t at = (live.last + i) & live.mask;

		if (live.slots[at] && live.slots[at]->kind == kind) {
			live.last = at;
			return live.slots[at];
		}
	}
	return NULL;
}

void live_each(enum object_kind kind, void (*visit)(struct object *object, void *arg), void *arg)
{
	for (size_t i = 0; live.slots && i <= live.mask; i++) {
		if (live.slots[i] && live.slots[i]->kind == kind)
			visit(live.slots[i], arg);
	}
}

static bool outlives(const struct object *o)
{
	return o->kind == OBJECT_INFO || o->kind == OBJECT_ERRHANDLER;
}

void live_clear(void)
{
	for (size_t i = 0; live.slots && i <= live.mask; i++) {
		/* another may move into the gap */
		while (live.slots[i] && !outlives(live.slots[i]))
			live_remove(live.slots[i]);
	}
	if (live.count > 0)
		return;
	free(live.slots);
	live.slots = NULL;
	live.mask = live.count = 0;
}
