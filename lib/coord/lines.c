/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of this rank: what one still lacks, peers that close it. */
#include "coord/lines.h"

#include <assert.h>
#include <stdlib.h>

/* ---- lookups ---- */

struct line *lines_find(const struct coord *c, uint32_t line)
{
	struct line *l = c->lines ? c->lines->list : NULL;

	while (l && l->line < line)
		l = l->next;
	return l && l->line == line ? l : NULL;
}

/* A part that is lost has let go of its cut. */
static bool has_part(const struct line *l)
{
	return l->cut || l->tag;
}

void lines_busy(struct coord *c)
{
	c->making = 0;
	for (const struct line *l = c->lines->list; l; l = l->next)
		c->making += has_part(l);
	c->busy = coord_tags(c) || c->making;
}

bool lines_identified(const struct coord *c, const struct line *l)
{
	return !c->comparing && has_part(l) && !l->open && !(l->cut && l->cut->missing) &&
	       !(l->tag && l->tag->left);
}

/* ---- its states ---- */

/* From each state, the states that it leads to. A part may be lost at any time before it is
 * durable; a line is given up with or without this rank's part, and committed only with it. */
static const bool leads[LINE_STATES][LINE_STATES] = {
	[LINE_MAKING] = {[LINE_FINISHED] = true, [LINE_LOST] = true, [LINE_GIVEN_UP] = true},
	[LINE_FINISHED] = {[LINE_DURABLE] = true, [LINE_LOST] = true, [LINE_GIVEN_UP] = true},
	[LINE_DURABLE] = {[LINE_COMMITTED] = true, [LINE_GIVEN_UP] = true},
	[LINE_LOST] = {[LINE_GIVEN_UP] = true},
};

void lines_become(struct line *l, enum line_state state)
{
	assert(leads[l->state][state]);
	l->state = state;
}

bool lines_is_over(const struct line *l)
{
	return l->state == LINE_COMMITTED || l->state == LINE_GIVEN_UP;
}

bool lines_is_open(const struct line *l)
{
	return l->state == LINE_MAKING || l->state == LINE_FINISHED;
}

void lines_give_up(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next)
		if (!lines_is_over(l))
			lines_become(l, LINE_GIVEN_UP);
}

/* ---- one line ---- */

struct line *lines_add(struct coord *c)
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

void lines_free(struct line *l)
{
	cut_free(l->cut);
	tag_cut_free(l->tag);
	early_cut_free(l->early);
	free(l->settle);
	free(l);
}

void lines_said(struct coord *c, struct line *l, const struct coord_part *part)
{
	struct coord_part none = {0};

	if (!lines_is_open(l))
		return;
	lines_become(l, part ? LINE_DURABLE : LINE_LOST);
	sums_ready(c, l->line, part ? part : &none);
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

void lines_close_one(struct coord *c, struct line *l, int peer)
{
	l->open--;
	if (!has_part(l))
		return;
	if (l->tag)
		tag_cut_close(l->tag, peer, c->lines->from[peer].sent);
	if (l->tag && (int64_t)l->tag->missing[peer] < 0)
		environment_fatal(c, "more messages have come than a rank says that it has sent");
	if (l->cut && !cut_close(l->cut, peer)) {
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
			lines_close_one(c, l, peer);
	f->closed = line;
}

void lines_arrived(struct coord *c, const struct coord_message *m)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->cut)
			cut_arrived(l->cut, m);
		if (l->tag)
			tag_cut_arrived(l->tag, m);
		if (l->state == LINE_MAKING && lines_identified(c, l))
			c->due = true;
	}
}
