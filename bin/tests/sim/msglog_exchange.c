/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of the simulated programs: what nonblocking collective operations do to the order of
 * messages. They go on at any moment, as a library's progress does. */
#include <stdlib.h>
#include <string.h>

#include "msglog_sim.h"

static int slot_of(int exchange, int stage)
{
	return OPS + exchange * STAGES + stage;
}

static struct exchange *exchange_at(struct world *w, int p, int slot)
{
	struct memory *m = &w->ranks[p].memory;

	for (int i = 0; i < m->nexchanges; i++)
		if (m->exchanges[i].slot == slot)
			return &m->exchanges[i];
	world_fails(w, "rank %d: exchange %d has not begun", p, slot);
}

void exchange_begin(struct world *w, int p, const struct op *op)
{
	struct rank *r = &w->ranks[p];
	struct memory *m = &r->memory;
	struct exchange *e = &m->exchanges[m->nexchanges++];

	if (m->nexchanges > EXCHANGES)
		world_fails(w, "too many exchanges");
	*e = (struct exchange){.slot = op->slot,
		.peer = op->peer,
		.round = ROUNDS + 1 + op->slot,
		.hash = m->hash};
	if (w->without != RULE_RESERVED)
		e->first = msglog_reserve(&r->log, op->peer, STAGES);
	if (!e->first && w->without != RULE_RESERVED)
		world_fails(w, "no memory");
	for (int stage = 0; stage < STAGES; stage++)
		match_post_own(w, p,
			&(struct op){.slot = slot_of(op->slot, stage),
				.peer = op->peer,
				.round = e->round});
}

static bool may_send(struct world *w, int p, const struct exchange *e)
{
	return e->sent < STAGES &&
	       (e->sent == 0 || match_is_done(match_receive(w, p, slot_of(e->slot, e->sent - 1))));
}

static void send_next(struct world *w, int p, struct exchange *e)
{
	struct rank *r = &w->ranks[p];
	uint64_t content = content_mix(content_mix(e->hash, (uint64_t)p), (uint64_t)e->slot),
		 number;
	struct logged_envelope envelope = {.tag = e->round};
	struct logged_message *m =
		sender_log_message(&r->log.pairs[e->peer].log, &envelope, sizeof content);
	bool leaves;

	if (!m)
		world_fails(w, "no memory");
	if (e->sent)
		content = content_mix(content,
			match_receive(w, p, slot_of(e->slot, e->sent - 1))->message.content);
	memcpy(m->bytes, &content, sizeof content);
	number = e->first + (uint64_t)e->sent++;
	if (w->without == RULE_RESERVED) {
		number = r->log.pairs[e->peer].sent + 1;
		leaves = msglog_sent(&r->log, e->peer, m);
	} else {
		leaves = msglog_sent_reserved(&r->log, e->peer, number, m);
	}
	w->stats.stages++;
	if (leaves)
		world_leave(w, p, e->peer, m);
	else if (number <= r->log.pairs[e->peer].has)
		world_compare(w, p, e->peer, number, content);
	world_act(w, p);
}

void exchange_goes_on(struct world *w, int p)
{
	struct memory *m = &w->ranks[p].memory;
	int first = m->nexchanges ? (int)rng_below(&w->rng, (unsigned)m->nexchanges) : 0;

	for (int i = 0; i < m->nexchanges; i++) {
		struct exchange *e = &m->exchanges[(first + i) % m->nexchanges];

		if (may_send(w, p, e)) {
			send_next(w, p, e);
			return;
		}
	}
}

bool exchange_is_done(struct world *w, int p, int slot)
{
	const struct exchange *e = exchange_at(w, p, slot);

	for (int stage = 0; stage < STAGES; stage++)
		if (!match_is_done(match_receive(w, p, slot_of(slot, stage))))
			return false;
	return e->sent == STAGES;
}

uint64_t exchange_take(struct world *w, int p, int slot)
{
	struct memory *m = &w->ranks[p].memory;
	struct exchange *e = exchange_at(w, p, slot);
	uint64_t hash = 12;

	for (int stage = 0; stage < STAGES; stage++) {
		struct receive *r = match_receive(w, p, slot_of(slot, stage));

		hash = content_mix(hash, r->message.content);
		match_forget(m, r);
	}
	*e = m->exchanges[--m->nexchanges];
	return hash;
}
