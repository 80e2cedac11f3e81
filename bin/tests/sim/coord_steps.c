/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs do: send, receive, make lines. */
#include "coord_sim.h"

static void receive(struct rank *r, int post)
{
	int id = r->matched[post], at = 0;

	check_received(r, post, id);
	note_contents(r, id);
	while (r->inbox.v[at] != id)
		at++;
	mails_take(&r->inbox, at);
	r->state.open[post] = false;
	r->state.got[r->w->mails[id].env] |= BIT(r->w->mails[id].number);
	r->state.had[r->w->mails[id].env][r->w->mails[id].number] = r->w->mails[id].contents;
	world_says(r->w, "%d receives %d: number %u", r->self, r->w->mails[id].env,
		r->w->mails[id].number);
}

void cut_part(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);

	part->begun = true;
	part->state = r->state;
	part->kept.n = 0;
	if (r->w->images && !coord_is_blocking(&r->c))
		image_cut(r, part);
}

static bool make_line(struct rank *r)
{
	struct world *w = r->w;
	uint32_t line = r->c.line + 1;
	bool captured;

	world_says(w, "%d begins line %u", r->self, line);
	cut_part(r, line);
	captured = drive_checkpoint(r);
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
		cut_part(&w->ranks[q], line);
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
		return w->later ? step_later_line(r) : make_blocking_line(w);
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
		w->asked += elapsed && !drive_due(r, false);
		if (drive_due(r, elapsed)) {
			check_paced(r);
			return checkpoint(r);
		}
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
		if (!part_of(r, k)->over && (!coord_is_blocking(&r->c) || w->later))
			return false;
	committed = drive_wait(r);
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
	int n = w->program.ranks, from = (int)rng_below(&w->rng, (unsigned)n);

	for (int i = 0; i < 2 * n; i++) {
		struct rank *r = &w->ranks[(from + i) % n];

		if (r->self == w->slow_rank && i < n && rng_chance(&w->rng, w->rates.slow))
			continue;
		choose(r);
		if (step(r))
			return true;
	}
	return false;
}
