/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of one size, recycled without going to malloc. Guarded by its owner's lock. */
#ifndef FTMPI_BASE_SLAB_H
#define FTMPI_BASE_SLAB_H

#include <stdbool.h>
#include <stddef.h>

struct slab {
	size_t size;  /* of an object; at least a pointer, a multiple of 16 */
	void *free;   /* linked through the first word */
	void *chunks; /* linked through the first word */
};

void slab_init(struct slab *s, size_t size);

/* When none is free. */
void slab_grow(struct slab *s);

/* Contents are undefined. NULL when out of memory. */
static inline void *slab_take(struct slab *s)
{
	void *object;

	if (__builtin_expect(!s->free, false))
		slab_grow(s);
	object = s->free;
	if (object)
		s->free = *(void **)object;
	return object;
}

static inline void slab_give(struct slab *s, void *object)
{
	*(void **)object = s->free;
	s->free = object;
}

/* Every object, in use or not: what tells them apart must lie beyond the first word. Objects never
 * taken are zero there. */
void slab_each(const struct slab *s, void (*visit)(void *object, void *arg), void *arg);

/* Frees all chunks, objects still in use included. */
void slab_fini(struct slab *s);

#endif
