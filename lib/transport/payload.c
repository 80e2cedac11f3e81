/* SPDX-License-Identifier: BSD-3-Clause */
/* Payloads that no socket takes or brings: from memory to memory. */
#include <string.h>

#include "transport/tp.h"

/* What is left of a payload or a place, wherever it lies. */
struct rest {
	char *at;
	struct tp_iov_cursor *cursor;
	uint64_t left;
};

static struct iovec first_of(const struct rest *r)
{
	struct iovec first = {r->at, (size_t)r->left};

	if (r->cursor)
		r->cursor->next(r->cursor, &first, 1);
	return first;
}

static void pass(struct rest *r, size_t bytes)
{
	if (r->cursor)
		r->cursor->pass(r->cursor, bytes);
	else
		r->at += bytes;
	r->left -= bytes;
}

static size_t smaller(uint64_t a, uint64_t b)
{
	return (size_t)(a < b ? a : b);
}

void tp_payload_copy_pieces(
	const struct tp_place *to, const void *from, struct tp_iov_cursor *cursor, uint64_t length)
{
	uint64_t n = length < to->room ? length : to->room;
	struct rest out = {(char *)(uintptr_t)from, cursor, n}, in = {to->buf, to->cursor, n};

	while (out.left > 0) {
		struct iovec a = first_of(&out), b = first_of(&in);
		size_t now = smaller(out.left, smaller(a.iov_len, b.iov_len));

		memcpy(b.iov_base, a.iov_base, now);
		pass(&out, now);
		pass(&in, now);
	}
}
