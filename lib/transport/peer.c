/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The states of a peer, and its socket in the epoll set. A loss is only marked here, so whoever
 * reads or writes a peer may find it at any depth; reap.c acts on it.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "transport/memory.h"

static const char *const state_names[TP_PEER_STATES] = {
	"idle", "connecting", "awaiting", "up", "lost"};

/* may[from] is the set of states that a peer can go to */
#define BIT(s) (1u << (s))
static const unsigned may[TP_PEER_STATES] = {
	[TP_IDLE] = BIT(TP_CONNECTING) | BIT(TP_UP) | BIT(TP_LOST),
	[TP_CONNECTING] = BIT(TP_AWAITING) | BIT(TP_UP) | BIT(TP_LOST) | BIT(TP_IDLE),
	[TP_AWAITING] = BIT(TP_CONNECTING) | BIT(TP_UP) | BIT(TP_LOST) | BIT(TP_IDLE),
	[TP_UP] = BIT(TP_LOST) | BIT(TP_IDLE) | BIT(TP_CONNECTING) | BIT(TP_AWAITING), /* mended */
	[TP_LOST] = BIT(TP_IDLE),
};

void tp_peer_set(struct tp_peer *p, enum tp_peer_state to)
{
	assert(may[p->state] & BIT(to));
	assert(p->dying == (to == TP_LOST));
	log_event("peer %d: %s -> %s", p->id, state_names[p->state], state_names[to]);
	p->state = to;
}

void tp_peer_lose(struct tp *tp, struct tp_peer *p, const char *why)
{
	tp_assert_held(tp);
	if (p->dying || p->state == TP_LOST)
		return;
	p->dying = true;
	p->why = why;
	if (p->state == TP_UP) {
		epoll_ctl(tp->epoll_fd, EPOLL_CTL_DEL, p->fd, NULL);
		shutdown(p->fd, SHUT_RDWR);
	}
	list_append(&tp->lost, &p->lost);
}

/* Takes the socket and everything that depends on it away; the logical side stays, and the place of
 * a message that is half read. */
void tp_peer_unplug(struct tp *tp, struct tp_peer *p)
{
	if (p->state == TP_UP) {
		if (p->fd >= 0)
			close(p->fd);
		tp->counts.connected--;
		tp->sockets -= !p->in_ring;
	}
	p->fd = -1;
	p->offered = false;
	tp_memory_drop(p);
	tp_kept_reset(tp, p);
	free(p->in.buf);
	p->in.buf = NULL;
	p->in.at = p->in.end = 0;
	p->wrote = 0;
	p->want_out = false;
}

void tp_peer_want_out(struct tp *tp, struct tp_peer *p, bool want)
{
	struct epoll_event ev = {
		.events = want ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.u32 = (uint32_t)p->id};

	if (epoll_ctl(tp->epoll_fd, EPOLL_CTL_MOD, p->fd, &ev) == 0)
		p->want_out = want;
}
