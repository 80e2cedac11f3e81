/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that take checkpoints, fail, and come back; and what happens to them at random. */
#include <stdlib.h>
#include <string.h>

#include "msglog_sim.h"

static void checkpoint_free(struct checkpoint *c)
{
	free(c->bytes);
	c->bytes = NULL;
}

static void saved(struct world *w, int p)
{
	msglog_saved(&w->ranks[p].log, true);
	world_act(w, p);
}

static bool begin_checkpoint(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	if (w->without == RULE_COVER)
		r->log.outcomes.nended = 0;
	if (r->writing.bytes || (w->data && !r->came) || !outcomes_may_cover(&r->log.outcomes))
		return false;
	if (w->data)
		sync_end_all(w, p);
	r->writing.memory = r->memory;
	if (w->data)
		r->writing.memory.nsyncs = 0;
	if (!msglog_save(&r->log, &r->writing.bytes, &r->writing.len))
		world_fails(w, "no memory");
	r->writing.outcomes = outcomes_last(&r->log.outcomes);
	if (!msglog_valid(r->writing.bytes, r->writing.len, p, w->n))
		world_fails(w, "rank %d: what was saved is not valid", p);
	world_act(w, p);
	if (w->without == RULE_EARLY_COVER)
		saved(w, p);
	return true;
}

static bool end_checkpoint(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	if (!r->writing.bytes)
		return false;
	if (rng_chance(&w->rng, w->quiet ? 500 : 200)) {
		checkpoint_free(&r->writing);
		if (w->without != RULE_EARLY_COVER)
			msglog_saved(&r->log, false);
		return true;
	}
	w->stats.checkpoints++;
	checkpoint_free(&r->durable);
	r->durable = r->writing;
	r->writing.bytes = NULL;
	if (w->without != RULE_EARLY_COVER)
		saved(w, p);
	return true;
}

/* ---- a rank fails, and comes back ---- */

void world_kill(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	world_says(w, "rank %d is killed", p);
	w->stats.kills++;
	w->kills--;
	r->up = false;
	links_end(w, p);
	for (unsigned left = rng_below(&w->rng, 3); left && r->logger.nway; left--)
		logger_takes(w, p);
	r->logger.nway = 0;
	checkpoint_free(&r->writing);
	msglog_fini(&r->log);
}

/* What it had got after its checkpoint it has not got now. */
static void forget_seen(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	for (int q = 0; q < w->n; q++) {
		const struct arrival_order *a = &r->log.pairs[q].arrived;

		for (uint64_t i = 1; i < PAIR_MESSAGES; i++)
			if (i > a->begun)
				w->seen[q][p][i] = 0;
		for (size_t i = 0; i < a->open.n; i++)
			w->seen[q][p][a->open.v[i]] = 0;
		for (size_t i = 0; i < a->skipped.n; i++)
			w->seen[q][p][a->skipped.v[i]] = 0;
	}
}

/* Of an image, which has what is saved in its memory. */
static bool restore(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];
	const struct checkpoint *c = &r->durable;

	if (w->data)
		return msglog_load(&r->log, c->bytes, c->len, r->logger.v, r->logger.n);
	if (!msglog_load(&r->log, c->bytes, c->len, NULL, 0))
		return false;
	msglog_take(&r->log);
	return msglog_woke(&r->log, r->logger.v, r->logger.n);
}

static void load(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];
	struct logger *l = &r->logger;
	bool right;

	if (r->durable.bytes) {
		r->memory = r->durable.memory;
		logger_forgets(w, p, r->durable.outcomes);
		right = restore(w, p);
	} else {
		r->memory = (struct memory){.hash = 7};
		right = msglog_load_outcomes(&r->log, l->v, l->n);
	}
	if (!right)
		world_fails(w, "rank %d cannot load its checkpoint", p);
	if (w->without == RULE_LOG_SAVED)
		for (int q = 0; q < w->n; q++)
			sender_log_free(&r->log.pairs[q].log);
	forget_seen(w, p);
}

void world_restart(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	world_says(w, "rank %d comes back", p);
	if (!msglog_init(&r->log, p, w->n))
		world_fails(w, "no memory");
	r->up = true;
	r->came = !w->data;
	if (!w->data || !r->durable.bytes) {
		load(w, p);
		return;
	}
	r->memory = (struct memory){.hash = 7};
	if (!msglog_load_prefix(&r->log, r->durable.bytes, r->durable.len))
		world_fails(w, "rank %d cannot load its prefix", p);
	forget_seen(w, p);
}

void world_restore_point(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	r->came = true;
	if (!r->durable.bytes) {
		if (!msglog_restore_point(&r->log))
			world_fails(w, "no memory");
		return;
	}
	w->stats.prefixes++;
	links_end(w, p);
	load(w, p);
}

/* ---- what happens ---- */

void world_act(struct world *w, int p)
{
	struct msglog *log = &w->ranks[p].log;
	struct msglog_action a;

	while (msglog_next(log, &a))
		switch (a.what) {
		case MSGLOG_TELL:
			logger_told(w, p, &a);
			break;
		case MSGLOG_SEND:
			w->stats.again++;
			world_leave(w, p, a.peer, a.message);
			break;
		case MSGLOG_COVER:
			wire_put(w, &w->wires[p][a.peer],
				&(struct frame){.kind = FRAME_COVER,
					.keep = w->without == RULE_PREFIX_KEPT ? 0 : a.keep,
					.covered = a.number});
			break;
		case MSGLOG_FORGET:
			if (w->without == RULE_EVENTS_GC)
				a.number = w->ranks[p].logger.covered + w->ranks[p].logger.n;
			logger_forgets(w, p, a.number);
			break;
		}
}

static bool move_links(struct world *w, int p)
{
	int q = (int)rng_below(&w->rng, (unsigned)w->n);

	if (q == p || !w->ranks[q].up)
		return false;
	if (!w->linked[p][q]) {
		link_begins(w, p, q);
		return true;
	}
	if (rng_chance(&w->rng, 5)) {
		w->stats.cuts++;
		link_ends(w, p, q);
		return true;
	}
	return wire_move(w, q, p);
}

void world_move(struct world *w, int p)
{
	unsigned what = rng_below(&w->rng, 1000);

	if (what < 100)
		exchange_goes_on(w, p);
	else if (what < 700)
		move_links(w, p);
	else if (what < 900)
		logger_move(w, p);
	else if (what < 940)
		begin_checkpoint(w, p);
	else if (what < 995)
		end_checkpoint(w, p);
	else if (rng_chance(&w->rng, 100) && logger_may_die(w))
		logger_dies(w);
}

void world_begin(struct world *w)
{
	for (int p = 0; p < w->n; p++) {
		struct rank *r = &w->ranks[p];

		if (!msglog_init(&r->log, p, w->n))
			world_fails(w, "no memory");
		r->up = true;
		r->came = !w->data;
		r->memory = (struct memory){.hash = 7};
	}
}

void world_settle(struct world *w)
{
	bool any = true;

	while (any) {
		any = false;
		for (int p = 0; p < w->n; p++) {
			any |= logger_move(w, p);
			for (int q = 0; q < w->n; q++) {
				if (q != p && !w->linked[p][q])
					link_begins(w, p, q);
				while (w->wires[q][p].n || w->contents[q][p].n)
					any |= wire_move(w, q, p);
			}
		}
	}
}

/* Every message was received once. When all have checkpoints of the end, logs hold nothing but what
 * prefixes may need, and the event logger nothing. */
void world_check_end(struct world *w)
{
	for (int p = 0; p < w->n; p++) {
		struct rank *r = &w->ranks[p];

		if (r->memory.n || r->memory.nposted || r->memory.nexchanges || r->memory.nsyncs)
			world_fails(w,
				"rank %d: %d messages met no receive, %d receives, %d exchanges "
				"and %d sends are open",
				p, r->memory.n, r->memory.nposted, r->memory.nexchanges,
				r->memory.nsyncs);
		if (r->log.outcomes.nended)
			world_fails(w, "rank %d: sends that were over did not begin again", p);
		if (!outcomes_is_live(&r->log.outcomes))
			world_fails(w, "rank %d: outcomes of before did not happen", p);
		if (r->writing.bytes) {
			checkpoint_free(&r->writing);
			if (r->log.taking)
				msglog_saved(&r->log, false);
		}
		begin_checkpoint(w, p);
		r->durable.memory = r->writing.memory;
		checkpoint_free(&r->durable);
		r->durable = r->writing;
		r->writing.bytes = NULL;
		if (r->log.taking)
			saved(w, p);
	}
	world_settle(w);
	for (int p = 0; p < w->n; p++) {
		struct rank *r = &w->ranks[p];

		if (r->logger.n && w->without != RULE_EVENTS_GC)
			world_fails(w, "the event logger keeps outcomes of rank %d", p);
		for (int q = 0; q < w->n; q++) {
			const struct msglog_pair *pair = &r->log.pairs[q];
			const struct logged_message *last = pair->log.last;

			if (pair->nreserved)
				world_fails(w, "rank %d keeps numbers for rank %d", p, q);
			if (arrival_order_got(&w->ranks[q].log.pairs[p].arrived) != pair->sent)
				world_fails(w, "rank %d has not all messages of rank %d", q, p);
			if (last && last->number > w->ranks[q].log.prefix.begun[p])
				world_fails(
					w, "the log of rank %d for rank %d is not emptied", p, q);
		}
	}
}

void world_end(struct world *w)
{
	for (int p = 0; p < w->n; p++) {
		struct rank *r = &w->ranks[p];

		if (r->up)
			msglog_fini(&r->log);
		checkpoint_free(&r->durable);
		checkpoint_free(&r->writing);
		free(r->logger.v);
		free(r->logger.way);
	}
}
