/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs. They are made as one sequence of all ranks' operations in which each receive is
 * waited for after enough was sent to it, so no order in which ranks go on can block for ever: the
 * first operation of the sequence that was not done can be done.
 */
#include <stdio.h>
#include <stdlib.h>

#include "coord_sim.h"

/* Contexts, and what their receives name. */
enum { NAMED = 2, COLLECTIVE = 3, ANY_ANY = 4, ANY_TAG = 6, ANY_SOURCE = 8 };

/* Of a window, and of its communicator: no line may cut their messages. */
static const uint64_t windows[] = {(uint64_t)1 << 63 | 10, (uint64_t)1 << 61 | 10};

static void add_op(struct program *p, int rank, enum op_kind kind, int what)
{
	if (p->nops[rank] == OPS - 1)
		abort();
	p->ops[rank][p->nops[rank]++] = (struct op){.kind = kind, .what = what};
}

static int port_of(struct program *p, const struct envelope *e)
{
	struct port want = {.to = e->to, .from = e->from, .context = e->context, .tag = e->tag};
	int i = 0;

	if (e->context == ANY_ANY || e->context == ANY_SOURCE)
		want.from = -1;
	if (e->context == ANY_ANY || e->context == ANY_TAG)
		want.tag = -1;
	for (; i < p->nports; i++) {
		const struct port *have = &p->ports[i];

		if (have->to == want.to && have->from == want.from &&
			have->context == want.context && have->tag == want.tag)
			return i;
	}
	p->ports[p->nports++] = want;
	return i;
}

/* -1: no room for one more message. */
static int envelope_of(struct program *p, int from, int to, uint64_t context, int32_t tag)
{
	int i = 0;

	for (; i < p->nenvs; i++) {
		const struct envelope *e = &p->envs[i];

		if (e->from == from && e->to == to && e->context == context && e->tag == tag)
			return e->n < MESSAGES ? i : -1;
	}
	if (i == ENVELOPES)
		return -1;
	p->envs[i] = (struct envelope){.from = from, .to = to, .context = context, .tag = tag};
	p->envs[i].port = port_of(p, &p->envs[i]);
	p->nenvs++;
	return i;
}

/* Its envelope; -1: no room. */
static int add_send(struct program *p, int from, int to, uint64_t context, int32_t tag)
{
	int env = envelope_of(p, from, to, context, tag);

	if (env < 0)
		return -1;
	p->envs[env].n++;
	p->ports[p->envs[env].port].sent++;
	add_op(p, from, OP_SEND, env);
	return env;
}

static void add_post(struct program *p, int port)
{
	struct port *q = &p->ports[port];
	int id = p->nposts[q->to];

	if (id == POSTS)
		abort();
	p->nposts[q->to]++;
	p->posts[q->to][id] = (struct post){.port = port, .ordinal = ++q->posted};
	add_op(p, q->to, OP_POST, id);
}

static bool can_wait(const struct program *p, int rank, int id)
{
	const struct post *post = &p->posts[rank][id];

	return !post->waited && post->ordinal <= p->ports[post->port].sent;
}

static void add_wait(struct program *p, int rank, int id)
{
	p->posts[rank][id].waited = true;
	add_op(p, rank, OP_WAIT, id);
}

/* tags 0: one envelope for each pair. When all make their lines at once, only wildcards can have
 * received what was sent after a line: orphans under "blocking". */
static void random_send(struct program *p, struct rng *rng, unsigned tags)
{
	static const uint64_t mostly_named[] = {NAMED, NAMED, NAMED, ANY_ANY, ANY_TAG, ANY_SOURCE};
	static const uint64_t mostly_any[] = {
		NAMED, ANY_ANY, ANY_ANY, ANY_ANY, ANY_TAG, ANY_SOURCE};
	const uint64_t *contexts = p->aligned ? mostly_any : mostly_named;
	int from = (int)rng_below(rng, (unsigned)p->ranks);
	int to = (int)rng_below(rng, (unsigned)p->ranks);
	unsigned kinds = tags ? 6 : 1;

	if (from == to && rng_chance(rng, 700))
		to = (to + 1) % p->ranks;
	add_send(p, from, to, contexts[rng_below(rng, kinds)],
		tags ? (int32_t)rng_below(rng, tags) : 0);
}

static void random_post(struct program *p, struct rng *rng)
{
	int port = p->nports ? (int)rng_below(rng, (unsigned)p->nports) : 0;

	if (p->nports && !coord_is_uncut(p->ports[port].context) &&
		p->ports[port].posted < p->ports[port].sent + 3)
		add_post(p, port);
}

/* Mostly the oldest of a rank, else any: receives that are finished out of order. */
static void random_wait(struct program *p, struct rng *rng, unsigned out_of_order)
{
	int rank = (int)rng_below(rng, (unsigned)p->ranks), n = p->nposts[rank], from = 0;

	if (n && rng_chance(rng, out_of_order))
		from = (int)rng_below(rng, (unsigned)n);
	for (int i = from; i < n; i++)
		if (can_wait(p, rank, i)) {
			add_wait(p, rank, i);
			return;
		}
}

/* To a root and back, as a collective operation: its number is the tag, of which 16 are told. */
static void collective(struct program *p, struct rng *rng, unsigned number)
{
	int root = (int)rng_below(rng, (unsigned)p->ranks);

	for (int back = 0; back < 2; back++)
		for (int r = 0; r < p->ranks; r++) {
			int from = back ? root : r, to = back ? r : root, id = p->nposts[to];
			int env;

			if (r == root)
				continue;
			env = add_send(p, from, to, COLLECTIVE, (int32_t)(number % 16));
			if (env < 0)
				continue;
			add_post(p, p->envs[env].port);
			add_wait(p, to, id);
		}
}

/* Some words about a window, each received when it comes. */
static void one_sided(struct program *p, struct rng *rng)
{
	for (unsigned words = 1 + rng_below(rng, 3); words > 0; words--) {
		int from = (int)rng_below(rng, (unsigned)p->ranks);
		int to = (from + 1) % p->ranks, id = p->nposts[to];
		int env = add_send(p, from, to, windows[rng_below(rng, 2)], 0);

		if (env < 0)
			return;
		add_post(p, p->envs[env].port);
		add_wait(p, to, id);
	}
}

/* Every receive gets a message, every message is received. */
static void complete(struct program *p)
{
	for (int i = 0; i < p->nports; i++) {
		struct port *q = &p->ports[i];

		for (int e = 0; e < p->nenvs && q->sent < q->posted; e++)
			while (p->envs[e].port == i && p->envs[e].n < MESSAGES &&
				q->sent < q->posted)
				add_send(p, p->envs[e].from, q->to, p->envs[e].context,
					p->envs[e].tag);
		while (q->posted < q->sent)
			add_post(p, i);
	}
	for (int r = 0; r < p->ranks; r++)
		for (int i = 0; i < p->nposts[r]; i++)
			if (can_wait(p, r, i))
				add_wait(p, r, i);
}

/* Each rank on its own, or all at the same moment of the sequence. */
static void add_lines(struct program *p, struct rng *rng, unsigned every)
{
	for (int r = 0; r < p->ranks; r++) {
		static struct op out[OPS];
		unsigned gap = rng_below(rng, every) + 1;
		int n = 0, lines = 0;

		for (int i = 0; i < p->nops[r]; i++) {
			out[n++] = p->ops[r][i];
			if (--gap || n > OPS - 8 || lines > LINES - 8)
				continue;
			gap = rng_below(rng, every) + 1;
			lines++;
			out[n++] = (struct op){.kind = p->by_time ? OP_DUE : OP_CKPT};
			if (rng_chance(rng, 50))
				out[n++] = (struct op){.kind = OP_SETTLED};
		}
		p->nops[r] = n;
		for (int i = 0; i < n; i++)
			p->ops[r][i] = out[i];
	}
}

void program_make(struct program *p, struct rng *rng)
{
	unsigned length = 15 + rng_below(rng, 110), tags = rng_below(rng, 4);
	unsigned every = 4 + rng_below(rng, 12), operations = rng_below(rng, 30);
	unsigned out_of_order = rng_below(rng, 2) * rng_below(rng, 1001);
	unsigned with_windows = rng_below(rng, 5) ? 0 : 1 + rng_below(rng, 60);

	p->nenvs = p->nports = 0;
	p->ranks = 2 + (int)rng_below(rng, tags ? RANKS - 1 : 2);
	p->aligned = rng_chance(rng, 250);
	p->by_time = !p->aligned && rng_chance(rng, 300);
	for (int r = 0; r < p->ranks; r++)
		p->nops[r] = p->nposts[r] = 0;
	for (unsigned i = 0; i < length; i++) {
		unsigned what = rng_below(rng, 1000);

		if (what < 430)
			random_send(p, rng, tags);
		else if (what < 690)
			random_post(p, rng);
		else if (what < 980)
			random_wait(p, rng, out_of_order);
		else
			collective(p, rng, operations++);
		if (tags && rng_chance(rng, with_windows))
			one_sided(p, rng);
		for (int r = 0; p->aligned && i % every == 0 && r < p->ranks; r++)
			add_op(p, r, OP_CKPT, 0);
	}
	complete(p);
	if (!p->aligned)
		add_lines(p, rng, every - 2);
	for (int r = 0; r < p->ranks; r++)
		add_op(p, r, OP_END, 0);
}
