/* SPDX-License-Identifier: BSD-3-Clause */
#include "section_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

enum { HEAD_BYTES = 4, ENTRY_BYTES = 16 };
enum { CROWDED = 1, NEAR = 2 };

static uint32_t count_of(const struct section_numbers_bytes *n)
{
	return (uint32_t)((n->len - HEAD_BYTES) / ENTRY_BYTES);
}

void section_numbers_write(
	struct section_numbers_bytes *n, uint64_t context, struct section_number number)
{
	size_t len = n->len ? n->len + ENTRY_BYTES : HEAD_BYTES + ENTRY_BYTES;
	uint8_t *bytes = n->bad ? NULL : realloc(n->bytes, len);
	struct writer w, head;

	if (!bytes) {
		free(n->bytes);
		*n = (struct section_numbers_bytes){.bad = true};
		return;
	}
	n->bytes = bytes;
	n->len = len;
	w = writer_over(bytes + len - ENTRY_BYTES, ENTRY_BYTES);
	writer_u64(&w, context);
	writer_u32(&w, number.next);
	writer_u32(&w, (number.crowded ? CROWDED : 0) | (number.near ? NEAR : 0));
	head = writer_over(bytes, HEAD_BYTES);
	writer_u32(&head, count_of(n));
}

bool section_numbers_take(struct section_numbers_bytes *n, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = cursor_u32(&c);
	uint8_t *copy;

	if (c.bad || (len - HEAD_BYTES) % ENTRY_BYTES || (len - HEAD_BYTES) / ENTRY_BYTES != count)
		return false;
	for (; count > 0; count--) {
		cursor_u64(&c);
		cursor_u32(&c);
		if (cursor_u32(&c) & ~(uint32_t)(CROWDED | NEAR))
			return false;
	}
	copy = malloc(len);
	if (!copy)
		return false;
	memcpy(copy, bytes, len);
	free(n->bytes);
	*n = (struct section_numbers_bytes){.bytes = copy, .len = len};
	return true;
}

bool section_numbers_find(
	const struct section_numbers_bytes *n, uint64_t context, struct section_number *number)
{
	struct cursor c = cursor_over(n->bytes, n->len);
	bool found = false;
	uint32_t where;

	if (!n->bytes)
		return false;
	for (uint32_t left = cursor_u32(&c); left > 0 && !found; left--) {
		found = cursor_u64(&c) == context;
		number->next = cursor_u32(&c);
		where = cursor_u32(&c);
		number->crowded = where & CROWDED;
		number->near = where & NEAR;
	}
	return found && !c.bad;
}
