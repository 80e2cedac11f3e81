/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that a target has not answered yet: a list for each target, in the order in which they
 * were sent, which is the order of the answers.
 */
#include "rma_pending.h"

#include <stdlib.h>

static struct rma_pending *pending_new(struct win_peer *peer)
{
	struct rma_pending *p = calloc(1, sizeof *p);

	if (p)
		list_append(&peer->pending, &p->link);
	return p;
}

static struct rma_pending *newest(struct win_peer *peer)
{
	return container_of(peer->pending.prev, struct rma_pending, link);
}

struct rma_pending *rma_pending_oldest(struct win_peer *peer)
{
	struct link *first = list_first(&peer->pending);

	return first ? container_of(first, struct rma_pending, link) : NULL;
}

bool rma_pending_add(struct win_peer *peer)
{
	struct rma_pending *last = list_empty(&peer->pending) ? NULL : newest(peer);

	if (!last || last->brings)
		last = pending_new(peer);
	if (!last)
		return false;
	last->count++;
	peer->unanswered++;
	return true;
}

bool rma_pending_add_result(
	struct win_peer *peer, const struct rma_area *result, struct request *request)
{
	struct rma_pending *p = pending_new(peer);

	if (!p)
		return false;
	p->count = 1;
	p->brings = true;
	p->request = request;
	p->result = *result;
	type_hold(result->type);
	peer->results++;
	peer->unanswered++;
	return true;
}

void rma_pending_done(struct win_peer *peer, struct rma_pending *p)
{
	peer->unanswered--;
	if (--p->count > 0)
		return;
	peer->results -= p->brings;
	list_remove(&p->link);
	if (p->brings)
		type_release(p->result.type);
	free(p);
}

void rma_pending_undo(struct win_peer *peer)
{
	rma_pending_done(peer, newest(peer));
}

void rma_pending_clear(struct win_peer *peer)
{
	struct link *item;

	while ((item = list_pop(&peer->pending))) {
		struct rma_pending *p = container_of(item, struct rma_pending, link);

		if (p->brings)
			type_release(p->result.type);
		free(p);
	}
}
