/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold; 1 and 2 are in coord_part.c.
 *   1. A line holds what it has to, by definition: what its senders had sent before it and its
 *      receiver had not received is in transit, what was received and not sent before is orphan.
 *   2. The interval form of the papers, with its three clearings, says the same.
 *   3. Each receive gets the message that its place in the program asks for; nothing comes twice,
 *      nothing is lost, nothing is thrown away that was not received.
 *   4. When all has come that was sent, lines that every rank has begun are over, the same way
 *      everywhere, and committed unless something failed or a newer one is.
 *   5. By time: a line that one rank was asked for all are asked for, and requests that meet make
 *      one line.
 *   6. A line takes as many messages between protocols as doc/coord.md says.
 *   7. The job ends.
 *   8. What comes again and is thrown away is compared with what was received, however many
 *      restores ago; it is found out when it is another message, and only then.
 */
#include "coord_sim.h"

/* ---- 3 ---- */

void check_received(struct rank *r, int post, int id)
{
	const struct world *w = r->w;
	const struct post *p = &w->program.posts[r->self][post];
	const struct port *port = &w->program.ports[p->port];
	const struct mail *m = &w->mails[id];

	if (!m->number || r->state.got[m->env] & BIT(m->number))
		world_fails(w, "rank %d receives number %u of envelope %d twice", r->self,
			m->number, m->env);
	if (port->from >= 0 && port->tag >= 0 && m->number != p->ordinal)
		world_fails(w, "rank %d receives number %u of envelope %d, not %u", r->self,
			m->number, m->env, p->ordinal);
}

void check_arrived(struct rank *r, int id, bool thrown)
{
	const struct world *w = r->w;
	const struct mail *m = &w->mails[id];
	bool again = m->number && (r->state.got[m->env] | r->woke[m->env]) & BIT(m->number);

	r->w->seen->thrown += thrown;
	if (w->before_restore ? thrown : !m->number)
		world_fails(
			w, "rank %d: a message from before the restore is thrown away", r->self);
	if (!w->before_restore && thrown != again)
		world_fails(w, "rank %d: number %u of envelope %d was %sreceived, and is %s",
			r->self, m->number, m->env, again ? "" : "not ",
			thrown ? "thrown away" : "received again");
	for (int i = 0; i < r->inbox.n && !w->before_restore && !thrown; i++)
		if (w->mails[r->inbox.v[i]].env == m->env &&
			w->mails[r->inbox.v[i]].number == m->number)
			world_fails(w, "rank %d: number %u of envelope %d comes twice", r->self,
				m->number, m->env);
}

/* ---- 8 ---- */

void check_again(struct rank *r, int id)
{
	struct world *w = r->w;
	const struct mail *m = &w->mails[id];
	struct orphan_sum now = sum_of(m->env, m->number, m->contents);
	bool same = r->state.had[m->env][m->number] == m->contents;

	if (orphans_same(coord_expected(&r->c), &now) != same)
		world_fails(w, "rank %d: number %u of envelope %d comes again and is %s, unseen",
			r->self, m->number, m->env, same ? "the same" : "another");
	w->other |= !same;
	w->seen->other += !same;
}

/* ---- 4 ---- */

static const struct state nothing;

static bool newer_committed(struct world *w, uint32_t line)
{
	while (++line <= w->latest)
		if (part_of(&w->ranks[0], line)->committed)
			return true;
	return false;
}

static const struct state *state_at(struct world *w, int rank, uint32_t line)
{
	if (line > w->base)
		return &part_of(&w->ranks[rank], line)->state;
	return w->restored ? &w->restored->state[rank] : &nothing;
}

/* 6: pairs that have exchanged anything in the interval, and the tree's edges. */
static void check_control(struct world *w, uint32_t line)
{
	const unsigned *control = w->control_of[line - w->base], n = (unsigned)w->program.ranks;
	bool pair[RANKS][RANKS] = {0};
	unsigned pairs = 0;

	for (int i = 0; i < w->program.nenvs; i++) {
		const struct envelope *e = &w->program.envs[i];
		bool *spoke = &pair[e->from][e->to];

		if (e->from == e->to || *spoke)
			continue;
		*spoke = state_at(w, e->from, line)->sent[i] !=
			 state_at(w, e->from, line - 1)->sent[i];
		pairs += *spoke;
	}
	if (control[0] != pairs || control[1] < pairs || control[6] > 2 * (n - 1))
		world_fails(w, "line %u: %u REPORTs, %u last, %u BEGIN for %u pairs of %u ranks",
			line, control[1], control[0], control[6], pairs, n);
	for (int kind = 2; kind <= 5; kind++)
		if (control[kind] != n - 1)
			world_fails(w, "line %u: %u messages of kind %d on the tree of %u ranks",
				line, control[kind], kind, n);
}

/* Where all know that there is no part of every rank nothing is said. */
static void check_later_control(struct world *w, uint32_t line)
{
	const unsigned *control = w->control_of[line - w->base], n = (unsigned)w->program.ranks;
	bool copied = true;

	for (int q = 0; q < w->program.ranks; q++)
		copied &= part_of(&w->ranks[q], line)->captured;
	for (int kind = 0; kind < CONTROL_KINDS; kind++) {
		bool said = copied && (kind == 4 || kind == 5);

		if (control[kind] != (said ? n - 1 : 0))
			world_fails(w, "line %u: %u messages of kind %d, and all wait", line,
				control[kind], kind);
	}
}

static void check_line(struct world *w, uint32_t line)
{
	const struct part *first = part_of(&w->ranks[0], line);
	bool lost = false;

	for (int q = 0; q < w->program.ranks; q++) {
		if (!part_of(&w->ranks[q], line)->begun)
			return;
		lost = lost || part_of(&w->ranks[q], line)->lost;
	}
	for (int q = 0; q < w->program.ranks; q++) {
		const struct part *part = part_of(&w->ranks[q], line);

		if (!part->over)
			world_fails(w, "line %u waits for ever at rank %d", line, q);
		if (part->committed != first->committed)
			world_fails(w, "line %u: ranks 0 and %d have different verdicts", line, q);
	}
	if (first->committed == lost && !newer_committed(w, line))
		world_fails(w, "line %u was %s", line,
			lost ? "committed without a part" : "given up, and nothing failed");
	if (first->committed && lost)
		world_fails(w, "line %u was committed without a part", line);
	if (!coord_is_blocking(&w->ranks[0].c))
		check_control(w, line);
	else if (w->later)
		check_later_control(w, line);
}

/* ---- 5 ---- */

/* C8 */
static bool has_written(struct rank *r)
{
	const struct part *last = r->c.line > r->w->base ? part_of(r, r->c.line) : NULL;

	return !last || last->durable || last->lost || last->over;
}

void check_paced(struct rank *r)
{
	if (!has_written(r))
		world_fails(
			r->w, "rank %d is due, and its line %u is not written", r->self, r->c.line);
}

static void check_due(struct world *w)
{
	if (w->latest - w->base > w->asked)
		world_fails(w, "%u lines for %u requests", w->latest - w->base, w->asked);
	for (int q = 0; q < w->program.ranks; q++)
		if (w->ranks[q].c.line < w->latest && has_written(&w->ranks[q]) &&
			!drive_due(&w->ranks[q], false))
			world_fails(w, "rank %d is not asked for line %u", q, w->latest);
}

void check_drained(struct world *w)
{
	for (uint32_t line = w->base + 1; line <= w->latest; line++)
		if (line != w->meeting) /* from which some have not gone on */
			check_line(w, line);
	if (w->program.by_time && !coord_is_blocking(&w->ranks[0].c))
		check_due(w);
}

/* ---- 7 ---- */

void check_end(struct world *w)
{
	for (int q = 0; q < w->program.ranks; q++)
		if (w->ranks[q].inbox.n)
			world_fails(w, "rank %d has ended, and has not received a message", q);
	for (int i = 0; i < w->program.nenvs; i++) {
		const struct envelope *e = &w->program.envs[i];

		if (w->ranks[e->to].state.got[i] != UP_TO(e->n))
			world_fails(w, "envelope %d: not all was received", i);
	}
}

void check_closed(struct world *w)
{
	for (int q = 0; q < w->program.ranks; q++)
		for (uint32_t line = w->base + 1; line <= w->ranks[q].c.line; line++)
			if (!part_of(&w->ranks[q], line)->over)
				world_fails(w, "line %u is not over at rank %d, which has ended",
					line, q);
	for (uint32_t line = w->base + 1; line <= w->latest; line++)
		check_line(w, line);
}

void check_left(struct world *w)
{
	for (int q = 0; q < w->program.ranks; q++)
		if (w->ranks[q].inbox.n || w->ranks[q].c.suppress.left)
			world_fails(w, "rank %d: %d messages and %llu orphans to suppress are left",
				q, w->ranks[q].inbox.n,
				(unsigned long long)w->ranks[q].c.suppress.left);
}
