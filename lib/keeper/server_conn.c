/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections of a keeper: accepted, proved, read and written. Those that have not proved who they
 * are, and those that are refused, must keep no rank out: the one that is there longest gives way.
 */
#include "keeper/server_conn.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

enum { ANSWERS_AT_ONCE = 64, ACCEPTS_AT_ONCE = UNAUTHENTICATED_MAX / 4 };

/* ---- the end of one ---- */

static void leave(struct keeper_conn *c)
{
	struct keeper_server *s = c->server;

	if (c->state < CONN_LIMITED) {
		admission_leave(&s->limited_conns[c->state], &c->link);
		return;
	}
	list_remove(&c->link);
	if (s->of_rank[c->peer->hello.rank] == c)
		s->of_rank[c->peer->hello.rank] = NULL;
}

static void conn_close(struct keeper_conn *c)
{
	leave(c);
	event_free(c->read);
	event_free(c->write);
	close(c->fd);
	free(c->peer);
	free(c);
}

/* A line for each, unless there are many: then their number. */
static void turn_away(struct keeper_conn *c, const char *why)
{
	struct refusals *r = &c->server->refusals;
	char host[64] = "?", port[16] = "?";

	if (refusals_renew(r, clock_ns())) {
		unsigned long more = refusals_rest(r);

		if (more)
			log_event("turned away %lu more strangers", more);
	}
	if (refusals_line(r, NULL)) {
		getnameinfo((const struct sockaddr *)&c->from.addr, c->from.len, host, sizeof host,
			port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
		log_event("turned away a stranger at %s port %s: %s", host, port, why);
	}
	conn_close(c);
}

/* ---- waiting ---- */

static void wait_to_read(struct keeper_conn *c)
{
	uint64_t now = clock_ns();
	struct timeval t = ms_from_now(c->deadline > now ? (c->deadline - now) / 1000000 + 1 : 1);

	if (event_add(c->read, c->state == CONN_OPEN ? NULL : &t) != 0)
		conn_close(c);
}

/* Among those of another state. */
static void enter(struct keeper_conn *c, enum keeper_conn_state state)
{
	struct admission *a;
	struct link *oldest;

	leave(c);
	c->state = state;
	if (state == CONN_OPEN) {
		list_append(&c->server->open, &c->link);
		return;
	}
	a = &c->server->limited_conns[state];
	oldest = admission_surplus(a);
	if (oldest)
		turn_away(container_of(oldest, struct keeper_conn, link),
			"too many strangers at a time");
	admission_enter(a, &c->link);
}

static void set_deadline(struct keeper_conn *c)
{
	c->deadline = clock_ns() + (uint64_t)HANDSHAKE_MS * 1000000;
}

/* ---- open ones ---- */

/* It is told why. Closing at once, with bytes that nobody has read, would take that back. */
static void begin_to_end(struct keeper_conn *c)
{
	log_event("rank %u, incarnation %u, is refused: %s", (unsigned)c->peer->hello.rank,
		(unsigned)c->peer->hello.incarnation, keeper_refusal_text(c->peer->refusal.flags));
	shutdown(c->fd, SHUT_WR);
	set_deadline(c);
	enter(c, CONN_ENDING);
	event_del(c->write);
	event_del(c->read);
	wait_to_read(c);
}

/* false: it is closed, or ends. */
static bool answer(struct keeper_conn *c)
{
	for (int i = 0; i < ANSWERS_AT_ONCE; i++) {
		size_t n;
		const uint8_t *bytes = keeper_peer_out(c->peer, &n);
		ssize_t sent = bytes ? send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

		if (!bytes && keeper_peer_over(c->peer)) {
			begin_to_end(c);
			return false;
		}
		if (!bytes)
			return true;
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			conn_close(c);
			return false;
		}
		if (sent < 0)
			break;
		keeper_peer_sent(c->peer, (size_t)sent);
	}
	if (event_add(c->write, NULL) == 0)
		return true;
	conn_close(c);
	return false;
}

void keeper_conns_answer(struct keeper_server *s)
{
	list_for_each_safe (item, &s->open) {
		struct keeper_conn *c = container_of(item, struct keeper_conn, link);

		if (!event_pending(c->write, EV_WRITE, NULL))
			answer(c);
	}
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	answer(arg);
}

/* What the rank says is answered when it is durable, at the end of the turn. */
static void read_open(struct keeper_conn *c)
{
	size_t room;
	uint8_t *place = keeper_peer_room(c->peer, &room);
	ssize_t n = room ? recv(c->fd, place, room, MSG_DONTWAIT) : 0;

	if (room == 0) {
		log_event("rank %u said too much before it was answered",
			(unsigned)c->peer->hello.rank);
		conn_close(c);
		return;
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		conn_close(c);
		return;
	}
	if (n > 0 && keeper_peer_came(c->peer, (size_t)n) != 0) {
		log_error("no memory for outcomes of rank %u: it tells them again",
			(unsigned)c->peer->hello.rank);
		conn_close(c);
		return;
	}
	wait_to_read(c);
}

/* It waits for the other side to close, and takes nothing. */
static void read_ending(struct keeper_conn *c)
{
	uint8_t nothing[4096];
	ssize_t n = recv(c->fd, nothing, sizeof nothing, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		conn_close(c);
	else
		wait_to_read(c);
}

/* ---- the handshake ---- */

/* These are the first bytes on a fresh connection: the kernel takes them whole. */
static bool send_whole(struct keeper_conn *c, const void *bytes, size_t len)
{
	return send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len;
}

static void on_hello(struct keeper_conn *c)
{
	struct keeper_hello hello;
	struct keeper_challenge challenge;
	int rc;

	memcpy(&hello, c->in, sizeof hello);
	rc = keeper_handshake_take_hello(&c->handshake, &c->server->job, &hello);
	if (rc) {
		turn_away(c, rc == FT_EAUTH ? "it belongs to another job"
					    : "it does not speak our protocol, or means no rank");
		return;
	}
	keeper_handshake_challenge(&c->handshake, &c->server->job, &challenge);
	enter(c, CONN_PROOF);
	if (send_whole(c, &challenge, sizeof challenge))
		wait_to_read(c);
	else
		turn_away(c, "it closed the connection");
}

/* A fresh socket takes it; one on which the rank reads nothing is not waited for. So no more are
 * open than there are ranks. */
static void refuse_now(struct keeper_conn *c)
{
	if (answer(c))
		conn_close(c);
}

/* The rank has connected again, or another incarnation of it has come: what the connection before
 * may still bring is not taken. */
static void replace(struct keeper_conn *before)
{
	const struct keeper_hello *hello = &before->peer->hello;

	if (!events_fenced(&before->server->events, hello->rank, hello->incarnation)) {
		conn_close(before);
		return;
	}
	keeper_peer_refuse(before->peer, KEEPER_FENCED);
	refuse_now(before);
}

static void on_proof(struct keeper_conn *c)
{
	struct keeper_server *s = c->server;
	struct keeper_proof proof;
	uint32_t rank = c->handshake.hello.rank;

	memcpy(&proof, c->in, sizeof proof);
	if (keeper_handshake_take_proof(&c->handshake, &s->job, &proof) != 0) {
		turn_away(c, "it does not know the secret of this job");
		return;
	}
	c->peer = calloc(1, sizeof *c->peer);
	if (!c->peer) {
		log_error(
			"no memory for the connection of rank %u: it tries again", (unsigned)rank);
		conn_close(c);
		return;
	}
	keeper_peer_open(c->peer, &s->events, &c->handshake.hello);
	enter(c, CONN_OPEN);
	if (c->peer->state == PEER_REFUSED) {
		refuse_now(c);
		return;
	}
	log_event("rank %u, incarnation %u, has come", (unsigned)rank,
		(unsigned)c->handshake.hello.incarnation);
	if (s->of_rank[rank])
		replace(s->of_rank[rank]);
	s->of_rank[rank] = c;
	wait_to_read(c);
}

/* Reads no byte beyond the message. 1: it is whole; 0: not yet; -1: the connection is closed. */
static int fill(struct keeper_conn *c, size_t want)
{
	while (c->have < want) {
		ssize_t n = recv(c->fd, c->in + c->have, want - c->have, MSG_DONTWAIT);

		if (n > 0)
			c->have += (size_t)n;
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			return -1;
		else if (errno == EAGAIN)
			return 0;
	}
	c->have = 0;
	return 1;
}

/* Whoever begins in another way than our hello does is not waited for. */
static bool is_foreign(const struct keeper_conn *c)
{
	static const uint32_t magic = KEEPER_MAGIC;
	size_t n = c->have < sizeof magic ? c->have : sizeof magic;

	return c->state == CONN_HELLO && memcmp(c->in, &magic, n) != 0;
}

static void read_handshake(struct keeper_conn *c)
{
	bool hello = c->state == CONN_HELLO;
	int rc = fill(c, hello ? sizeof(struct keeper_hello) : sizeof(struct keeper_proof));

	if (rc < 0)
		turn_away(c, "it closed the connection");
	else if (rc == 0 && is_foreign(c))
		turn_away(c, "it does not speak our protocol");
	else if (rc == 0)
		wait_to_read(c);
	else if (hello)
		on_hello(c);
	else
		on_proof(c);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_conn *c = arg;

	(void)fd;
	if (what & EV_TIMEOUT)
		turn_away(c, c->state == CONN_ENDING ? "it was refused and does not close"
						     : "it did not prove itself in time");
	else if (c->state == CONN_OPEN)
		read_open(c);
	else if (c->state == CONN_ENDING)
		read_ending(c);
	else
		read_handshake(c);
}

/* ---- accepting ---- */

static void add_conn(struct keeper_server *s, int fd, const struct net_address *from)
{
	struct keeper_conn *c = calloc(1, sizeof *c);
	struct link *oldest = admission_surplus(&s->limited_conns[CONN_HELLO]);
	int on = 1;

	if (!c)
		goto close_fd;
	*c = (struct keeper_conn){.server = s, .fd = fd, .state = CONN_HELLO, .from = *from};
	c->read = event_new(s->base, fd, EV_READ, on_readable, c);
	c->write = event_new(s->base, fd, EV_WRITE, on_writable, c);
	if (!c->read || !c->write)
		goto free_conn;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (oldest)
		turn_away(container_of(oldest, struct keeper_conn, link),
			"too many strangers at a time");
	admission_enter(&s->limited_conns[CONN_HELLO], &c->link);
	set_deadline(c);
	read_handshake(c); /* one that waited its turn has said hello */
	return;

free_conn:
	if (c->read)
		event_free(c->read);
	if (c->write)
		event_free(c->write);
	free(c);
close_fd:
	close(fd);
}

static void on_listener(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_server *s = arg;
	struct timeval t = ms_from_now(DESCRIPTORS_MS);

	(void)what;
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct net_address from = {.len = sizeof from.addr};
		int one = accept4(
			fd, (struct sockaddr *)&from.addr, &from.len, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (one >= 0) {
			add_conn(s, one, &from);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			event_del(s->listener);
			event_add(s->resume, &t);
		}
		if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_server *s = arg;

	(void)fd;
	(void)what;
	event_add(s->listener, NULL);
}

int keeper_conns_open(struct keeper_server *s)
{
	list_init(&s->open);
	for (int i = 0; i < CONN_LIMITED; i++)
		admission_open(&s->limited_conns[i],
			admission_most(UNAUTHENTICATED_MAX, UNAUTHENTICATED_SHARE));
	s->of_rank = calloc(s->job.ranks, sizeof(struct keeper_conn *));
	evutil_make_socket_nonblocking(s->listen_fd);
	evutil_make_socket_closeonexec(s->listen_fd);
	s->listener = event_new(s->base, s->listen_fd, EV_READ | EV_PERSIST, on_listener, s);
	s->resume = evtimer_new(s->base, on_resume, s);
	if (!s->of_rank || !s->listener || !s->resume || event_add(s->listener, NULL) != 0)
		return FT_ENOMEM;
	return 0;
}

void keeper_conns_close(struct keeper_server *s)
{
	struct link *item;

	for (int i = 0; i < CONN_LIMITED; i++)
		while ((item = admission_oldest(&s->limited_conns[i])))
			conn_close(container_of(item, struct keeper_conn, link));
	while ((item = list_first(&s->open)))
		conn_close(container_of(item, struct keeper_conn, link));
	if (s->listener)
		event_free(s->listener);
	if (s->resume)
		event_free(s->resume);
	free(s->of_rank);
	close(s->listen_fd);
}
