/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/tagging.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "coord/message_sort.h"

int tagging_init(struct tagging *t, int size)
{
	*t = (struct tagging){.size = size};
	t->arrived = calloc((size_t)size, sizeof *t->arrived);
	return t->arrived ? 0 : FT_ENOMEM;
}

void tagging_free(struct tagging *t)
{
	free(t->arrived);
	free(t->early);
	*t = (struct tagging){0};
}

void tagging_clear(struct tagging *t)
{
	memset(t->arrived, 0, (size_t)t->size * sizeof *t->arrived);
	t->n = 0;
}

bool tagging_early(struct tagging *t, const struct coord_message *m)
{
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 16;
		struct coord_message *early = realloc(t->early, room * sizeof *early);

		if (!early)
			return false;
		t->early = early;
		t->room = room;
	}
	t->early[t->n++] = *m;
	return true;
}

/* ---- the cut ---- */

static bool same_message(const struct coord_message *a, const struct coord_message *b)
{
	return a->peer == b->peer && a->context == b->context && a->tag == b->tag &&
	       a->index == b->index;
}

static bool same_envelope(const struct coord_message *a, const struct coord_message *b)
{
	return a->peer == b->peer && a->context == b->context && a->tag == b->tag;
}

/* Early messages are numbered by envelope from 1: those are what the peer sent after the line. One
 * that was received is an orphan. Both lists are sorted. */
static bool early_orphans(struct tag_cut *c, const struct tagging *t,
	const struct coord_message *waiting, size_t nwaiting)
{
	uint64_t number = 0;
	size_t w = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct coord_message *m = &t->early[i];
		struct orphan_range r = {.peer = (uint32_t)m->peer,
			.context = m->context,
			.tag = m->tag,
			.count = 1};

		number = i && same_envelope(m, m - 1) ? number + 1 : 1;
		while (w < nwaiting && message_order(&waiting[w], m) < 0)
			w++;
		r.first = number;
		if (w < nwaiting && same_message(&waiting[w], m))
			continue;
		c->torn |= coord_is_uncut(m->context);
		if (!orphans_add(&c->orphans, &r))
			return false;
	}
	return true;
}

static void note_torn(struct tag_cut *c, const struct coord_message *waiting, size_t nwaiting)
{
	for (size_t i = 0; i < nwaiting; i++)
		c->torn |= coord_is_uncut(waiting[i].context) && waiting[i].stamp <= c->line;
}

static uint64_t early_of(const struct tagging *t, const struct orphan_range *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += (uint32_t)t->early[i].peer == r->peer && t->early[i].context == r->context &&
		     t->early[i].tag == r->tag;
	return n;
}

/* Early ones have come: those that are still to come are numbered behind them. */
static bool take_suppress(
	struct tag_cut *c, const struct tagging *t, const struct suppress *suppress)
{
	c->suppress = malloc((suppress->n + 1) * sizeof *c->suppress);
	for (size_t i = 0; c->suppress && suppress->left && i < suppress->n; i++) {
		struct orphan_range r = suppress_range_left(&suppress->v[i]);

		if (!r.count)
			continue;
		r.first += early_of(t, &r);
		c->suppress[c->nsuppress++] = (struct tag_suppress){.range = r};
	}
	return c->suppress != NULL;
}

static void count_missing(struct tag_cut *c, const struct tagging *t)
{
	for (int p = 0; p < c->size; p++)
		c->missing[p] = 0 - t->arrived[p];
	for (size_t i = 0; i < t->n; i++)
		c->missing[t->early[i].peer]++;
}

/* For this line and those after it: what was sent in this interval or before is early no more. */
static void prune(struct tagging *t, uint32_t line)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->early[i].stamp > line)
			t->early[n++] = t->early[i];
	t->n = n;
	message_sort(t->early, t->n, sizeof *t->early);
}

struct tag_cut *tag_cut_new(struct tagging *t, uint32_t line, const struct coord_message *waiting,
	size_t nwaiting, const struct suppress *suppress)
{
	struct tag_cut *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->line = line;
	c->size = t->size;
	c->missing = calloc((size_t)t->size, sizeof *c->missing);
	c->closed = calloc((size_t)t->size, sizeof *c->closed);
	prune(t, line);
	if (c->missing && c->closed && early_orphans(c, t, waiting, nwaiting) &&
		take_suppress(c, t, suppress)) {
		count_missing(c, t);
		note_torn(c, waiting, nwaiting);
		return c;
	}
	tag_cut_free(c);
	return NULL;
}

void tag_cut_free(struct tag_cut *c)
{
	if (!c)
		return;
	free(c->missing);
	free(c->closed);
	orphans_free(&c->orphans);
	free(c->suppress);
	free(c);
}

void tag_cut_close(struct tag_cut *c, int peer, uint64_t sent)
{
	c->closed[peer] = true;
	c->missing[peer] += sent;
	c->left += c->missing[peer];
}

void tag_cut_arrived(struct tag_cut *c, const struct coord_message *m)
{
	struct orphan_range key = {.peer = (uint32_t)m->peer, .context = m->context, .tag = m->tag};

	if (m->stamp > c->line)
		return;
	c->torn |= coord_is_uncut(m->context);
	c->missing[m->peer]--;
	c->left -= c->closed[m->peer];
	for (size_t i = 0; i < c->nsuppress; i++)
		if (orphans_order(&c->suppress[i].range, &key) == 0)
			c->suppress[i].sent++;
}

bool tag_cut_orphans(const struct tag_cut *c, struct orphans *o)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->orphans.n; i++)
		ok = orphans_add(o, &c->orphans.v[i]);
	for (size_t i = 0; ok && i < c->nsuppress; i++) {
		struct suppress_range d = {
			.range = c->suppress[i].range, .come = c->suppress[i].sent};
		struct orphan_range r = suppress_range_left(&d);

		ok = orphans_add(o, &r);
	}
	orphans_sort(o);
	return ok;
}
