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

static void lose(struct tp *tp, struct tp_peer *p, const char *why)
{
	if (p->state != TP_IDLE)
		tp_peer_lose(tp, p, why);
	tp_reap(tp);
}

/* One that was mended has had connections, of which the hello would say something. */
static bool has_begun_anew(const struct tp_peer *p, const struct wire_hello *hello)
{
	return hello->times == 0 && (p->state == TP_UP || p->mend.times > 0);
}

bool tp_come_back_seen(struct tp *tp, struct tp_peer *p, const struct wire_hello *hello)
{
	bool another = hello->from_incarnation > p->incarnation;

	if (!tp->come_back || p->state == TP_LOST || hello->from_incarnation < p->incarnation)
		return false;
	if (!another && !has_begun_anew(p, hello))
		return false;
	p->incarnation = hello->from_incarnation;
	lose(tp, p, another ? "another process of its rank is there" : "it has begun anew");
	return true;
}

void tp_came_back(struct tp *tp, int peer, uint32_t incarnation, const struct net_address *address)
{
	struct tp_peer *p = &tp->peers[peer];
	bool another = incarnation > p->incarnation;

	tp_assert_held(tp);
	assert(tp->come_back && peer != tp->c.self);
	if (incarnation < p->incarnation || p->state == TP_LOST)
		return;
	tp->addresses[peer] = *address;
	p->incarnation = incarnation;
	if (another)
		lose(tp, p, "another process of its rank has begun");
}
