/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/orphans.h"

#include <stdlib.h>

#include "base/cursor.h"

enum { HEAD_BYTES = 4, RANGE_BYTES = 32, SUM_BYTES = 16 };

void orphans_free(struct orphans *o)
{
	free(o->v);
	free(o->sums);
	*o = (struct orphans){0};
}

int orphans_order(const struct orphan_range *a, const struct orphan_range *b)
{
	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return a->tag < b->tag ? -1 : a->tag > b->tag;
}

bool orphans_add(struct orphans *o, const struct orphan_range *r)
{
	struct orphan_range *last = o->n ? &o->v[o->n - 1] : NULL;

	if (!r->count)
		return true;
	if (last && orphans_order(last, r) == 0 && last->first + last->count == r->first) {
		last->count += r->count;
		return true;
	}
	if (o->n == o->room) {
		size_t room = o->room ? 2 * o->room : 8;
		struct orphan_range *v = realloc(o->v, room * sizeof *v);

		if (!v)
			return false;
		o->v = v;
		o->room = room;
	}
	o->v[o->n++] = *r;
	return true;
}

bool orphans_add_sum(struct orphans *o, const struct orphan_sum *s)
{
	if (o->nsums == o->sums_room) {
		size_t room = o->sums_room ? 2 * o->sums_room : 8;
		struct orphan_sum *sums = realloc(o->sums, room * sizeof *sums);

		if (!sums)
			return false;
		o->sums = sums;
		o->sums_room = room;
	}
	o->sums[o->nsums++] = *s;
	return true;
}

bool orphans_same(const struct orphan_sum *first, const struct orphan_sum *again)
{
	if (first->length != ORPHAN_NO_LENGTH && first->length != again->length)
		return false;
	return !first->hash || !again->hash || first->hash == again->hash;
}

static int by_first(const void *a, const void *b)
{
	const struct orphan_range *x = a, *y = b;
	int order = orphans_order(x, y);

	return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

/* Neighbours become one range, so that equal sets have equal bytes. */
void orphans_sort(struct orphans *o)
{
	size_t n = o->n;

	if (!n)
		return;
	qsort(o->v, n, sizeof *o->v, by_first);
	o->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct orphan_range r = o->v[i];

		orphans_add(o, &r); /* there is room: it never has more than was read */
	}
}

/* UINT64_MAX: more than can be counted. */
static uint64_t messages(const struct orphans *o)
{
	uint64_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		if (__builtin_add_overflow(n, o->v[i].count, &n))
			return UINT64_MAX;
	return n;
}

static void write_sums(struct writer *w, const struct orphans *o)
{
	for (size_t i = 0; i < o->nsums; i++) {
		writer_u64(w, o->sums[i].length);
		writer_u64(w, o->sums[i].hash);
	}
}

bool orphans_encode(const struct orphans *o, uint8_t **out, size_t *len)
{
	bool sums = o->nsums && o->nsums == messages(o);
	struct writer w;

	*len = HEAD_BYTES + o->n * RANGE_BYTES + (sums ? o->nsums * SUM_BYTES : 0);
	*out = o->n <= UINT32_MAX ? malloc(*len) : NULL;
	if (!*out)
		return false;
	w = writer_over(*out, *len);
	writer_u32(&w, (uint32_t)o->n);
	for (size_t i = 0; i < o->n; i++) {
		writer_u32(&w, o->v[i].peer);
		writer_u32(&w, (uint32_t)o->v[i].tag);
		writer_u64(&w, o->v[i].context);
		writer_u64(&w, o->v[i].first);
		writer_u64(&w, o->v[i].count);
	}
	if (sums)
		write_sums(&w, o);
	return true;
}

static struct orphan_range read_range(struct cursor *c)
{
	struct orphan_range r;

	r.peer = cursor_u32(c);
	r.tag = (int32_t)cursor_u32(c);
	r.context = cursor_u64(c);
	r.first = cursor_u64(c);
	r.count = cursor_u64(c);
	return r;
}

static bool sensible(const struct orphan_range *r, int size)
{
	return r->peer < (uint32_t)size && r->context != UINT64_MAX && r->first && r->count &&
	       r->count <= INT64_MAX && r->first <= INT64_MAX - r->count;
}

/* A checksum for each of so many messages; none at all in lines from before checksums. */
static bool sums_fit(const struct cursor *c, uint64_t total)
{
	size_t left = (size_t)(c->end - c->at);

	return left == 0 || (total <= ORPHAN_SUMS_MOST && left == total * SUM_BYTES);
}

bool orphans_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t n = cursor_u32(&c);
	struct orphan_range was = {0};
	uint64_t total = 0;

	for (uint32_t i = 0; i < n && !c.bad; i++) {
		struct orphan_range r = read_range(&c);
		int order = i ? orphans_order(&was, &r) : -1;

		if (c.bad || !sensible(&r, size) || order > 0)
			return false;
		if (order == 0 && r.first < was.first + was.count)
			return false;
		if (__builtin_add_overflow(total, r.count, &total))
			return false;
		was = r;
	}
	return !c.bad && sums_fit(&c, total);
}

bool orphans_decode(struct orphans *o, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);

	for (uint32_t n = cursor_u32(&c); n > 0; n--) {
		struct orphan_range r = read_range(&c);

		if (!orphans_add(o, &r))
			return false;
	}
	while (c.at < c.end) {
		struct orphan_sum s = {.length = cursor_u64(&c)};

		s.hash = cursor_u64(&c);
		if (!orphans_add_sum(o, &s))
			return false;
	}
	return true;
}
