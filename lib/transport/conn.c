/* SPDX-License-Identifier: BSD-3-Clause */
/* One connection on its way to being attached: the handshake. */
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "transport/conn.h"

/* Why an unauthenticated connection is turned away. */
static const char *reason(const struct conn *c, int rc, int err)
{
	bool greeted = c->state == CONN_PROOF;

	switch (rc) {
	case FT_ETIME:
		if (!greeted && c->have == 0)
			return "it said nothing for too long";
		return "it stopped in the middle of the handshake";
	case FT_EPROTO:
		return "it does not speak our protocol, or means another rank";
	case FT_EAUTH:
		return greeted ? "it does not know the secret of this job"
			       : "it belongs to another job";
	case FT_EPEER:
		return err && err != ECONNRESET ? strerror(err) : "it closed the connection";
	default:
		return ft_error_text(rc);
	}
}

static void conn_fail(struct conn *c, int rc, int err)
{
	struct attempt *a = c->attempt;

	if (!a) {
		if (rc == FT_ENOMEM)
			shortage_note(c->cs, ft_error_text(rc));
		unauthenticated_turn_away(c, reason(c, rc, err));
		return;
	}
	log_event("handshake to peer %d: %s%s%s", a->peer, ft_error_text(rc), err ? ": " : "",
		err ? strerror(err) : "");
	conn_close(c);
	a->failed(a, err ? err : ETIMEDOUT);
}

/* These are the first bytes on a fresh connection: the kernel takes them whole. */
static int conn_send(struct conn *c, const void *bytes, size_t len)
{
	return send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len ? 0 : FT_EPEER;
}

static int on_connected(struct conn *c)
{
	int err = 0;
	socklen_t len = sizeof err;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0 || err) {
		errno = err;
		return FT_ESYS;
	}
	handshake_hello(&c->handshake, &c->cs->tp->job, &c->attempt->to);
	c->state = CONN_CHALLENGE;
	return conn_send(c, &c->handshake.hello, sizeof c->handshake.hello);
}

static int on_challenge(struct conn *c)
{
	struct wire_challenge in;
	struct wire_proof proof;
	uint64_t until;
	int rc;

	memcpy(&in, c->in, sizeof in);
	rc = handshake_take_challenge(&c->handshake, &c->cs->tp->job, &in, &proof);
	if (rc)
		return rc;
	c->state = CONN_VERDICT;
	/* It is our peer, and may take our proof at any time: giving up soon would look to it like
	 * our death. */
	until = clock_ns() + (uint64_t)c->cs->connect_ms * 1000000;
	if (c->deadline < until)
		c->deadline = until;
	return conn_send(c, &proof, sizeof proof);
}

static int on_hello(struct conn *c)
{
	struct wire_hello hello;
	struct wire_challenge challenge;
	int rc;

	memcpy(&hello, c->in, sizeof hello);
	rc = handshake_take_hello(&c->handshake, &c->cs->tp->job, &hello);
	if (rc)
		return rc;
	c->ups = c->cs->tp->peers[hello.from].ups;
	handshake_challenge(&c->handshake, &c->cs->tp->job, &challenge);
	admission_leave(c->admission, &c->link);
	c->state = CONN_PROOF;
	unauthenticated_enter(c);
	return conn_send(c, &challenge, sizeof challenge);
}

/* Its own attempt is on its way. */
static void await(struct attempt *a)
{
	struct tp *tp = a->cs->tp;
	struct tp_peer *p = &tp->peers[a->peer];
	struct timeval t = ms_from_now(AWAIT_MS);

	if (p->state == TP_CONNECTING)
		tp_peer_set(p, TP_AWAITING);
	if (event_add(a->timer, &t) == 0)
		return;
	tp_peer_lose(tp, p, ft_error_text(FT_ENOMEM));
	tp_reap(tp);
	tp->c.up->notify(tp->c.user);
}

/* Ours: the other side has said yes or "wait". The connection leaves this file or is closed. */
static void on_verdict(struct conn *c)
{
	struct tp *tp = c->cs->tp;
	struct attempt *a = c->attempt;
	struct tp_peer *p = &tp->peers[a->peer];
	struct wire_verdict v;
	bool wanted;
	int fd;

	memcpy(&v, c->in, sizeof v);
	if (v.magic != WIRE_MAGIC || v.code < WIRE_WELCOME || v.code > WIRE_ANEW ||
		(v.code == WIRE_ANEW && !tp->come_back)) {
		conn_fail(c, FT_EPROTO, 0);
		return;
	}
	fd = conn_release(c);
	lock_take_before(tp->c.lock);
	wanted = !p->dying && (p->state == TP_CONNECTING || p->state == TP_AWAITING) &&
		 attempt_is_for(a, p) && !tp_peer_is_cut(p);
	if (wanted && v.code == WIRE_WELCOME) {
		p->mend.accepted = false;
		tp_peer_up(tp, p, fd);
		tp->c.up->notify(tp->c.user);
	} else {
		close(fd);
	}
	if (wanted && v.code == WIRE_BUSY)
		await(a);
	if (wanted && v.code == WIRE_ANEW) {
		tp_peer_lose(tp, p, "the pair has begun anew on its side");
		tp_reap(tp);
		tp->c.up->notify(tp->c.user);
	}
	lock_give(tp->c.lock);
	if (!wanted)
		a->failed(a, ESTALE);
}

/* Ours has come to the peer, which may take it: that direction can be opened. */
static bool ours_is_there(const struct tp *tp, const struct tp_peer *p)
{
	const struct attempt *ours = tp->conns->attempts[p->id];

	return p->state == TP_CONNECTING && ours && ours->conn && ours->conn->state == CONN_VERDICT;
}

/* One that is up may say that its connection broke, which was not seen here yet. */
static bool may_attach(const struct tp *tp, const struct tp_peer *p, uint16_t times, int *verdict)
{
	*verdict = WIRE_WELCOME;
	if (p->dying)
		return false;
	if (p->id > tp->c.self && ours_is_there(tp, p))
		*verdict = WIRE_BUSY;
	return p->state == TP_IDLE || p->state == TP_CONNECTING || p->state == TP_AWAITING ||
	       tp_peer_may_be_replaced(tp, p, times);
}

/* The answer to what was proved; 0: none, for this reason. */
static int judge(struct tp *tp, struct tp_peer *p, const struct conn *c, const char **why)
{
	const struct wire_hello *hello = &c->handshake.hello;
	int verdict;

	*why = "the connection to that rank is cut by -inject";
	if (tp_peer_is_cut(p))
		return 0;
	if (tp_come_back_seen(tp, p, hello, c->ups == p->ups))
		return WIRE_WELCOME;
	*why = "it is not the process of that rank that is there now";
	if (hello->from_incarnation != p->incarnation)
		return 0;
	if (tp->come_back && hello->times > 0 && p->mend.times == 0)
		return WIRE_ANEW;
	*why = "that rank has a connection already";
	return may_attach(tp, p, hello->times, &verdict) ? verdict : 0;
}

/* Theirs, and proved. */
static void on_proved(struct conn *c)
{
	struct tp *tp = c->cs->tp;
	struct tp_peer *p = &tp->peers[c->handshake.hello.from];
	struct attempt *ours;
	struct wire_verdict v = {.magic = WIRE_MAGIC};
	const char *why = "it closed the connection";
	int fd;
	uint16_t times = c->handshake.hello.times;
	bool taken;

	lock_take_before(tp->c.lock);
	v.code = (uint32_t)judge(tp, p, c, &why);
	taken = v.code && conn_send(c, &v, sizeof v) == 0 && v.code == WIRE_WELCOME;
	if (taken) {
		fd = conn_release(c);
		ours = tp->conns->attempts[p->id];
		if (ours && ours->conn)
			conn_close(ours->conn);
		if (ours && ours->timer)
			event_del(ours->timer);
		if (p->state == TP_UP)
			tp_peer_replaced(tp, p, times);
		p->mend.accepted = true;
		tp->conns->shortage = 0;
		tp_peer_up(tp, p, fd);
		tp->c.up->notify(tp->c.user);
	}
	lock_give(tp->c.lock);
	if (!taken && (v.code == WIRE_BUSY || v.code == WIRE_ANEW))
		conn_close(c);
	else if (!taken)
		unauthenticated_turn_away(c, why);
}

static void on_proof(struct conn *c)
{
	struct wire_proof proof;
	int rc;

	memcpy(&proof, c->in, sizeof proof);
	rc = handshake_take_proof(&c->handshake, &c->cs->tp->job, &proof);
	if (rc)
		conn_fail(c, rc, 0);
	else
		on_proved(c);
}

static const struct {
	size_t want;		      /* bytes to be read before it is done */
	int (*step)(struct conn *c);  /* the connection stays here */
	void (*last)(struct conn *c); /* it does not */
} states[CONN_STATES] = {
	[CONN_OPENING] = {0, on_connected, NULL},
	[CONN_CHALLENGE] = {sizeof(struct wire_challenge), on_challenge, NULL},
	[CONN_VERDICT] = {sizeof(struct wire_verdict), NULL, on_verdict},
	[CONN_HELLO] = {sizeof(struct wire_hello), on_hello, NULL},
	[CONN_PROOF] = {sizeof(struct wire_proof), NULL, on_proof},
};

/* Reads no byte beyond the message: what follows the verdict are frames. 0, EAGAIN or an errno. */
static int conn_fill(struct conn *c, size_t want)
{
	while (c->have < want) {
		ssize_t n = recv(c->fd, c->in + c->have, want - c->have, MSG_DONTWAIT);

		if (n == 0)
			return ECONNRESET;
		if (n < 0 && errno != EINTR)
			return errno == EWOULDBLOCK ? EAGAIN : errno;
		if (n > 0)
			c->have += (size_t)n;
	}
	c->have = 0;
	return 0;
}

/* Whoever begins in another way than our messages do is not waited for. */
static bool foreign(const struct conn *c)
{
	static const uint32_t magic = WIRE_MAGIC;
	size_t n = c->have < sizeof magic ? c->have : sizeof magic;

	return c->state != CONN_OPENING && c->state != CONN_PROOF && memcmp(c->in, &magic, n) != 0;
}

static void conn_wait(struct conn *c);

static void on_silence(struct conn *c)
{
	/* a peer that listens in a launched job lives, and will answer when it can; unless it may
	 * have ended, or has answered before: then what is between may swallow the answer */
	bool wait_on = c->attempt && c->cs->refused_is_final && c->state != CONN_OPENING &&
		       !c->attempt->may_be_gone && c->attempt->to.times == 0;

	if (!wait_on) {
		conn_fail(c, FT_ETIME, 0);
		return;
	}
	log_event("handshake to peer %d: no answer yet", c->attempt->peer);
	c->deadline = clock_ns() + (uint64_t)HANDSHAKE_MS * 1000000;
	conn_wait(c);
}

static void on_conn(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;
	int err, rc;

	(void)fd;
	/* a process that was stopped finds both: the answer, and that it is late */
	if (what == EV_TIMEOUT) {
		on_silence(c);
		return;
	}
	err = conn_fill(c, states[c->state].want);
	if (err && err != EAGAIN) {
		conn_fail(c, FT_EPEER, err);
		return;
	}
	if (err && foreign(c)) {
		conn_fail(c, FT_EPROTO, 0);
		return;
	}
	if (!err && states[c->state].last) {
		states[c->state].last(c);
		return;
	}
	if (!err) {
		errno = 0;
		rc = states[c->state].step(c);
		if (rc) {
			conn_fail(c, rc, rc == FT_ESYS ? errno : 0);
			return;
		}
	}
	conn_wait(c);
}

/* For the other side's next message. */
static void conn_wait(struct conn *c)
{
	uint64_t now = clock_ns();
	unsigned left = c->deadline > now ? (unsigned)((c->deadline - now) / 1000000) + 1 : 1;
	struct timeval t = ms_from_now(left);
	short what = c->state == CONN_OPENING ? EV_WRITE : EV_READ;

	event_assign(c->event, loop_base(c->cs->loop), c->fd, what, on_conn, c);
	if ((!c->attempt && fault_error("short-handshake")) || event_add(c->event, &t) != 0)
		conn_fail(c, FT_ENOMEM, ENOMEM);
}

static struct conn *conn_new(struct tp_conns *cs, int fd, enum conn_state state)
{
	struct conn *c = calloc(1, sizeof *c);

	if (!c)
		goto close_fd;
	*c = (struct conn){.cs = cs,
		.fd = fd,
		.state = state,
		.deadline = clock_ns() + (uint64_t)HANDSHAKE_MS * 1000000};
	c->event = event_new(loop_base(cs->loop), fd, 0, on_conn, c);
	if (!c->event)
		goto free_conn;
	tp_socket_tune(fd);
	return c;

free_conn:
	free(c);
close_fd:
	close(fd);
	return NULL;
}

struct conn *conn_ours(struct attempt *a, int fd)
{
	struct conn *c = conn_new(a->cs, fd, CONN_OPENING);

	if (!c)
		return NULL;
	c->attempt = a;
	a->conn = c;
	list_append(&a->cs->ours, &c->link);
	conn_wait(c);
	return c;
}

bool conn_accepted(struct tp_conns *cs, int fd, const struct net_address *from)
{
	struct conn *c = conn_new(cs, fd, CONN_HELLO);

	if (!c)
		return false;
	c->from = *from;
	unauthenticated_enter(c);
	on_conn(fd, EV_READ, c);
	return true;
}
