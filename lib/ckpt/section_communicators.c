/* SPDX-License-Identifier: BSD-3-Clause */
#include "section_communicators.h"

void section_communicators_write(struct writer *w, const struct section_communicator *e)
{
	writer_u64(w, e->context);
	writer_u64(w, e->local_context);
	writer_u32(w, e->n);
	writer_u32(w, e->nremote);
}

static bool is_context(uint64_t context)
{
	return !(context & 1) || context == UINT64_MAX;
}

static bool makes_sense(const struct section_communicator *e, int size)
{
	return is_context(e->context) && is_context(e->local_context) && e->n > 0 &&
	       e->n <= (uint32_t)size && e->nremote <= (uint32_t)size;
}

bool section_communicators_read(
	struct cursor *c, int size, struct section_communicator *e, const uint8_t **ranks)
{
	e->context = cursor_u64(c);
	e->local_context = cursor_u64(c);
	e->n = cursor_u32(c);
	e->nremote = cursor_u32(c);
	if (c->bad || !makes_sense(e, size))
		return false;
	*ranks = c->at;
	for (uint32_t i = 0; i < e->n + e->nremote; i++)
		if (cursor_u32(c) >= (uint32_t)size)
			return false;
	return !c->bad;
}

bool section_communicators_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_communicator e;
	const uint8_t *ranks;

	cursor_u32(&c);
	for (uint32_t left = cursor_u32(&c); left > 0; left--)
		if (!section_communicators_read(&c, size, &e, &ranks))
			return false;
	return cursor_done(&c);
}
