/* SPDX-License-Identifier: BSD-3-Clause */
/* Our wishes to reach peers, tried until they come true or their time is over. */
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/conn.h"

static bool still_wanted(struct attempt *a)
{
	const struct tp_peer *p = &a->cs->tp->peers[a->peer];

	return !p->dying && (p->state == TP_CONNECTING || p->state == TP_AWAITING);
}

static const char *reason(int err)
{
	return err == EMFILE ? descriptors_text() : strerror(err);
}

/* Where refusals are not final somebody may be looking for the reason. Said once. */
static void explain(struct attempt *a, int err)
{
	const char *why = reason(err);

	if (a->cs->refused_is_final || !a->patience || clock_ns() < a->patience)
		return;
	a->patience = 0;
	if (err == ECONNREFUSED)
		why = "nobody listens there yet";
	if (err == ECONNRESET)
		why = "it turns us away: is the job, and its secret, the same there?";
	log_error("still trying to reach peer %d: %s", a->peer, why);
}

static void give_up(struct attempt *a, const char *why)
{
	struct tp *tp = a->cs->tp;
	struct tp_peer *p = &tp->peers[a->peer];

	tp_peer_lose(tp, p, p->mend.why ? p->mend.why : why);
	tp_reap(tp);
	tp->c.up->notify(tp->c.user);
}

/* Nobody listens there, nor will later. */
static bool refusal_is_final(const struct attempt *a)
{
	return a->cs->refused_is_final &&
	       (a->to.times == 0 || a->may_be_gone || a->refused_ms >= REFUSED_MS);
}

/* Is there no use in trying again? Counts what this time has cost. One that may come back is tried
 * without end. */
static bool was_last(struct attempt *a, int err)
{
	bool last;

	a->waited_ms += err == ETIMEDOUT ? HANDSHAKE_MS : 0;
	last = a->waited_ms >= a->cs->connect_ms || (err == ECONNREFUSED && refusal_is_final(a));
	a->waited_ms += a->pause_ms;
	a->refused_ms = err == ECONNREFUSED ? a->refused_ms + a->pause_ms : 0;
	return err == ENOMEM || (last && (!a->cs->tp->come_back || a->may_be_gone));
}

static void attempt_failed(struct attempt *a, int err)
{
	struct tp *tp = a->cs->tp;
	struct timeval t = ms_from_now(a->pause_ms);
	bool last = was_last(a, err);

	explain(a, err);
	lock_take_before(tp->c.lock);
	if (still_wanted(a) && last)
		give_up(a, reason(err));
	else if (still_wanted(a) && event_add(a->timer, &t) != 0)
		give_up(a, strerror(ENOMEM));
	a->pause_ms = a->pause_ms * 2 < RETRY_MAX_MS ? a->pause_ms * 2 : RETRY_MAX_MS;
	lock_give(tp->c.lock);
}

/* Descriptors of unauthenticated connections are taken before an attempt goes without one. */
static int open_socket(struct attempt *a, int family)
{
	int fd;

	do
		fd = descriptor_past_streams(
			socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	while (fd < 0 && errno == EMFILE && unauthenticated_drop_oldest(a->cs));
	return fd;
}

static void attempt_start(struct attempt *a)
{
	struct net_address *to = &a->address;
	int fd = open_socket(a, to->addr.ss_family);

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
	if (!conn_ours(a, fd))
		attempt_failed(a, ENOMEM);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct attempt *a = arg;
	struct tp *tp = a->cs->tp;
	struct tp_peer *p = &tp->peers[a->peer];
	bool wanted, outdated, cut;

	(void)fd;
	(void)what;
	lock_take_before(tp->c.lock);
	wanted = still_wanted(a);
	outdated = !attempt_is_for(a, p);
	a->to = (struct handshake_peer){
		.rank = (uint32_t)a->peer, .incarnation = p->incarnation, .times = p->mend.times};
	a->address = tp->addresses[a->peer];
	a->may_be_gone = p->bye_sent && p->bye_received;
	cut = tp_peer_is_cut(p);
	if (p->state == TP_AWAITING)
		tp_peer_set(p, TP_CONNECTING);
	lock_give(tp->c.lock);
	if (a->conn && (outdated || cut))
		conn_close(a->conn);
	if (wanted && cut)
		attempt_failed(a, EHOSTUNREACH);
	else if (wanted && !a->conn)
		attempt_start(a);
}

/* For the first time, or once more when the connection broke. */
static void on_attempt(struct loop_task *task)
{
	struct attempt *a = container_of(task, struct attempt, task);
	struct tp *tp = a->cs->tp;
	unsigned in_vain;
	struct timeval t;

	lock_take_before(tp->c.lock);
	a->posted = false;
	in_vain = tp->peers[a->peer].mend.in_vain;
	lock_give(tp->c.lock);
	a->pause_ms = RETRY_MS;
	a->waited_ms = a->refused_ms = 0;
	a->patience = clock_ns() + (uint64_t)PATIENCE_MS * 1000000;
	if (!a->timer)
		a->timer = evtimer_new(loop_base(a->cs->loop), on_retry, a);
	t = ms_from_now(RETRY_MS << (in_vain < 6 ? in_vain : 6));
	if (a->timer && !in_vain)
		on_retry(-1, 0, a);
	else if (!a->timer || event_add(a->timer, &t) != 0)
		attempt_failed(a, ENOMEM);
}

void tp_conns_connect(struct tp *tp, int peer)
{
	struct tp_conns *cs = tp->conns;
	struct attempt *a = cs->attempts[peer];

	tp_assert_held(tp);
	if (tp->peers[peer].state != TP_CONNECTING)
		tp_peer_set(&tp->peers[peer], TP_CONNECTING);
	if (!a) {
		a = cs->attempts[peer] = calloc(1, sizeof *a);
		if (!a) {
			tp_peer_lose(tp, &tp->peers[peer], "out of memory");
			return;
		}
		*a = (struct attempt){
			.task.run = on_attempt, .cs = cs, .peer = peer, .failed = attempt_failed};
	}
	if (!a->posted)
		loop_post(cs->loop, &a->task);
	a->posted = true;
}
