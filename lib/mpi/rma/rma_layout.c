/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma_layout.h"

#include <string.h>

/* Far more than any type of the library has (layout.c flattens before that), and little stack.
 */
enum { DEPTH_LIMIT = 64, PART_BYTES = 40, COUNT_BYTES = 8 };

/* Sums of as many offsets as a layout is deep stay far from the end of 64 bits. */
#define FAR ((int64_t)1 << 56)

struct wire_part {
	int64_t at;
	uint64_t count;
	int64_t stride;
	uint64_t len;
	uint64_t nested;
};

_Static_assert(sizeof(struct wire_part) == PART_BYTES, "no holes");

size_t rma_layout_bytes(const struct layout *l)
{
	size_t bytes = COUNT_BYTES + l->n * PART_BYTES;

	for (size_t i = 0; i < l->n; i++)
		if (l->parts[i].child)
			bytes += rma_layout_bytes(l->parts[i].child);
	return bytes;
}

static uint8_t *write_layout(const struct layout *l, uint8_t *out)
{
	uint64_t n = l->n;

	memcpy(out, &n, COUNT_BYTES);
	out += COUNT_BYTES;
	for (size_t i = 0; i < l->n; i++) {
		const struct part *p = &l->parts[i];
		struct wire_part w = {p->at, p->count, p->stride, p->len, p->child != NULL};

		memcpy(out, &w, PART_BYTES);
		out += PART_BYTES;
		if (p->child)
			out = write_layout(p->child, out);
	}
	return out;
}

void rma_layout_write(const struct layout *l, uint8_t *out)
{
	(void)write_layout(l, out);
}

struct reader {
	const uint8_t *at;
	size_t left;
};

static bool take(struct reader *r, void *out, size_t n)
{
	if (r->left < n)
		return false;
	memcpy(out, r->at, n);
	r->at += n;
	r->left -= n;
	return true;
}

static struct layout *read_layout(struct reader *r, int depth);

static bool is_near(int64_t offset)
{
	return offset > -FAR && offset < FAR;
}

static bool read_part(struct reader *r, int depth, struct part *out)
{
	struct wire_part w;
	uint64_t bytes;

	if (!take(r, &w, sizeof w) || w.count == 0 || w.len == 0 || w.nested > 1)
		return false;
	if (__builtin_mul_overflow(w.count, w.len, &bytes) || bytes >= FAR)
		return false;
	if (!is_near(w.at) || !is_near(w.stride))
		return false;
	*out = (struct part){w.at, w.count, w.stride, w.len, NULL};
	if (!w.nested)
		return true;
	out->child = read_layout(r, depth + 1);
	if (out->child && out->child->size == w.len)
		return true;
	layout_part_release(out);
	return false;
}

/* layout_list_add may describe the same bytes in fewer parts; a child of one copy goes into its
 * parent. */
static struct layout *read_layout(struct reader *r, int depth)
{
	struct part_list list = {0};
	uint64_t n, total = 0;

	if (depth > DEPTH_LIMIT || !take(r, &n, sizeof n) || n == 0 || n > r->left / PART_BYTES)
		return NULL;
	for (uint64_t i = 0; i < n; i++) {
		struct part p;

		if (!read_part(r, depth, &p))
			goto clear;
		if (__builtin_add_overflow(total, p.count * p.len, &total) || total >= FAR) {
			layout_part_release(&p);
			goto clear;
		}
		if (!layout_list_add(&list, p))
			goto clear;
	}
	return layout_list_finish(&list);

clear:
	layout_list_clear(&list);
	return NULL;
}

struct layout *rma_layout_read(const uint8_t *bytes, size_t len)
{
	struct reader r = {.at = bytes, .left = len};
	struct layout *l = read_layout(&r, 1);

	if (l && r.left) {
		layout_release(l);
		l = NULL;
	}
	return l;
}

/* From one copy's bounds to those of all. */
static bool stretch(uint64_t count, int64_t stride, int64_t *low, int64_t *high)
{
	int64_t way;

	if (count - 1 > INT64_MAX || __builtin_mul_overflow((int64_t)(count - 1), stride, &way))
		return false;
	return way < 0 ? !__builtin_add_overflow(*low, way, low)
		       : !__builtin_add_overflow(*high, way, high);
}

static bool part_bounds(const struct part *p, int64_t *low, int64_t *high)
{
	*low = 0;
	*high = (int64_t)p->len;
	if (p->child && !rma_layout_bounds(p->child, 1, 0, low, high))
		return false;
	return stretch(p->count, p->stride, low, high) &&
	       !__builtin_add_overflow(*low, p->at, low) &&
	       !__builtin_add_overflow(*high, p->at, high);
}

bool rma_layout_bounds(
	const struct layout *l, uint64_t count, int64_t extent, int64_t *low, int64_t *high)
{
	*low = INT64_MAX;
	*high = INT64_MIN;
	for (size_t i = 0; i < l->n; i++) {
		int64_t from, to;

		if (!part_bounds(&l->parts[i], &from, &to))
			return false;
		*low = from < *low ? from : *low;
		*high = to > *high ? to : *high;
	}
	return stretch(count, extent, low, high);
}

struct visit {
	bool (*within)(void *arg, int64_t low, int64_t high);
	void *arg;
};

/* The bounds fit in 64 bits (rma_layout_bounds), so nothing overflows here. */
static bool visit_layout(const struct layout *l, int64_t base, const struct visit *v)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct part *p = &l->parts[i];

		for (size_t copy = 0; copy < p->count; copy++) {
			int64_t at = base + p->at + (int64_t)copy * p->stride;

			if (p->child ? !visit_layout(p->child, at, v)
				     : !v->within(v->arg, at, at + (int64_t)p->len))
				return false;
		}
	}
	return true;
}

bool rma_layout_runs(const struct layout *l, uint64_t count, int64_t extent,
	bool (*within)(void *arg, int64_t low, int64_t high), void *arg)
{
	struct visit v = {within, arg};
	int64_t low, high;

	if (!rma_layout_bounds(l, count, extent, &low, &high))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!visit_layout(l, (int64_t)i * extent, &v))
			return false;
	return true;
}
