/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives and messages of a simulated rank: each message meets the receive that was posted first,
 * among those that it fits; each receive the message that came first. */
#include <string.h>

#include "msglog_sim.h"

/* In a replay a receive of before gets what it got, and nothing else. */
static bool may_meet(struct world *w, int p, const struct receive *r, const struct message *m)
{
	const struct expected_receives *e = &w->ranks[p].log.outcomes.expected;
	enum receive_fate fate;
	uint64_t message;
	uint32_t peer;

	if (r->matched || r->round != m->round || (r->from != ANY && r->from != m->from))
		return false;
	fate = expected_receives_fate(e, r->number, &peer, &message);
	if (fate == FATE_MESSAGE && w->without != RULE_FREE)
		return (int)peer == m->from && message == m->number;
	if (fate == FATE_CANCELLED)
		return w->without == RULE_CANCELLED;
	return true;
}

/* Messages of a pair with the same tag meet receives in their order. */
static void check_order(struct world *w, int p, const struct message *m)
{
	const struct memory *all = &w->ranks[p].memory;

	for (int i = 0; i < all->n; i++)
		if (all->queue[i].from == m->from && all->queue[i].round == m->round &&
			all->queue[i].number < m->number)
			world_fails(w, "rank %d: message %d of rank %d overtakes %d", p,
				(int)m->number, m->from, (int)all->queue[i].number);
}

static void meet(struct world *w, int p, struct receive *r, const struct message *m)
{
	struct outcomes *o = &w->ranks[p].log.outcomes;
	size_t left = o->expected.left;

	check_order(w, p, m);
	r->matched = true;
	r->message = *m;
	if (r->from != ANY)
		return;
	if (!outcomes_match(o, r->number, (uint32_t)m->from, m->number))
		world_fails(w, "rank %d: receive %d was to get another message", p, (int)r->number);
	w->stats.bound += o->expected.left < left;
}

void match_arrived(struct world *w, int p, const struct message *m)
{
	struct memory *to = &w->ranks[p].memory;
	struct message begun = *m;

	begun.whole = false;
	begun.content = 0;
	for (int i = 0; i < to->nposted; i++)
		if (may_meet(w, p, &to->posted[i], &begun)) {
			meet(w, p, &to->posted[i], &begun);
			return;
		}
	if (to->n == QUEUE)
		world_fails(w, "too many messages");
	to->queue[to->n++] = begun;
}

static void post(struct world *w, int p, const struct op *op, uint64_t number)
{
	struct memory *m = &w->ranks[p].memory;
	struct receive *r = &m->posted[m->nposted++];
	uint64_t message;
	uint32_t peer;

	if (m->nposted > POSTED)
		world_fails(w, "too many receives");
	*r = (struct receive){
		.slot = op->slot, .from = op->peer, .round = op->round, .number = number};
	for (int i = 0; i < m->n; i++)
		if (may_meet(w, p, r, &m->queue[i])) {
			meet(w, p, r, &m->queue[i]);
			m->n--;
			memmove(&m->queue[i], &m->queue[i + 1],
				(size_t)(m->n - i) * sizeof m->queue[i]);
			return;
		}
	if (number &&
		expected_receives_fate(&w->ranks[p].log.outcomes.expected, number, &peer,
			&message) == FATE_MESSAGE &&
		match_has_begun(w, p, (int)peer, message))
		world_fails(w, "rank %d: what receive %d got is gone", p, (int)number);
}

void match_post(struct world *w, int p, const struct op *op)
{
	post(w, p, op, outcomes_post(&w->ranks[p].log.outcomes));
}

void match_post_own(struct world *w, int p, const struct op *op)
{
	post(w, p, op, 0);
}

bool match_is_done(const struct receive *r)
{
	return r->matched && r->message.whole;
}

struct receive *match_receive(struct world *w, int p, int slot)
{
	struct memory *m = &w->ranks[p].memory;

	for (int i = 0; i < m->nposted; i++)
		if (m->posted[i].slot == slot)
			return &m->posted[i];
	world_fails(w, "rank %d: receive %d is not posted", p, slot);
}

void match_forget(struct memory *m, struct receive *r)
{
	m->nposted--;
	memmove(r, r + 1, (size_t)(m->posted + m->nposted - r) * sizeof *r);
}

static bool is_open(const struct message *m, int from, uint64_t number)
{
	return m->from == from && m->number == number && !m->whole;
}

struct message *match_open(struct memory *m, int from, uint64_t number)
{
	for (int i = 0; i < m->n; i++)
		if (is_open(&m->queue[i], from, number))
			return &m->queue[i];
	for (int i = 0; i < m->nposted; i++)
		if (m->posted[i].matched && is_open(&m->posted[i].message, from, number))
			return &m->posted[i].message;
	return NULL;
}

bool match_has_begun(const struct world *w, int p, int from, uint64_t number)
{
	const struct arrival_order *a = &w->ranks[p].log.pairs[from].arrived;

	return number <= a->begun && !number_list_has(&a->skipped, number);
}

const struct message *match_waiting(const struct memory *m, int from, int round, uint64_t number)
{
	for (int i = 0; i < m->n; i++) {
		const struct message *f = &m->queue[i];

		if (f->round == round && (from == ANY || f->from == from) &&
			(!number || f->number == number))
			return f;
	}
	return NULL;
}
