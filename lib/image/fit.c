/* SPDX-License-Identifier: BSD-3-Clause */
#include "fit.h"

#include <string.h>

#include "plan.h"

static bool overlap(const struct image_region *r, const struct region *o)
{
	return r->low < o->high && o->low < r->high;
}

static const struct region *first_overlapping(
	const struct image_region *r, const struct region *own, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (overlap(r, &own[i]))
			return &own[i];
	return NULL;
}

static bool same_name(const struct image_mapping *m, const struct region *o)
{
	return m->r.name_length == o->name_length && memcmp(m->name, o->name, o->name_length) == 0;
}

static const struct region *own_of_kind(
	const struct region *own, size_t count, enum region_kind kind)
{
	for (size_t i = 0; i < count; i++)
		if (own[i].kind == kind)
			return &own[i];
	return NULL;
}

static enum fit in_the_way(const struct region *o, const struct region **other)
{
	*other = o;
	return FIT_IN_THE_WAY;
}

static enum fit fit_for_kernel(const struct image_mapping *m, const struct region *own,
	size_t count, const struct region **other)
{
	const struct region *o = process_map_find(own, count, m->r.low);

	if (o && same_name(m, o) && o->low == m->r.low && o->high == m->r.high)
		return FIT_KERNEL;
	return in_the_way(o, other);
}

/* A new process that has not asked for any has no heap yet. Heaps of both begin at one address
 * (image_fits); what mprotect has split comes piece by piece. */
static enum fit fit_for_heap(const struct image_mapping *m, const struct region *own, size_t count,
	const struct region **other)
{
	const struct region *o = own_of_kind(own, count, REGION_HEAP);

	if (o && o->low > m->r.low)
		return in_the_way(o, other);
	for (size_t i = 0; i < count; i++)
		if (overlap(&m->r, &own[i]) && own[i].kind != REGION_HEAP &&
			own[i].kind != REGION_ANONYMOUS)
			return in_the_way(&own[i], other);
	return FIT_BREAK;
}

/* May it be mapped over, or go? The heap has the image's length before anything is mapped. */
static bool goes(const struct region *o)
{
	return o->kind != REGION_KERNEL && o->kind != REGION_STACK && !o->loader;
}

/* NULL: there is nothing that has to stay. */
static const struct region *first_that_stays(
	const struct image_mapping *m, const struct region *own, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (overlap(&m->r, &own[i]) && !goes(&own[i]))
			return &own[i];
	return NULL;
}

/* Memory without a file may be anywhere but over the stack, the code that loads it and what is the
 * kernel's. */
static enum fit fit_for_fresh(const struct image_mapping *m, const struct region *own, size_t count,
	const struct region **other)
{
	const struct region *o = first_that_stays(m, own, count);

	return o ? in_the_way(o, other) : FIT_FRESH;
}

/* The same part of the same file, though perhaps in other pieces. */
static bool is_part(const struct image_mapping *m, const struct region *o)
{
	return (enum region_kind)m->r.kind == o->kind && same_name(m, o) &&
	       o->offset - o->low == m->r.offset - m->r.low;
}

/* FIT_IN_THE_WAY: not all of it is. */
static enum fit fit_there(const struct image_mapping *m, const struct region *own, size_t count)
{
	enum fit fit = FIT_THERE;
	uint64_t at = m->r.low;

	while (at < m->r.high) {
		const struct region *o = process_map_find(own, count, at);

		if (!o || !is_part(m, o))
			return FIT_IN_THE_WAY;
		if (o->loader && o->executable)
			fit = FIT_RUNS;
		at = o->high;
	}
	return fit;
}

/* One that may be written is opened so, whatever is there. */
static enum fit fit_for_file(const struct image_mapping *m, const struct region *own, size_t count,
	const struct region **other)
{
	bool to_write = m->r.kind == REGION_SHARED && m->r.flags & IMAGE_MAY_WRITE;
	enum fit fit = to_write ? FIT_IN_THE_WAY : fit_there(m, own, count);
	const struct region *stays = first_that_stays(m, own, count);

	if (fit != FIT_IN_THE_WAY)
		return fit;
	return stays ? in_the_way(stays, other) : FIT_FILE;
}

enum fit fit_for(const struct image_mapping *m, const struct region *own, size_t count,
	const struct region **other)
{
	if (m->r.treatment == PLAN_LEFT_OUT)
		return fit_for_kernel(m, own, count, other);
	if (m->r.kind == REGION_STACK)
		return FIT_GROW;
	if (m->r.kind == REGION_HEAP)
		return fit_for_heap(m, own, count, other);
	if (m->r.treatment == PLAN_OF_FILE || m->r.treatment == PLAN_AS_IT_IS)
		return fit_for_file(m, own, count, other);
	return fit_for_fresh(m, own, count, other);
}

/* Where a stack begins and ends with all its parts; end 0: there is none. */
struct outer {
	uint64_t low, high;
};

static void widen(struct outer *o, uint64_t low, uint64_t high)
{
	if (o->high == 0)
		o->low = low;
	o->high = high;
}

const struct image_mapping *fit_stack(const struct image_mapping *image, size_t n,
	const struct region *own, size_t count, uint64_t gap, const struct region **other)
{
	struct outer wanted = {0, 0}, here = {0, 0};
	const struct image_mapping *lowest = NULL;

	*other = own_of_kind(own, count, REGION_STACK);
	for (size_t i = 0; i < n; i++)
		if (image[i].r.kind == REGION_STACK) {
			lowest = lowest ? lowest : &image[i];
			widen(&wanted, image[i].r.low, image[i].r.high);
		}
	for (size_t i = 0; i < count; i++)
		if (own[i].kind == REGION_STACK)
			widen(&here, own[i].low, own[i].high);
	if (!lowest || wanted.high != here.high)
		return lowest;
	if (wanted.low >= here.low)
		gap = 0;
	for (size_t i = 0; i < count; i++)
		if (own[i].kind != REGION_STACK && own[i].low < wanted.high &&
			wanted.low < own[i].high + gap) {
			*other = &own[i];
			return lowest;
		}
	return NULL;
}

size_t fit_to_remove(const struct image_mapping *image, size_t n, const struct region *own,
	size_t count, uint64_t (*out)[2], size_t max)
{
	size_t found = 0, k = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = own[i].low;

		if (!goes(&own[i]) || own[i].kind == REGION_HEAP)
			continue;
		while (k < n && image[k].r.high <= at)
			k++;
		for (size_t j = k; at < own[i].high; j++) {
			bool last = j == n || image[j].r.low >= own[i].high;
			uint64_t end = last ? own[i].high : image[j].r.low;

			if (at < end && found++ < max) {
				out[found - 1][0] = at;
				out[found - 1][1] = end;
			}
			at = last ? own[i].high : image[j].r.high;
		}
	}
	return found;
}

static bool is_free(const struct image_mapping *image, size_t n, const struct region *own,
	size_t count, uint64_t low, uint64_t high)
{
	const struct image_region wanted = {.low = low, .high = high};

	for (size_t i = 0; i < n; i++)
		if (image[i].r.low < high && low < image[i].r.high)
			return false;
	return !first_overlapping(&wanted, own, count);
}

uint64_t fit_gap(const struct image_mapping *image, size_t n, const struct region *own,
	size_t count, uint64_t bytes, uint64_t step)
{
	enum { TRIES = 1 << 16 };

	for (uint64_t i = 1; i <= TRIES; i++)
		if (is_free(image, n, own, count, i * step, i * step + bytes))
			return i * step;
	return 0;
}
