/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pair begins anew: nothing that was said before means anything. Of what was to come, what is
 * here as a whole stays; the user is told of all else. Sends are answered elsewhere: where all
 * pairs begin anew (anew.c) in another way than where one peer comes back (reap.c).
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

void tp_anew_forget(struct tp *tp, struct tp_peer *p)
{
	struct link *item;

	unmatch_reading(tp, p);
	while ((item = list_first(&p->receiving)))
		tp_recv_unmatch(tp, container_of(item, struct tp_recv, link));
	forget_unexpected(tp, p);
	list_remove(&p->busy);
	p->send_seq = p->recv_seq = 0;
	p->unconsumed = p->unconsumed_in = p->owed = 0;
}
