/* SPDX-License-Identifier: BSD-3-Clause */
/* The cut of a line: from what has arrived, what the program has received of it, and debts. */
#include <stdlib.h>

#include "coord/lines.h"

/* Debts are numbered behind what has come, so they need entries. */
static bool enter_debts(struct coord *c)
{
	for (size_t i = 0; c->debts.left && i < c->debts.n; i++) {
		const struct orphan_range *r = &c->debts.v[i].range;

		if (!envlog_get(&c->peers[r->peer].seen, r->context, r->tag))
			return false;
	}
	return true;
}

static bool cut_log(struct coord *c, struct line *l, const struct coord_undelivered *u)
{
	const struct envlog **logs = malloc((size_t)c->size * sizeof *logs);
	struct cut_state state = {.size = c->size,
		.arrived = logs,
		.waiting = u->v,
		.nwaiting = u->n,
		.debts = &c->debts};

	if (!logs || !enter_debts(c)) {
		free(logs);
		return false;
	}
	for (int p = 0; p < c->size; p++)
		logs[p] = &c->peers[p].seen;
	l->cut = cut_new(&state);
	free(logs);
	return l->cut != NULL;
}

bool lines_cut(struct coord *c, struct line *l, struct coord_undelivered *u)
{
	bool ok = !u->incomplete;

	cut_sort(u->v, u->n);
	if (ok && coord_logs(c))
		ok = cut_log(c, l, u);
	if (ok && coord_tags(c)) {
		l->tag = tag_cut_new(&c->lines->tagging, l->line, u->v, u->n, &c->debts);
		ok = l->tag != NULL;
	}
	if (ok)
		l->early = early_cut_new(&c->lines->received, l->line, u->v, u->n, &c->debts);
	return ok && l->early;
}
