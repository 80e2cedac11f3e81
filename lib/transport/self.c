/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a member to itself: the same upcalls, no socket. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "transport/tp.h"

static struct tp_send *self_op(
	struct tp *tp, const void *payload, size_t len, unsigned flags, void *cookie)
{
	struct tp_send *op = slab_take(&tp->send_slab);

	if (!op)
		return NULL;
	*op = tp_send_of(tp->c.self, payload, len, flags, cookie);
	op->id = idtab_add(&tp->sends, op);
	if (op->id)
		return op;
	slab_give(&tp->send_slab, op);
	return NULL;
}

/* Nobody wants it yet. A short one is copied; of a long or synchronous one only the address is
 * kept. */
static int send_unexpected(struct tp *tp, const struct tp_envelope *e, const void *payload,
	size_t len, unsigned flags, void *cookie)
{
	struct tp_peer *p = &tp->peers[tp->c.self];
	bool wait = len > tp->c.eager_limit || flags & (TP_SYNC | TP_IOV_CURSOR);
	struct tp_unexpected_message *h = malloc(sizeof *h + (wait ? 0 : len));
	struct tp_send *op = wait && h ? self_op(tp, payload, len, flags, cookie) : NULL;

	if (!h || (wait && !op)) {
		free(h);
		return FT_ENOMEM;
	}
	*h = (struct tp_unexpected_message){
		.public = {.peer = p->id, .length = len, .envelope = *e},
		.kind = UNEXPECTED_SELF,
		.op = op};
	if (op) {
		h->public.sync = op->sync ? op->id : 0;
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

/* One that was thrown away has no message any more. */
void tp_self_withdraw(struct tp *tp, const struct tp_envelope *e, struct tp_send *op)
{
	struct tp_unexpected_message *h = op->self_message;
	struct tp_withdrawal w = {
		.peer = tp->c.self, .id = op->id, .said = *e, .unexpected = h ? &h->public : NULL};

	if ((h && h->public.firm) || !tp->c.up->withdraw(tp->c.user, &w))
		return;
	if (h) {
		tp->c.up->forget(tp->c.user, &h->public);
		tp_unexpected_free(tp, h);
	}
	tp_send_done(tp, op, FT_ECANCEL);
}

void tp_self_claim(
	struct tp *tp, struct tp_unexpected_message *h, struct tp_place place, bool early)
{
	struct tp_send *op = h->op;
	size_t len = (size_t)h->public.length;

	tp_payload_copy(&place, op ? op->payload : h->bytes, op ? op->cursor : NULL, len);
	tp_unexpected_free(tp, h);
	if (early) {
		tp_send_become(op, SEND_UNMATCHED);
		op->self_message = NULL;
	} else if (op) {
		tp_send_done(tp, op, 0);
	}
	tp->c.up->received(tp->c.user, place.cookie, len, 0);
}
