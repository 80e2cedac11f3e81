/* SPDX-License-Identifier: BSD-3-Clause */
/* The cut of a line: from what has arrived, what the program has received of it, and orphans to
 * suppress. */
#include <stdlib.h>

#include "coord/lines.h"
#include "coord/message_sort.h"

/* Orphans to suppress are numbered behind what has come, so they need entries. */
static bool enter_suppress(struct coord *c)
{
	for (size_t i = 0; c->suppress.left && i < c->suppress.n; i++) {
		const struct orphan_range *r = &c->suppress.v[i].range;

		if (!envelope_counters_get(&c->peers[r->peer].seen, r->context, r->tag))
			return false;
	}
	return true;
}

static bool cut_log(struct coord *c, struct line *l, const struct coord_undelivered *u)
{
	const struct envelope_counters **logs = malloc((size_t)c->size * sizeof *logs);
	struct cut_state state = {.size = c->size,
		.arrived = logs,
		.waiting = u->v,
		.nwaiting = u->n,
		.suppress = &c->suppress};

	if (!logs || !enter_suppress(c)) {
		free(logs);
		return false;
	}
	for (int p = 0; p < c->size; p++)
		logs[p] = &c->peers[p].seen;
	l->cut = cut_new(&state);
	free(logs);
	return l->cut != NULL;
}

bool line_cut(struct coord *c, struct line *l, struct coord_undelivered *u)
{
	bool ok = !u->incomplete;

	message_sort(u->v, u->n, sizeof *u->v);
	if (ok && coord_logs(c))
		ok = cut_log(c, l, u);
	if (ok && coord_tags(c)) {
		l->tag = tag_cut_new(&c->lines->tagging, l->line, u->v, u->n, &c->suppress);
		ok = l->tag != NULL;
	}
	if (ok)
		l->early = early_cut_new(&c->lines->received, l->line, u->v, u->n, &c->suppress);
	return ok && l->early;
}
