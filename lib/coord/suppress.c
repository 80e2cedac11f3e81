/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/suppress.h"

#include <stdlib.h>
#include <string.h>

void suppress_free(struct suppress *d)
{
	free(d->v);
	free(d->sums);
	*d = (struct suppress){0};
}

/* A line from before checksums were introduced has none. */
static bool load_sums(struct suppress *d, const struct orphans *o)
{
	if (!o->nsums)
		return true;
	d->sums = malloc(o->nsums * sizeof *d->sums);
	if (d->sums)
		memcpy(d->sums, o->sums, o->nsums * sizeof *d->sums);
	return d->sums != NULL;
}

bool suppress_load(struct suppress *d, const struct orphans *o)
{
	struct suppress is = {.v = malloc((o->n + 1) * sizeof *is.v), .n = o->n};
	size_t at = 0;

	if (!is.v || !load_sums(&is, o)) {
		free(is.v);
		return false;
	}
	suppress_free(d);
	*d = is;
	for (size_t i = 0; i < o->n; i++) {
		d->v[i] = (struct suppress_range){.range = o->v[i], .at = at};
		d->left += o->v[i].count;
		at += (size_t)o->v[i].count;
	}
	return true;
}

/* The first that is not before it. */
static size_t lower(const struct suppress *d, const struct orphan_range *key)
{
	size_t from = 0, to = d->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (orphans_order(&d->v[mid].range, key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

const struct suppress_range *suppress_of(
	const struct suppress *d, int peer, uint64_t context, int32_t tag, size_t *n)
{
	struct orphan_range key = {.peer = (uint32_t)peer, .context = context, .tag = tag};
	size_t first = lower(d, &key), end = first;

	while (end < d->n && orphans_order(&d->v[end].range, &key) == 0)
		end++;
	*n = end - first;
	return *n ? &d->v[first] : NULL;
}

bool suppress_arrived(struct suppress *d, int peer, uint64_t context, int32_t tag)
{
	size_t n;
	const struct suppress_range *of = suppress_of(d, peer, context, tag, &n);
	struct suppress_range *v = n ? d->v + (of - d->v) : NULL;
	bool suppressed = false;

	for (size_t i = 0; i < n; i++) {
		uint64_t number = ++v[i].come;

		if (number < v[i].range.first || number >= v[i].range.first + v[i].range.count)
			continue;
		suppressed = true;
		d->latest = suppress_sum(d, &v[i], number);
	}
	d->left -= suppressed;
	return suppressed;
}

struct orphan_sum suppress_sum(
	const struct suppress *d, const struct suppress_range *of, uint64_t number)
{
	if (!d->sums)
		return (struct orphan_sum){.length = ORPHAN_NO_LENGTH};
	return d->sums[of->at + (size_t)(number - of->range.first)];
}

struct orphan_range suppress_range_left(const struct suppress_range *d)
{
	struct orphan_range r = d->range;
	uint64_t end = r.first + r.count, from = r.first > d->come ? r.first : d->come + 1;

	r.count = end > from ? end - from : 0;
	r.first = from - d->come;
	return r;
}

bool suppress_left(const struct suppress *d, struct orphans *o)
{
	for (size_t i = 0; d->left && i < d->n; i++) {
		struct orphan_range r = suppress_range_left(&d->v[i]);
		uint64_t first = d->v[i].come + r.first;

		if (!orphans_add(o, &r))
			return false;
		for (uint64_t k = 0; d->sums && k < r.count; k++) {
			struct orphan_sum s = suppress_sum(d, &d->v[i], first + k);

			if (!orphans_add_sum(o, &s))
				return false;
		}
	}
	return true;
}
