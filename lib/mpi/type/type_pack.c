/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather into packed bytes, scatter from them, copy from one type to another. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "type.h"
#include "type_cursor.h"

#define COPY_CHUNK ((size_t)64 << 10)

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void gather(const struct type *t, const void *buf, size_t count, void *packed, size_t bytes)
{
	struct cursor_frame frames[type_cursor_frames(t)];
	struct type_cursor c;

	if (bytes == 0)
		return;
	type_cursor_begin(&c, frames, t, buf, count);
	type_cursor_pack(&c, packed, bytes);
}

static void scatter(const struct type *t, void *buf, size_t count, const void *packed, size_t bytes)
{
	struct cursor_frame frames[type_cursor_frames(t)];
	struct type_cursor c;

	if (bytes == 0)
		return;
	type_cursor_begin(&c, frames, t, buf, count);
	type_cursor_unpack(&c, packed, bytes);
}

void type_pack_prefix(
	const struct type *t, const void *buf, size_t count, void *packed, size_t bytes)
{
	if (t->contiguous && bytes > 0)
		memcpy(packed, buf, bytes);
	else
		gather(t, buf, count, packed, bytes);
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
		scatter(t, buf, count, packed, bytes);
}

/* Through a buffer, chunk by chunk, which may end in the middle of anything. */
static size_t copy_through(const struct type *from, const void *src, size_t nsrc,
	const struct type *to, void *dst, size_t ndst, size_t total)
{
	struct cursor_frame out_frames[type_cursor_frames(from)], in_frames[type_cursor_frames(to)];
	size_t chunk = smaller(total, COPY_CHUNK);
	struct type_cursor out, in;
	char *packed = malloc(chunk);

	if (!packed)
		return (size_t)-1;
	type_cursor_begin(&out, out_frames, from, src, nsrc);
	type_cursor_begin(&in, in_frames, to, dst, ndst);
	for (size_t left = total, now; left > 0; left -= now) {
		now = smaller(chunk, left);
		type_cursor_pack(&out, packed, now);
		type_cursor_unpack(&in, packed, now);
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
		gather(from, src, nsrc, dst, total);
	else
		return copy_through(from, src, nsrc, to, dst, ndst, total);
	return total;
}
