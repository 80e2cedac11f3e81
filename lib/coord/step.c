/* SPDX-License-Identifier: BSD-3-Clause */
/* What drives all others: a line is begun, and one thing after the other is found to be done. */
#include <stdlib.h>

#include "coord/actions.h"
#include "coord/lines.h"

/* ---- what is to be done ---- */

static bool settle_step(struct coord *c)
{
	for (struct line *l = c->lines->list; l; l = l->next) {
		if (l->state == LINE_LOST || lines_is_over(l) || l->settled == l->nsettle)
			continue;
		actions_add(c, &(struct coord_action){.kind = COORD_SETTLE,
				       .line = l->line,
				       .peer = l->settle[l->settled++]});
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
		actions_add(c, &(struct coord_action){.kind = COORD_FINISH, .line = l->line});
		return true;
	}
	return false;
}

bool step_list(struct coord *c)
{
	struct coord_lines *x = c->lines;

	if (x->list || !coord_logs(c))
		return false;
	if (!x->listing)
		actions_add(c, &(struct coord_action){.kind = COORD_LIST});
	x->listing = true;
	return true;
}

static bool over_step(struct coord *c)
{
	for (struct line **at = &c->lines->list; *at; at = &(*at)->next) {
		struct line *l = *at;

		if (!lines_is_over(l))
			continue;
		*at = l->next;
		lines_busy(c);
		actions_add(c, &(struct coord_action){.kind = COORD_OVER,
				       .line = l->line,
				       .ok = l->state == LINE_COMMITTED});
		lines_free(l);
		step_list(c);
		return true;
	}
	return false;
}

/* Found one at a time: what is done before may change what is to be done. */
bool step_next(struct coord *c, struct coord_action *a)
{
	while (!actions_take(c, a))
		if (!c->lines || c->state == COORD_CAPTURING ||
			!(settle_step(c) || finish_step(c) || agree_step(c) || over_step(c))) {
			c->due = false;
			return false;
		}
	return true;
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

bool step_begin(struct coord *c, struct coord_undelivered *u)
{
	struct line *l;
	bool cut;

	c->line++;
	l = lines_add(c);
	cut = line_cut(c, l, u);
	lines_busy(c);
	return cut;
}

/* E2. From the cut on a message counts for the next interval; peers that had closed the line before
 * do so now, when lib/mpi has its copy. */
void step_begun(struct coord *c, bool captured)
{
	struct coord_lines *x = c->lines;
	struct line *l = lines_find(c, c->line);

	if (!captured)
		lines_said(c, l, NULL);
	for (int p = 0; p < c->size; p++)
		if (p != c->self && x->from[p].closed >= l->line)
			lines_close_one(c, l, p);
	report_line(c);
	reports_got_early(c);
	counts_sweep(c);
	c->due = true;
}

/* A child may say that its part is durable before this rank knows that all have their copies. */
void step_begin_later(struct coord *c)
{
	lines_add(c)->open = 0;
	c->lines->closed = c->line;
	sums_at(c, c->line);
}

void step_met(struct coord *c, bool ok)
{
	if (!ok) {
		agree_forgo(c, c->line);
		return;
	}
	lines_become(lines_find(c, c->line), LINE_FINISHED);
	actions_add(c, &(struct coord_action){.kind = COORD_FINISH, .line = c->line});
}

/* ---- after a restore ---- */

void step_clear(struct coord *c)
{
	lines_give_up(c);
	while (over_step(c))
		;
	state_clear(c);
}
