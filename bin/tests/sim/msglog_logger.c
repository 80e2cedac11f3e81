/* SPDX-License-Identifier: BSD-3-Clause */
/* The event logger of the simulation: what it has, and what is on its way to it. */
#include <stdlib.h>
#include <string.h>

#include "msglog_sim.h"

static void *more(struct world *w, void *v, size_t *room, size_t n, size_t size)
{
	if (n <= *room)
		return v;
	*room = 2 * n;
	v = realloc(v, *room * size);
	if (!v)
		world_fails(w, "no memory");
	return v;
}

void logger_told(struct world *w, int p, const struct msglog_action *a)
{
	struct logger *l = &w->ranks[p].logger;

	for (size_t i = 0; i < a->n; i++)
		world_says(w, "rank %d: outcome %d: kind %d, %d, %d of receive %d", p,
			(int)(a->number + i), (int)a->outcomes[i].kind, (int)a->outcomes[i].peer,
			(int)a->outcomes[i].value, (int)a->outcomes[i].receive);
	l->way = more(w, l->way, &l->way_room, l->nway + a->n, sizeof *l->way);
	memcpy(l->way + l->nway, a->outcomes, a->n * sizeof *l->way);
	l->nway += a->n;
	l->told = a->number + a->n - 1;
	if (w->without == RULE_GATE)
		msglog_acknowledged(&w->ranks[p].log, l->told);
}

/* The first of those on the way is durable. */
void logger_takes(struct world *w, int p)
{
	struct logger *l = &w->ranks[p].logger;
	uint64_t number = l->told - l->nway + 1;

	if (!l->n && l->covered < number - 1)
		l->covered =
			number - 1; /* it was started again, and a checkpoint has those before */
	if (number == l->covered + l->n + 1) {
		l->v = more(w, l->v, &l->room, l->n + 1, sizeof *l->v);
		l->v[l->n++] = l->way[0];
	} else if (number > l->covered + l->n) {
		world_fails(w, "the event logger lacks outcomes of rank %d", p);
	}
	l->nway--;
	memmove(l->way, l->way + 1, l->nway * sizeof *l->way);
}

bool logger_move(struct world *w, int p)
{
	struct rank *r = &w->ranks[p];

	if (!r->logger.nway)
		return false;
	logger_takes(w, p);
	if (!msglog_acknowledged(&r->log, r->logger.covered + r->logger.n) &&
		w->without != RULE_EVENTS_GC)
		world_fails(w, "rank %d has not told that many", p);
	world_act(w, p);
	return true;
}

/* What is covered is not told any more. */
static void forget_on_the_way(struct logger *l, uint64_t number)
{
	size_t gone = 0;

	while (gone < l->nway && l->told - l->nway + 1 + gone <= number)
		gone++;
	l->nway -= gone;
	if (gone && l->nway)
		memmove(l->way, l->way + gone, l->nway * sizeof *l->way);
}

/* Also what is still on the way, and is never acknowledged then. */
void logger_forgets(struct world *w, int p, uint64_t number)
{
	struct logger *l = &w->ranks[p].logger;
	size_t gone;

	forget_on_the_way(l, number);
	if (number <= l->covered)
		return;
	gone = number - l->covered < l->n ? (size_t)(number - l->covered) : l->n;
	l->n -= gone;
	if (l->n)
		memmove(l->v, l->v + gone, l->n * sizeof *l->v);
	l->covered = number;
}

/* Does it have all again that it had? Until then it must not be lost together with a rank. */
static bool logger_is_whole(const struct world *w)
{
	for (int p = 0; p < w->n; p++) {
		const struct logger *l = &w->ranks[p].logger;

		if (l->covered + l->n < l->lost)
			return false;
	}
	return true;
}

bool world_may_kill(const struct world *w)
{
	return w->kills && (logger_is_whole(w) || w->without == RULE_UNTOLD);
}

bool logger_may_die(const struct world *w)
{
	for (int p = 0; p < w->n; p++)
		if (!w->ranks[p].up || w->ranks[p].log.running_prefix)
			return false;
	return logger_is_whole(w) && w->without != RULE_GATE;
}

void logger_dies(struct world *w)
{
	w->stats.loggers++;
	world_says(w, "the event logger is started again");
	for (int p = 0; p < w->n; p++) {
		struct logger *l = &w->ranks[p].logger;

		l->lost = l->covered + l->n;
		l->n = l->nway = 0;
		l->covered = 0;
		if (w->without != RULE_UNTOLD)
			msglog_untold(&w->ranks[p].log);
		else
			l->covered = l->lost;
		if (w->ranks[p].log.outcomes.covered >= l->lost)
			l->covered = l->lost; /* a checkpoint has them */
		world_act(w, p);
	}
}
