/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pairs of this member and all others begin anew: their processes were put back to a recovery
 * line, each to its own moment before it, so the numbers of the two sides do not meet. A message
 * that had not come as a whole is one that the line holds, or one that its sender sends again. One
 * that waits here to be sent is in the receiver's part of the line.
 */
#include "transport/tp.h"

static void unmatch_reading(struct tp *tp, struct tp_peer *p)
{
	struct tp_unexpected_message *h = p->in.unexpected;
	enum tp_body body = p->in.body;
	void *cookie = NULL;

	p->in.body = BODY_NONE;
	if (body == BODY_PLACE) {
		cookie = p->in.place.cookie;
	} else if (body == BODY_UNEXPECTED && (h->place.cookie || h->dropped)) {
		cookie = h->place.cookie;
		tp_unexpected_free(tp, h);
	}
	if (cookie)
		tp->c.up->unmatch(tp->c.user, cookie);
}

/* What is here as a whole stays, and nobody is credited for it. */
static void forget_unexpected(struct tp *tp, struct tp_peer *p)
{
	list_for_each_safe (item, &p->unexpected) {
		struct tp_unexpected_message *h =
			container_of(item, struct tp_unexpected_message, link);

		h->cost = 0;
		if (tp_is_here(&h->public))
			continue;
		tp->c.up->forget(tp->c.user, &h->public);
		tp_unexpected_free(tp, h);
	}
}

static void begin_anew(struct tp *tp, struct tp_peer *p)
{
	struct link *item;

	unmatch_reading(tp, p);
	while ((item = list_first(&p->receiving)))
		tp_recv_unmatch(tp, container_of(item, struct tp_recv, link));
	forget_unexpected(tp, p);
	tp_out_drop(tp, p, 0);
	list_remove(&p->busy);
	while ((item = list_first(&p->sending)))
		tp_send_done(tp, container_of(item, struct tp_send, link), 0);
	p->send_seq = p->recv_seq = 0;
	p->unconsumed = p->unconsumed_in = p->owed = 0;
}

void tp_begin_anew(struct tp *tp)
{
	tp_assert_held(tp);
	assert(!tp->conns);
	for (int i = 0; i < tp->c.size; i++)
		if (i != tp->c.self)
			begin_anew(tp, &tp->peers[i]);
}
