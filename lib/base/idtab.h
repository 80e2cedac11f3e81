/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for objects that unauthenticated peers may send: a 64-bit id made of a slot and a
 * generation, so that an id that was never given out, or whose object is gone, is found out in
 * constant time.
 */
#ifndef FTMPI_BASE_IDTAB_H
#define FTMPI_BASE_IDTAB_H

#include <stddef.h>
#include <stdint.h>

struct idtab_slot {
	void *object; /* NULL when free */
	uint32_t generation;
	uint32_t next_free; /* slot + 1, 0 at the end */
};

struct idtab {
	struct idtab_slot *slots;
	uint32_t count, first_free;
};

void idtab_init(struct idtab *t);
void idtab_fini(struct idtab *t);

/* A new id for object, never 0; 0 when out of memory. */
uint64_t idtab_add(struct idtab *t, void *object);

/* NULL when the id means nothing (any more). */
void *idtab_find(const struct idtab *t, uint64_t id);
void idtab_remove(struct idtab *t, uint64_t id);

#endif
