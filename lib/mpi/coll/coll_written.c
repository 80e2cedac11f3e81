/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_written.h"

#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct sched_span *x = a, *y = b;

	if (x->buf != y->buf)
		return x->buf < y->buf ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static ptrdiff_t end_of(const struct sched_span *a)
{
	return a->first + (ptrdiff_t)a->n;
}

/* b comes behind a: is it there already, or can it be? */
static bool joins(struct sched_span *a, const struct sched_span *b, bool blocks)
{
	if (a->buf != b->buf || a->block != b->block)
		return false;
	if (blocks)
		return a->first == b->first && a->n == b->n;
	if (b->first > end_of(a))
		return false;
	if (end_of(b) > end_of(a))
		a->n = (size_t)(end_of(b) - a->first);
	return true;
}

/* Sorted ones become one where they touch; how many are left. */
static size_t merge(struct sched_span *v, size_t n, unsigned blocks)
{
	size_t last = 0;

	for (size_t i = 1; i < n; i++)
		if (!joins(&v[last], &v[i], blocks >> v[i].buf & 1))
			v[++last] = v[i];
	return n ? last + 1 : 0;
}

bool coll_written(
	const struct sched *s, size_t end, unsigned blocks, struct sched_span **out, size_t *n)
{
	struct sched_span *v = malloc((end + 1) * sizeof *v);
	size_t found = 0;

	if (!v)
		return false;
	for (size_t i = 0; i < end; i++)
		if (s->steps[i].kind != SCHED_SEND && s->steps[i].a.n > 0)
			v[found++] = s->steps[i].a;
	qsort(v, found, sizeof *v, by_place);
	*out = v;
	*n = merge(v, found, blocks);
	return true;
}

/* FNV-1a, a number at a time */
static void add(uint64_t *sum, uint64_t x)
{
	*sum = (*sum ^ x) * 0x100000001b3u;
	*sum ^= *sum >> 32;
}

static void add_span(uint64_t *sum, const struct sched_span *a)
{
	add(sum, (uint64_t)a->block << 8 | (uint64_t)a->buf);
	add(sum, (uint64_t)a->first);
	add(sum, a->n);
}

uint64_t coll_written_sum(const struct sched *s)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s->n; i++) {
		const struct sched_step *t = &s->steps[i];

		add(&sum, (uint64_t)t->kind << 2 | (uint64_t)t->last << 1 | t->local);
		add_span(&sum, &t->a);
		if (t->kind == SCHED_SEND || t->kind == SCHED_RECV)
			add(&sum, (uint64_t)t->peer);
		else
			add_span(&sum, &t->b);
	}
	return sum;
}
