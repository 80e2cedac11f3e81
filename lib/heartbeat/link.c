/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Beating to an observer. A connection is made, the observer says its nonce, and from then on a
 * record goes out each period. What the socket does not take is not kept: a beat that comes late
 * says nothing. What goes wrong ends the connection, and the next tick makes another.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"
#include "heartbeat/hb.h"

/* The kernel shall hold a few beats, not minutes of them. */
enum { SEND_BUFFER = 4096 };

void link_close(struct beat_link *l)
{
	if (l->readable)
		event_free(l->readable);
	l->readable = NULL;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static bool proved(const struct beat_link *l)
{
	return l->have == sizeof l->challenge;
}

/* Said once a connection, and not when none comes about: that would be a line each period. */
static void broke(struct beat_link *l, const char *why)
{
	if (proved(l) && hb_may_log())
		log_event("heartbeat: the connection to rank %d ended: %s", l->peer, why);
	link_close(l);
}

/* True when all of it is written. */
static bool write_out(struct beat_link *l)
{
	const uint8_t *at = l->out + sizeof l->out - l->left;
	ssize_t n = send(l->fd, at, l->left, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0)
		l->left -= (size_t)n;
	else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		broke(l, strerror(errno));
	return l->left == 0;
}

/* A beat of which a part went out must be ended before the next. */
static void beat(struct beat_link *l, bool leaving)
{
	struct hb *h = l->h;
	struct record r = {.epoch = h->c.epoch,
		.from = (uint32_t)h->c.self,
		.to = (uint32_t)l->peer,
		.seq = l->seq + 1,
		.progress = h->c.progress(h->c.user),
		.leaving = leaving};

	if (l->left > 0 && !write_out(l))
		return;
	l->seq++;
	record_make(&h->key, l->nonce, &r, l->out);
	l->left = sizeof l->out;
	write_out(l);
	if (l->fd >= 0 && l->left == sizeof l->out)
		l->left = 0;
}

static void take_challenge(struct beat_link *l)
{
	if (record_take_challenge(l->challenge, l->nonce) != 0)
		broke(l, ft_error_text(FT_EPROTO));
	else
		beat(l, false);
}

/* After the challenge the observer has nothing to say. */
static void read_link(struct beat_link *l)
{
	uint8_t nothing;
	bool before = !proved(l);
	void *at = before ? l->challenge + l->have : &nothing;
	size_t room = before ? sizeof l->challenge - l->have : 1;
	ssize_t n = recv(l->fd, at, room, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0 || !before) {
		broke(l, n < 0 ? strerror(errno) : "the observer closed it");
		return;
	}
	l->have += (size_t)n;
	if (proved(l))
		take_challenge(l);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	read_link(arg);
}

/* What cannot be written within the timeout will not be read in time either. */
static void tune(int fd, unsigned timeout_ms)
{
	int on = 1, room = SEND_BUFFER;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

static void connect_link(struct beat_link *l, uint64_t now)
{
	descriptors_lock();
	l->fd = descriptor_past_streams(
		socket(l->to.addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	descriptors_unlock();
	l->since = now;
	l->have = l->left = 0;
	l->seq = 0;
	if (l->fd < 0)
		return;
	tune(l->fd, l->h->c.timeout_ms);
	l->readable = event_new(loop_base(l->h->loop), l->fd, EV_READ | EV_PERSIST, on_readable, l);
	if (!l->readable || event_add(l->readable, NULL) != 0 ||
		(connect(l->fd, (struct sockaddr *)&l->to.addr, l->to.len) != 0 &&
			errno != EINPROGRESS))
		link_close(l);
}

/* Counted from when this thread ran last: the answer may have come while it did not. */
static bool unanswered(const struct beat_link *l, uint64_t now)
{
	return !proved(l) && now - l->since >= (uint64_t)l->h->c.timeout_ms * 1000000;
}

void link_tick(struct beat_link *l, uint64_t now)
{
	if (l->fd >= 0 && !proved(l))
		read_link(l);
	else if (l->fd >= 0)
		beat(l, false);
	if (l->fd >= 0 && unanswered(l, now))
		link_close(l);
	if (l->fd < 0)
		connect_link(l, now);
}

void link_leave(struct beat_link *l)
{
	if (l->fd >= 0 && proved(l))
		beat(l, true);
}
