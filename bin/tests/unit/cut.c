/* SPDX-License-Identifier: BSD-3-Clause */
#include "cut.h"

#include <check.h>

#include "base/list.h"

uint8_t *cut_byte(const struct cut *c, size_t i)
{
	return c->base + i + i / c->step * c->step;
}

static int next(struct tp_iov_cursor *head, struct iovec *iov, int max)
{
	struct cut *c = container_of(head, struct cut, head);
	size_t at = c->at;
	int n = 0;

	ck_assert_msg(
		max > 0 && at < c->len, "asked for %d pieces at byte %zu of %zu", max, at, c->len);
	for (; n < max && at < c->len; n++) {
		size_t len = c->step - at % c->step, left = c->len - at;

		iov[n] = (struct iovec){cut_byte(c, at), len < left ? len : left};
		at += iov[n].iov_len;
	}
	return n;
}

static void pass(struct tp_iov_cursor *head, size_t bytes)
{
	struct cut *c = container_of(head, struct cut, head);

	ck_assert_msg(bytes > 0 && bytes <= c->len - c->at, "passed %zu bytes at byte %zu of %zu",
		bytes, c->at, c->len);
	c->at += bytes;
}

struct tp_iov_cursor *cut_begin(struct cut *c, void *base, size_t len, size_t step)
{
	*c = (struct cut){{next, pass}, base, step, 0, len};
	return &c->head;
}
