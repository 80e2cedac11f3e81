/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cursor.h"

#include <string.h>

static const uint8_t *take(struct cursor *c, size_t len)
{
	const uint8_t *p = c->at;

	if (c->bad || (size_t)(c->end - c->at) < len) {
		c->bad = true;
		return NULL;
	}
	c->at += len;
	return p;
}

static uint64_t take_le(struct cursor *c, size_t len)
{
	const uint8_t *p = take(c, len);
	uint64_t v = 0;

	if (p)
		for (size_t i = len; i-- > 0;)
			v = v << 8 | p[i];
	return v;
}

uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)take_le(c, 2);
}

uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)take_le(c, 4);
}

uint64_t cursor_u64(struct cursor *c)
{
	return take_le(c, 8);
}

void cursor_bytes(struct cursor *c, void *out, size_t len)
{
	const uint8_t *p = take(c, len);

	if (p)
		memcpy(out, p, len);
	else
		memset(out, 0, len);
}

void cursor_string(struct cursor *c, char *out, size_t size)
{
	uint32_t len = cursor_u32(c);
	const uint8_t *p = len < size ? take(c, len) : NULL;

	out[0] = '\0';
	if (!p || memchr(p, 0, len)) {
		c->bad = true;
		return;
	}
	memcpy(out, p, len);
	out[len] = '\0';
}

void writer_bytes(struct writer *w, const void *bytes, size_t len)
{
	if (w->bad || (size_t)(w->end - w->at) < len) {
		w->bad = true;
		return;
	}
	if (len)
		memcpy(w->at, bytes, len);
	w->at += len;
}

static void put_le(struct writer *w, uint64_t v, size_t len)
{
	uint8_t b[8];

	for (size_t i = 0; i < len; i++)
		b[i] = (uint8_t)(v >> (8 * i));
	writer_bytes(w, b, len);
}

void writer_u16(struct writer *w, uint16_t v)
{
	put_le(w, v, 2);
}

void writer_u32(struct writer *w, uint32_t v)
{
	put_le(w, v, 4);
}

void writer_u64(struct writer *w, uint64_t v)
{
	put_le(w, v, 8);
}

void writer_string(struct writer *w, const char *s)
{
	size_t len = strlen(s);

	writer_u32(w, (uint32_t)len);
	writer_bytes(w, s, len);
}
