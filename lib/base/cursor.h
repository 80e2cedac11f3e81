/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte cursors for wire and disk formats: little-endian, bounds checked. A read past the end yields
 * zeros and marks the cursor bad, so a decoder may read a whole record and ask once at its end.
 */
#ifndef FTMPI_BASE_CURSOR_H
#define FTMPI_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static inline struct cursor cursor_over(const void *bytes, size_t len)
{
	return (struct cursor){bytes, (const uint8_t *)bytes + len, false};
}

uint16_t cursor_u16(struct cursor *c);
uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
void cursor_bytes(struct cursor *c, void *out, size_t len);

/* A string of u32 length + bytes, copied with a NUL into out. Longer than size - 1, or with a NUL
 * inside: bad. */
void cursor_string(struct cursor *c, char *out, size_t size);

/* Everything was there and nothing is left over. */
static inline bool cursor_done(const struct cursor *c)
{
	return !c->bad && c->at == c->end;
}

/* Writers into a fixed buffer; past its end nothing is written and `bad` is set. */
struct writer {
	uint8_t *at, *end;
	bool bad;
};

static inline struct writer writer_over(void *bytes, size_t len)
{
	return (struct writer){bytes, (uint8_t *)bytes + len, false};
}

void writer_u16(struct writer *w, uint16_t v);
void writer_u32(struct writer *w, uint32_t v);
void writer_u64(struct writer *w, uint64_t v);
void writer_bytes(struct writer *w, const void *bytes, size_t len);
void writer_string(struct writer *w, const char *s);

#endif
