/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/cut.h"

#include <stdlib.h>
#include <string.h>

#include "coord/message_sort.h"

/* ---- one envelope ---- */

/* Above all others. */
#define NO_ENTRY UINT32_MAX

static uint32_t entry_of(const struct cut_peer *cp, uint64_t context, int32_t tag)
{
	const struct envelope_slot *e = envelope_counters_last(cp->seen, context, tag);

	if (!e)
		e = envelope_counters_find(cp->seen, context, tag);
	return e ? (uint32_t)(e - cp->seen->slots) : NO_ENTRY;
}

static uint64_t a_of(const struct cut_peer *cp, uint32_t entry)
{
	return entry < cp->na ? cp->a[entry] : 0;
}

static uint64_t s_of(const struct cut_peer *cp, uint32_t entry)
{
	return entry < cp->ns ? cp->s[entry] : 0;
}

/* The first in the list that is not before it. */
static size_t lower_waiting(const struct cut *c, const struct coord_message *key)
{
	size_t from = 0, to = c->nwaiting;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (message_order(&c->waiting[mid], key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static size_t lower_suppress(const struct cut *c, const struct orphan_range *key)
{
	size_t from = 0, to = c->nsuppress;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (orphans_order(&c->suppress[mid], key) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool waits(const struct cut *c, const struct coord_message *m)
{
	size_t at = lower_waiting(c, m);

	return at < c->nwaiting && message_order(&c->waiting[at], m) == 0;
}

/* Messages of one envelope that waited, and its orphans to suppress. */
struct span {
	const struct coord_message *waiting;
	const struct orphan_range *suppress;
	size_t nwaiting, nsuppress;
};

static struct span span_of(const struct cut *c, int peer, const struct envelope_slot *e)
{
	struct coord_message m = {.peer = peer, .context = e->context, .tag = e->tag};
	struct orphan_range r = {.peer = (uint32_t)peer, .context = e->context, .tag = e->tag};
	size_t w = lower_waiting(c, &m), d = lower_suppress(c, &r);
	struct span span = {.waiting = c->waiting + w, .suppress = c->suppress + d};

	m.index = UINT64_MAX;
	while (w + span.nwaiting < c->nwaiting &&
		message_order(&span.waiting[span.nwaiting], &m) <= 0)
		span.nwaiting++;
	while (d + span.nsuppress < c->nsuppress &&
		orphans_order(&span.suppress[span.nsuppress], &r) == 0)
		span.nsuppress++;
	return span;
}

/* ---- making it ---- */

static bool copy_a(struct cut_peer *cp)
{
	const struct envelope_slot *slots = cp->seen->slots;
	uint32_t n = cp->seen->n;

	if (!n)
		return true;
	cp->a = malloc(n * sizeof *cp->a);
	if (!cp->a)
		return false;
	for (uint32_t i = 0; i < n; i++)
		cp->a[i] = slots[i].a;
	cp->na = n;
	return true;
}

/* They are numbered behind what has come. */
static void copy_suppress(struct cut *c, const struct suppress *d)
{
	for (size_t i = 0; d->left && i < d->n; i++) {
		struct orphan_range r = suppress_range_left(&d->v[i]);
		const struct cut_peer *cp = &c->peers[r.peer];

		if (!r.count)
			continue;
		r.first += a_of(cp, entry_of(cp, r.context, r.tag));
		c->suppress[c->nsuppress++] = r;
	}
}

struct cut *cut_new(const struct cut_state *s)
{
	struct cut *c = calloc(1, sizeof *c);
	bool ok;

	if (!c)
		return NULL;
	c->size = s->size;
	c->peers = calloc((size_t)s->size, sizeof *c->peers);
	c->waiting = malloc((s->nwaiting + 1) * sizeof *c->waiting);
	c->suppress = malloc((s->suppress->n + 1) * sizeof *c->suppress);
	ok = c->peers && c->waiting && c->suppress;
	for (int p = 0; ok && p < s->size; p++) {
		c->peers[p].seen = s->arrived[p];
		ok = copy_a(&c->peers[p]);
	}
	if (!ok) {
		cut_free(c);
		return NULL;
	}
	if (s->nwaiting)
		memcpy(c->waiting, s->waiting, s->nwaiting * sizeof *c->waiting);
	c->nwaiting = s->nwaiting;
	copy_suppress(c, s->suppress);
	return c;
}

void cut_free(struct cut *c)
{
	if (!c)
		return;
	for (int p = 0; c->peers && p < c->size; p++) {
		free(c->peers[p].a);
		free(c->peers[p].s);
	}
	free(c->peers);
	free(c->waiting);
	free(c->suppress);
	free(c);
}

/* ---- asking it ---- */

enum coord_fate cut_fate(const struct cut *c, const struct coord_message *m)
{
	const struct cut_peer *cp = &c->peers[m->peer];
	uint32_t entry = entry_of(cp, m->context, m->tag);

	if (m->index <= a_of(cp, entry) && !waits(c, m))
		return COORD_OUT;
	if (!cp->closed)
		return COORD_OPEN;
	return m->index <= s_of(cp, entry) ? COORD_IN : COORD_OUT;
}

void cut_arrived(struct cut *c, const struct coord_message *m)
{
	struct cut_peer *cp = &c->peers[m->peer];

	if (!cp->closed || !cp->missing)
		return;
	if (m->index > s_of(cp, entry_of(cp, m->context, m->tag)))
		return;
	cp->missing--;
	c->missing--;
}

/* ---- closing it ---- */

/* Is anything of this envelope in transit, or orphan? What came after its sender's checkpoint and
 * was not received is neither. */
static bool crosses(const struct cut *c, int peer, uint32_t entry)
{
	const struct cut_peer *cp = &c->peers[peer];
	struct span span = span_of(c, peer, &cp->seen->slots[entry]);
	uint64_t later = 0;

	for (size_t i = 0; i < span.nwaiting; i++) {
		if (span.waiting[i].index <= s_of(cp, entry))
			return true;
		later++;
	}
	return a_of(cp, entry) - later != s_of(cp, entry) || span.nsuppress;
}

bool cut_close(struct cut *c, int peer)
{
	struct cut_peer *cp = &c->peers[peer];
	const struct envelope_slot *slots = cp->seen->slots;
	uint32_t n = cp->seen->n;

	cp->s = malloc((n + 1) * sizeof *cp->s);
	if (!cp->s)
		return false;
	cp->ns = n;
	for (uint32_t i = 0; i < n; i++) {
		cp->s[i] = slots[i].s;
		cp->missing += slots[i].s > slots[i].a ? slots[i].s - slots[i].a : 0;
		if (coord_is_uncut(slots[i].context) && crosses(c, peer, i))
			c->torn = true;
	}
	cp->closed = true;
	c->missing += cp->missing;
	return true;
}

/* ---- orphans ---- */

/* Received are s + 1 ... a without those that waited; orphans to suppress lie above a. */
static bool orphans_of(const struct cut *c, int peer, uint32_t entry, struct orphans *o)
{
	const struct cut_peer *cp = &c->peers[peer];
	const struct envelope_slot *e = &cp->seen->slots[entry];
	struct span span = span_of(c, peer, e);
	struct orphan_range r = {.peer = (uint32_t)peer, .context = e->context, .tag = e->tag};
	uint64_t a = a_of(cp, entry), s = s_of(cp, entry), next = s + 1;
	bool ok = true;

	for (size_t i = 0; i < span.nwaiting; i++) {
		uint64_t index = span.waiting[i].index;

		if (index < next)
			continue;
		r.first = next - s;
		r.count = index - next;
		ok = ok && orphans_add(o, &r);
		next = index + 1;
	}
	r.first = next - s;
	r.count = a >= next ? a + 1 - next : 0;
	ok = ok && orphans_add(o, &r);
	for (size_t i = 0; ok && i < span.nsuppress; i++) {
		const struct orphan_range *d = &span.suppress[i];
		uint64_t end = d->first + d->count, from = d->first > s ? d->first : s + 1;

		r.first = from - s;
		r.count = end > from ? end - from : 0;
		ok = orphans_add(o, &r);
	}
	return ok;
}

/* Hardly an envelope has any. */
bool cut_orphans(const struct cut *c, struct orphans *o)
{
	for (int p = 0; p < c->size; p++) {
		const struct cut_peer *cp = &c->peers[p];

		for (uint32_t i = 0; i < cp->na || i < cp->ns; i++)
			if ((a_of(cp, i) > s_of(cp, i) || c->nsuppress) && !orphans_of(c, p, i, o))
				return false;
	}
	orphans_sort(o);
	return true;
}
