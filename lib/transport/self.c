/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a member to itself: the same upcalls, no socket. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "transport/tp.h"

/* Nobody wants it yet. A short one is copied; of a long or synchronous one only the address is
 * kept. */
static int send_unexpected(struct tp *tp, const struct tp_envelope *e, const void *payload,
	size_t len, unsigned flags, void *cookie)
{
	struct tp_peer *p = &tp->peers[tp->c.self];
	bool wait = len > tp->c.eager_limit || flags & (TP_SYNC | TP_IOV_CURSOR);
	struct tp_unexpected_message *h = malloc(sizeof *h + (wait ? 0 : len));
	struct tp_send *op = wait && h ? slab_take(&tp->send_slab) : NULL;

	if (!h || (wait && !op)) {
		free(h);
		return FT_ENOMEM;
	}
	*h = (struct tp_unexpected_message){
		.public = {.peer = p->id, .length = len, .envelope = *e},
		.kind = UNEXPECTED_SELF,
		.op = op};
	if (op) {
		*op = tp_send_of(p->id, payload, len, flags, cookie);
		op->self_message = h;
		list_append(&p->sending, &op->link);
		tp->work.asked++;
	} else if (len) {
		memcpy(h->bytes, payload, len);
	}
	list_append(&p->unexpected, &h->link);
	tp->c.up->keep(tp->c.user, &h->public);
	return op ? 0 : 1;
}

int tp_self_send(struct tp *tp, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	struct tp_place place = tp->c.up->match(tp->c.user, tp->c.self, e, len);
	struct tp_send op;

	if (!place.cookie)
		return send_unexpected(tp, e, payload, len, flags, cookie);
	op = tp_send_of(tp->c.self, payload, len, flags, cookie);
	tp_payload_copy(&place, op.payload, op.cursor, len);
	tp->c.up->received(tp->c.user, place.cookie, len, 0);
	return 1;
}

void tp_self_withdraw(struct tp *tp, struct tp_send *op)
{
	if (op->self_message->public.firm)
		return;
	tp->c.up->forget(tp->c.user, &op->self_message->public);
	tp_unexpected_free(tp, op->self_message);
	tp_send_done(tp, op, FT_ECANCEL);
}

void tp_self_claim(struct tp *tp, struct tp_unexpected_message *h, struct tp_place place)
{
	struct tp_send *op = h->op;
	size_t len = (size_t)h->public.length;

	tp_payload_copy(&place, op ? op->payload : h->bytes, op ? op->cursor : NULL, len);
	tp_unexpected_free(tp, h);
	if (op)
		tp_send_done(tp, op, 0);
	tp->c.up->received(tp->c.user, place.cookie, len, 0);
}
