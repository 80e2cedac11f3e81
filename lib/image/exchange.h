/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All memory of an image comes to its place, that of libc and of this library's variables included.
 * On a stack of its own and by system calls alone: nothing of libc is called, and no variable is
 * used that is not on that stack or in the arena; what it calls (state.c, context.c,
 * files_exchange) does as much. At last, when the image's variables are in their place, it and
 * threads.c use theirs.
 */
#ifndef FTMPI_IMAGE_EXCHANGE_H
#define FTMPI_IMAGE_EXCHANGE_H

#include "files_open.h"
#include "fit.h"
#include "image.h"

struct to_place {
	struct image_mapping m;
	enum fit fit;
};

/* All of it lies in memory that neither process has anything in. */
struct arena {
	uint64_t bytes; /* of that memory */
	struct image_process process;
	struct files_plan files;
	int fd;
	uint64_t pages_at; /* in the file */
	size_t mappings, removed;
	struct to_place *mapping;
	uint64_t (*remove)[2];
	void *carried;
	uint64_t carried_bytes;
};

/* A file mapped shared that may be written is opened for that. */
static inline bool exchange_writes(const struct image_mapping *m)
{
	return m->r.kind == REGION_SHARED && m->r.flags & IMAGE_MAY_WRITE;
}

/* The stack lies in the arena, too. */
_Noreturn void exchange_begin(uint64_t stack_high, const struct arena *a);

#endif
