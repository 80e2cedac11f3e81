/* SPDX-License-Identifier: BSD-3-Clause */
#include "section_operations.h"

void section_operations_write(struct writer *w, const struct section_operation *e)
{
	writer_u64(w, e->context);
	writer_u32(w, e->tag);
	writer_u32(w, e->local_tag);
	writer_u32(w, e->flags);
	writer_u32(w, e->rounds);
	writer_u32(w, e->error);
	writer_u64(w, e->plan);
	writer_u64(w, e->length);
	if (e->flags & SECTION_OPERATION_NUMBERED)
		writer_u32(w, e->numbers);
}

enum {
	SECTION_OPERATION_FLAGS =
		SECTION_OPERATION_PERSISTENT | SECTION_OPERATION_ACTIVE | SECTION_OPERATION_NUMBERED
};

static bool is_tag(uint32_t tag)
{
	return (tag & SECTION_OPERATION_TAG) && tag < 2 * (uint32_t)SECTION_OPERATION_TAG;
}

/* Only a persistent one is there without being active, and then there is nothing to go on with. */
static bool is_state(const struct section_operation *e)
{
	if (e->flags == SECTION_OPERATION_PERSISTENT)
		return !e->rounds && !e->error && !e->length;
	return (e->flags & SECTION_OPERATION_ACTIVE) && e->flags <= SECTION_OPERATION_FLAGS;
}

static bool makes_sense(const struct section_operation *e)
{
	return is_state(e) && !(e->context & 1) && is_tag(e->tag) &&
	       (!e->local_tag || is_tag(e->local_tag)) && e->error <= INT32_MAX;
}

bool section_operations_read(struct cursor *c, struct section_operation *e, const uint8_t **bytes)
{
	uint64_t left;

	e->context = cursor_u64(c);
	e->tag = cursor_u32(c);
	e->local_tag = cursor_u32(c);
	e->flags = cursor_u32(c);
	e->rounds = cursor_u32(c);
	e->error = cursor_u32(c);
	e->plan = cursor_u64(c);
	e->length = cursor_u64(c);
	e->numbers = e->flags & SECTION_OPERATION_NUMBERED ? cursor_u32(c) : 0;
	left = (uint64_t)(c->end - c->at);
	if (c->bad || e->length > left || section_operations_bytes(e) > left || !makes_sense(e))
		return false;
	*bytes = c->at;
	c->at += section_operations_bytes(e);
	return true;
}

bool section_operations_valid(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_operation e;
	const uint8_t *contents;

	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		if (!section_operations_read(&c, &e, &contents))
			return false;
	return cursor_done(&c);
}
