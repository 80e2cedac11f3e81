/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/slab.h"

#include <stdlib.h>

enum { CHUNK_OBJECTS = 64, CHUNK_HEAD = 16 };

void slab_init(struct slab *s, size_t size)
{
	if (size < sizeof(void *))
		size = sizeof(void *);
	*s = (struct slab){.size = (size + 15) & ~(size_t)15};
}

void slab_grow(struct slab *s)
{
	char *chunk = calloc(1, CHUNK_HEAD + s->size * CHUNK_OBJECTS);

	if (!chunk)
		return;
	*(void **)(void *)chunk = s->chunks;
	s->chunks = chunk;
	for (size_t i = CHUNK_OBJECTS; i-- > 0;)
		slab_give(s, chunk + CHUNK_HEAD + i * s->size);
}

void slab_each(const struct slab *s, void (*visit)(void *object, void *arg), void *arg)
{
	for (char *chunk = s->chunks; chunk; chunk = *(void **)(void *)chunk)
		for (size_t i = 0; i < CHUNK_OBJECTS; i++)
			visit(chunk + CHUNK_HEAD + i * s->size, arg);
}

void slab_fini(struct slab *s)
{
	while (s->chunks) {
		void *chunk = s->chunks;

		s->chunks = *(void **)chunk;
		free(chunk);
	}
	s->free = NULL;
}
