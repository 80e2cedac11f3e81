/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of a window, at the target: the origins that have it, and those that wait for it. */
#include <stdlib.h>

#include "rma_question.h"

static void grant_turns(struct win *w)
{
	struct link *item;

	while ((item = list_first(&w->turns))) {
		struct win_turn *t = container_of(item, struct win_turn, link);

		if (w->exclusive || (t->exclusive && w->shared))
			return;
		w->exclusive = t->exclusive;
		w->shared += !t->exclusive;
		w->peers[t->origin].holds = true;
		w->peers[t->origin].queues = false;
		rma_message_answer(w, t->origin, (struct rma_head){.kind = RMA_GRANTED});
		list_remove(item);
		free(t);
	}
}

void rma_turns_queue(struct win *w, int origin, bool exclusive)
{
	struct win_peer *p = &w->peers[origin];
	struct win_turn *t;

	if (p->holds || p->queues)
		rma_message_invalid(w, origin, "it wants a second lock");
	t = malloc(sizeof *t);
	if (!t)
		rma_message_invalid(w, origin, "no memory for one more that waits for a lock");
	p->queues = true;
	*t = (struct win_turn){.origin = origin, .exclusive = exclusive};
	list_append(&w->turns, &t->link);
	grant_turns(w);
}

void rma_turns_end(struct win *w, int origin)
{
	struct win_peer *p = &w->peers[origin];

	if (!p->holds)
		rma_message_invalid(w, origin, "the end of a lock that it does not hold");
	p->holds = false;
	if (w->exclusive)
		w->exclusive = false;
	else
		w->shared--;
	p->done++;
	w->owes = true;
	grant_turns(w);
}
