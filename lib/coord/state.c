/* SPDX-License-Identifier: BSD-3-Clause */
/* What is behind struct coord: made, cleared, freed. */
#include <stdlib.h>

#include "base/error.h"
#include "coord/lines.h"

int state_init(struct coord *c)
{
	struct coord_lines *x = calloc(1, sizeof *x);

	c->lines = x;
	if (!x)
		return FT_ENOMEM;
	x->early_end = &x->early;
	x->from = calloc((size_t)c->size, sizeof *x->from);
	x->to = calloc((size_t)c->size, sizeof *x->to);
	c->peers = calloc((size_t)c->size, sizeof *c->peers);
	if (!x->from || !x->to || !c->peers)
		return FT_ENOMEM;
	for (int p = 0; p < c->size; p++) {
		envelope_counters_init(&c->peers[p].log);
		envelope_counters_init(&c->peers[p].seen);
	}
	return tagging_init(&x->tagging, c->size);
}

static void drop_lines(struct coord_lines *x)
{
	while (x->list) {
		struct line *l = x->list;

		x->list = l->next;
		lines_free(l);
	}
	while (x->reductions)
		reduction_remove(&x->reductions, x->reductions);
	while (x->early) {
		struct early_report *e = x->early;

		x->early = e->next;
		free(e);
	}
	x->early_end = &x->early;
}

void state_fini(struct coord *c)
{
	if (!c->lines)
		return;
	drop_lines(c->lines);
	for (int p = 0; c->peers && p < c->size; p++) {
		envelope_counters_free(&c->peers[p].log);
		envelope_counters_free(&c->peers[p].seen);
	}
	tagging_free(&c->lines->tagging);
	early_free(&c->lines->received);
	free(c->peers);
	free(c->lines->from);
	free(c->lines->to);
	free(c->lines);
	c->lines = NULL;
	c->peers = NULL;
}

void state_clear(struct coord *c)
{
	struct coord_lines *x = c->lines;

	drop_lines(x);
	for (int p = 0; p < c->size; p++) {
		envelope_counters_clear(&c->peers[p].log);
		envelope_counters_clear(&c->peers[p].seen);
		x->from[p] = (struct from){.closed = c->line};
		x->to[p] = (struct to){.before = c->sent[p]};
	}
	tagging_clear(&x->tagging);
	early_clear(&x->received);
	x->base = x->closed = x->committed = x->wanted = c->line;
	x->committing = 0;
	x->listing = false;
	lines_busy(c);
}
