/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: in rounds; what is sent for a round is sent no later than the round's beginning.
 */
#include <string.h>

#include "msglog_sim.h"

uint64_t content_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

/* ---- making one ---- */

static void add(struct world *w, int p, struct op op)
{
	if (w->nops[p] == OPS)
		world_fails(w, "the program is too long");
	w->ops[p][w->nops[p]++] = op;
}

/* How many messages each sends to each for a round. */
static void make_counts(struct world *w, int count[RANKS][RANKS])
{
	static const int counts[] = {0, 0, 1, 1, 2};

	for (int p = 0; p < w->n; p++)
		for (int q = 0; q < w->n; q++)
			count[p][q] = p == q ? 0 : counts[rng_below(&w->rng, 5)];
}

/* A receive of a round that is posted and not waited for. */
struct planned {
	int slot, peer;
};

/* What of a round's messages for a rank is spoken for. A receive that names its source is safe when
 * those posted before it cannot get all messages of that. */
struct plan {
	int count[RANKS]; /* messages from each */
	int named[RANKS]; /* receives from each */
	int any;
	struct planned open[POSTED];
	int n;
};

static bool is_safe(const struct plan *r, int peer, int other_named)
{
	return r->any + r->named[peer] - other_named < r->count[peer];
}

static void add_post(struct world *w, int p, struct plan *r, int from, int round, bool wild)
{
	struct op op = {.kind = OP_POST, .peer = from, .slot = w->nops[p], .round = round};

	if ((wild && rng_chance(&w->rng, 700)) || !is_safe(r, from, 0))
		op.peer = ANY;
	if (op.peer == ANY)
		r->any++;
	else
		r->named[from]++;
	r->open[r->n++] = (struct planned){op.slot, op.peer};
	add(w, p, op);
}

static struct planned close_one(struct world *w, struct plan *r)
{
	int at = (int)rng_below(&w->rng, (unsigned)r->n);
	struct planned one = r->open[at];

	r->open[at] = r->open[--r->n];
	return one;
}

/* One that is posted anew comes behind all that were posted meanwhile. */
static void add_completion(struct world *w, int p, struct plan *r, int round)
{
	struct planned one = close_one(w, r);
	struct op op = {.peer = one.peer, .slot = one.slot, .round = round};

	if (!w->quiet && rng_chance(&w->rng, 500) && (one.peer == ANY || is_safe(r, one.peer, 1))) {
		op.kind = OP_CANCEL;
		add(w, p, op);
	}
	if (!w->quiet && r->n && rng_chance(&w->rng, 300)) {
		op.other = close_one(w, r).slot;
		op.kind = OP_EITHER;
		add(w, p, op);
		op.kind = OP_REST;
	} else {
		op.kind = OP_TEST;
		if (!w->quiet && rng_chance(&w->rng, 300))
			add(w, p, op);
		op.kind = OP_WAIT;
	}
	add(w, p, op);
}

static void add_early(struct world *w, int p, const int to[RANKS], int early[RANKS], int round);

/* Messages for the next round are sent meanwhile. */
static void add_receives(struct world *w, int p, const int from[], int n, int round,
	const int to[RANKS], int early[RANKS])
{
	bool wild = !w->quiet && rng_chance(&w->rng, 500);
	struct plan r = {.n = 0};

	for (int i = 0; i < n; i++)
		r.count[from[i]]++;
	for (int i = 0; i < n; i++) {
		if (wild && rng_chance(&w->rng, 300))
			add(w, p, (struct op){.kind = OP_PROBE, .round = round});
		add_post(w, p, &r, from[i], round, wild);
		while (r.n && rng_chance(&w->rng, 250))
			add_completion(w, p, &r, round);
		if (rng_chance(&w->rng, 200))
			add_early(w, p, to, early, round + 1);
	}
	while (r.n)
		add_completion(w, p, &r, round);
}

/* In random order. */
static int receives_of(struct world *w, int p, int count[RANKS][RANKS], int from[])
{
	int n = 0;

	for (int q = 0; q < w->n; q++)
		for (int i = 0; i < count[q][p]; i++)
			from[n++] = q;
	for (int i = n - 1; i > 0; i--) {
		int j = (int)rng_below(&w->rng, (unsigned)i + 1), other = from[i];

		from[i] = from[j];
		from[j] = other;
	}
	return n;
}

/* What a rank has begun and not finished yet. */
struct begun {
	int slot[EXCHANGES > SYNCS ? EXCHANGES : SYNCS];
	int n;
};

static void add_send(struct world *w, int p, int q, int round, struct begun *syncs)
{
	struct op op = {.kind = OP_SEND, .peer = q, .slot = w->nops[p], .round = round};

	if (syncs->n < SYNCS && rng_chance(&w->rng, w->quiet ? 600 : 200)) {
		op.kind = OP_SYNC;
		syncs->slot[syncs->n++] = op.slot;
	}
	add(w, p, op);
}

/* Some messages for the next round are sent early. */
static void add_sends(struct world *w, int p, const int to[RANKS], int early[RANKS], int round,
	struct begun *syncs)
{
	for (int q = 0; q < w->n; q++) {
		for (int i = early[q]; i < to[q]; i++)
			add_send(w, p, q, round, syncs);
		early[q] = 0;
	}
}

static void add_early(struct world *w, int p, const int to[RANKS], int early[RANKS], int round)
{
	for (int q = 0; q < w->n; q++)
		while (early[q] < to[q] && rng_chance(&w->rng, 500)) {
			add(w, p, (struct op){.kind = OP_SEND, .peer = q, .round = round});
			early[q]++;
		}
}

/* Between any two, at the beginning of a round of both. */
static void add_exchanges(
	struct world *w, struct begun begun[RANKS], struct op begin[RANKS][RANKS], int n[RANKS])
{
	for (int p = 0; p < w->n; p++)
		n[p] = 0;
	for (int p = 0; p < w->n; p++)
		for (int q = p + 1; q < w->n; q++) {
			struct op op = {.kind = OP_BEGIN, .slot = w->exchanges};

			if (begun[p].n == EXCHANGES || begun[q].n == EXCHANGES ||
				!rng_chance(&w->rng, 300))
				continue;
			w->exchanges++;
			begun[p].slot[begun[p].n++] = begun[q].slot[begun[q].n++] = op.slot;
			op.peer = q;
			begin[p][n[p]++] = op;
			op.peer = p;
			begin[q][n[q]++] = op;
		}
}

/* Some of them, or all; a test may come before the wait. */
static void add_ends(struct world *w, int p, struct begun *b, unsigned chance, enum op_kind test,
	enum op_kind wait)
{
	for (int i = b->n - 1; i >= 0; i--) {
		struct op op = {.slot = b->slot[i]};

		if (!rng_chance(&w->rng, chance))
			continue;
		op.kind = test;
		if (rng_chance(&w->rng, 500))
			add(w, p, op);
		op.kind = wait;
		add(w, p, op);
		b->slot[i] = b->slot[--b->n];
	}
}

void program_make(struct world *w)
{
	struct op begin[RANKS][RANKS];
	struct begun begun[RANKS] = {0}, syncs[RANKS] = {0};
	int begins[RANKS];
	int count[ROUNDS + 1][RANKS][RANKS] = {0}, early[RANKS][RANKS] = {0}, from[2 * RANKS];

	memset(w->nops, 0, sizeof w->nops);
	for (int k = 0; k < w->rounds; k++)
		make_counts(w, count[k]);
	for (int k = 0; k < w->rounds; k++) {
		add_exchanges(w, begun, begin, begins);
		for (int p = 0; p < w->n; p++) {
			unsigned chance = k + 1 == w->rounds ? 1000 : 400;

			if (k == 1)
				w->restore_at[p] = w->nops[p];
			for (int i = 0; i < begins[p]; i++)
				add(w, p, begin[p][i]);
			add_sends(w, p, count[k][p], early[p], k, &syncs[p]);
			add_early(w, p, count[k + 1][p], early[p], k + 1);
			add_receives(w, p, from, receives_of(w, p, count[k], from), k,
				count[k + 1][p], early[p]);
			add_ends(w, p, &begun[p], chance, OP_TRY, OP_FINISH);
			add_ends(w, p, &syncs[p], chance, OP_ASK, OP_MET);
		}
	}
}

bool program_ended(const struct world *w, int p)
{
	const struct rank *r = &w->ranks[p];

	return r->up && r->came && r->memory.at == w->nops[p];
}

/* ---- running it ---- */

static void happened(struct world *w, int p, const struct outcome *what)
{
	struct rank *r = &w->ranks[p];

	if (w->without == RULE_NO && what->kind == OUTCOME_NO)
		return;
	if (!msglog_outcome(&r->log, what))
		world_fails(w, "no memory");
}

void program_choose(struct world *w, int p, const struct outcome *told, const struct outcome *what)
{
	if (told)
		outcomes_follow(&w->ranks[p].log.outcomes);
	else
		happened(w, p, what);
}

/* What ends a program that asks for less than before never ends a right one. */
static void is_right(struct world *w, int p, bool right, const char *why)
{
	if (!right)
		world_fails(w, "rank %d, operation %d: a right program is said to be another: %s",
			p, w->ranks[p].memory.at, why);
}

void program_must_be(struct world *w, int p, const struct outcome *told, unsigned kinds)
{
	is_right(w, p, !outcomes_lacks_receive(&w->ranks[p].log.outcomes),
		"a receive is not posted");
	if (told && !(kinds & 1U << told->kind))
		world_fails(w, "rank %d, operation %d: an outcome of kind %d is expected", p,
			w->ranks[p].memory.at, (int)told->kind);
}

uint64_t program_send(struct world *w, int p, const struct op *op)
{
	struct rank *r = &w->ranks[p];
	uint64_t content =
		content_mix(content_mix(r->memory.hash, (uint64_t)p), (uint64_t)op->peer);
	struct logged_envelope e = {.tag = op->round};
	struct logged_message *m =
		sender_log_message(&r->log.pairs[op->peer].log, &e, sizeof content);

	if (!m)
		world_fails(w, "no memory");
	is_right(w, p, !outcomes_is_within_noes(&r->log.outcomes), "it sends within noes");
	memcpy(m->bytes, &content, sizeof content);
	r->memory.at++;
	if (msglog_sent(&r->log, op->peer, m))
		world_leave(w, p, op->peer, m);
	else if (r->log.pairs[op->peer].sent <= r->log.pairs[op->peer].has)
		world_compare(w, p, op->peer, r->log.pairs[op->peer].sent, content);
	return r->log.pairs[op->peer].sent;
}

static void take(struct memory *m, struct receive *r, unsigned how)
{
	m->hash = content_mix(content_mix(m->hash, how),
		content_mix(r->message.content, (uint64_t)r->message.from));
	match_forget(m, r);
	m->at++;
}

static void wait_for(struct world *w, int p, int slot)
{
	const struct outcomes *o = &w->ranks[p].log.outcomes;
	struct receive *r = match_receive(w, p, slot);
	enum receive_fate fate;
	uint64_t message;
	uint32_t peer;

	if (match_is_done(r)) {
		take(&w->ranks[p].memory, r, 8);
		return;
	}
	fate = expected_receives_fate(&o->expected, r->number, &peer, &message);
	is_right(w, p, fate != FATE_CANCELLED, "it waits for what was cancelled");
	is_right(w, p,
		r->matched || r->from != ANY || fate == FATE_MESSAGE || !outcomes_expected(o),
		"it waits where it did not");
}

static void test(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct receive *r = match_receive(w, p, op->slot);
	bool yes = told ? told->kind == OUTCOME_YES : match_is_done(r);

	program_must_be(w, p, told, 1U << OUTCOME_YES | 1U << OUTCOME_NO);
	if (yes && !match_is_done(r))
		return;
	program_choose(w, p, told, &(struct outcome){.kind = yes ? OUTCOME_YES : OUTCOME_NO});
	if (yes)
		take(m, r, 4);
	else
		m->hash = content_mix(m->hash, 5);
	m->at++;
}

static void try_exchange(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	bool done = exchange_is_done(w, p, op->slot);
	bool yes = told ? told->kind == OUTCOME_YES : done;

	program_must_be(w, p, told, 1U << OUTCOME_YES | 1U << OUTCOME_NO);
	if (yes && !done)
		return;
	program_choose(w, p, told, &(struct outcome){.kind = yes ? OUTCOME_YES : OUTCOME_NO});
	m->hash = content_mix(m->hash, yes ? exchange_take(w, p, op->slot) : 11);
	m->at += yes ? 2 : 1;
}

static void finish_exchange(struct world *w, int p, const struct op *op)
{
	struct memory *m = &w->ranks[p].memory;

	if (!exchange_is_done(w, p, op->slot))
		return;
	m->hash = content_mix(m->hash, exchange_take(w, p, op->slot));
	m->at++;
}

static void either(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct receive *r[2] = {match_receive(w, p, op->slot), match_receive(w, p, op->other)};
	int index = match_is_done(r[0]) && match_is_done(r[1]) ? (int)rng_below(&w->rng, 2)
							       : match_is_done(r[1]);

	program_must_be(w, p, told, 1U << OUTCOME_INDEX);
	if (told)
		index = (int)told->value;
	if (!match_is_done(r[index]))
		return;
	program_choose(
		w, p, told, &(struct outcome){.kind = OUTCOME_INDEX, .value = (uint64_t)index});
	m->rest = index ? op->slot : op->other;
	take(m, r[index], 6 + (unsigned)index);
}

/* One that has met its message stays. In a replay, that is not known before all of before have met
 * theirs. */
static void cancel(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct receive *r = match_receive(w, p, op->slot);
	bool yes = told ? told->kind == OUTCOME_CANCELLED : !r->matched;

	program_must_be(w, p, told, 1U << OUTCOME_CANCELLED | 1U << OUTCOME_TOO_LATE);
	if (!told && !outcomes_is_live(&w->ranks[p].log.outcomes) && w->without != RULE_HASTE)
		return;
	if ((yes && r->matched) || (told && told->receive != r->number))
		world_fails(w, "rank %d: receive %d was cancelled", p, (int)r->number);
	program_choose(w, p, told,
		&(struct outcome){
			.kind = yes ? OUTCOME_CANCELLED : OUTCOME_TOO_LATE, .receive = r->number});
	m->hash = content_mix(m->hash, yes ? 9 : 10);
	m->at++;
	if (!yes)
		return;
	match_forget(m, r);
	match_post(w, p, op);
}

static void probe(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	const struct message *f;

	program_must_be(w, p, told, 1U << OUTCOME_FOUND | 1U << OUTCOME_NO);
	if (told && told->kind == OUTCOME_FOUND) {
		f = match_waiting(m, (int)told->peer, op->round, told->value);
		is_right(w, p, f || !match_has_begun(w, p, (int)told->peer, told->value),
			"what a probe found is gone");
		if (!f)
			return;
	} else {
		f = told ? NULL : match_waiting(m, ANY, op->round, 0);
	}
	program_choose(w, p, told,
		f ? &(struct outcome){OUTCOME_FOUND, (uint32_t)f->from, f->number, 0}
		  : &(struct outcome){.kind = OUTCOME_NO});
	m->hash = content_mix(m->hash, f ? 3 + (uint64_t)f->from : 1);
	m->at++;
}

void program_step(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];
	const struct outcome *told = outcomes_expected(&r->log.outcomes);
	const struct op *op = &w->ops[p][r->memory.at];
	uint64_t noes = r->log.outcomes.noes, next = r->log.outcomes.next;

	if (w->data && !r->came && r->memory.at == w->restore_at[p]) {
		is_right(w, p, !told || !r->log.running_prefix, "it comes to its restore point");
		world_restore_point(w, p);
		return;
	}
	if (r->memory.at == w->nops[p]) {
		is_right(w, p, !told, "it ends");
		return;
	}
	switch (op->kind) {
	case OP_SEND:
		program_send(w, p, op);
		break;
	case OP_POST:
		match_post(w, p, op);
		r->memory.at++;
		break;
	case OP_WAIT:
		wait_for(w, p, op->slot);
		break;
	case OP_REST:
		wait_for(w, p, r->memory.rest);
		break;
	case OP_TEST:
		test(w, p, op, told);
		break;
	case OP_EITHER:
		either(w, p, op, told);
		break;
	case OP_CANCEL:
		cancel(w, p, op, told);
		break;
	case OP_PROBE:
		probe(w, p, op, told);
		break;
	case OP_BEGIN:
		is_right(w, p, !outcomes_is_within_noes(&r->log.outcomes),
			"an operation begins within noes");
		exchange_begin(w, p, op);
		r->memory.at++;
		break;
	case OP_TRY:
		try_exchange(w, p, op, told);
		break;
	case OP_FINISH:
		finish_exchange(w, p, op);
		break;
	case OP_SYNC:
		sync_begin(w, p, op);
		break;
	case OP_ASK:
		sync_ask(w, p, op, told);
		break;
	case OP_MET:
		sync_wait(w, p, op);
		break;
	}
	sync_look(w, p);
	if (told && (noes != r->log.outcomes.noes || next != r->log.outcomes.next))
		w->stats.followed++;
}
