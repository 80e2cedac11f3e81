/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_vars.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/list.h"
#include "base/plural.h"
#include "mpi/type/type_cursor.h"

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

/* The system looks at its map of the memory, and touches nothing: MS_ASYNC writes nothing. */
static bool is_mapped(const void *at, size_t len)
{
	size_t before = (uintptr_t)at % (size_t)sysconf(_SC_PAGESIZE);

	return len == 0 || msync((void *)((uintptr_t)at - before), len + before, MS_ASYNC) == 0 ||
	       errno != ENOMEM;
}

/* From its first byte to its last all is there: true of most, and asked at once. */
static bool is_mapped_throughout(const void *addr, const struct scattered *s)
{
	MPI_Aint len = (MPI_Aint)(s->count - 1) * s->type->extent + s->type->true_extent;

	return s->type->extent >= 0 &&
	       is_mapped(
		       (const void *)((uintptr_t)addr + (uintptr_t)s->type->true_lb), (size_t)len);
}

/* Between its elements may be what is not the program's: its arrays, relative to one of them. */
static bool find_missing_run(const void *addr, const struct scattered *s, struct iovec *run)
{
	struct cursor_frame *frames = malloc(type_cursor_frames(s->type) * sizeof *frames);
	struct type_cursor at;
	bool missing = false;

	if (!frames)
		return false; /* nor is there memory for its copy */
	type_cursor_begin(&at, frames, s->type, addr, s->count);
	while (!missing && type_cursor_runs(&at, run, 1) == 1)
		missing = !is_mapped(run->iov_base, run->iov_len);
	free(frames);
	return missing;
}

static bool find_missing(const struct ckpt_protected *v, struct iovec *run)
{
	const struct scattered *s = find(v->id);

	*run = (struct iovec){v->addr, (size_t)v->bytes};
	if (!s || !v->bytes)
		return !is_mapped(run->iov_base, run->iov_len);
	return !is_mapped_throughout(v->addr, s) && find_missing_run(v->addr, s, run);
}

bool ckpt_vars_there(const struct ckpt_registry *r, char *why, size_t size)
{
	const struct ckpt_protected *v = NULL;
	struct iovec run;

	while ((v = ckpt_protected_next(r, v))) {
		if (!find_missing(v, &run))
			continue;
		snprintf(why, size,
			"while saving variable %u: %zu byte%s of it at %p are not the program's "
			"any more (was it freed? FTMPI_CKPT_Unprotect or FTMPI_CKPT_Protect again "
			"comes first)",
			v->id, run.iov_len, plural(run.iov_len), run.iov_base);
		return false;
	}
	return true;
}

void ckpt_vars_set(const struct ckpt_protected *v, const void *bytes)
{
	const struct scattered *s = find(v->id);

	if (s)
		type_unpack(s->type, v->addr, s->count, bytes, (size_t)v->bytes);
	else if (v->bytes)
		memcpy(v->addr, bytes, (size_t)v->bytes);
}
