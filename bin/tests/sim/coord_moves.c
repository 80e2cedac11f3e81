/* SPDX-License-Identifier: BSD-3-Clause */
/* What can happen: a message comes, a program goes on, a part is written. Each is done between two
 * calls of lib/coord, chosen at random. */
#include <stdlib.h>

#include "coord_sim.h"

static struct rank *rank_of(struct world *w, int rank)
{
	return &w->ranks[rank];
}

/* Somewhere to begin to look, for all to have their chance. */
static int somewhere(struct world *w, int n)
{
	return (int)rng_below(&w->rng, (unsigned)n);
}

/* ---- messages ---- */

void send_mail(struct world *w, struct rank *r, int env, unsigned number)
{
	const struct envelope *e = &w->program.envs[env];
	int id = w->nmails++;

	if (id == MAILS)
		world_fails(w, "more messages than the simulator has room for");
	coord_sent(&r->c, e->to, e->context, e->tag);
	w->mails[id] = (struct mail){.env = env,
		.number = number,
		.stamp = coord_stamp(&r->c),
		.post = -1,
		.whole = rng_chance(&w->rng, 700)};
	mails_add(&w->flying[env], id);
	world_says(w, "%d sends %d: number %u, stamp %u", r->self, env, number, w->mails[id].stamp);
}

static bool takes(const struct rank *r, int post, int id)
{
	const struct world *w = r->w;

	return w->program.posts[r->self][post].port == w->program.envs[w->mails[id].env].port;
}

/* Open receives and messages that wait, both in their order. */
void match_posts(struct rank *r)
{
	for (int i = 0; i < r->inbox.n; i++) {
		int id = r->inbox.v[i];

		for (int p = 0; r->w->mails[id].post < 0 && p < r->w->program.nposts[r->self]; p++)
			if (r->state.open[p] && r->matched[p] < 0 && takes(r, p, id)) {
				r->matched[p] = id;
				r->w->mails[id].post = p;
			}
	}
}

/* A candidate of every line that is being made, if it may be in. */
static void hold(struct rank *r, int id)
{
	struct coord_message m = message_of(r->w, id);

	for (uint32_t line = 0; (line = coord_next(&r->c, line));) {
		struct part *part = part_of(r, line);
		enum coord_fate fate = coord_fate(&r->c, line, &m);

		if (fate != COORD_OUT)
			mails_add(&part->held, id);
		if (fate == COORD_IN)
			r->w->mails[id].pull = true;
		if (fate != COORD_OUT && part->finished)
			world_fails(r->w, "rank %d: a message for line %u, which is finished",
				r->self, line);
	}
}

static void arrive(struct world *w, int env)
{
	const struct envelope *e = &w->program.envs[env];
	struct rank *r = rank_of(w, e->to);
	int id = mails_take(&w->flying[env], 0);
	struct mail *m = &w->mails[id];
	bool thrown = coord_discards(&r->c, e->from, e->context, e->tag, m->stamp);

	world_says(w, "%d gets %d: number %u%s", r->self, env, m->number,
		thrown ? ", thrown away" : "");
	check_arrived(r, id, thrown);
	if (thrown)
		return;
	m->index = coord_arrived(&r->c, e->from, e->context, e->tag, m->stamp);
	mails_add(&r->inbox, id);
	match_posts(r);
	hold(r, id);
	coord_noted(&r->c);
}

static bool move_mail(struct world *w, int to)
{
	int n = w->program.nenvs, from = n ? somewhere(w, n) : 0;

	for (int i = 0; i < n; i++) {
		int env = (from + i) % n;

		if (!w->flying[env].n || (to >= 0 && w->program.envs[env].to != to))
			continue;
		arrive(w, env);
		return true;
	}
	return false;
}

bool deliver_to(struct world *w, int rank)
{
	return move_mail(w, rank);
}

/* The contents of a large message, which come when somebody wants them. */
static bool move_contents(struct world *w)
{
	int from = somewhere(w, w->program.ranks);

	for (int i = 0; i < w->program.ranks; i++) {
		struct rank *r = rank_of(w, (from + i) % w->program.ranks);

		for (int k = 0; k < r->inbox.n; k++) {
			struct mail *m = &w->mails[r->inbox.v[k]];

			if (m->whole || (m->post < 0 && !m->pull))
				continue;
			m->whole = true;
			return true;
		}
	}
	return false;
}

static bool move_control(struct world *w)
{
	int n = w->program.ranks, start = somewhere(w, n * n);

	for (int i = 0; i < n * n; i++) {
		int from = (start + i) % (n * n) / n, to = (start + i) % n;
		struct told *t = w->told[from][to];

		if (!t)
			continue;
		w->told[from][to] = t->next;
		if (!t->next)
			w->told_end[from][to] = &w->told[from][to];
		world_says(w, "%d tells %d: kind %d", from, to, t->len ? t->bytes[0] : -1);
		if (!coord_control(&rank_of(w, to)->c, from, t->bytes, t->len))
			world_fails(w, "rank %d does not understand what %d tells", to, from);
		free(t);
		return true;
	}
	return false;
}

/* ---- parts ---- */

static bool is_whole(const struct world *w, const struct part *part)
{
	for (int i = 0; i < part->held.n; i++)
		if (!w->mails[part->held.v[i]].whole)
			return false;
	return true;
}

static void lose(struct rank *r, struct part *part, uint32_t line)
{
	world_says(r->w, "%d: line %u cannot be written", r->self, line);
	part->lost = true;
	coord_written(&r->c, line, NULL);
}

static bool write_part(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);
	struct coord_part said = {.ok = 1, .seal = line * 8 + (unsigned)r->self, .bytes = 1};

	if (!part->captured || part->lost || part->durable || part->over)
		return false;
	if (rng_chance(&r->w->rng, r->w->rates.spoil)) {
		lose(r, part, line);
		return true;
	}
	if (!part->finished || !is_whole(r->w, part))
		return false;
	world_says(r->w, "%d: line %u is written", r->self, line);
	part->durable = true;
	coord_written(&r->c, line, &said);
	return true;
}

static bool move_write(struct world *w)
{
	int n = w->program.ranks, from = somewhere(w, n);

	for (int i = 0; i < n; i++) {
		struct rank *r = rank_of(w, (from + i) % n);
		uint32_t lines = r->c.line - w->base;
		uint32_t first = lines ? rng_below(&w->rng, lines) : 0;

		for (uint32_t k = 0; k < lines; k++)
			if (write_part(r, w->base + 1 + (first + k) % lines))
				return true;
	}
	return false;
}

/* First it is on disk, then rank 0 hears of it. */
static bool move_commit(struct world *w)
{
	uint32_t line = w->committing;

	if (!line)
		return false;
	if (w->commit_known || rng_chance(&w->rng, w->rates.spoil)) {
		w->committing = 0;
		part_of(&w->ranks[0], line)->lost = !w->commit_known;
		coord_committed(&w->ranks[0].c, line, w->commit_known);
		return true;
	}
	store_add(w, line);
	w->commit_known = true;
	return true;
}

bool move_network(struct world *w)
{
	static bool (*const rest[])(struct world * w) = {move_contents, move_write, move_commit};
	unsigned first;

	if (!rng_chance(&w->rng, w->rates.late)) {
		first = rng_below(&w->rng, 3);
		for (unsigned i = 0; i < 3; i++)
			if (rest[(first + i) % 3](w))
				return true;
	}
	if (rng_chance(&w->rng, w->rates.control) && move_control(w))
		return true;
	return move_mail(w, -1) || move_control(w) || move_contents(w) || move_write(w) ||
	       move_commit(w);
}

/* ---- programs ---- */

static void receive(struct rank *r, int post)
{
	int id = r->matched[post], at = 0;

	check_received(r, post, id);
	while (r->inbox.v[at] != id)
		at++;
	mails_take(&r->inbox, at);
	r->state.open[post] = false;
	r->state.got[r->w->mails[id].env] |= BIT(r->w->mails[id].number);
	world_says(r->w, "%d receives %d: number %u", r->self, r->w->mails[id].env,
		r->w->mails[id].number);
}

/* What the program's state is at the line; kept also when it cannot be captured. */
static void cut(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);

	part->begun = true;
	part->state = r->state;
}

static bool make_line(struct rank *r)
{
	struct world *w = r->w;
	uint32_t line = r->c.line + 1;
	bool captured;

	world_says(w, "%d begins line %u", r->self, line);
	cut(r, line);
	captured = coord_checkpoint(&r->c);
	if (r->c.line != line)
		world_fails(w, "rank %d made line %u, not %u", r->self, r->c.line, line);
	if (line > w->latest) {
		w->latest = line;
		w->seen->lines++;
	}
	for (int q = 0; q < w->program.ranks; q++)
		if (line > w->ranks[q].c.line + 1) {
			w->one_ahead_only = false;
			w->seen->ahead++;
		}
	return captured;
}

/* All at once: nobody is left to send before all have arrived. */
static bool make_blocking_line(struct world *w)
{
	uint32_t line = w->ranks[0].c.line + 1;

	for (int q = 0; q < w->program.ranks; q++)
		if (w->program.ops[q][w->ranks[q].state.pc].kind != OP_CKPT ||
			!coord_is_blocking(&w->ranks[q].c))
			return false;
	w->verdict = !rng_chance(&w->rng, w->rates.spoil);
	for (int q = 0; q < w->program.ranks; q++) {
		w->ranks[q].state.pc++;
		cut(&w->ranks[q], line);
	}
	for (int q = 0; q < w->program.ranks; q++)
		if (make_line(&w->ranks[q]) != w->verdict)
			world_fails(w, "rank %d has a verdict of its own", q);
	if (w->verdict)
		store_add(w, line);
	w->seen->blocking++;
	return true;
}

static bool checkpoint(struct rank *r)
{
	struct world *w = r->w;
	bool captured;

	if (coord_is_blocking(&r->c) && w->program.aligned)
		return make_blocking_line(w);
	r->state.pc++;
	if (coord_is_blocking(&r->c) || r->c.line - w->base >= LINES - 1)
		return true;
	captured = make_line(r);
	if (captured != part_of(r, r->c.line)->captured)
		world_fails(w, "rank %d, line %u: captured or not?", r->self, r->c.line);
	return true;
}

static bool due(struct rank *r)
{
	struct world *w = r->w;
	bool elapsed = rng_chance(&w->rng, w->rates.elapsed);

	if (!coord_is_blocking(&r->c)) {
		w->asked += elapsed && !coord_due(&r->c, false);
		if (coord_due(&r->c, elapsed))
			return checkpoint(r);
	}
	r->state.pc++;
	return true;
}

/* Everything is delivered first: then it need not wait. */
static bool settled(struct rank *r)
{
	struct world *w = r->w;
	uint32_t line = r->c.line;
	bool committed;

	for (uint32_t k = w->base + 1; k <= line; k++)
		if (!part_of(r, k)->over && !coord_is_blocking(&r->c))
			return false;
	committed = coord_wait(&r->c);
	if (line > w->base && committed != part_of(r, line)->committed)
		world_fails(w, "rank %d: line %u was committed or not?", r->self, line);
	r->state.pc++;
	return true;
}

static bool step(struct rank *r)
{
	struct world *w = r->w;
	struct op op = w->program.ops[r->self][r->state.pc];

	switch (op.kind) {
	case OP_SEND:
		send_mail(w, r, op.what, ++r->state.sent[op.what]);
		break;
	case OP_POST:
		r->state.open[op.what] = true;
		r->matched[op.what] = -1;
		match_posts(r);
		break;
	case OP_WAIT:
		if (r->matched[op.what] < 0 || !w->mails[r->matched[op.what]].whole)
			return false;
		receive(r, op.what);
		break;
	case OP_CKPT:
		return checkpoint(r);
	case OP_DUE:
		return due(r);
	case OP_SETTLED:
		if (settled(r))
			return true;
		/* those who wait for a line that others never come to would wait for ever */
		break;
	case OP_END:
		return false;
	}
	r->state.pc++;
	return true;
}

/* Under "auto": all choose the same, each in its own time, before its first line. */
static void choose(struct rank *r)
{
	enum op_kind kind = r->w->program.ops[r->self][r->state.pc].kind;

	if (!r->w->choice || r->chosen)
		return;
	if (kind != OP_CKPT && kind != OP_DUE && kind != OP_END && rng_chance(&r->w->rng, 900))
		return;
	r->chosen = true;
	if (!coord_choose(&r->c, r->w->choice))
		world_fails(r->w, "rank %d cannot choose %s", r->self, r->w->choice);
}

/* One of them is slow: it goes on when nobody else can, or by chance. */
bool move_program(struct world *w)
{
	int n = w->program.ranks, from = somewhere(w, n);

	for (int i = 0; i < 2 * n; i++) {
		struct rank *r = rank_of(w, (from + i) % n);

		if (r->self == w->slow_rank && i < n && rng_chance(&w->rng, w->rates.slow))
			continue;
		choose(r);
		if (step(r))
			return true;
	}
	return false;
}
