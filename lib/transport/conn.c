/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections on their way to being attached: listening, connecting, the handshake. All of it runs
 *on the loop's thread; the engine lock is taken only to look at a peer's state and to attach.
 *
 * Timers (all here):
 *	HANDSHAKE_MS  a connection that has not finished the handshake by then is closed
 *	RETRY_MS..    pause before the next attempt, doubled up to RETRY_MAX_MS
 *	DESCRIPTORS_MS pause before accepting goes on when the process has run out of descriptors
 *	AWAIT_MS      a peer that said BUSY and has not come by then is tried again
 *	PATIENCE_MS   after which a person who started the ranks by hand is told what is waited for
 *	connect_ms    (the user's) after which a peer is lost
 *
 * Simultaneous open: the attempt of the lower rank wins. The higher rank's is answered BUSY when it
 * meets a lower rank that is connecting, and given up when the lower rank's arrives.
 */
#include <errno.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/tp.h"

enum {
	HANDSHAKE_MS = 5000,
	RETRY_MS = 10,
	RETRY_MAX_MS = 500,
	AWAIT_MS = 5000,
	PATIENCE_MS = 3000,
	DESCRIPTORS_MS = 50,
	STRANGERS_MAX = 256, /* accepted connections that have not proved themselves */
};

/* Our wish to reach a peer, while it lasts. */
struct attempt {
	struct loop_task task;
	struct tp_conns *cs;
	int peer;
	struct event *timer;
	struct conn *conn; /* at most one at a time */
	uint64_t deadline, patience;
	unsigned pause_ms;
};

enum conn_state { CONN_OPENING, CONN_CHALLENGE, CONN_VERDICT, CONN_HELLO, CONN_PROOF, CONN_STATES };

struct conn {
	struct link link;
	struct tp_conns *cs;
	struct attempt *attempt; /* NULL: accepted */
	struct event *event;
	int fd;
	enum conn_state state;
	uint64_t deadline;
	struct hs_talk talk;
	size_t have;
	uint8_t in[64];
};

struct tp_conns {
	struct tp *tp;
	struct loop *loop;
	int listen_fd;
	struct event *listener;
	struct event *resume; /* listening, after a pause */
	struct link conns;
	int strangers;
	unsigned connect_ms;
	bool refused_is_final;
	struct attempt **attempts; /* by peer, NULL until it is first tried */
};

static void conn_wait(struct conn *c);
static void attempt_failed(struct attempt *a, int err);

static struct timeval ms_from_now(unsigned ms)
{
	return (struct timeval){ms / 1000, (ms % 1000) * 1000};
}

/* ---- one connection ---- */

/* Frees it; the descriptor is returned to the caller. */
static int conn_release(struct conn *c)
{
	int fd = c->fd;

	list_remove(&c->link);
	if (c->event)
		event_free(c->event);
	if (c->attempt)
		c->attempt->conn = NULL;
	else if (--c->cs->strangers == STRANGERS_MAX - 1)
		event_add(c->cs->listener, NULL);
	auth_wipe(&c->talk, sizeof c->talk);
	free(c);
	return fd;
}

static void conn_fail(struct conn *c, int rc, int err)
{
	struct attempt *a = c->attempt;

	log_event("handshake %s peer %d: %s%s%s", a ? "to" : "from",
		a ? a->peer : (int)c->talk.hello.from, ft_error_text(rc), err ? ": " : "",
		err ? strerror(err) : "");
	close(conn_release(c));
	if (a)
		attempt_failed(a, err ? err : ETIMEDOUT);
}

/* These are the first bytes on a fresh connection: the kernel takes them whole. */
static int conn_say(struct conn *c, const void *bytes, size_t len)
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
	hs_hello(&c->talk, &c->cs->tp->job, (uint32_t)c->attempt->peer);
	c->state = CONN_CHALLENGE;
	return conn_say(c, &c->talk.hello, sizeof c->talk.hello);
}

static int on_challenge(struct conn *c)
{
	struct wire_challenge in;
	struct wire_proof proof;
	int rc;

	memcpy(&in, c->in, sizeof in);
	rc = hs_take_challenge(&c->talk, &c->cs->tp->job, &in, &proof);
	if (rc)
		return rc;
	c->state = CONN_VERDICT;
	return conn_say(c, &proof, sizeof proof);
}

static int on_hello(struct conn *c)
{
	struct wire_hello hello;
	struct wire_challenge challenge;
	int rc;

	memcpy(&hello, c->in, sizeof hello);
	rc = hs_take_hello(&c->talk, &c->cs->tp->job, &hello);
	if (rc)
		return rc;
	hs_challenge(&c->talk, &c->cs->tp->job, &challenge);
	c->state = CONN_PROOF;
	return conn_say(c, &challenge, sizeof challenge);
}

/* Ours: the other side has said yes or "wait". The connection leaves this file or is closed. */
static void on_verdict(struct conn *c)
{
	struct tp *tp = c->cs->tp;
	struct attempt *a = c->attempt;
	struct tp_peer *p = &tp->peers[a->peer];
	struct wire_verdict v;
	struct timeval t = ms_from_now(AWAIT_MS);
	int fd;

	memcpy(&v, c->in, sizeof v);
	if (v.magic != WIRE_MAGIC || (v.code != WIRE_WELCOME && v.code != WIRE_BUSY)) {
		conn_fail(c, FT_EPROTO, 0);
		return;
	}
	fd = conn_release(c);
	lock_take(tp->c.lock);
	if (v.code == WIRE_WELCOME && (p->state == TP_CONNECTING || p->state == TP_AWAITING)) {
		tp_peer_up(tp, p, fd);
		tp->c.up->notify(tp->c.user);
	} else {
		close(fd);
		if (v.code == WIRE_BUSY && p->state == TP_CONNECTING) {
			tp_peer_set(p, TP_AWAITING);
			event_add(a->timer, &t);
		}
	}
	lock_give(tp->c.lock);
}

static bool may_attach(const struct tp *tp, const struct tp_peer *p, int *verdict)
{
	*verdict = WIRE_WELCOME;
	if (p->dying)
		return false;
	if (p->state == TP_CONNECTING && p->id > tp->c.self)
		*verdict = WIRE_BUSY;
	return p->state == TP_IDLE || p->state == TP_CONNECTING || p->state == TP_AWAITING;
}

/* Theirs, and proved. */
static void on_proved(struct conn *c)
{
	struct tp *tp = c->cs->tp;
	struct tp_peer *p = &tp->peers[c->talk.hello.from];
	struct attempt *ours;
	struct wire_verdict v = {.magic = WIRE_MAGIC};
	int code, fd;
	bool taken = false;

	lock_take(tp->c.lock);
	ours = c->cs->attempts[p->id];
	if (may_attach(tp, p, &code)) {
		v.code = (uint32_t)code;
		taken = conn_say(c, &v, sizeof v) == 0 && code == WIRE_WELCOME;
	}
	fd = conn_release(c);
	if (taken) {
		if (ours && ours->conn)
			close(conn_release(ours->conn));
		if (ours && ours->timer)
			event_del(ours->timer);
		tp_peer_up(tp, p, fd);
		tp->c.up->notify(tp->c.user);
	} else {
		close(fd);
	}
	lock_give(tp->c.lock);
}

static void on_proof(struct conn *c)
{
	struct wire_proof proof;
	int rc;

	memcpy(&proof, c->in, sizeof proof);
	rc = hs_take_proof(&c->talk, &c->cs->tp->job, &proof);
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

static void on_conn(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;
	int err, rc;

	(void)fd;
	if (what & EV_TIMEOUT) {
		conn_fail(c, FT_ETIME, 0);
		return;
	}
	err = conn_fill(c, states[c->state].want);
	if (err && err != EAGAIN) {
		conn_fail(c, FT_EPEER, err);
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

static void conn_wait(struct conn *c)
{
	uint64_t now = clock_ns();
	unsigned left = c->deadline > now ? (unsigned)((c->deadline - now) / 1000000) + 1 : 1;
	struct timeval t = ms_from_now(left);
	short what = c->state == CONN_OPENING ? EV_WRITE : EV_READ;

	event_assign(c->event, loop_base(c->cs->loop), c->fd, what, on_conn, c);
	event_add(c->event, &t);
}

/* Takes fd over, also when it fails (NULL). */
static struct conn *conn_new(struct tp_conns *cs, int fd, enum conn_state state, struct attempt *a)
{
	struct conn *c = calloc(1, sizeof *c);
	int on = 1;

	if (!c)
		goto close_fd;
	*c = (struct conn){.cs = cs,
		.fd = fd,
		.state = state,
		.deadline = clock_ns() + (uint64_t)HANDSHAKE_MS * 1000000};
	c->event = event_new(loop_base(cs->loop), fd, 0, on_conn, c);
	if (!c->event)
		goto free_conn;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	c->attempt = a;
	list_append(&cs->conns, &c->link);
	if (a)
		a->conn = c;
	else
		cs->strangers++;
	return c;

free_conn:
	free(c);
close_fd:
	close(fd);
	return NULL;
}

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct tp_conns *cs = arg;

	(void)fd;
	(void)what;
	event_add(cs->listener, NULL);
}

/* Who waits in the backlog would wake the loop without end. */
static void pause_listening(struct tp_conns *cs)
{
	struct timeval t = ms_from_now(DESCRIPTORS_MS);

	log_event(
		"no descriptor for an incoming connection: trying again in %d ms", DESCRIPTORS_MS);
	event_del(cs->listener);
	event_add(cs->resume, &t);
}

static void on_listener(evutil_socket_t fd, short what, void *arg)
{
	struct tp_conns *cs = arg;

	(void)what;
	while (cs->strangers < STRANGERS_MAX) {
		int peer = accept4((int)fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct conn *c;

		if (peer < 0) {
			if (errno == EMFILE || errno == ENFILE)
				pause_listening(cs);
			return;
		}
		c = conn_new(cs, peer, CONN_HELLO, NULL);
		if (c)
			conn_wait(c);
	}
	event_del(cs->listener);
}

/* ---- our attempts ---- */

static bool still_wanted(struct attempt *a)
{
	enum tp_peer_state s = a->cs->tp->peers[a->peer].state;

	return s == TP_CONNECTING || s == TP_AWAITING;
}

static void attempt_start(struct attempt *a)
{
	struct tp_address *to = &a->cs->tp->addresses[a->peer];
	int fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct conn *c;

	if (fd < 0) {
		attempt_failed(a, errno);
		return;
	}
	if (connect(fd, (struct sockaddr *)&to->addr, to->len) != 0 && errno != EINPROGRESS) {
		int err = errno;

		close(fd);
		attempt_failed(a, err);
		return;
	}
	c = conn_new(a->cs, fd, CONN_OPENING, a);
	if (c)
		conn_wait(c);
	else
		attempt_failed(a, ENOMEM);
}

/* Where refusals are not final somebody may be looking for the reason. Said once. */
static void explain(struct attempt *a, int err)
{
	const char *why = strerror(err);

	if (a->cs->refused_is_final || !a->patience || clock_ns() < a->patience)
		return;
	a->patience = 0;
	if (err == ECONNREFUSED)
		why = "nobody listens there yet";
	if (err == ECONNRESET)
		why = "it turns us away: is the job, and its secret, the same there?";
	log_error("still trying to reach peer %d: %s", a->peer, why);
}

static void attempt_failed(struct attempt *a, int err)
{
	struct tp *tp = a->cs->tp;
	bool last = clock_ns() >= a->deadline || (err == ECONNREFUSED && a->cs->refused_is_final);
	struct timeval t = ms_from_now(a->pause_ms);

	explain(a, err);
	lock_take(tp->c.lock);
	if (still_wanted(a) && last) {
		tp_peer_lose(tp, &tp->peers[a->peer], strerror(err));
		tp_reap(tp);
		tp->c.up->notify(tp->c.user);
	} else if (still_wanted(a)) {
		event_add(a->timer, &t);
		a->pause_ms = a->pause_ms * 2 < RETRY_MAX_MS ? a->pause_ms * 2 : RETRY_MAX_MS;
	}
	lock_give(tp->c.lock);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct attempt *a = arg;
	struct tp *tp = a->cs->tp;
	struct tp_peer *p = &tp->peers[a->peer];
	bool wanted;

	(void)fd;
	(void)what;
	lock_take(tp->c.lock);
	wanted = still_wanted(a);
	if (p->state == TP_AWAITING)
		tp_peer_set(p, TP_CONNECTING);
	lock_give(tp->c.lock);
	if (wanted && !a->conn)
		attempt_start(a);
}

static void on_attempt(struct loop_task *task)
{
	struct attempt *a = container_of(task, struct attempt, task);

	if (!a->timer)
		a->timer = evtimer_new(loop_base(a->cs->loop), on_retry, a);
	if (a->timer)
		on_retry(-1, 0, a);
}

void tp_conns_connect(struct tp *tp, int peer)
{
	struct tp_conns *cs = tp->conns;
	struct attempt *a = cs->attempts[peer];

	tp_assert_held(tp);
	tp_peer_set(&tp->peers[peer], TP_CONNECTING);
	if (!a)
		a = cs->attempts[peer] = calloc(1, sizeof *a);
	if (!a) {
		tp_peer_lose(tp, &tp->peers[peer], "out of memory");
		return;
	}
	*a = (struct attempt){.task.run = on_attempt,
		.cs = cs,
		.peer = peer,
		.pause_ms = RETRY_MS,
		.deadline = clock_ns() + (uint64_t)cs->connect_ms * 1000000,
		.patience = clock_ns() + (uint64_t)PATIENCE_MS * 1000000};
	loop_post(cs->loop, &a->task);
}

/* ---- all of it ---- */

int tp_conns_open(struct tp *tp, const struct tp_physical *phys)
{
	struct tp_conns *cs = calloc(1, sizeof *cs);

	if (!cs)
		return FT_ENOMEM;
	*cs = (struct tp_conns){.tp = tp,
		.loop = phys->loop,
		.listen_fd = phys->listen_fd,
		.connect_ms = phys->connect_ms,
		.refused_is_final = phys->refused_is_final};
	list_init(&cs->conns);
	cs->attempts = calloc((size_t)tp->c.size, sizeof(struct attempt *));
	if (!cs->attempts)
		goto free_cs;
	if (cs->listen_fd >= 0) {
		evutil_make_socket_nonblocking(cs->listen_fd);
		evutil_make_socket_closeonexec(cs->listen_fd);
		cs->listener = event_new(
			loop_base(cs->loop), cs->listen_fd, EV_READ | EV_PERSIST, on_listener, cs);
		cs->resume = evtimer_new(loop_base(cs->loop), on_resume, cs);
		if (!cs->listener || !cs->resume || event_add(cs->listener, NULL) != 0)
			goto free_listener;
	}
	tp->conns = cs;
	return 0;

free_listener:
	if (cs->listener)
		event_free(cs->listener);
	if (cs->resume)
		event_free(cs->resume);
	free(cs->attempts);
free_cs:
	free(cs);
	return FT_ENOMEM;
}

int tp_conns_close(struct tp *tp, bool keep_listener)
{
	struct tp_conns *cs = tp->conns;
	int listener = cs->listen_fd;
	struct link *item;

	loop_stop(cs->loop);
	while ((item = list_first(&cs->conns)))
		close(conn_release(container_of(item, struct conn, link)));
	for (int i = 0; i < tp->c.size; i++) {
		if (cs->attempts[i] && cs->attempts[i]->timer)
			event_free(cs->attempts[i]->timer);
		free(cs->attempts[i]);
	}
	if (cs->listener) {
		event_free(cs->listener);
		event_free(cs->resume);
	}
	if (listener >= 0 && !keep_listener) {
		close(listener);
		listener = -1;
	}
	free(cs->attempts);
	free(cs);
	tp->conns = NULL;
	return listener;
}
