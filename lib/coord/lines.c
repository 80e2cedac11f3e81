/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of this rank: how one begins, peers that close it, what is asked of lib/mpi. */
#include "coord/lines.h"

#include <stdlib.h>

/* ---- lookups ---- */

struct line *lines_find(const struct coord *c, uint32_t line)
{
	struct line *l = c->lines ? c->lines->list : NULL;

	while (l && l->line < line)
		l = l->next;
	return l && l->line == line ? l : NULL;
}

void lines_busy(struct coord *c)
{
	c->making = 0;
	for (const struct line *l = c->lines->list; l; l = l->next)
		c->making += !l->lost;
	c->busy = c->tags || c->making;
}

/* Nothing will be added to it any more; and what came again of the line that was restored was the
 * same (E11): with respect to this one it may be an orphan no more, and nobody would look at it
 * again. */
static bool is_identified(const struct coord *c, const struct line *l)
{
	return !c->comparing && !l->lost && !l->open && !(l->cut && l->cut->missing) &&
	       !(l->tag && l->tag->left);
}

/* ---- beginning one ---- */

static struct line *new_line(struct coord *c)
{
	struct line **at = &c->lines->list, *l = calloc(1, sizeof *l);

	if (!l)
		environment_no_memory(c);
	l->line = c->line;
	l->open = c->size;
	l->settle = malloc((size_t)c->size * sizeof *l->settle);
	if (!l->settle)
		environment_no_memory(c);
	while (*at)
		at = &(*at)->next;
	*at = l;
	return l;
}

static void report_line(struct coord *c)
{
	uint32_t *counts = calloc((size_t)c->size, sizeof *counts);

	if (!counts)
		environment_no_memory(c);
	reports_send(c, counts);
	agree_counts(c, c->line, counts);
	free(counts);
}

static void close_line(struct coord *c, struct line *l, int peer);

/* E2. From the cut on a message counts for the next interval; peers that had closed the line before
 * do so now, when lib/mpi has its copy. */
bool lines_begin(struct coord *c)
{
	struct coord_lines *x = c->lines;
	struct line *l;
	bool captured;

	c->line++;
	l = new_line(c);
	x->running = true;
	captured = lines_cut(c, l);
	lines_busy(c);
	if (captured)
		captured = c->env->capture(c->user, l->line);
	if (!captured)
		lines_said(c, l, NULL);
	for (int p = 0; p < c->size; p++)
		if (p != c->self && x->from[p].closed >= l->line)
			close_line(c, l, p);
	report_line(c);
	reports_got_early(c);
	reports_sweep(c);
	x->running = false;
	lines_run(c);
	return captured;
}

void lines_said(struct coord *c, struct line *l, const struct coord_part *part)
{
	struct coord_part none = {0};

	if (l->said)
		return;
	l->said = true;
	l->lost = !part;
	agree_ready(c, l->line, part ? part : &none);
	if (part)
		return;
	cut_free(l->cut);
	tag_cut_free(l->tag);
	early_cut_free(l->early);
	l->cut = NULL;
	l->tag = NULL;
	l->early = NULL;
	lines_busy(c);
}

/* ---- peers that close it ---- */

static void close_line(struct coord *c, struct line *l, int peer)
{
	l->open--;
	if (l->lost)
		return;
	if (l->tag)
		tag_cut_close(l->tag, peer, c->lines->from[peer].sent);
	if (l->tag && (int64_t)l->tag->missing[peer] < 0)
		environment_fatal(c, "more messages have come than a rank says that it has sent");
	if (l->cut && !cut_close(l->cut, peer, &c->peers[peer].seen)) {
		lines_said(c, l, NULL);
		return;
	}
	if (l->cut && l->tag)
		compare_missing(c, l, peer);
	l->settle[l->nsettle++] = peer;
	c->due = true;
}

void lines_close(struct coord *c, int peer, uint32_t line)
{
	struct from *f = &c->lines->from[peer];

	if (line <= f->closed)
		return;
	for (struct line *l = c->lines->list; l && l->line <= line; l = l->next)
		if (l->line > f->closed)
			close_line(c, l, peer);
	f->closed = line;
}

void lines_arrived(struct coord *c, const struct coord_message *m)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->cut)
			cut_arrived(l->cut, m);
		if (l->tag)
			tag_cut_arrived(l->tag, m);
		if (!l->asked && is_identified(c, l))
			c->due = true;
	}
}

/* ---- what is asked of lib/mpi ---- */

static bool settle_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->lost || l->over || l->settled == l->nsettle)
			continue;
		c->env->settle(c->user, l->line, l->settle[l->settled++]);
		return true;
	}
	return false;
}

static bool finish_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->asked || l->over || !is_identified(c, l))
			continue;
		if (l->cut && l->tag)
			compare_orphans(c, l);
		l->asked = true;
		c->env->finish(c->user, l->line);
		return true;
	}
	return false;
}

bool lines_over_step(struct coord *c)
{
	for (struct line **at = &c->lines->list; *at; at = &(*at)->next) {
		struct line *l = *at;

		if (!l->over)
			continue;
		*at = l->next;
		lines_busy(c);
		c->env->over(c->user, l->line, l->committed);
		lines_free(l);
		if (!c->lines->list)
			reports_forget(c);
		return true;
	}
	return false;
}

void lines_run(struct coord *c)
{
	struct coord_lines *x = c->lines;

	if (x->running)
		return;
	x->running = true;
	do
		c->due = false;
	while (settle_step(c) || finish_step(c) || agree_step(c) || lines_over_step(c));
	x->running = false;
}
