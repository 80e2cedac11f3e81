/* SPDX-License-Identifier: BSD-3-Clause */
/* What drives all others: a line is begun, and one thing after the other is asked of lib/mpi. */
#include "coord/lines.h"

#include <stdlib.h>

/* ---- what is asked of lib/mpi ---- */

static bool settle_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->state == LINE_LOST || lines_is_over(l) || l->settled == l->nsettle)
			continue;
		c->env->settle(c->user, l->line, l->settle[l->settled++]);
		return true;
	}
	return false;
}

static bool finish_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->state != LINE_MAKING || !lines_identified(c, l))
			continue;
		if (l->cut && l->tag)
			compare_orphans(c, l);
		lines_become(l, LINE_FINISHED);
		c->env->finish(c->user, l->line);
		return true;
	}
	return false;
}

static bool over_step(struct coord *c)
{
	for (struct line **at = &c->lines->list; *at; at = &(*at)->next) {
		struct line *l = *at;

		if (!lines_is_over(l))
			continue;
		*at = l->next;
		lines_busy(c);
		c->env->over(c->user, l->line, l->state == LINE_COMMITTED);
		lines_free(l);
		if (!c->lines->list)
			reports_forget(c);
		return true;
	}
	return false;
}

void step_run(struct coord *c)
{
	struct coord_lines *x = c->lines;

	if (x->running)
		return;
	x->running = true;
	do
		c->due = false;
	while (settle_step(c) || finish_step(c) || agree_step(c) || over_step(c));
	x->running = false;
}

/* ---- beginning a line ---- */

static void report_line(struct coord *c)
{
	uint32_t *counts = calloc((size_t)c->size, sizeof *counts);

	if (!counts)
		environment_no_memory(c);
	reports_send(c, counts);
	counts_add(c, c->line, counts);
	free(counts);
}

/* E2. From the cut on a message counts for the next interval; peers that had closed the line before
 * do so now, when lib/mpi has its copy. */
bool step_begin(struct coord *c)
{
	struct coord_lines *x = c->lines;
	struct line *l;
	bool captured;

	c->line++;
	l = lines_add(c);
	x->running = true;
	captured = lines_cut(c, l);
	lines_busy(c);
	if (captured)
		captured = c->env->capture(c->user, l->line);
	if (!captured)
		lines_said(c, l, NULL);
	for (int p = 0; p < c->size; p++)
		if (p != c->self && x->from[p].closed >= l->line)
			lines_close_one(c, l, p);
	report_line(c);
	reports_got_early(c);
	counts_sweep(c);
	x->running = false;
	step_run(c);
	return captured;
}

/* ---- after a restore ---- */

void step_clear(struct coord *c)
{
	lines_give_up(c);
	while (over_step(c))
		;
	state_clear(c);
}
