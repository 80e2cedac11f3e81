/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a peer. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "transport/tp.h"

static const char *const state_names[TP_PEER_STATES] = {
	"idle", "connecting", "awaiting", "up", "lost"};

/* may[from] is the set of states that a peer can go to */
#define BIT(s) (1u << (s))
static const unsigned may[TP_PEER_STATES] = {
	[TP_IDLE] = BIT(TP_CONNECTING) | BIT(TP_UP) | BIT(TP_LOST),
	[TP_CONNECTING] = BIT(TP_AWAITING) | BIT(TP_UP) | BIT(TP_LOST) | BIT(TP_IDLE),
	[TP_AWAITING] = BIT(TP_CONNECTING) | BIT(TP_UP) | BIT(TP_LOST) | BIT(TP_IDLE),
	[TP_UP] = BIT(TP_LOST) | BIT(TP_IDLE),
	[TP_LOST] = BIT(TP_IDLE),
};

void tp_peer_set(struct tp_peer *p, enum tp_peer_state to)
{
	assert(may[p->state] & BIT(to));
	log_event("peer %d: %s -> %s", p->id, state_names[p->state], state_names[to]);
	p->state = to;
}

void tp_peer_up(struct tp *tp, struct tp_peer *p, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = (uint32_t)p->id};

	tp_assert_held(tp);
	tp_peer_set(p, TP_UP);
	p->fd = fd;
	p->want_out = false;
	p->in = (struct tp_in){.buf = malloc(TP_PREFETCH)};
	tp->counts.connected++;
	if (!p->in.buf || epoll_ctl(tp->epoll_fd, EPOLL_CTL_ADD, fd, &ev) != 0) {
		tp_peer_lose(tp, p, "no memory or descriptors for the connection");
		tp_reap(tp);
		return;
	}
	if (tp->bye && !p->bye_sent && tp_out_control(tp, p, WIRE_BYE, 0, 0) == 0)
		p->bye_sent = true;
	tp_out_write(tp, p);
	tp_reap(tp);
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

/* Takes the socket and everything that depends on it away; the logical side stays. */
void tp_peer_unplug(struct tp *tp, struct tp_peer *p)
{
	if (p->state == TP_UP) {
		close(p->fd);
		tp->counts.connected--;
	}
	p->fd = -1;
	free(p->in.buf);
	p->in = (struct tp_in){0};
	p->wrote = 0;
	p->want_out = false;
}

/* An eager message that was being read when its sender died will never be whole. */
void tp_peer_fail_reading(struct tp *tp, struct tp_peer *p)
{
	struct tp_in *in = &p->in;

	if (in->body == BODY_PLACE) {
		tp->c.up->received(tp->c.user, in->place.cookie, in->length, FT_EPEER);
	} else if (in->body == BODY_HOLD) {
		struct tp_hold *h = in->hold;

		if (h->place.cookie) {
			tp->c.up->received(tp->c.user, h->place.cookie, h->held.length, FT_EPEER);
			tp_hold_free(tp, h);
		} else if (h->dropped) {
			tp_hold_free(tp, h);
		} else {
			h->have = UINT64_MAX; /* whoever claims it is told */
		}
	}
	in->body = BODY_NONE;
}

static void bury(struct tp *tp, struct tp_peer *p)
{
	struct link *item;
	bool orderly = p->bye_sent && p->bye_received;

	tp_peer_fail_reading(tp, p);
	tp_peer_unplug(tp, p);
	p->dying = false;
	tp_peer_set(p, TP_LOST);
	tp_out_drop(tp, p);
	list_remove(&p->busy);
	while ((item = list_first(&p->sending)))
		tp_send_done(tp, container_of(item, struct tp_send, link), FT_EPEER);
	while ((item = list_first(&p->receiving)))
		tp_recv_done(tp, container_of(item, struct tp_recv, link), FT_EPEER);
	if (!orderly)
		tp->c.up->lost(tp->c.user, p->id, p->why);
}

void tp_reap(struct tp *tp)
{
	struct link *item;

	tp_assert_held(tp);
	while ((item = list_pop(&tp->lost)))
		bury(tp, container_of(item, struct tp_peer, lost));
}
