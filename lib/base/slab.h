/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of one size, recycled without going to malloc. Guarded by its owner's lock. */
#ifndef FTMPI_BASE_SLAB_H
#define FTMPI_BASE_SLAB_H

#include <stddef.h>

struct slab {
	size_t size;  /* of an object; at least a pointer, a multiple of 16 */
	void *free;   /* linked through the first word */
	void *chunks; /* linked through the first word */
};

void slab_init(struct slab *s, size_t size);

/* Contents are undefined. NULL when out of memory. */
void *slab_take(struct slab *s);
void slab_give(struct slab *s, void *object);

/* Every object, in use or not: what tells them apart must lie beyond the first word. Objects never
 * taken are zero there. */
void slab_each(const struct slab *s, void (*visit)(void *object, void *arg), void *arg);

/* Frees all chunks, objects still in use included. */
void slab_fini(struct slab *s);

#endif
