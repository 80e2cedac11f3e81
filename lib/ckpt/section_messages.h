/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_MESSAGES: u32 count, then for each message: u64 context, u32 peer, i32 tag, i32
 * source, u64 length, the bytes. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_MESSAGES_H
#define FTMPI_CKPT_SECTION_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_MESSAGES_HEAD = 4, SECTION_MESSAGES_ENTRY = 28 };

struct section_message {
	uint64_t context;
	int peer;   /* in the world */
	int tag;    /* the message's own */
	int source; /* its sender's rank in the communicator */
	uint64_t length;
};

/* All but the bytes. */
static inline void section_messages_write(struct writer *w, const struct section_message *e)
{
	writer_u64(w, e->context);
	writer_u32(w, (uint32_t)e->peer);
	writer_u32(w, (uint32_t)e->tag);
	writer_u32(w, (uint32_t)e->source);
	writer_u64(w, e->length);
}

/* *bytes: where its contents lie. false: it is cut off. */
static inline bool section_messages_read(
	struct cursor *c, struct section_message *e, const uint8_t **bytes)
{
	e->context = cursor_u64(c);
	e->peer = (int)cursor_u32(c);
	e->tag = (int)cursor_u32(c);
	e->source = (int)cursor_u32(c);
	e->length = cursor_u64(c);
	if (c->bad || e->length > (uint64_t)(c->end - c->at))
		return false;
	*bytes = c->at;
	c->at += e->length;
	return true;
}

/* Is this such a section, of a job of `size` ranks? */
static inline bool section_messages_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = cursor_u32(&c);
	const uint8_t *contents;
	struct section_message e;

	for (uint32_t i = 0; i < count; i++)
		if (!section_messages_read(&c, &e, &contents) || e.peer < 0 || e.peer >= size ||
			e.tag < 0)
			return false;
	return cursor_done(&c);
}

#endif
