/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronous sends of the simulated programs, which end at moments that the program does not
 * determine, and all that are open as a checkpoint of data is made: the program that goes on from
 * that has them no more. */
#include "msglog_sim.h"

static struct sync *sync_at(struct memory *m, int slot)
{
	for (int i = 0; i < m->nsyncs; i++)
		if (m->syncs[i].slot == slot)
			return &m->syncs[i];
	return NULL;
}

static void forget(struct memory *m, struct sync *s)
{
	*s = m->syncs[--m->nsyncs];
}

void sync_begin(struct world *w, int p, const struct op *op)
{
	struct memory *m = &w->ranks[p].memory;
	uint64_t number = program_send(w, p, op);

	if (m->nsyncs == SYNCS)
		world_fails(w, "too many synchronous sends");
	m->syncs[m->nsyncs++] = (struct sync){.slot = op->slot, .peer = op->peer, .number = number};
}

void sync_look(struct world *w, int p)
{
	struct memory *m = &w->ranks[p].memory;

	for (int i = 0; i < m->nsyncs; i++)
		m->syncs[i].over |= outcomes_send_over(
			&w->ranks[p].log.outcomes, (uint32_t)m->syncs[i].peer, m->syncs[i].number);
}

void sync_end_all(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	for (int i = 0; i < r->memory.nsyncs; i++) {
		struct sync *s = &r->memory.syncs[i];
		struct outcome over = {OUTCOME_SEND_OVER, (uint32_t)s->peer, s->number, 0};

		if (!s->over && w->without != RULE_SEND_OVER && !msglog_outcome(&r->log, &over))
			world_fails(w, "no memory");
		s->over = true;
		w->stats.ended++;
	}
}

void sync_ask(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct sync *s = sync_at(m, op->slot);
	bool yes = told ? told->kind == OUTCOME_YES : rng_chance(&w->rng, 500);

	if (!s || s->over) {
		m->at++;
		return;
	}
	program_must_be(w, p, told, 1U << OUTCOME_YES | 1U << OUTCOME_NO);
	program_choose(w, p, told, &(struct outcome){.kind = yes ? OUTCOME_YES : OUTCOME_NO});
	m->hash = content_mix(m->hash, yes ? 13 : 14);
	m->at += yes ? 2 : 1;
	if (yes)
		forget(m, s);
}

void sync_wait(struct world *w, int p, const struct op *op)
{
	struct memory *m = &w->ranks[p].memory;
	struct sync *s = sync_at(m, op->slot);

	if (s && !s->over && rng_chance(&w->rng, 700))
		return;
	if (s)
		forget(m, s);
	m->at++;
}
