/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping in the kernel until a socket has news, a peer of this host rings, or somebody kicks. */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/memory.h"

/* Only the sleeper may take the kick. Another that looks between the kick and the sleeper's return
 * from the kernel would put it to sleep again. */
static void take_kick(struct tp *tp, const struct epoll_event *ev, int n)
{
	uint64_t count;

	for (int i = 0; i < n; i++)
		if (ev[i].data.u32 == UINT32_MAX && read(tp->wake_fd, &count, sizeof count) < 0)
			return; /* there is nothing more to take */
}

int tp_descriptor(const struct tp *tp)
{
	return tp->epoll_fd;
}

/* Only now does it pay to ask the kernel to watch for room. */
void tp_watch(struct tp *tp)
{
	tp_assert_held(tp);
	list_for_each (item, &tp->busy) {
		struct tp_peer *p = container_of(item, struct tp_peer, busy);

		if (p->state == TP_UP && !p->out_ring && !p->want_out && !list_empty(&p->queue) &&
			!tp_mend_holds(p))
			tp_peer_want_out(tp, p, true);
	}
}

bool tp_listen(struct tp *tp, bool listen)
{
	tp_assert_held(tp);
	tp->mail.listening = listen;
	tp->work.unheard = false;
	if (listen)
		return tp_memory_sleep(tp) == TP_BELL_LOST_MS || !tp->mail.box;
	if (!tp->mail.sleeping)
		tp_memory_wake(tp);
	return true;
}

bool tp_sleep(struct tp *tp, int timeout_ms)
{
	struct epoll_event ev[TP_EVENTS];
	int n, most_ms;
	bool moved;

	tp_assert_held(tp);
	tp_watch(tp);
	tp->counts.sleeps++;
	tp->mail.sleeping = true;
	most_ms = tp_memory_sleep(tp);
	if (most_ms >= 0 && (timeout_ms < 0 || timeout_ms > most_ms))
		timeout_ms = most_ms;
	lock_give(tp->c.lock);
	n = epoll_wait(tp->epoll_fd, ev, TP_EVENTS, timeout_ms);
	lock_take(tp->c.lock);
	tp->mail.sleeping = false;
	if (!tp->mail.listening)
		tp_memory_wake(tp);
	take_kick(tp, ev, n);
	moved = tp_in_events(tp, ev, n);
	moved |= tp_in_mailbox(tp);
	moved |= tp_out_flush(tp);
	tp_reap(tp);
	return moved;
}

const struct tp_work *tp_work(const struct tp *tp)
{
	return &tp->work;
}
