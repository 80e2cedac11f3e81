/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_walk.h"

#include <string.h>

struct strided {
	char *base;
	ptrdiff_t stride;
};

/* With len a constant in the caller the copy is a few moves. */
static inline __attribute__((always_inline)) void copy_each(
	struct strided to, struct strided from, size_t count, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(to.base, from.base, len);
		to.base = type_address(to.base, to.stride);
		from.base = type_address(from.base, from.stride);
	}
}

static void copy_blocks(struct strided to, struct strided from, size_t count, size_t len)
{
	switch (len) {
	case 1:
		copy_each(to, from, count, 1);
		break;
	case 2:
		copy_each(to, from, count, 2);
		break;
	case 4:
		copy_each(to, from, count, 4);
		break;
	case 8:
		copy_each(to, from, count, 8);
		break;
	case 12:
		copy_each(to, from, count, 12);
		break;
	case 16:
		copy_each(to, from, count, 16);
		break;
	case 24:
		copy_each(to, from, count, 24);
		break;
	case 32:
		copy_each(to, from, count, 32);
		break;
	default:
		copy_each(to, from, count, len);
	}
}

char *type_walk_copies(
	const struct part *p, size_t copies, char *user, char *packed, enum direction d)
{
	char *at = type_address(user, p->at);

	if (!p->child) {
		struct strided mine = {at, p->stride}, stream = {packed, (ptrdiff_t)p->len};

		if (d == GATHER)
			copy_blocks(stream, mine, copies, p->len);
		else
			copy_blocks(mine, stream, copies, p->len);
		return packed + copies * p->len;
	}
	for (size_t i = 0; i < copies; i++) {
		packed = type_walk_parts(
			p->child->parts, p->child->parts + p->child->n, at, packed, d);
		at = type_address(at, p->stride);
	}
	return packed;
}

/* One run: in structs, which are arrays of short runs, a call for each would cost more than the
 * copy. */
static inline __attribute__((always_inline)) void copy_run(char *to, const char *from, size_t len)
{
	if (len == 4)
		memcpy(to, from, 4);
	else if (len == 8)
		memcpy(to, from, 8);
	else
		memcpy(to, from, len);
}

char *type_walk_parts(
	const struct part *p, const struct part *end, char *user, char *packed, enum direction d)
{
	for (; p < end; p++) {
		if (p->child || p->count > 1) {
			packed = type_walk_copies(p, p->count, user, packed, d);
			continue;
		}
		if (d == GATHER)
			copy_run(packed, type_address(user, p->at), p->len);
		else
			copy_run(type_address(user, p->at), packed, p->len);
		packed += p->len;
	}
	return packed;
}
