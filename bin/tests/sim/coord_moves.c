/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens without a program: a message comes, a part is written, a line is committed. Each is
 * done between two calls of lib/coord, chosen at random. */
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
	drive(r);
	r->state.put[env][number] = w->sends[env];
	w->mails[id] = (struct mail){.env = env,
		.number = number,
		.contents = w->sends[env],
		.stamp = coord_stamp(&r->c),
		.post = -1,
		.whole = rng_chance(&w->rng, 700)};
	mails_add(&w->flying[env], id);
	world_says(w, "%d sends %d: number %u, stamp %u", r->self, env, number, w->mails[id].stamp);
}

void send_round(struct world *w, int env, unsigned more)
{
	int id = w->nmails;

	send_mail(w, rank_of(w, w->program.envs[env].from), env, 0);
	w->mails[id].more = more;
}

/* To any rank; the operation ends early where no program sends anything. */
static void next_round(struct world *w, int from, unsigned more)
{
	int n = w->program.nenvs, at = somewhere(w, n);

	for (int i = 0; i < n; i++)
		if (w->program.envs[(at + i) % n].from == from) {
			send_round(w, (at + i) % n, more);
			return;
		}
}

struct orphan_sum sum_of(int env, unsigned number, uint8_t contents)
{
	return (struct orphan_sum){.length = number,
		.hash = 1 + ((uint64_t)env << 16 | (uint64_t)number << 8 | contents)};
}

void note_contents(struct rank *r, int id)
{
	struct mail *m = &r->w->mails[id];
	struct coord_message name = message_of(r->w, id);
	struct orphan_sum sum = sum_of(m->env, m->number, m->contents);

	if (!m->noted && coord_is_early(&r->c, m->stamp))
		coord_received(&r->c, &name, &sum);
	m->noted = true;
}

/* Early, or when it is received. */
static void perhaps_note(struct rank *r, int id)
{
	if (r->w->mails[id].whole && r->w->mails[id].post >= 0 && rng_chance(&r->w->rng, 500))
		note_contents(r, id);
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
		perhaps_note(r, id);
	}
}

/* A candidate of every line that is being made, if it may be in. */
static void hold(struct rank *r, int id)
{
	struct coord_message m = message_of(r->w, id);

	for (uint32_t line = 0; (line = coord_next_line(&r->c, line));) {
		struct part *part = part_of(r, line);
		enum coord_fate fate = coord_fate(&r->c, line, &m);

		if (fate != COORD_OUT)
			mails_add(&part->candidates, id);
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
	if (thrown) {
		check_again(r, id);
		if (!w->other)
			coord_compared(&r->c);
		drive(r);
		return;
	}
	if (m->more)
		next_round(w, e->to, m->more - 1);
	m->index = coord_arrived(&r->c, e->from, e->context, e->tag, m->stamp);
	mails_add(&r->inbox, id);
	match_posts(r);
	hold(r, id);
	drive(r);
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

static bool has_operation(const struct world *w, int env)
{
	for (int i = 0; i < w->flying[env].n; i++)
		if (w->mails[w->flying[env].v[i]].more)
			return true;
	return false;
}

void end_operations(struct world *w)
{
	for (int env = 0; env < w->program.nenvs;) {
		if (has_operation(w, env)) {
			arrive(w, env);
			env = 0;
		} else {
			env++;
		}
	}
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
		struct control *t = w->control[from][to];

		if (!t)
			continue;
		w->control[from][to] = t->next;
		if (!t->next)
			w->control_end[from][to] = &w->control[from][to];
		world_says(w, "a control message from %d to %d: kind %d", from, to,
			t->len ? t->bytes[0] : -1);
		if (!coord_control(&rank_of(w, to)->c, from, t->bytes, t->len))
			world_fails(w, "rank %d refuses a control message from %d", to, from);
		drive(rank_of(w, to));
		free(t);
		return true;
	}
	return false;
}

/* ---- parts ---- */

static bool is_whole(const struct world *w, const struct part *part)
{
	for (int i = 0; i < part->candidates.n; i++)
		if (!w->mails[part->candidates.v[i]].whole)
			return false;
	return true;
}

static void lose(struct rank *r, struct part *part, uint32_t line)
{
	world_says(r->w, "%d: line %u cannot be written", r->self, line);
	part->lost = true;
	coord_written(&r->c, line, NULL);
	drive(r);
}

static bool write_part(struct rank *r, uint32_t line)
{
	struct part *part = part_of(r, line);
	struct coord_part said = {.ok = 1, .seal = line * 8 + (unsigned)r->self, .bytes = 1};

	if (!part->captured || part->lost || part->durable || part->over || r->meets)
		return false;
	if (part->torn || (part->finished && part->crowded) ||
		rng_chance(&r->w->rng, r->w->rates.spoil)) {
		lose(r, part, line);
		return true;
	}
	if (!part->finished || !is_whole(r->w, part))
		return false;
	world_says(r->w, "%d: line %u is written", r->self, line);
	part->durable = true;
	coord_written(&r->c, line, &said);
	drive(r);
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
		drive(&w->ranks[0]);
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
