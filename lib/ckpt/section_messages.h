/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_MESSAGES: u32 count, then for each message: u64 context, u32 peer, u32 tag, i32
 * source, u64 length, the bytes. Where the highest bit of the tag is set u64 sync is in front of
 * the bytes. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_MESSAGES_H
#define FTMPI_CKPT_SECTION_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_MESSAGES_HEAD = 4, SECTION_MESSAGES_ENTRY = 28 };

#define SECTION_MESSAGES_SYNC (UINT32_C(1) << 31)

struct section_message {
	uint64_t context;
	int peer;   /* in the world */
	int tag;    /* the message's own */
	int source; /* its sender's rank in the communicator */
	uint64_t length;
	uint64_t sync; /* beside an image: what a synchronous send is called at its sender; 0 */
};

/* Without the bytes. */
static inline size_t section_messages_entry(const struct section_message *e)
{
	return SECTION_MESSAGES_ENTRY + (e->sync ? sizeof e->sync : 0);
}

/* All but the bytes. */
static inline void section_messages_write(struct writer *w, const struct section_message *e)
{
	writer_u64(w, e->context);
	writer_u32(w, (uint32_t)e->peer);
	writer_u32(w, (uint32_t)e->tag | (e->sync ? SECTION_MESSAGES_SYNC : 0));
	writer_u32(w, (uint32_t)e->source);
	writer_u64(w, e->length);
	if (e->sync)
		writer_u64(w, e->sync);
}

/* *bytes: where its contents lie. false: it is cut off. */
static inline bool section_messages_read(
	struct cursor *c, struct section_message *e, const uint8_t **bytes)
{
	uint32_t tag;

	e->context = cursor_u64(c);
	e->peer = (int)cursor_u32(c);
	tag = cursor_u32(c);
	e->tag = (int)(tag & ~SECTION_MESSAGES_SYNC);
	e->source = (int)cursor_u32(c);
	e->length = cursor_u64(c);
	e->sync = tag & SECTION_MESSAGES_SYNC ? cursor_u64(c) : 0;
	if (c->bad || e->length > (uint64_t)(c->end - c->at) ||
		(tag & SECTION_MESSAGES_SYNC && !e->sync))
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
		if (!section_messages_read(&c, &e, &contents) || e.peer < 0 || e.peer >= size)
			return false;
	return cursor_done(&c);
}

#endif
