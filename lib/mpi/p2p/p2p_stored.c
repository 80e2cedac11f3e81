/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that lie in the library's memory (stored.h), on their way to a receive. */
#include "mpi/engine/engine.h"
#include "inflight.h"
#include "p2p_inside.h"
#include "stored.h"

/* A message in our memory has its receive and is whole, or never will be. */
static void fill(struct request *r, struct stored *m, int rc)
{
	uint64_t room = p2p_room(r), n = m->length < room ? m->length : room;

	if (!rc)
		type_unpack(r->type, r->buf, r->count, m->bytes, (size_t)n);
	r->stored = NULL;
	p2p_recv_finish(r, m->length, rc);
	stored_release(m);
}

/* What the transport filled. Is its sender gone, the launcher acts; without one the receive fails.
 */
void p2p_stored_received(struct stored *m, int rc)
{
	if (!rc || !p2p.job.launched) {
		m->whole = true;
		m->rc = rc;
		if (m->msg.inflight)
			inflight_whole(m->msg.inflight);
		if (m->receive)
			fill(m->receive, m, rc);
	}
	stored_release(m);
}

/* A message in our memory, taken out of the lists, goes to a receive. */
void p2p_stored_give(struct request *r, struct stored *m)
{
	p2p_recv_take(r, &m->msg);
	if (m->msg.inflight)
		inflight_matched(m->msg.inflight, r);
	r->stored = m;
	m->receive = r;
	if (m->whole)
		fill(r, m, m->rc);
}

void p2p_arrive(struct stored *m)
{
	struct match_recv *recv =
		match_arrival(&p2p.match, m->msg.context, m->msg.peer, m->msg.tag);

	m->msg.arrived = ++p2p.moment;
	if (!recv) {
		m->msg.since = p2p_time();
		match_keep(&p2p.match, &m->msg);
		return;
	}
	engine_set_posted(p2p.match.nposted);
	p2p_stored_give(container_of(recv, struct request, match), m);
}
