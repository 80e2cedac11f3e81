/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pairs of this member and all others begin anew: their processes were put back to a recovery
 * line, each to its own moment before it, so the numbers of the two sides do not meet. A message
 * that had not come as a whole is one that the line holds, or one that its sender sends again. One
 * that waits here to be sent is in the receiver's part of the line, or had its receive before it;
 * the sender of a synchronous one wants to know which.
 */
#include "base/error.h"
#include "transport/tp.h"

/* Done, or they stay open; what is queued then leaves when there is a connection. */
static int answer_sends(struct tp *tp, struct tp_peer *p)
{
	list_for_each_safe (item, &p->sending) {
		struct tp_send *op = container_of(item, struct tp_send, link);

		if (!op->sync)
			tp_send_done(tp, op, 0);
		else if (tp_send_open(tp, p, op) != 0)
			return FT_ENOMEM;
	}
	return 0;
}

static int begin_anew(struct tp *tp, struct tp_peer *p)
{
	tp_out_drop_anew(tp, p);
	tp_anew_forget(tp, p);
	return answer_sends(tp, p);
}

int tp_begin_anew(struct tp *tp)
{
	int rc = 0;

	tp_assert_held(tp);
	assert(!tp->conns);
	for (int i = 0; i < tp->c.size && rc == 0; i++) {
		tp->peers[i].sent = (struct tp_sent){0};
		if (i != tp->c.self)
			rc = begin_anew(tp, &tp->peers[i]);
	}
	return rc;
}
