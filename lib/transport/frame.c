/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What frames mean that are no eager message with a place. Happy path of a long one: RTS -> match
 * (or unexpected, and later claimed) -> CTS -> DATA -> received at one end, sent at the other.
 * Headers come here checked (in.c), but for what belongs to one kind; an error returned from here
 * ends the connection. What concerns the sender's side is in send.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "transport/memory.h"

/* Where it lies: both are bytes alone. */
static const struct tp_envelope *envelope_of(const struct wire_frame *f)
{
	return (const struct tp_envelope *)(const void *)f->envelope;
}

/* 0: it is in its place, and both sides know; FT_ENOMEM: the sender cannot be told. */
static int pulled(struct tp *tp, struct tp_peer *p, const struct tp_announced *a, void *cookie)
{
	struct wire_frame f = {.kind = WIRE_PULLED, .id = a->id, .length = a->early};
	int rc = tp_out_small(tp, p, &f, NULL, 0);

	if (rc == 0)
		tp->c.up->received(tp->c.user, cookie, a->length, 0);
	return rc;
}

/* Fetch the payload of an announced message, or ask for it. 0; FT_ENOMEM: it was not asked for. */
static int ask(
	struct tp *tp, struct tp_peer *p, const struct tp_announced *a, struct tp_place place)
{
	struct wire_frame f = {.kind = WIRE_CTS, .id = a->id, .length = a->early};
	struct tp_recv *op;
	uint64_t got = 0;

	if (a->address && tp_memory_pull(tp, p, a, place, &got))
		return pulled(tp, p, a, place.cookie);
	op = slab_take(&tp->recv_slab);
	if (!op)
		return FT_ENOMEM;
	*op = (struct tp_recv){.peer = p->id, .length = a->length, .got = got, .place = place};
	op->id = idtab_add(&tp->recvs, op);
	if (!op->id)
		goto free_op;
	f.peer_id = op->id;
	if (tp_out_small(tp, p, &f, NULL, 0) != 0)
		goto remove_id;
	list_append(&p->receiving, &op->link);
	tp->work.asked++;
	return 0;

remove_id:
	idtab_remove(&tp->recvs, op->id);
free_op:
	slab_give(&tp->recv_slab, op);
	return FT_ENOMEM;
}

static struct tp_unexpected_message *unexpected_new(struct tp *tp, struct tp_peer *p,
	enum tp_unexpected_kind kind, const struct tp_envelope *e, uint64_t length)
{
	size_t bytes = kind == UNEXPECTED_EAGER ? (size_t)length : 0;
	struct tp_unexpected_message *h = malloc(sizeof *h + bytes);

	if (!h)
		return NULL;
	*h = (struct tp_unexpected_message){
		.public = {.peer = p->id, .length = length, .envelope = *e}, .kind = kind};
	if (kind == UNEXPECTED_EAGER)
		tp->counts.unexpected_bytes += length;
	list_append(&p->unexpected, &h->link);
	return h;
}

/* keep may claim it at once; an empty one is then gone, and has no body to wait for. */
int tp_unexpected_eager(struct tp *tp, struct tp_peer *p, const struct tp_envelope *e)
{
	struct tp_in *in = &p->in;

	in->body = BODY_NONE;
	in->unexpected = unexpected_new(tp, p, UNEXPECTED_EAGER, e, in->length);
	if (!in->unexpected)
		return FT_ENOMEM;
	in->unexpected->cost = (uint32_t)tp_eager_cost(in->length);
	if (in->left)
		in->body = BODY_UNEXPECTED;
	tp->c.up->keep(tp->c.user, &in->unexpected->public);
	return 0;
}

static int begin_rts(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	const struct tp_envelope *e = envelope_of(f);
	struct tp_announced a = {f->id, f->length, f->peer_id, false};
	uint64_t sync = f->kind == WIRE_SYNC ? f->id : 0;
	struct tp_place place;
	struct tp_unexpected_message *h;

	if (f->length > (uint64_t)1 << 48)
		return FT_EPROTO;
	tp->matching_sync = sync;
	place = tp->c.up->match(tp->c.user, p->id, e, f->length);
	tp->matching_sync = 0;
	if (place.cookie) {
		int rc = ask(tp, p, &a, place);

		if (rc)
			tp->c.up->received(tp->c.user, place.cookie, f->length, rc);
		return rc;
	}
	h = unexpected_new(tp, p, UNEXPECTED_RTS, e, f->length);
	if (!h)
		return FT_ENOMEM;
	h->public.sync = sync;
	h->sender_id = f->id;
	h->address = f->peer_id;
	tp->c.up->keep(tp->c.user, &h->public);
	return 0;
}

static struct tp_unexpected_message *find_announced(const struct tp_peer *p, uint64_t id)
{
	list_for_each (item, &p->unexpected) {
		struct tp_unexpected_message *h =
			container_of(item, struct tp_unexpected_message, link);

		if (h->kind == UNEXPECTED_RTS && h->sender_id == id)
			return h;
	}
	return NULL;
}

/* No longer unexpected: it was asked for before this came; when that was for a receive the sender
 * knows by now. Firm: it will be. */
static int take_withdraw(struct tp *tp, struct tp_peer *p, struct tp_withdrawal w)
{
	struct tp_unexpected_message *h = find_announced(p, w.id);

	w.unexpected = h ? &h->public : NULL;
	if ((h && h->public.firm) || !tp->c.up->withdraw(tp->c.user, &w))
		return 0;
	if (h) {
		tp->c.up->forget(tp->c.user, &h->public);
		tp_unexpected_free(tp, h);
	}
	tp_mend_tell(tp, p);
	return tp_out_control(tp, p, WIRE_WITHDRAWN, w.id, 0);
}

static int begin_withdraw(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_withdrawal w = {.peer = p->id, .id = f->id, .said = *envelope_of(f)};

	return take_withdraw(tp, p, w);
}

void tp_withdraw_again(struct tp *tp, const struct tp_withdrawal *w)
{
	struct tp_peer *p = &tp->peers[w->peer];

	tp_assert_held(tp);
	if (tp_peer_is_there(p) && take_withdraw(tp, p, *w) != 0)
		tp_peer_lose(tp, p, ft_error_text(FT_ENOMEM));
}

/* The pair began anew while the other side's send was open. */
static int answer_open(struct tp *tp, struct tp_peer *p, uint64_t id)
{
	switch (tp->c.up->open(tp->c.user, p->id, id)) {
	case TP_SYNC_MATCHED:
		return tp_out_control(tp, p, WIRE_MATCHED, id, 0);
	case TP_SYNC_TAKEN_BACK:
		return tp_out_control(tp, p, WIRE_WITHDRAWN, id, 0);
	case TP_SYNC_WAITS:
		break;
	}
	return 0;
}

uint64_t tp_matching_sync(const struct tp *tp)
{
	return tp->matching_sync;
}

static int begin_data(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_recv *op = idtab_find(&tp->recvs, f->peer_id);
	struct tp_in *in = &p->in;

	if (!op || op->peer != p->id || op->length != f->length)
		return FT_EPROTO;
	in->op = op;
	in->place = op->place;
	in->body = BODY_DATA;
	in->left = in->length = f->length;
	in->offset = 0;
	return 0;
}

int tp_message_begin(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	switch ((enum wire_kind)f->kind) {
	case WIRE_RTS:
	case WIRE_SYNC:
		return begin_rts(tp, p, f);
	case WIRE_CTS:
		return tp_send_asked(tp, p, f);
	case WIRE_DATA:
		return begin_data(tp, p, f);
	case WIRE_BYE:
		p->bye_received = p->mend.ack_due = true;
		return 0;
	case WIRE_WITHDRAW:
		return begin_withdraw(tp, p, f);
	case WIRE_WITHDRAWN:
		return tp_send_withdrawn(tp, p, f);
	case WIRE_PULLED:
		return tp_send_pulled(tp, p, f);
	case WIRE_MATCHED:
		return tp_send_matched(tp, p, f);
	case WIRE_OPEN:
		return answer_open(tp, p, f->id);
	case WIRE_OFFER:
	case WIRE_TAKEN:
	case WIRE_MEMORY:
	case WIRE_DECLINED:
		return tp_memory_frame(tp, p, f);
	case WIRE_RESUME: /* no frame of the stream */
		return FT_EPROTO;
	case WIRE_EAGER:
	case WIRE_CREDIT:
	case WIRE_KIND_END:
		break;
	}
	return 0;
}

/* An unexpected message is whole: it may have been claimed or dropped while it came. */
void tp_unexpected_complete(struct tp *tp, struct tp_peer *p, struct tp_unexpected_message *h)
{
	if (!h->place.cookie && !h->dropped)
		return;
	tp_consumed(tp, p, h->cost);
	if (h->place.cookie) {
		tp_payload_copy(&h->place, h->bytes, NULL, h->public.length);
		tp->c.up->received(tp->c.user, h->place.cookie, h->public.length, 0);
	}
	tp_unexpected_free(tp, h);
}

static inline __attribute__((always_inline)) void claim(
	struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place, bool early)
{
	struct tp_unexpected_message *h = (struct tp_unexpected_message *)unexpected;
	struct tp_peer *p = &tp->peers[unexpected->peer];
	struct tp_announced a = {h->sender_id, unexpected->length, h->address, early};
	int rc = 0;

	tp_assert_held(tp);
	if (h->kind == UNEXPECTED_SELF) {
		tp_self_claim(tp, h, place, early);
		return;
	}
	if (h->kind == UNEXPECTED_EAGER) {
		h->place = place;
		if (h->have == UINT64_MAX)
			rc = FT_EPEER;
		else if (tp_unexpected_whole(h))
			tp_unexpected_complete(tp, p, h);
		if (rc == 0)
			return;
	} else {
		rc = tp_peer_is_there(p) ? ask(tp, p, &a, place) : FT_EPEER;
	}
	tp_unexpected_free(tp, h);
	if (rc)
		tp->c.up->received(tp->c.user, place.cookie, a.length, rc);
}

void tp_claim(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place)
{
	claim(tp, unexpected, place, false);
}

void tp_take(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place)
{
	claim(tp, unexpected, place, unexpected->sync != 0);
}

void tp_matched(struct tp *tp, int peer, uint64_t sync)
{
	struct tp_peer *p = &tp->peers[peer];

	tp_assert_held(tp);
	if (peer == tp->c.self)
		tp_send_done(tp, idtab_find(&tp->sends, sync), 0);
	else if (tp_peer_is_there(p)) {
		tp_mend_tell(tp, p);
		if (tp_out_control(tp, p, WIRE_MATCHED, sync, 0) != 0)
			tp_peer_lose(tp, p, ft_error_text(FT_ENOMEM));
	}
}

void tp_drop(struct tp *tp, struct tp_unexpected *unexpected)
{
	struct tp_unexpected_message *h = (struct tp_unexpected_message *)unexpected;

	tp_assert_held(tp);
	if (h->kind == UNEXPECTED_SELF && h->op)
		h->op->self_message = NULL;
	if (h->kind == UNEXPECTED_EAGER && h->have != UINT64_MAX) {
		h->dropped = true;
		if (tp_unexpected_whole(h))
			tp_unexpected_complete(tp, &tp->peers[unexpected->peer], h);
		return;
	}
	tp_unexpected_free(tp, h);
}
