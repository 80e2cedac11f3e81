/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress: look at the socket that is expected to speak, at times at all of them, or sleep in the
 * kernel until one does. Cost follows activity, not the number of peers.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/tp.h"

/* After so many looks at all of them: when the expected one is silent, and when it speaks without
 * end. */
enum { EVENTS = 16, ALL_WHEN_SILENT = 16, ALL_WHEN_BUSY = 256 };

static bool handle(struct tp *tp, const struct epoll_event *ev, int n)
{
	bool moved = false;

	for (int i = 0; i < n; i++) {
		struct tp_peer *p;

		if (ev[i].data.u32 == UINT32_MAX)
			continue; /* meant for the thread that sleeps: tp_sleep takes it */
		p = &tp->peers[ev[i].data.u32];
		if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			moved |= tp_in_read(tp, p);
		if (ev[i].events & EPOLLOUT)
			moved |= tp_out_write(tp, p);
	}
	return moved;
}

/* Is it time to look at all of them? */
static bool all_in_turn(unsigned turn, bool busy)
{
	return busy ? turn % ALL_WHEN_BUSY == 0 : turn % ALL_WHEN_SILENT == 0;
}

bool tp_look(struct tp *tp, int expect)
{
	struct epoll_event ev[EVENTS];
	bool moved = false;

	tp_assert_held(tp);
	tp->turn++;
	if (expect >= 0 && tp->peers[expect].state == TP_UP)
		moved = tp_in_read(tp, &tp->peers[expect]);
	if (expect < 0 || all_in_turn(tp->turn, moved)) {
		int n = epoll_wait(tp->epoll_fd, ev, EVENTS, 0);

		moved |= handle(tp, ev, n);
	}
	moved |= tp_out_flush(tp);
	if (!list_empty(&tp->lost)) {
		tp_reap(tp);
		moved = true;
	}
	return moved;
}

bool tp_flush(struct tp *tp)
{
	bool moved;

	tp_assert_held(tp);
	moved = tp_out_flush(tp);
	if (list_empty(&tp->lost))
		return moved;
	tp_reap(tp);
	return true;
}

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

		if (p->state == TP_UP && !p->want_out && !list_empty(&p->queue))
			tp_peer_want_out(tp, p, true);
	}
}

void tp_sleep(struct tp *tp, int timeout_ms)
{
	struct epoll_event ev[EVENTS];
	int n;

	tp_assert_held(tp);
	tp_watch(tp);
	tp->counts.sleeps++;
	lock_give(tp->c.lock);
	n = epoll_wait(tp->epoll_fd, ev, EVENTS, timeout_ms);
	lock_take(tp->c.lock);
	take_kick(tp, ev, n);
	handle(tp, ev, n);
	tp_out_flush(tp);
	tp_reap(tp);
}

void tp_kick(struct tp *tp)
{
	uint64_t one = 1;

	if (write(tp->wake_fd, &one, sizeof one) < 0)
		return; /* the counter is full: it is awake */
}

bool tp_pending(const struct tp *tp)
{
	return tp->queued > 0 || tp->asked > 0;
}
