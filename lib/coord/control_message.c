/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/control_message.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "coord/envelope_counters.h"

/* No interval has more messages than that; so sums do not overflow. */
#define MOST_MESSAGES (UINT64_C(1) << 48)

/* ---- out ---- */

static uint8_t *begin(const struct control_message *r, size_t rest, struct writer *w, size_t *len)
{
	uint8_t *bytes;

	*len = CONTROL_HEAD_BYTES + rest;
	bytes = malloc(*len);
	if (!bytes)
		return NULL;
	*w = writer_over(bytes, *len);
	writer_u16(w, (uint16_t)(r->kind | r->flags << 8));
	writer_u16(w, 0);
	writer_u32(w, r->restores);
	writer_u32(w, r->line);
	return bytes;
}

uint8_t *control_message_encode_report(
	const struct control_message *r, const struct envelope_slot *entries, size_t *len)
{
	struct writer w;
	uint8_t *bytes =
		begin(r, CONTROL_REPORT_BYTES + (size_t)r->n * CONTROL_ENTRY_BYTES, &w, len);

	if (!bytes)
		return NULL;
	writer_u64(&w, r->total);
	writer_u32(&w, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		writer_u64(&w, entries[i].context);
		writer_u32(&w, (uint32_t)entries[i].tag);
		writer_u64(&w, entries[i].a);
	}
	return bytes;
}

uint8_t *control_message_encode_counts(
	const struct control_message *r, const uint32_t *counts, size_t *len)
{
	struct writer w;
	uint8_t *bytes = begin(r, 4 + (size_t)r->n * 4, &w, len);

	if (!bytes)
		return NULL;
	writer_u32(&w, r->n);
	for (uint32_t i = 0; i < r->n; i++)
		writer_u32(&w, counts[i]);
	return bytes;
}

uint8_t *control_message_encode_parts(
	const struct control_message *r, const struct coord_part *parts, size_t *len)
{
	struct writer w;
	uint8_t *bytes = begin(r, 4 + (size_t)r->n * CONTROL_PART_BYTES, &w, len);

	if (!bytes)
		return NULL;
	writer_u32(&w, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		uint8_t ok = parts[i].ok != 0;

		writer_bytes(&w, &ok, 1);
		writer_u64(&w, parts[i].seal);
		writer_u64(&w, parts[i].bytes);
	}
	return bytes;
}

uint8_t *control_message_encode_rest(const struct control_message *r, size_t *len)
{
	struct writer w;
	uint8_t *bytes = begin(r, r->kind == CONTROL_VERDICT, &w, len), committed = r->committed;

	if (bytes && r->kind == CONTROL_VERDICT)
		writer_bytes(&w, &committed, 1);
	return bytes;
}

static int by_envelope(const void *a, const void *b)
{
	struct cursor x = cursor_over(a, CONTROL_ENTRY_BYTES),
		      y = cursor_over(b, CONTROL_ENTRY_BYTES);
	uint64_t contexts[] = {cursor_u64(&x), cursor_u64(&y)};

	return envelope_counters_order(
		contexts[0], (int32_t)cursor_u32(&x), contexts[1], (int32_t)cursor_u32(&y));
}

void control_message_finish(uint8_t *bytes, size_t len)
{
	const size_t head = CONTROL_HEAD_BYTES + CONTROL_REPORT_BYTES;

	if (len > head && bytes[0] == CONTROL_REPORT)
		qsort(bytes + head, (len - head) / CONTROL_ENTRY_BYTES, CONTROL_ENTRY_BYTES,
			by_envelope);
}

/* ---- in ---- */

/* Exactly n items are left. */
static bool take_list(struct control_message *r, struct cursor *c, size_t item)
{
	r->n = cursor_u32(c);
	if (c->bad || (uint64_t)(c->end - c->at) != (uint64_t)r->n * item)
		return false;
	r->list = c->at;
	return true;
}

struct envelope_slot control_message_entry(const struct control_message *r, uint32_t i)
{
	struct cursor c =
		cursor_over(r->list + (size_t)i * CONTROL_ENTRY_BYTES, CONTROL_ENTRY_BYTES);
	struct envelope_slot e = {.context = cursor_u64(&c)};

	e.tag = (int32_t)cursor_u32(&c);
	e.a = cursor_u64(&c);
	return e;
}

uint32_t control_message_count(const struct control_message *r, uint32_t i)
{
	struct cursor c = cursor_over(r->list + (size_t)i * 4, 4);

	return cursor_u32(&c);
}

struct coord_part control_message_part(const struct control_message *r, uint32_t i)
{
	const uint8_t *at = r->list + (size_t)i * CONTROL_PART_BYTES;
	struct cursor c = cursor_over(at + 1, CONTROL_PART_BYTES - 1);
	struct coord_part p = {.ok = *at};

	p.seal = cursor_u64(&c);
	p.bytes = cursor_u64(&c);
	return p;
}

uint64_t control_message_sum(const struct control_message *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->n; i++)
		sum += control_message_entry(r, i).a;
	return sum;
}

/* Sorted, so none is there twice; no sum is more than the total. */
static bool entries_right(const struct control_message *r)
{
	struct envelope_slot was = {0};
	uint64_t left = r->total;

	for (uint32_t i = 0; i < r->n; i++) {
		struct envelope_slot e = control_message_entry(r, i);

		if (e.context == ENVELOPE_COUNTERS_FREE || !e.a || e.a > left)
			return false;
		if (i && envelope_counters_order(was.context, was.tag, e.context, e.tag) >= 0)
			return false;
		left -= e.a;
		was = e;
	}
	return true;
}

static bool take_sent(struct control_message *r, struct cursor *c)
{
	bool last = r->flags & CONTROL_LAST, entries = r->flags & CONTROL_ENTRIES;

	r->total = cursor_u64(c);
	if (!take_list(r, c, CONTROL_ENTRY_BYTES) || !r->total || r->total > MOST_MESSAGES)
		return false;
	if ((!entries && r->n) || (!last && !r->n))
		return false;
	return entries_right(r);
}

static bool parts_right(const struct control_message *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (control_message_part(r, i).ok > 1)
			return false;
	return true;
}

static bool take_verdict(struct control_message *r, struct cursor *c)
{
	uint8_t committed;

	cursor_bytes(c, &committed, 1);
	r->committed = committed;
	return cursor_done(c) && committed <= 1;
}

static bool take_rest(struct control_message *r, struct cursor *c)
{
	switch (r->kind) {
	case CONTROL_REPORT:
		return take_sent(r, c);
	case CONTROL_COUNTS_UP:
	case CONTROL_COUNTS_DOWN:
		return take_list(r, c, 4);
	case CONTROL_READY:
		return take_list(r, c, CONTROL_PART_BYTES) && parts_right(r);
	case CONTROL_VERDICT:
		return take_verdict(r, c);
	case CONTROL_BEGIN:
		return cursor_done(c);
	}
	return false;
}

bool control_message_decode(struct control_message *r, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	unsigned word = cursor_u16(&c), zero = cursor_u16(&c);

	*r = (struct control_message){.kind = word & 0xff, .flags = word >> 8};
	r->restores = cursor_u32(&c);
	r->line = cursor_u32(&c);
	if (c.bad || zero || !r->line)
		return false;
	if (r->flags & ~(r->kind == CONTROL_REPORT ? CONTROL_LAST | CONTROL_ENTRIES : 0u))
		return false;
	return take_rest(r, &c);
}
