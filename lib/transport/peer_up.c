/* SPDX-License-Identifier: BSD-3-Clause */
/* A peer gets its connection: what was queued for it leaves. */
#include <stdlib.h>
#include <sys/epoll.h>

#include "transport/memory.h"

void tp_peer_up(struct tp *tp, struct tp_peer *p, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = (uint32_t)p->id};

	tp_assert_held(tp);
	tp_peer_set(p, TP_UP);
	p->fd = fd;
	p->ups++;
	p->want_out = false;
	if (!p->in.buf) /* else the stream goes on */
		p->in = (struct tp_in){.buf = malloc(TP_PREFETCH)};
	tp->counts.connected++;
	tp->sockets++;
	if (!p->in.buf || epoll_ctl(tp->epoll_fd, EPOLL_CTL_ADD, fd, &ev) != 0) {
		tp_peer_lose(tp, p, "no memory or descriptors for the connection");
		tp_reap(tp);
		return;
	}
	if (p->mend.on)
		tp_mend_up(tp, p);
	if (p->near && p->id > tp->c.self && !tp->bye)
		tp_memory_offer(tp, p);
	if (tp->bye && !p->bye_sent && tp_out_control(tp, p, WIRE_BYE, 0, 0) == 0)
		p->bye_sent = true;
	tp_out_write(tp, p);
	tp_reap(tp);
}
