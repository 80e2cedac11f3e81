/* SPDX-License-Identifier: BSD-3-Clause */
/* A peer's socket is of no use any more: the connection is mended (mend.c), or the peer is lost. */
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/tp.h"

enum { IN_VAIN_MOST = 10, LIVED_S = 10 };

static bool may_mend(const struct tp *tp, const struct tp_peer *p)
{
	const struct tp_out *o =
		list_empty(&p->queue) ? NULL : container_of(p->queue.next, struct tp_out, link);

	return p->mend.on && !tp->mends_no_more && p->state == TP_UP && !p->dying &&
	       p->mend.in_vain < IN_VAIN_MOST && !(o && o->cursor && o->done > 0);
}

static void cut(struct tp *tp, struct tp_peer *p, const char *why)
{
	log_event("peer %d: the connection broke: %s", p->id, why);
	epoll_ctl(tp->epoll_fd, EPOLL_CTL_DEL, p->fd, NULL);
	close(p->fd);
	p->fd = -1;
	p->want_out = false;
	p->mend.why = why;
	tp_mend_end_resuming(tp, p);
	if (tp_mend_progress(&p->mend) > p->mend.progress ||
		clock_ns() > p->mend.since + LIVED_S * 1000000000ull)
		p->mend.in_vain = 0;
	else
		p->mend.in_vain++;
	tp->counts.connected--;
	tp->sockets--;
}

void tp_peer_broke(struct tp *tp, struct tp_peer *p, const char *why)
{
	tp_assert_held(tp);
	if (!may_mend(tp, p)) {
		tp_peer_lose(tp, p, why);
		return;
	}
	cut(tp, p, why);
	if (p->bye_sent && p->bye_received && p->mend.bye_came && list_empty(&p->queue) &&
		list_empty(&p->sending))
		tp_peer_set(p, TP_AWAITING); /* it wants to know that we have its BYE, or is gone */
	else
		tp->connect(tp, p->id);
}

/* It has had one less where it made this one and was not told that it is up; which counts for
 * nothing then, so that it may happen again. */
bool tp_peer_may_be_replaced(const struct tp *tp, const struct tp_peer *p, uint16_t times)
{
	const struct tp_mend *m = &p->mend;

	return may_mend(tp, p) && ((times > 0 && times == m->times) ||
					  (m->resuming && m->accepted && times + 1 == m->times));
}

void tp_peer_replaced(struct tp *tp, struct tp_peer *p, uint16_t times)
{
	cut(tp, p, "the other side found it broken");
	p->mend.times = times;
	tp_peer_set(p, TP_AWAITING);
}
