/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_LOGGED, what a rank has not received yet, under message logging: u32 count, then
 * for each receive that the program has to post again u64 number, from small to large, u64 context,
 * i32 peer (-1: any source, as the tag: any), i32 tag, and the message that it had got: u32 peer,
 * u64 number (0: none); u32 count, then for each message u64 number, u64 context, u32 peer, i32
 * tag, i32 source, u32 flags, u64 length, and, if it is whole, the bytes. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_LOGGED_H
#define FTMPI_CKPT_SECTION_LOGGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_LOGGED_HEAD = 8, SECTION_LOGGED_RECEIVE = 36, SECTION_LOGGED_MESSAGE = 40 };

/* The contents are here, else they come again; the sender waits until the message meets its
 * receive; the sender has waited, and the message had met its receive; MPI_Mprobe has found it, so
 * no receive does; a receive had got it, and gets it again, alone. */
enum {
	SECTION_LOGGED_WHOLE = 1,
	SECTION_LOGGED_SYNC = 2,
	SECTION_LOGGED_FOUND = 4,
	SECTION_LOGGED_MET = 8,
	SECTION_LOGGED_GOT = 16,
	SECTION_LOGGED_FLAGS = 31
};

struct section_logged {
	uint64_t number, context;
	int peer, tag, source; /* as of a section_message */
	uint32_t flags;
	uint64_t length;
};

struct section_logged_receive {
	uint64_t number, context;
	int peer, tag; /* as of the program's receive: SECTION_LOGGED_ANY in place of MPI's */
	int from;      /* of the message that it had got, */
	uint64_t got;  /* and its number; 0: it had none */
};

enum { SECTION_LOGGED_ANY = -1 };

static inline void section_logged_write_receive(
	struct writer *w, const struct section_logged_receive *r)
{
	writer_u64(w, r->number);
	writer_u64(w, r->context);
	writer_u32(w, (uint32_t)r->peer);
	writer_u32(w, (uint32_t)r->tag);
	writer_u32(w, (uint32_t)r->from);
	writer_u64(w, r->got);
}

static inline struct section_logged_receive section_logged_read_receive(struct cursor *c)
{
	struct section_logged_receive r;

	r.number = cursor_u64(c);
	r.context = cursor_u64(c);
	r.peer = (int)cursor_u32(c);
	r.tag = (int)cursor_u32(c);
	r.from = (int)cursor_u32(c);
	r.got = cursor_u64(c);
	return r;
}

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
		struct section_logged_receive r = section_logged_read_receive(&c);

		if (r.number <= before || r.peer < SECTION_LOGGED_ANY || r.peer >= size ||
			r.tag < SECTION_LOGGED_ANY || r.from < 0 || r.from >= size)
			return false;
		before = r.number;
	}
	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		if (!section_logged_read(&c, &e, &contents) || e.peer < 0 || e.peer >= size ||
			(e.flags & ~(uint32_t)SECTION_LOGGED_FLAGS))
			return false;
	return cursor_done(&c);
}

/* The highest number of a receive in such a section, which is valid; 0: there is none. */
static inline uint64_t section_logged_last_receive(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	uint64_t last = 0;

	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		last = section_logged_read_receive(&c).number;
	return last;
}

#endif
