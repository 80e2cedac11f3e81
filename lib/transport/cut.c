/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection that is cut on purpose. Both sides are told, at moments that differ a little:
 * neither connects, nor lets the other in, before its own time is over. */
#include "base/clock.h"
#include "transport/tp.h"

bool tp_peer_is_cut(const struct tp_peer *p)
{
	return p->cut_until && clock_ns() < p->cut_until;
}

void tp_cut(struct tp *tp, int peer, unsigned ms)
{
	struct tp_peer *p = &tp->peers[peer];

	tp_assert_held(tp);
	p->cut_until = clock_ns() + (uint64_t)ms * 1000000;
	if (p->state != TP_UP || p->dying)
		return;
	tp_peer_broke(tp, p, "it was cut by -inject");
	tp_reap(tp);
	tp->c.up->notify(tp->c.user);
}
