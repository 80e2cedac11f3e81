/* SPDX-License-Identifier: BSD-3-Clause */
/* A message of the program arrives: it is counted, and perhaps it is one that came before. */
#include "coord/lines.h"

/* Entries for one peer, from which on those that nobody needs are looked for; simulations set less.
 */
#ifndef COORD_FORGET_LEAST
#define COORD_FORGET_LEAST 64
#endif

struct envelope_slot *coord_seen_entry(struct coord *c, int peer, uint64_t context, int32_t tag)
{
	struct coord_peer *p = &c->peers[peer];
	struct envelope_slot *e = envelope_counters_again(&p->seen, context, tag);

	if (e)
		return e;
	if (p->seen.n >= p->forget_at)
		step_list(c);
	e = envelope_counters_get(&p->seen, context, tag);
	if (!e)
		environment_no_memory(c);
	return e;
}

/* Entries that nobody needs are forgotten, if no line is being made. */
void coord_listed(struct coord *c, const struct coord_undelivered *u)
{
	c->lines->listing = false;
	if (c->lines->list || u->incomplete || !coord_logs(c))
		return;
	reports_forget(c, u);
	for (int q = 0; q < c->size; q++) {
		struct coord_peer *p = &c->peers[q];

		p->forget_at =
			2 * p->seen.n > COORD_FORGET_LEAST ? 2 * p->seen.n : COORD_FORGET_LEAST;
	}
}

/* *m gets its index. Tagging alone has one count for all envelopes: above what eventlog gave while
 * a choice was still to come. */
static inline void arrives(struct coord *c, struct coord_message *m)
{
	m->index = c->arrived + c->lines->injected;
	if (coord_logs(c)) {
		struct envelope_slot *e =
			envelope_counters_last(&c->peers[m->peer].seen, m->context, m->tag);

		if (!e)
			e = coord_seen_entry(c, m->peer, m->context, m->tag);
		m->index = ++e->a;
	}
	if (coord_tags(c) && !tagging_arrived(&c->lines->tagging, c->line, m))
		environment_no_memory(c);
	if (c->making)
		lines_arrived(c, m);
}

uint64_t coord_arrived_busy(
	struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp)
{
	struct coord_message m = {.peer = peer, .context = context, .tag = tag, .stamp = stamp};

	arrives(c, &m);
	return m.index;
}

bool coord_discards_orphan(struct coord *c, int peer, uint64_t context, int32_t tag, uint32_t stamp)
{
	struct coord_message m = {.peer = peer, .context = context, .tag = tag, .stamp = stamp};

	if (!suppress_arrived(&c->suppress, peer, context, tag))
		return false;
	c->arrived++;
	c->comparing++;
	if (coord_logs(c) || coord_tags(c))
		arrives(c, &m);
	if (coord_is_early(c, stamp)) /* orphan to lines to come, too */
		coord_received(c, &m, &c->suppress.latest);
	return true;
}
