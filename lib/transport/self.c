/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a member to itself: the same upcalls, no socket. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "transport/tp.h"

/* Nobody wants it yet. A short one is copied; of a long or synchronous one only the address is
 * kept. */
static int hold_back(struct tp *tp, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	struct tp_peer *p = &tp->peers[tp->c.self];
	bool wait = len > tp->c.eager_limit || flags & (TP_SYNC | TP_PIECES);
	struct tp_hold *h = malloc(sizeof *h + (wait ? 0 : len));
	struct tp_send *op = wait && h ? slab_take(&tp->send_slab) : NULL;

	if (!h || (wait && !op)) {
		free(h);
		return FT_ENOMEM;
	}
	*h = (struct tp_hold){.held = {.peer = p->id, .length = len, .envelope = *e},
		.kind = HOLD_SELF,
		.op = op};
	if (op) {
		*op = tp_send_of(p->id, payload, len, flags, cookie);
		op->self_hold = h;
		list_append(&p->sending, &op->link);
		tp->work.asked++;
	} else if (len) {
		memcpy(h->bytes, payload, len);
	}
	list_append(&p->holds, &h->link);
	tp->c.up->keep(tp->c.user, &h->held);
	return op ? 0 : 1;
}

int tp_self_send(struct tp *tp, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	struct tp_place place = tp->c.up->match(tp->c.user, tp->c.self, e, len);
	struct tp_send op;

	if (!place.cookie)
		return hold_back(tp, e, payload, len, flags, cookie);
	op = tp_send_of(tp->c.self, payload, len, flags, cookie);
	tp_payload_copy(&place, op.payload, op.pieces, len);
	tp->c.up->received(tp->c.user, place.cookie, len, 0);
	return 1;
}

void tp_self_withdraw(struct tp *tp, struct tp_send *op)
{
	if (op->self_hold->held.firm)
		return;
	tp->c.up->forget(tp->c.user, &op->self_hold->held);
	tp_hold_free(tp, op->self_hold);
	tp_send_done(tp, op, FT_ECANCEL);
}

void tp_self_claim(struct tp *tp, struct tp_hold *h, struct tp_place place)
{
	struct tp_send *op = h->op;
	size_t len = (size_t)h->held.length;

	tp_payload_copy(&place, op ? op->payload : h->bytes, op ? op->pieces : NULL, len);
	tp_hold_free(tp, h);
	if (op)
		tp_send_done(tp, op, 0);
	tp->c.up->received(tp->c.user, place.cookie, len, 0);
}
