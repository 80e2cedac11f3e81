/* SPDX-License-Identifier: BSD-3-Clause */
#include "stored.h"

#include <stdlib.h>

struct stored *stored_new(const struct match_msg *msg, uint64_t length)
{
	struct stored *m = length < SIZE_MAX / 2 ? malloc(sizeof *m + (size_t)length) : NULL;

	if (!m)
		return NULL;
	*m = (struct stored){
		.head = {.kind = OBJECT_STORED, .refs = 1}, .msg = *msg, .length = length};
	m->msg.stored = m;
	match_place_init(&m->msg.place);
	match_place_init(&m->msg.all);
	return m;
}

void stored_release(struct stored *m)
{
	if (--m->head.refs == 0)
		free(m);
}
