/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/cut.h"

#include <stdlib.h>

/* ---- making it ---- */

int cut_order(const struct coord_message *a, const struct coord_message *b)
{
	int order;

	if (a->peer != b->peer)
		return a->peer < b->peer ? -1 : 1;
	order = envelope_counters_order(a->context, a->tag, b->context, b->tag);
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static int by_message(const void *a, const void *b)
{
	return cut_order(a, b);
}

void cut_sort(struct coord_message *m, size_t n)
{
	if (n)
		qsort(m, n, sizeof *m, by_message);
}

/* The messages of this envelope: *at goes forward through the sorted list. */
static struct cut_span span_waiting(
	struct cut *c, const struct cut_state *s, size_t *at, int peer, const struct cut_env *e)
{
	struct coord_message key = {.peer = peer, .context = e->context, .tag = e->tag};
	struct cut_span span;

	while (*at < s->nwaiting && cut_order(&s->waiting[*at], &key) < 0)
		++*at;
	span.at = *at;
	key.index = UINT64_MAX;
	for (; *at < s->nwaiting && cut_order(&s->waiting[*at], &key) <= 0; ++*at)
		c->waiting[*at] = s->waiting[*at].index;
	span.n = *at - span.at;
	return span;
}

static struct cut_span span_suppress(
	struct cut *c, const struct cut_state *s, size_t *at, int peer, const struct cut_env *e)
{
	struct cut_span span = {.at = *at};
	size_t n;
	const struct suppress_range *d = suppress_of(s->suppress, peer, e->context, e->tag, &n);

	for (size_t i = 0; s->suppress->left && i < n; i++) {
		struct orphan_range r = suppress_range_left(&d[i]);

		if (!r.count)
			continue;
		r.first += e->a;
		c->suppress[(*at)++] = r;
	}
	span.n = *at - span.at;
	return span;
}

static bool cut_peer(
	struct cut *c, const struct cut_state *s, int p, size_t *waiting, size_t *suppress)
{
	const struct envelope_counters *log = s->arrived[p];
	struct cut_peer *cp = &c->peers[p];
	struct envelope_slot *all;

	if (!log->n)
		return true;
	all = envelope_counters_sorted(log);
	cp->env = malloc(log->n * sizeof *cp->env);
	for (uint32_t i = 0; all && cp->env && i < log->n; i++) {
		struct cut_env *e = &cp->env[cp->n++];

		*e = (struct cut_env){.context = all[i].context, .tag = all[i].tag, .a = all[i].a};
		e->waiting = span_waiting(c, s, waiting, p, e);
		e->suppress = span_suppress(c, s, suppress, p, e);
	}
	free(all);
	return cp->n == log->n;
}

struct cut *cut_new(const struct cut_state *s)
{
	struct cut *c = calloc(1, sizeof *c);
	size_t waiting = 0, suppress = 0;
	bool ok;

	if (!c)
		return NULL;
	c->size = s->size;
	c->peers = calloc((size_t)s->size, sizeof *c->peers);
	c->waiting = malloc((s->nwaiting + 1) * sizeof *c->waiting);
	c->suppress = malloc((s->suppress->n + 1) * sizeof *c->suppress);
	ok = c->peers && c->waiting && c->suppress;
	for (int p = 0; ok && p < s->size; p++)
		ok = cut_peer(c, s, p, &waiting, &suppress);
	if (ok)
		return c;
	cut_free(c);
	return NULL;
}

void cut_free(struct cut *c)
{
	if (!c)
		return;
	for (int p = 0; c->peers && p < c->size; p++)
		free(c->peers[p].env);
	free(c->peers);
	free(c->waiting);
	free(c->suppress);
	free(c);
}

/* ---- asking it ---- */

static struct cut_env *find(const struct cut_peer *cp, uint64_t context, int32_t tag)
{
	size_t from = 0, to = cp->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		struct cut_env *e = &cp->env[mid];
		int order = envelope_counters_order(e->context, e->tag, context, tag);

		if (order == 0)
			return e;
		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

static bool waits(const struct cut *c, const struct cut_env *e, uint64_t index)
{
	size_t from = e->waiting.at, to = from + e->waiting.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c->waiting[mid] == index)
			return true;
		if (c->waiting[mid] < index)
			from = mid + 1;
		else
			to = mid;
	}
	return false;
}

enum coord_fate cut_fate(const struct cut *c, const struct coord_message *m)
{
	const struct cut_peer *cp = &c->peers[m->peer];
	const struct cut_env *e = find(cp, m->context, m->tag);

	if (e && m->index <= e->a && !waits(c, e, m->index))
		return COORD_OUT;
	if (!cp->closed)
		return COORD_OPEN;
	return e && m->index <= e->s ? COORD_IN : COORD_OUT;
}

void cut_arrived(struct cut *c, const struct coord_message *m)
{
	struct cut_peer *cp = &c->peers[m->peer];
	const struct cut_env *e;

	if (!cp->closed || !cp->missing)
		return;
	e = find(cp, m->context, m->tag);
	if (!e || m->index > e->s)
		return;
	cp->missing--;
	c->missing--;
}

/* ---- closing it ---- */

/* Is anything of this envelope in transit, or orphan? What came after its sender's checkpoint and
 * was not received is neither. */
static bool crosses(const struct cut *c, const struct cut_env *e)
{
	uint64_t later = 0;

	for (size_t i = 0; i < e->waiting.n; i++) {
		if (c->waiting[e->waiting.at + i] <= e->s)
			return true;
		later++;
	}
	return e->a - later != e->s || e->suppress.n;
}

bool cut_close(struct cut *c, int peer, const struct envelope_counters *arrived)
{
	struct cut_peer *cp = &c->peers[peer];
	struct envelope_slot *all = envelope_counters_sorted(arrived);
	struct cut_env *env = malloc((arrived->n + 1) * sizeof *env);

	if (!all || !env) {
		free(all);
		free(env);
		return false;
	}
	for (uint32_t i = 0; i < arrived->n; i++) {
		const struct cut_env *was = find(cp, all[i].context, all[i].tag);

		env[i] =
			was ? *was : (struct cut_env){.context = all[i].context, .tag = all[i].tag};
		env[i].s = all[i].s;
		if (coord_is_uncut(env[i].context) && crosses(c, &env[i]))
			c->torn = true;
		if (all[i].s > all[i].a)
			cp->missing += all[i].s - all[i].a;
	}
	free(all);
	free(cp->env);
	cp->env = env;
	cp->n = arrived->n;
	cp->closed = true;
	c->missing += cp->missing;
	return true;
}

/* Received are s + 1 ... a without those that waited; orphans to suppress lie above a. */
static bool orphans_of(
	const struct cut *c, const struct cut_env *e, struct orphan_range r, struct orphans *o)
{
	uint64_t next = e->s + 1;
	bool ok = true;

	for (size_t i = 0; i < e->waiting.n; i++) {
		uint64_t index = c->waiting[e->waiting.at + i];

		if (index < next)
			continue;
		r.first = next - e->s;
		r.count = index - next;
		ok = ok && orphans_add(o, &r);
		next = index + 1;
	}
	r.first = next - e->s;
	r.count = e->a >= next ? e->a + 1 - next : 0;
	ok = ok && orphans_add(o, &r);
	for (size_t i = 0; ok && i < e->suppress.n; i++) {
		const struct orphan_range *d = &c->suppress[e->suppress.at + i];
		uint64_t end = d->first + d->count, from = d->first > e->s ? d->first : e->s + 1;

		r.first = from - e->s;
		r.count = end > from ? end - from : 0;
		ok = orphans_add(o, &r);
	}
	return ok;
}

bool cut_orphans(const struct cut *c, struct orphans *o)
{
	for (int p = 0; p < c->size; p++)
		for (uint32_t i = 0; i < c->peers[p].n; i++) {
			const struct cut_env *e = &c->peers[p].env[i];
			struct orphan_range r = {
				.peer = (uint32_t)p, .context = e->context, .tag = e->tag};

			if (!orphans_of(c, e, r, o))
				return false;
		}
	return true;
}
