/* SPDX-License-Identifier: BSD-3-Clause */
/* The message that a receive has in its buffer, once more in the library's memory. */
#include <string.h>

#include "p2p_saved.h"
#include "request.h"
#include "stored.h"

struct stored *p2p_copy(const struct request *r)
{
	struct match_msg msg = {0};
	struct stored *m = stored_new(&msg, r->length);

	if (!m)
		return NULL;
	type_pack_prefix(r->m.type, r->m.buf, r->m.count, m->bytes, (size_t)r->bytes);
	memset(m->bytes + r->bytes, 0, (size_t)(r->length - r->bytes));
	m->whole = true;
	return m;
}
