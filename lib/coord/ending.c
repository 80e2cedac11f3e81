/* SPDX-License-Identifier: BSD-3-Clause */
/* The program ends: what is owed is looked at, lines that all have begun are finished. */
#include <inttypes.h>
#include <stdio.h>

#include "coord/lines.h"

/* ---- orphans that were not sent again ---- */

struct owed {
	const struct coord *c;
	uint64_t expected; /* messages that all ranks have sent to this one */
};

static bool all_compared(void *arg)
{
	const struct owed *o = arg;

	return o->c->arrived >= o->expected && !o->c->comparing;
}

static void say_owed(const struct coord *c)
{
	char text[320];
	uint32_t peer = 0;

	for (size_t i = c->debts.n; i-- > 0;)
		if (debt_left(&c->debts.v[i]).count)
			peer = c->debts.v[i].range.peer;
	snprintf(text, sizeof text,
		"this rank (%d) had received %" PRIu64
		" message%s before the line restored, the first from rank %" PRIu32
		", that never came again: the program sends other messages when it is run again, "
		"and needs `-coord blocking`",
		c->self, c->debts.left, c->debts.left == 1 ? "" : "s", peer);
	c->env->fatal(c->user, text);
}

/* After a restore all that is sent has to come: what was thrown away, or is still to be, was
 * received once, and a program that does not send it any more has gone another way. */
static void settle_owed(struct coord *c)
{
	struct owed o = {.c = c};

	c->env->exchange(c->user, c->sent, &o.expected);
	c->env->wait(c->user, all_compared, &o);
	if (c->debts.left)
		say_owed(c);
}

/* ---- lines ---- */

struct ending {
	const struct coord *c;
	uint32_t common; /* the latest line that every rank has begun */
};

/* Others may wait for what this rank has to pass on. */
static bool common_over(void *arg)
{
	const struct ending *e = arg;
	const struct coord_lines *x = e->c->lines;

	return (!x->list || x->list->line > e->common) &&
	       (!x->tallies || x->tallies->line > e->common);
}

void coord_close(struct coord *c)
{
	struct ending e = {.c = c};

	if (c->restored)
		settle_owed(c);
	if (c->waits || c->lines->ended)
		return;
	e.common = c->env->least(c->user, c->line);
	c->env->wait(c->user, common_over, &e);
	c->lines->ended = true;
	lines_give_up(c);
	step_run(c);
}
