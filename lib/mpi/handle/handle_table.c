/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open addressing with linear probes. An entry lies between its home slot and the next empty slot;
 * removal closes the gap, so there are no tombstones and a probe for an unknown address ends soon.
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
	size_t last; /* slot that handle_table_any has found */
} table;

static size_t home_of(const void *address)
{
	uint64_t x = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;

	return (size_t)(x >> 32) & table.mask;
}

static void put(struct object *object)
{
	size_t i = home_of(object);

	while (table.slots[i])
		i = (i + 1) & table.mask;
	table.slots[i] = object;
}

static int grow(void)
{
	struct object **old = table.slots;
	size_t n = old ? table.mask + 1 : 0;
	size_t bigger = n ? 2 * n : 64;
	struct object **slots = calloc(bigger, sizeof(*slots));

	if (!slots)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a table of %zu handles", bigger);
	table.slots = slots;
	table.mask = bigger - 1;
	for (size_t i = 0; i < n; i++) {
		if (old[i])
			put(old[i]);
	}
	free(old);
	return MPI_SUCCESS;
}

int handle_table_add(struct object *object)
{
	if (!table.slots || 2 * (table.count + 1) > table.mask + 1) {
		int rc = grow();

		if (rc != MPI_SUCCESS)
			return rc;
	}
	put(object);
	table.count++;
	return MPI_SUCCESS;
}

/* The slot that holds address, or NULL. */
static struct object **find(const void *address)
{
	if (!table.slots)
		return NULL;
	for (size_t i = home_of(address); table.slots[i]; i = (i + 1) & table.mask) {
		if (table.slots[i] == address)
			return &table.slots[i];
	}
	return NULL;
}

void handle_table_remove(const struct object *object)
{
	struct object **slot = find(object);
	size_t gap;

	if (!slot)
		return;
	gap = (size_t)(slot - table.slots);
	table.count--;
	for (size_t i = (gap + 1) & table.mask; table.slots[i]; i = (i + 1) & table.mask) {
		/* an entry may move back as long as it stays at or behind its home */
		if (((i - home_of(table.slots[i])) & table.mask) >= ((i - gap) & table.mask)) {
			table.slots[gap] = table.slots[i];
			gap = i;
		}
	}
	table.slots[gap] = NULL;
}

bool handle_table_has(const void *handle, enum object_kind kind)
{
	struct object **slot = find(handle);

	return slot && (*slot)->kind == kind;
}

struct object *handle_table_any(enum object_kind kind)
{
	/* from the last one on, so that freeing all of them does not begin at the beginning
	 * each time */
	for (size_t i = 0; table.slots && i <= table.mask; i++) {
		size_t at = (table.last + i) & table.mask;

		if (table.slots[at] && table.slots[at]->kind == kind) {
			table.last = at;
			return table.slots[at];
		}
	}
	return NULL;
}

void handle_table_each(
	enum object_kind kind, void (*visit)(struct object *object, void *arg), void *arg)
{
	for (size_t i = 0; table.slots && i <= table.mask; i++) {
		if (table.slots[i] && table.slots[i]->kind == kind)
			visit(table.slots[i], arg);
	}
}

static bool outlives(const struct object *o)
{
	return o->kind == OBJECT_INFO || o->kind == OBJECT_ERRHANDLER;
}

void handle_table_clear(void)
{
	for (size_t i = 0; table.slots && i <= table.mask; i++) {
		/* another may move into the gap */
		while (table.slots[i] && !outlives(table.slots[i]))
			handle_table_remove(table.slots[i]);
	}
	if (table.count > 0)
		return;
	free(table.slots);
	table.slots = NULL;
	table.mask = table.count = 0;
}
