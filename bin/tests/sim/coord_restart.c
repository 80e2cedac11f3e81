/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines on disk; the end of everything, and how the ranks begin again. */
#include <stdlib.h>
#include <string.h>

#include "coord_sim.h"

/* ---- what is on disk ---- */

static void free_stored(struct stored *s)
{
	for (int q = 0; q < RANKS; q++)
		free(s->orphans[q]);
	free(s);
}

static void store_rank(struct world *w, struct stored *s, int q)
{
	const struct part *part = part_of(&w->ranks[q], s->line);

	s->state[q] = part->state;
	s->nmail[q] = part->candidates.n;
	for (int i = 0; i < part->candidates.n; i++) {
		const struct mail *m = &w->mails[part->candidates.v[i]];

		s->mail[q][i].env = m->env;
		s->mail[q][i].number = m->number;
		s->mail[q][i].contents = m->contents;
		if (!m->whole)
			world_fails(
				w, "line %u is committed without a message of rank %d", s->line, q);
	}
	image_store(w, part, &s->image[q]);
	s->norphans[q] = part->norphans;
	s->orphans[q] = malloc(part->norphans + 1);
	memcpy(s->orphans[q], part->orphans, part->norphans);
}

static void forget_stored(struct world *w, int at)
{
	if (w->store[at] != w->restored)
		free_stored(w->store[at]);
	for (w->nstore--; at < w->nstore; at++)
		w->store[at] = w->store[at + 1];
}

void store_add(struct world *w, uint32_t line)
{
	struct stored *s = calloc(1, sizeof *s);

	if (w->nstore && w->store[0]->line >= line)
		world_fails(w, "line %u is committed after %u", line, w->store[0]->line);
	s->line = line;
	for (int q = 0; q < w->program.ranks; q++)
		store_rank(w, s, q);
	if (w->nstore == KEPT)
		forget_stored(w, KEPT - 1);
	for (int i = w->nstore++; i > 0; i--)
		w->store[i] = w->store[i - 1];
	w->store[0] = s;
}

static bool is_stored(const struct world *w, const struct stored *s)
{
	for (int i = 0; i < w->nstore; i++)
		if (w->store[i] == s)
			return true;
	return false;
}

static void set_restored(struct world *w, struct stored *s)
{
	if (w->restored && !is_stored(w, w->restored))
		free_stored(w->restored);
	w->restored = s;
}

void store_clear(struct world *w)
{
	set_restored(w, NULL);
	while (w->nstore)
		forget_stored(w, 0);
}

/* ---- restore ---- */

/* Rarely the newest is damaged. */
static void choose_line(struct world *w)
{
	if (w->nstore > 1 && rng_chance(&w->rng, 150)) {
		set_restored(w, NULL);
		forget_stored(w, 0);
	}
	set_restored(w, w->nstore ? w->store[0] : NULL);
}

bool find_line(struct rank *r, uint64_t *latest)
{
	*latest = r->w->restored ? r->w->latest : r->c.line;
	return r->w->restored != NULL;
}

int inject(struct rank *r, const struct stored_mail *m)
{
	struct world *w = r->w;
	const struct envelope *e = &w->program.envs[m->env];
	int id = w->nmails++;

	w->mails[id] = (struct mail){.env = m->env,
		.number = m->number,
		.contents = m->contents,
		.post = -1,
		.whole = true};
	w->mails[id].index = coord_injected(&r->c, e->from, e->context, e->tag);
	mails_add(&r->inbox, id);
	return id;
}

void take_line(struct rank *r)
{
	struct world *w = r->w;
	const struct stored *s = w->restored;
	int q = r->self;

	if (r->inbox.n)
		world_fails(w, "rank %d: messages from before the restore are left", q);
	r->state = s->state[q];
	image_wake(r, &s->image[q]);
	for (int i = 0; i < s->nmail[q]; i++)
		inject(r, &s->mail[q][i]);
	if (!coord_load(&r->c, s->orphans[q], s->norphans[q]))
		abort();
}

/* Messages of the part of the program before its restore: void. Some are of operations that are
 * still open when it begins. */
static void send_void(struct world *w)
{
	unsigned n = rng_below(&w->rng, 3) * rng_below(&w->rng, 10);

	for (unsigned i = 0; i < n && w->program.nenvs; i++) {
		int env = (int)rng_below(&w->rng, (unsigned)w->program.nenvs);

		send_round(w, env, rng_chance(&w->rng, 200) ? 1 + rng_below(&w->rng, 5) : 0);
		if (rng_chance(&w->rng, 500))
			deliver_to(w, (int)rng_below(&w->rng, (unsigned)w->program.ranks));
		if (!coord_is_blocking(&w->ranks[0].c) && rng_chance(&w->rng, 50))
			drive_due(&w->ranks[rng_below(&w->rng, (unsigned)w->program.ranks)], true);
	}
}

static void take_lines(struct world *w)
{
	w->before_restore = true;
	if (w->restored)
		send_void(w);
	for (int q = 0; q < w->program.ranks; q++)
		if (drive_restore(&w->ranks[q]) != (w->restored != NULL))
			world_fails(w, "rank %d: restored, or not?", q);
	w->before_restore = false;
}

static void restore(struct world *w, bool wakes)
{
	if (!wakes)
		take_lines(w);
	for (int q = 0; wakes && q < w->program.ranks; q++)
		take_line(&w->ranks[q]);
	w->seen->woken += wakes;
	for (int q = 0; q < w->program.ranks; q++) {
		for (int e = 0; e < w->program.nenvs; e++)
			if (w->flying[e].n)
				world_fails(w, "a message from before the restore comes after it");
		match_posts(&w->ranks[q]);
	}
	w->base = w->latest = w->restored ? w->latest : 0;
	w->seen->restores += w->restored != NULL;
	world_says(w, "restored from line %u, next is after %u",
		w->restored ? w->restored->line : 0, w->base);
}

/* ---- epochs ---- */

static void choose_protocol(struct world *w)
{
	static const char *const names[] = {"eventlog", "eventlog", "tagging", "compare", "compare",
		"compare", "blocking", "auto"};
	static const char *const choices[] = {NULL, "eventlog", "tagging", "blocking"};

	w->protocol = names[rng_below(&w->rng, 8)];
	if (w->program.aligned && rng_chance(&w->rng, 300))
		w->protocol = "blocking";
	w->choice = strcmp(w->protocol, "auto") ? NULL : choices[rng_below(&w->rng, 4)];
	w->later = !strcmp(w->protocol, "blocking") && rng_chance(&w->rng, 600);
	world_says(w, "protocol %s%s, choice %s", w->protocol, w->later ? ", later" : "",
		w->choice ? w->choice : "none");
}

static void fatal(void *user, const char *sentence)
{
	struct rank *r = user;

	world_fails(r->w, "rank %d: %s", r->self, sentence);
}

/* With lines in the making, and words about them to be said. */
static void wake(struct rank *r)
{
	coord_woke(&r->c, r->w->latest);
	drive(r);
	for (int to = 0; to < r->w->program.ranks; to++)
		if (r->w->control[r->self][to])
			world_fails(r->w, "rank %d says something as it wakes up", r->self);
	if (!coord_lines_over(&r->c) || coord_making(&r->c) || r->c.line != r->w->latest)
		world_fails(r->w, "rank %d wakes up, and a line is being made", r->self);
}

static void begin_rank(struct world *w, int q, bool wakes)
{
	struct rank *r = &w->ranks[q];

	for (int to = 0; to < w->program.ranks; to++)
		w->control_end[q][to] = &w->control[q][to];
	r->w = w;
	r->self = q;
	if (wakes)
		wake(r);
	else
		r->chosen = false;
	r->inbox.n = 0;
	memset(&r->state, 0, sizeof r->state);
	memset(r->woke, 0, sizeof r->woke);
	for (int i = 0; i < POSTS; i++)
		r->matched[i] = -1;
	for (int i = 0; i < LINES; i++) {
		struct part *part = &r->parts[i];

		part->begun = part->captured = part->finished = part->durable = false;
		part->lost = part->over = part->committed = false;
		part->torn = part->crowded = false;
		part->candidates.n = part->kept.n = 0;
	}
	r->meets = false;
	r->left = 0;
	if (!wakes && coord_init(&r->c, w->protocol, q, w->program.ranks, fatal, r))
		abort();
	if (!wakes && w->later && coord_commit_later(&r->c))
		abort();
}

/* Rarely a program is run again that sends something else. */
static void choose_contents(struct world *w)
{
	if (w->restored && w->program.nenvs && rng_chance(&w->rng, 300))
		w->sends[rng_below(&w->rng, (unsigned)w->program.nenvs)]++;
}

void world_begin_epoch(struct world *w, bool wakes)
{
	w->nmails = 0;
	w->committing = w->meeting = 0;
	w->commit_known = false;
	w->one_ahead_only = true;
	w->asked = 0;
	memset(w->control_of, 0, sizeof w->control_of);
	w->slow_rank = (int)rng_below(&w->rng, 2 * RANKS);
	for (int e = 0; e < w->program.nenvs; e++)
		w->flying[e].n = 0;
	if (!wakes)
		choose_protocol(w);
	choose_line(w);
	choose_contents(w);
	for (int q = 0; q < w->program.ranks; q++)
		begin_rank(w, q, wakes);
	restore(w, wakes);
}

void world_end_epoch(struct world *w, bool wakes)
{
	for (int q = 0; q < w->program.ranks; q++) {
		if (!wakes)
			coord_fini(&w->ranks[q].c);
		for (int i = 0; i < LINES; i++) {
			free(w->ranks[q].parts[i].orphans);
			w->ranks[q].parts[i].orphans = NULL;
		}
		for (int to = 0; to < w->program.ranks; to++)
			while (w->control[q][to]) {
				struct control *t = w->control[q][to];

				w->control[q][to] = t->next;
				free(t);
			}
	}
}
