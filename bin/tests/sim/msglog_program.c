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

static void add_receives(struct world *w, int p, const int from[], int n, int round)
{
	bool wild = rng_chance(&w->rng, 500);

	for (int i = 0; i < n; i++) {
		struct op op = {.peer = from[i], .round = round};

		if (wild) {
			if (rng_chance(&w->rng, 500))
				add(w, p, (struct op){.kind = OP_PROBE, .round = round});
			op.kind = OP_ANY;
		} else if (i + 1 < n && from[i] != from[i + 1] && rng_chance(&w->rng, 300)) {
			op.kind = OP_EITHER;
			op.other = from[++i];
			add(w, p, op);
			op.kind = OP_REST;
		} else if (rng_chance(&w->rng, 300)) {
			op.kind = OP_TEST;
			add(w, p, op);
			op.kind = OP_RECEIVE;
		} else {
			op.kind = OP_RECEIVE;
		}
		add(w, p, op);
	}
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

/* Some messages for the next round are sent early. */
static void add_sends(struct world *w, int p, const int to[RANKS], int early[RANKS], int round)
{
	for (int q = 0; q < w->n; q++) {
		for (int i = early[q]; i < to[q]; i++)
			add(w, p, (struct op){.kind = OP_SEND, .peer = q, .round = round});
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

void program_make(struct world *w)
{
	int count[ROUNDS + 1][RANKS][RANKS] = {0}, early[RANKS][RANKS] = {0}, from[2 * RANKS];

	memset(w->nops, 0, sizeof w->nops);
	for (int k = 0; k < w->rounds; k++)
		make_counts(w, count[k]);
	for (int k = 0; k < w->rounds; k++)
		for (int p = 0; p < w->n; p++) {
			if (k == 1)
				w->restore_at[p] = w->nops[p];
			add_sends(w, p, count[k][p], early[p], k);
			add_early(w, p, count[k + 1][p], early[p], k + 1);
			add_receives(w, p, from, receives_of(w, p, count[k], from), k);
		}
}

bool program_ended(const struct world *w, int p)
{
	const struct rank *r = &w->ranks[p];

	return r->up && r->came && r->memory.at == w->nops[p];
}

/* ---- running it ---- */

/* The first of this source for the round; NULL: there is none, or its contents are to come. from
 * -1: of any source, the first that there is; with `exact` that message. */
static struct message *find(struct memory *m, int from, int round, uint64_t exact)
{
	bool passed[RANKS] = {false};

	for (int i = 0; i < m->n; i++) {
		struct message *f = &m->queue[i];

		if (f->round != round || (from >= 0 && f->from != from) || passed[f->from])
			continue;
		passed[f->from] = true;
		if (f->whole && (!exact || f->number == exact))
			return f;
	}
	return NULL;
}

static void take(struct memory *m, struct message *f, unsigned how)
{
	m->hash =
		content_mix(content_mix(m->hash, how), content_mix(f->content, (uint64_t)f->from));
	m->n--;
	memmove(f, f + 1, (size_t)(m->queue + m->n - f) * sizeof *f);
	m->at++;
}

static void happened(struct world *w, int p, const struct outcome *what)
{
	struct rank *r = &w->ranks[p];

	if (w->without == RULE_NO && what->kind == OUTCOME_NO)
		return;
	if (!msglog_outcome(&r->log, what))
		world_fails(w, "no memory");
}

static void send(struct world *w, int p, const struct op *op)
{
	struct rank *r = &w->ranks[p];
	uint64_t content =
		content_mix(content_mix(r->memory.hash, (uint64_t)p), (uint64_t)op->peer);
	struct logged_envelope e = {.tag = op->round};
	struct logged_message *m = sender_log_message(&e, sizeof content);

	if (!m)
		world_fails(w, "no memory");
	memcpy(m->bytes, &content, sizeof content);
	r->memory.at++;
	if (msglog_sent(&r->log, op->peer, m))
		world_leave(w, p, op->peer, m);
	else if (r->log.pairs[op->peer].sent <= r->log.pairs[op->peer].left)
		world_compare(w, p, op->peer, r->log.pairs[op->peer].sent, content);
}

static void receive_any(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	bool probe = op->kind == OP_PROBE;
	struct message *f;

	if (told && told->kind == OUTCOME_NO && probe) {
		m->hash = content_mix(m->hash, 1);
		m->at++;
		outcomes_follow(&w->ranks[p].log.outcomes);
		return;
	}
	if (told && told->kind != (probe ? OUTCOME_FOUND : OUTCOME_MESSAGE))
		world_fails(w, "rank %d: outcome %d is of another kind", p,
			(int)w->ranks[p].log.outcomes.happened + 1);
	f = told ? find(m, (int)told->peer, op->round, told->value) : find(m, -1, op->round, 0);
	if (!f && (told || !probe))
		return;
	if (told)
		outcomes_follow(&w->ranks[p].log.outcomes);
	else if (f)
		happened(w, p,
			&(struct outcome){probe ? OUTCOME_FOUND : OUTCOME_MESSAGE,
				(uint32_t)f->from, f->number});
	else
		happened(w, p, &(struct outcome){.kind = OUTCOME_NO});
	if (!probe) {
		take(m, f, 2);
		return;
	}
	m->hash = content_mix(m->hash, f ? 3 + (uint64_t)f->from : 1);
	m->at++;
}

static void test(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct message *f = find(m, op->peer, op->round, 0);
	bool yes = told ? told->kind == OUTCOME_YES : f != NULL;

	if (told && told->kind != OUTCOME_YES && told->kind != OUTCOME_NO)
		world_fails(w, "rank %d: outcome %d is of another kind", p,
			(int)w->ranks[p].log.outcomes.happened + 1);
	if (yes && !f)
		return;
	if (told)
		outcomes_follow(&w->ranks[p].log.outcomes);
	else
		happened(w, p, &(struct outcome){.kind = yes ? OUTCOME_YES : OUTCOME_NO});
	if (yes)
		take(m, f, 4);
	else
		m->hash = content_mix(m->hash, 5);
	m->at++;
}

static void either(struct world *w, int p, const struct op *op, const struct outcome *told)
{
	struct memory *m = &w->ranks[p].memory;
	struct message *f[2] = {find(m, op->peer, op->round, 0), find(m, op->other, op->round, 0)};
	int index = f[0] && f[1] ? (int)rng_below(&w->rng, 2) : f[1] != NULL;

	if (told && told->kind != OUTCOME_INDEX)
		world_fails(w, "rank %d: outcome %d is of another kind", p,
			(int)w->ranks[p].log.outcomes.happened + 1);
	if (told)
		index = (int)told->value;
	if (!f[index])
		return;
	if (told)
		outcomes_follow(&w->ranks[p].log.outcomes);
	else
		happened(w, p, &(struct outcome){.kind = OUTCOME_INDEX, .value = (uint64_t)index});
	m->rest = index ? op->peer : op->other;
	take(m, f[index], 6 + (unsigned)index);
}

void program_step(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];
	const struct outcome *told = outcomes_expected(&r->log.outcomes);
	const struct op *op = &w->ops[p][r->memory.at];
	struct message *f;

	if (w->data && !r->came && r->memory.at == w->restore_at[p]) {
		world_restore_point(w, p);
		return;
	}
	if (r->memory.at == w->nops[p])
		return;
	if (told)
		w->stats.followed++;
	switch (op->kind) {
	case OP_SEND:
		send(w, p, op);
		break;
	case OP_RECEIVE:
	case OP_REST:
		f = find(&r->memory, op->kind == OP_REST ? r->memory.rest : op->peer, op->round, 0);
		if (f)
			take(&r->memory, f, 8);
		break;
	case OP_ANY:
	case OP_PROBE:
		receive_any(w, p, op, told);
		break;
	case OP_TEST:
		test(w, p, op, told);
		break;
	case OP_EITHER:
		either(w, p, op, told);
		break;
	}
}
