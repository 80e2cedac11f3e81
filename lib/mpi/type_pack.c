/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks over layouts: gather into packed bytes, scatter from them. A walk goes over whole copies
 * without counting bytes; only the way down to the place where a prefix ends counts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "type.h"
#include "type_layout.h"

#define COPY_CHUNK ((size_t)64 << 10)

enum direction { GATHER, SCATTER };

/* The buffer may be MPI_BOTTOM, from which C does not allow pointer arithmetic. */
static char *address(const void *base, ptrdiff_t offset)
{
	return (char *)((uintptr_t)base + (uintptr_t)offset);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct strided {
	char *base;
	ptrdiff_t stride;
};

/* With len a constant in the caller the copy is a few moves. */
static inline __attribute__((always_inline)) void copy_each(
	struct strided to, struct strided from, size_t count, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(to.base, from.base, len);
		to.base = address(to.base, to.stride);
		from.base = address(from.base, from.stride);
	}
}

static void copy_blocks(struct strided to, struct strided from, size_t count, size_t len)
{
	switch (len) {
	case 1:
		copy_each(to, from, count, 1);
		break;
	case 2:
		copy_each(to, from, count, 2);
		break;
	case 4:
		copy_each(to, from, count, 4);
		break;
	case 8:
		copy_each(to, from, count, 8);
		break;
	case 12:
		copy_each(to, from, count, 12);
		break;
	case 16:
		copy_each(to, from, count, 16);
		break;
	case 24:
		copy_each(to, from, count, 24);
		break;
	case 32:
		copy_each(to, from, count, 32);
		break;
	default:
		copy_each(to, from, count, len);
	}
}

static char *walk_layout(const struct layout *l, char *user, char *packed, enum direction d);

/* The first `copies` of p; returns the end of the packed bytes. */
static char *walk_copies(
	const struct part *p, size_t copies, char *user, char *packed, enum direction d)
{
	char *at = address(user, p->at);

	if (!p->child) {
		struct strided mine = {at, p->stride}, stream = {packed, (ptrdiff_t)p->len};

		if (d == GATHER)
			copy_blocks(stream, mine, copies, p->len);
		else
			copy_blocks(mine, stream, copies, p->len);
		return packed + copies * p->len;
	}
	for (size_t i = 0; i < copies; i++) {
		packed = walk_layout(p->child, at, packed, d);
		at = address(at, p->stride);
	}
	return packed;
}

/* One run: in structs, which are arrays of short runs, a call for each would cost more than the
 * copy. */
static inline __attribute__((always_inline)) void copy_run(char *to, const char *from, size_t len)
{
	if (len == 4)
		memcpy(to, from, 4);
	else if (len == 8)
		memcpy(to, from, 8);
	else
		memcpy(to, from, len);
}

static char *walk_layout(const struct layout *l, char *user, char *packed, enum direction d)
{
	for (const struct part *p = l->parts, *end = p + l->n; p < end; p++) {
		if (p->child || p->count > 1) {
			packed = walk_copies(p, p->count, user, packed, d);
			continue;
		}
		if (d == GATHER)
			copy_run(packed, address(user, p->at), p->len);
		else
			copy_run(address(user, p->at), packed, p->len);
		packed += p->len;
	}
	return packed;
}

/* Only the first `bytes`, which may end in the middle of anything. Turns in a loop from a part to
 * the child that the prefix ends in. */
static void walk_prefix(const struct part *parts, size_t n, char *user, char *packed, size_t bytes,
	enum direction d)
{
	size_t i = 0;

	while (i < n && bytes > 0) {
		const struct part *p = &parts[i];
		size_t copies = smaller(p->count, bytes / p->len);

		packed = walk_copies(p, copies, user, packed, d);
		bytes -= copies * p->len;
		if (copies == p->count) {
			i++;
			continue;
		}
		user = address(user, p->at + (ptrdiff_t)copies * p->stride);
		if (!p->child) {
			struct part rest = {0, 1, 0, bytes, NULL};

			if (bytes > 0)
				walk_copies(&rest, 1, user, packed, d);
			return;
		}
		parts = p->child->parts;
		n = p->child->n;
		i = 0;
	}
}

static void walk(const struct type *t, const void *buf, size_t count, void *packed, size_t bytes,
	enum direction d)
{
	struct part all;

	if (bytes == 0)
		return;
	all = part_of_elements(t->layout, count, t->extent);
	walk_prefix(&all, 1, address(buf, 0), packed, bytes, d);
}

void type_pack_prefix(
	const struct type *t, const void *buf, size_t count, void *packed, size_t bytes)
{
	if (t->contiguous && bytes > 0)
		memcpy(packed, buf, bytes);
	else
		walk(t, buf, count, packed, bytes, GATHER);
}

void type_pack(const struct type *t, const void *buf, size_t count, void *packed)
{
	type_pack_prefix(t, buf, count, packed, count * t->size);
}

void type_unpack(const struct type *t, void *buf, size_t count, const void *packed, size_t bytes)
{
	if (t->contiguous && bytes > 0)
		memcpy(buf, packed, bytes);
	else
		walk(t, buf, count, (void *)(uintptr_t)packed, bytes, SCATTER);
}

/* A number of bytes that is whole elements of both types, about a chunk; at most total. */
static size_t common_chunk(const struct type *a, const struct type *b, size_t total)
{
	size_t x = a->size, y = b->size, unit;

	while (y) {
		size_t rest = x % y;

		x = y;
		y = rest;
	}
	if (__builtin_mul_overflow(a->size / x, b->size, &unit) || unit >= total)
		return total;
	return unit >= COPY_CHUNK ? unit : smaller(total, COPY_CHUNK / unit * unit);
}

static size_t elements(const struct type *t, size_t bytes)
{
	return (bytes + t->size - 1) / t->size;
}

/* Through a buffer, chunk by chunk; only the last may end inside an element. */
static size_t copy_through(
	const struct type *from, const char *src, const struct type *to, char *dst, size_t total)
{
	size_t chunk = common_chunk(from, to, total);
	char *packed = malloc(chunk);

	if (!packed)
		return (size_t)-1;
	for (size_t done = 0, now; done < total; done += now) {
		now = smaller(chunk, total - done);
		walk(from, src, elements(from, now), packed, now, GATHER);
		type_unpack(to, dst, elements(to, now), packed, now);
		src = address(src, (ptrdiff_t)(now / from->size) * from->extent);
		dst = address(dst, (ptrdiff_t)(now / to->size) * to->extent);
	}
	free(packed);
	return total;
}

size_t type_copy(const struct type *from, const void *src, size_t nsrc, const struct type *to,
	void *dst, size_t ndst)
{
	size_t total = smaller(nsrc * from->size, ndst * to->size);

	if (total == 0)
		return 0;
	if (from->contiguous)
		type_unpack(to, dst, ndst, src, total);
	else if (to->contiguous)
		walk(from, src, nsrc, dst, total, GATHER);
	else
		return copy_through(from, src, to, dst, total);
	return total;
}
