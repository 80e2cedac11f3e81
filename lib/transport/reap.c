/* SPDX-License-Identifier: BSD-3-Clause */
/* The second phase of a peer's death: what waited for it is answered, and the user told. */
#include "base/error.h"
#include "transport/tp.h"

/* An eager message that was being read when its sender died will never be whole. */
void tp_reap_reading(struct tp *tp, struct tp_peer *p)
{
	struct tp_in *in = &p->in;

	if (in->body == BODY_PLACE) {
		tp->c.up->received(tp->c.user, in->place.cookie, in->length, FT_EPEER);
	} else if (in->body == BODY_UNEXPECTED) {
		struct tp_unexpected_message *h = in->unexpected;

		if (h->place.cookie) {
			tp->c.up->received(tp->c.user, h->place.cookie, h->public.length, FT_EPEER);
			tp_unexpected_free(tp, h);
		} else if (h->dropped) {
			tp_unexpected_free(tp, h);
		} else {
			h->have = UINT64_MAX; /* whoever claims it is told */
		}
	}
	in->body = BODY_NONE;
}

/* It may come back, and the user may connect to it again at once: the pair begins anew. */
static void let_go(struct tp *tp, struct tp_peer *p)
{
	struct link *item;

	tp_peer_unplug(tp, p);
	tp_peer_set(p, TP_LOST);
	p->dying = p->bye_sent = p->bye_received = false;
	tp_out_drop(tp, p, FT_EPEER);
	tp_anew_forget(tp, p);
	while ((item = list_first(&p->sending)))
		tp_send_done(tp, container_of(item, struct tp_send, link), FT_EPEER);
	tp_peer_set(p, TP_IDLE);
	tp->c.up->lost(tp->c.user, p->id, p->why);
}

static void bury(struct tp *tp, struct tp_peer *p)
{
	struct link *item;
	bool orderly = p->bye_sent && p->bye_received;

	if (tp->come_back && !orderly) {
		let_go(tp, p);
		return;
	}
	tp_reap_reading(tp, p);
	tp_peer_unplug(tp, p);
	tp_peer_set(p, TP_LOST);
	p->dying = false;
	tp_out_drop(tp, p, FT_EPEER);
	list_remove(&p->busy);
	while ((item = list_first(&p->sending)))
		tp_send_done(tp, container_of(item, struct tp_send, link), FT_EPEER);
	while ((item = list_first(&p->receiving)))
		tp_recv_done(tp, container_of(item, struct tp_recv, link), FT_EPEER);
	if (!orderly)
		tp->c.up->lost(tp->c.user, p->id, p->why);
}

void tp_reap(struct tp *tp)
{
	struct link *item;

	tp_assert_held(tp);
	while ((item = list_pop(&tp->lost)))
		bury(tp, container_of(item, struct tp_peer, lost));
}
