/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/early.h"

#include <stdlib.h>

#include "coord/message_sort.h"

void early_free(struct early *e)
{
	free(e->v);
	*e = (struct early){0};
}

void early_clear(struct early *e)
{
	e->n = 0;
	e->lost = 0;
}

static bool has_room(struct early *e)
{
	size_t room = e->room ? 2 * e->room : 16;
	struct early_message *v;

	if (e->n >= ORPHAN_SUMS_MOST)
		return false;
	if (e->n < e->room)
		return true;
	v = realloc(e->v, room * sizeof *v);
	if (!v)
		return false;
	e->v = v;
	e->room = room;
	return true;
}

void early_received(struct early *e, const struct coord_message *m, const struct orphan_sum *sum)
{
	if (has_room(e))
		e->v[e->n++] = (struct early_message){*m, *sum};
	else if (m->stamp > e->lost)
		e->lost = m->stamp;
}

/* ---- the cut ---- */

/* Equal entries of a sorted list become one; one without a checksum takes that of its double. */
static void unite(struct early *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (n == 0 || message_order(&e->v[n - 1].m, &e->v[i].m) != 0)
			e->v[n++] = e->v[i];
		else if (!e->v[n - 1].sum.hash)
			e->v[n - 1].sum = e->v[i].sum;
	}
	e->n = n;
}

/* What was sent before this line can be orphan to no later one either. */
static void prune(struct early *e, uint32_t line)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		if (e->v[i].m.stamp > line)
			e->v[n++] = e->v[i];
	e->n = n;
	message_sort(e->v, n, sizeof *e->v);
	unite(e);
}

/* What is here and was not waited for was not received. Both lists are sorted. */
static void take_received(struct early_cut *c, const struct early *e,
	const struct coord_message *waiting, size_t nwaiting)
{
	size_t w = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct coord_message *m = &e->v[i].m;

		while (w < nwaiting && message_order(&waiting[w], m) < 0)
			w++;
		if (w < nwaiting && message_order(&waiting[w], m) == 0)
			continue;
		c->received[c->nreceived++] =
			(struct early_sum){(uint32_t)m->peer, m->tag, m->context, e->v[i].sum};
	}
}

static void take_suppress(struct early_cut *c, const struct suppress *d)
{
	for (size_t i = 0; d->left && i < d->n; i++) {
		const struct orphan_range *r = &d->v[i].range;
		struct orphan_range left = suppress_range_left(&d->v[i]);
		uint64_t first = d->v[i].come + left.first;

		for (uint64_t k = 0; k < left.count; k++)
			c->suppress[c->nsuppress++] = (struct early_sum){
				r->peer, r->tag, r->context, suppress_sum(d, &d->v[i], first + k)};
	}
}

struct early_cut *early_cut_new(struct early *e, uint32_t line, const struct coord_message *waiting,
	size_t nwaiting, const struct suppress *suppress)
{
	struct early_cut *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	prune(e, line);
	c->lost = e->lost > line || suppress->left > ORPHAN_SUMS_MOST - e->n;
	if (c->lost)
		return c;
	c->received = malloc((e->n + 1) * sizeof *c->received);
	c->suppress = malloc(((size_t)suppress->left + 1) * sizeof *c->suppress);
	if (!c->received || !c->suppress) {
		early_cut_free(c);
		return NULL;
	}
	take_received(c, e, waiting, nwaiting);
	take_suppress(c, suppress);
	return c;
}

void early_cut_free(struct early_cut *c)
{
	if (!c)
		return;
	free(c->received);
	free(c->suppress);
	free(c);
}

/* ---- the line's orphans ---- */

/* Of a sorted list. */
struct part {
	const struct early_sum *v;
	size_t n;
};

static int order(const struct early_sum *s, const struct orphan_range *r)
{
	struct orphan_range key = {.peer = s->peer, .context = s->context, .tag = s->tag};

	return orphans_order(&key, r);
}

/* Those of this envelope; *rest goes on behind them. */
static struct part part_of(struct part *rest, const struct orphan_range *r)
{
	struct part is;

	while (rest->n && order(rest->v, r) < 0) {
		rest->v++;
		rest->n--;
	}
	is = (struct part){.v = rest->v};
	while (rest->n && order(rest->v, r) == 0) {
		rest->v++;
		rest->n--;
		is.n++;
	}
	return is;
}

static bool add(struct orphans *o, const struct early_sum *v, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = orphans_add_sum(o, &v[i].sum);
	return ok;
}

/* All that was received is orphan; of the orphans to suppress those are that come last. */
bool early_cut_sums(const struct early_cut *c, struct orphans *o)
{
	struct part received = {c->received, c->nreceived}, suppress = {c->suppress, c->nsuppress};
	size_t used = 0;

	for (size_t i = 0, end; i < o->n; i = end) {
		struct part mine = part_of(&received, &o->v[i]),
			    owed = part_of(&suppress, &o->v[i]);
		uint64_t n = 0;

		for (end = i; end < o->n && orphans_order(&o->v[end], &o->v[i]) == 0; end++)
			n += o->v[end].count;
		if (n < mine.n || n - mine.n > owed.n)
			return false;
		n -= mine.n;
		if (!add(o, mine.v, mine.n) || !add(o, owed.v + (owed.n - (size_t)n), (size_t)n))
			return false;
		used += mine.n;
	}
	return used == c->nreceived;
}
