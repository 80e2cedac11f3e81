/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions: an operation or an unexpected message leaves its tables, and the user is told.
 * Whoever finds the end calls these, so they call nothing else of the transport.
 */
#include <stdlib.h>

#include "transport/tp.h"

/* may[from] is the set of states that a send can go to. When the pair begins anew all that are
 * synchronous, but those that were let go, are UNMATCHED (again); only then can one be let go. */
#define BIT(s) (1u << (s))
static const unsigned may[SEND_STATES] = {
	[SEND_ANNOUNCED] = BIT(SEND_LEAVING) | BIT(SEND_LEAVING_EARLY) | BIT(SEND_UNMATCHED),
	[SEND_LEAVING] = BIT(SEND_UNMATCHED),
	[SEND_LEAVING_EARLY] = BIT(SEND_UNMATCHED),
	[SEND_UNMATCHED] = BIT(SEND_UNMATCHED) | BIT(SEND_LET_GO),
};

void tp_send_become(struct tp_send *op, enum tp_send_state state)
{
	assert(may[op->state] & BIT(state));
	op->state = state;
}

void tp_send_unstage(struct tp *tp, struct tp_send *op)
{
	if (!op->staged)
		return;
	tp->staged -= op->len;
	free(op->staged);
	op->staged = NULL;
}

void tp_send_done(struct tp *tp, struct tp_send *op, int rc)
{
	void *cookie = op->cookie;

	list_remove(&op->link);
	idtab_remove(&tp->sends, op->id);
	tp_send_unstage(tp, op);
	slab_give(&tp->send_slab, op);
	tp->work.asked--;
	tp->c.up->sent(tp->c.user, cookie, rc);
}

void tp_send_unmatched(struct tp *tp, struct tp_send *op)
{
	tp_send_unstage(tp, op);
	tp_send_become(op, SEND_UNMATCHED);
}

void tp_send_written(struct tp *tp, struct tp_send *op)
{
	if (op->state == SEND_LEAVING_EARLY)
		tp_send_unmatched(tp, op);
	else
		tp_send_done(tp, op, 0);
}

static void recv_free(struct tp *tp, struct tp_recv *op)
{
	list_remove(&op->link);
	idtab_remove(&tp->recvs, op->id);
	slab_give(&tp->recv_slab, op);
	tp->work.asked--;
}

void tp_recv_done(struct tp *tp, struct tp_recv *op, int rc)
{
	void *cookie = op->place.cookie;
	uint64_t length = op->length;

	recv_free(tp, op);
	tp->c.up->received(tp->c.user, cookie, length, rc);
}

void tp_recv_unmatch(struct tp *tp, struct tp_recv *op)
{
	void *cookie = op->place.cookie;

	recv_free(tp, op);
	tp->c.up->unmatch(tp->c.user, cookie);
}
