/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that have come, or were announced, before anybody had a place for them. */
#include <stdlib.h>

#include "transport/tp.h"

bool tp_is_here(const struct tp_unexpected *unexpected)
{
	const struct tp_unexpected_message *h = (const struct tp_unexpected_message *)unexpected;

	return h->kind != UNEXPECTED_RTS && tp_unexpected_whole(h);
}

const void *tp_contents(const struct tp_unexpected *unexpected)
{
	const struct tp_unexpected_message *h = (const struct tp_unexpected_message *)unexpected;

	assert(h->kind == UNEXPECTED_EAGER && tp_unexpected_whole(h));
	return h->bytes;
}

void tp_unexpected_free(struct tp *tp, struct tp_unexpected_message *h)
{
	if (h->kind == UNEXPECTED_EAGER)
		tp->counts.unexpected_bytes -= h->public.length;
	list_remove(&h->link);
	free(h);
}
