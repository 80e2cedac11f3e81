/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers that are lost come back, as another process of their rank (another incarnation) or as the
 * same one, when it could not be reached for a while. The pair begins anew each time, on both
 * sides: all that was under way is the user's to say again. So a process of before has nothing to
 * say to anybody: a hello names the processes of both sides, and which one is the newest never goes
 * back.
 *
 * A peer's new process may connect before the launcher's word of it is here, and a side may have
 * lost a connection that the other one still takes for whole; a hello tells that, too. What becomes
 * of the pair is in reap.c.
 */
#include "transport/tp.h"

/* What it said of its end was said by another life. */
static void begin_anew(struct tp *tp, struct tp_peer *p, const char *why)
{
	p->bye_sent = p->bye_received = false;
	if (p->state == TP_LOST)
		tp_peer_set(p, TP_IDLE);
	if (p->state != TP_IDLE)
		tp_peer_lose(tp, p, why);
	tp_reap(tp);
}

/* One that was mended has had connections, of which the hello would say something. */
static bool has_begun_anew(const struct tp_peer *p, const struct wire_hello *hello)
{
	return hello->times == 0 && (p->state == TP_UP || p->state == TP_LOST || p->mend.times > 0);
}

/* fresh: it said so when it had had as many connections as now. Else it may be an attempt that the
 * peer gave up when this side's own came to it. */
bool tp_come_back_seen(struct tp *tp, struct tp_peer *p, const struct wire_hello *hello, bool fresh)
{
	bool another = hello->from_incarnation > p->incarnation;

	if (!tp->come_back || hello->from_incarnation < p->incarnation)
		return false;
	if (!another && !(fresh && has_begun_anew(p, hello)))
		return false;
	p->incarnation = hello->from_incarnation;
	begin_anew(tp, p, another ? "another process of its rank is there" : "it has begun anew");
	return true;
}

void tp_come_back_no_more(struct tp *tp)
{
	tp_assert_held(tp);
	tp->come_back = false;
	for (int i = 0; i < tp->c.size; i++) {
		struct tp_peer *p = &tp->peers[i];

		if (!p->dying && (p->state == TP_CONNECTING || p->state == TP_AWAITING))
			tp_peer_lose(tp, p, "it is not waited for any more");
	}
	tp_reap(tp);
}

void tp_begin_pair_anew(struct tp *tp, int peer)
{
	tp_assert_held(tp);
	assert(tp->come_back && peer != tp->c.self);
	begin_anew(tp, &tp->peers[peer], "this rank has begun anew");
}

void tp_came_back(struct tp *tp, int peer, uint32_t incarnation, const struct net_address *address)
{
	struct tp_peer *p = &tp->peers[peer];
	bool another = incarnation > p->incarnation;

	tp_assert_held(tp);
	assert(tp->come_back && peer != tp->c.self);
	if (incarnation < p->incarnation)
		return;
	tp->addresses[peer] = *address;
	p->incarnation = incarnation;
	if (another)
		begin_anew(tp, p, "another process of its rank has begun");
	else if (!p->dying && (p->state == TP_CONNECTING || p->state == TP_AWAITING))
		tp->connect(tp, peer);
}
