/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_LOGGED, what a rank has not received yet, under message logging: u32 count, then
 * for each receive that the program has to post again u64 number, from small to large; u32 count,
 * then for each message u64 number, u64 context, u32 peer, i32 tag, i32 source, u32 flags, u64
 * length, and, if it is whole, the bytes. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_LOGGED_H
#define FTMPI_CKPT_SECTION_LOGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_LOGGED_HEAD = 8, SECTION_LOGGED_RECEIVE = 8, SECTION_LOGGED_MESSAGE = 40 };

/* Its contents are here, else they come again; its sender waits until it has met its receive. */
enum { SECTION_LOGGED_WHOLE = 1, SECTION_LOGGED_SYNC = 2 };

struct section_logged {
	uint64_t number, context;
	int peer, tag, source; /* as of a section_message */
	uint32_t flags;
	uint64_t length;
};

/* All but the bytes. */
static inline void section_logged_write(struct writer *w, const struct section_logged *e)
{
	writer_u64(w, e->number);
	writer_u64(w, e->context);
	writer_u32(w, (uint32_t)e->peer);
	writer_u32(w, (uint32_t)e->tag);
	writer_u32(w, (uint32_t)e->source);
	writer_u32(w, e->flags);
	writer_u64(w, e->length);
}

/* *bytes: where its contents lie; NULL: they come again. false: it is cut off. */
static inline bool section_logged_read(
	struct cursor *c, struct section_logged *e, const uint8_t **bytes)
{
	e->number = cursor_u64(c);
	e->context = cursor_u64(c);
	e->peer = (int)cursor_u32(c);
	e->tag = (int)cursor_u32(c);
	e->source = (int)cursor_u32(c);
	e->flags = cursor_u32(c);
	e->length = cursor_u64(c);
	*bytes = NULL;
	if (c->bad || e->length > PTRDIFF_MAX / 2)
		return false;
	if (!(e->flags & SECTION_LOGGED_WHOLE))
		return true;
	if (e->length > (uint64_t)(c->end - c->at))
		return false;
	*bytes = c->at;
	c->at += e->length;
	return true;
}

/* Is this such a section, of a job of `size` ranks? */
static inline bool section_logged_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	const uint8_t *contents;
	struct section_logged e;
	uint64_t before = 0;

	for (uint32_t left = cursor_u32(&c); left > 0 && !c.bad; left--) {
		uint64_t number = cursor_u64(&c);

		if (number <= before)
			return false;
		before = number;
	}
	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		if (!section_logged_read(&c, &e, &contents) || e.peer < 0 || e.peer >= size ||
			(e.flags & ~(uint32_t)(SECTION_LOGGED_WHOLE | SECTION_LOGGED_SYNC)))
			return false;
	return cursor_done(&c);
}

/* The highest number of a receive in such a section, which is valid; 0: there is none. */
static inline uint64_t section_logged_last_receive(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	uint64_t last = 0;

	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		last = cursor_u64(&c);
	return last;
}

#endif
