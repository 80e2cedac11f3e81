/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Incoming heartbeats. Anybody can connect, so a connection is unauthenticated until its first beat
 * has proved itself: there are only so many, the oldest gives way, and none may take longer than
 * PROOF_MS. After that there is one connection for each observed rank, the newest.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"
#include "heartbeat/hb.h"

enum { RECORDS = 16 };

/* ---- what is said of those that are turned away ---- */

static void log_rest(struct beat_listener *in)
{
	unsigned long more = refusals_rest(&in->refusals);

	if (more && hb_may_log())
		log_event("heartbeat: turned away %lu more", more);
}

/* A line each, unless there are many: then their number. */
static void complain(struct hb *h, const struct beat_in *b, const char *why)
{
	char as[32] = "somebody";

	if (!refusals_line(&h->in.refusals, hb_may_log))
		return;
	if (b->stream.from >= 0)
		snprintf(as, sizeof as, "rank %d", b->stream.from);
	log_event("heartbeat: turned away %s: %s", as, why);
}

/* ---- one connection ---- */

static bool unauthenticated(const struct beat_in *b)
{
	return b->stream.from < 0;
}

static void in_close(struct beat_in *b)
{
	if (unauthenticated(b))
		admission_leave(&b->h->in.unauthenticated, &b->link);
	else
		list_remove(&b->link);
	event_free(b->readable);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

static void turn_away(struct beat_in *b, const char *why)
{
	complain(b->h, b, why);
	in_close(b);
}

/* The peer has connected anew; what it said on the other connection counts no more. */
static void close_older(struct hb *h, const struct beat_in *newer, int from)
{
	list_for_each_safe (item, &h->in.proved) {
		struct beat_in *b = container_of(item, struct beat_in, link);

		if (b != newer && b->stream.from == from)
			in_close(b);
	}
}

static void prove(struct beat_in *b)
{
	struct hb *h = b->h;

	/* from now on the tick reads it: a computing rank is disturbed once a period, not at each
	 * beat */
	event_del(b->readable);
	admission_leave(&h->in.unauthenticated, &b->link);
	list_append(&h->in.proved, &b->link);
	close_older(h, b, b->stream.from);
}

/* False: the connection is closed. */
static bool take_records(struct beat_in *b, const uint8_t *at, const uint8_t *end)
{
	struct hb *h = b->h;
	struct record_reader reader = {&h->key, h->c.epoch, (uint32_t)h->c.self};
	struct record r;
	bool before = unauthenticated(b);
	int rc;

	while ((rc = record_next(&b->stream, &reader, &at, end, &r)) > 0) {
		if (!detector_knows(h->detector, (int)r.from)) {
			rc = FT_EPROTO;
			break;
		}
		if (before)
			prove(b);
		before = false;
		hb_handle(h, &r);
	}
	if (rc == 0)
		return true;
	if (before)
		b->stream.from = -1;
	turn_away(b, ft_error_text(rc));
	return false;
}

/* Reads once. False: it is closed, or there is nothing more. */
static bool read_in(struct beat_in *b)
{
	uint8_t buf[RECORDS * RECORD_BYTES];
	ssize_t n = recv(b->fd, buf, sizeof buf, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return false;
	if (n <= 0) {
		in_close(b); /* not a word: it may begin anew */
		return false;
	}
	return take_records(b, buf, buf + n) && n == sizeof buf;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	read_in(arg);
}

/* ---- accepting ---- */

static bool challenge(struct beat_in *b)
{
	uint8_t out[RECORD_CHALLENGE_BYTES];

	auth_random(b->stream.nonce, sizeof b->stream.nonce);
	record_challenge(b->stream.nonce, out);
	return send(b->fd, out, sizeof out, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof out;
}

/* False: there is none. */
static bool drop(struct link *oldest)
{
	if (oldest)
		turn_away(container_of(oldest, struct beat_in, link), "too many at a time");
	return oldest;
}

static void take_in(struct hb *h, int fd)
{
	struct beat_in *b = calloc(1, sizeof *b);
	struct event *e = event_new(loop_base(h->loop), fd, EV_READ | EV_PERSIST, on_readable, b);

	if (!b || !e || event_add(e, NULL) != 0)
		goto close_fd;
	*b = (struct beat_in){.h = h,
		.fd = fd,
		.readable = e,
		.deadline = clock_ns() + (uint64_t)PROOF_MS * 1000000,
		.stream.from = -1};
	drop(admission_surplus(&h->in.unauthenticated));
	admission_enter(&h->in.unauthenticated, &b->link);
	if (!challenge(b))
		in_close(b);
	return;

close_fd:
	if (e)
		event_free(e);
	close(fd);
	free(b);
}

/* A connection that waits in the backlog would wake the loop without end. */
static void no_descriptor(struct beat_listener *in)
{
	if (drop(admission_oldest(&in->unauthenticated)))
		return;
	event_del(in->readable);
	in->paused = true;
}

/* False when there is nobody, or no descriptor, for now. */
static bool accept_one(struct hb *h)
{
	int fd;

	descriptors_lock();
	fd = descriptor_past_streams(accept4(h->in.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
	descriptors_unlock();

	if (fd >= 0) {
		take_in(h, fd);
		return true;
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
		no_descriptor(&h->in);
	return errno != EAGAIN && errno != EWOULDBLOCK && !h->in.paused;
}

/* Those that were accepted are read between the batches: so a peer has beaten before it is the
 * oldest. */
static void on_listener(evutil_socket_t fd, short what, void *arg)
{
	struct hb *h = arg;

	(void)fd;
	(void)what;
	for (int i = 0; i < h->in.unauthenticated.most / 4 && accept_one(h); i++)
		continue;
}

int listener_open(struct hb *h)
{
	struct beat_listener *in = &h->in;

	admission_open(
		&in->unauthenticated, admission_most(UNAUTHENTICATED_MAX, UNAUTHENTICATED_SHARE));
	list_init(&in->proved);
	in->fd = h->c.listen_fd;
	evutil_make_socket_nonblocking(in->fd);
	evutil_make_socket_closeonexec(in->fd);
	in->readable = event_new(loop_base(h->loop), in->fd, EV_READ | EV_PERSIST, on_listener, h);
	if (in->readable && event_add(in->readable, NULL) == 0)
		return 0;
	if (in->readable)
		event_free(in->readable);
	return FT_ENOMEM;
}

/* ---- each period ---- */

static void read_all(struct link *list)
{
	list_for_each_safe (item, list)
		read_in(container_of(item, struct beat_in, link));
}

/* The oldest stand first. They were read just now. */
static void close_late(struct beat_listener *in, uint64_t now)
{
	struct link *item;

	while ((item = admission_oldest(&in->unauthenticated))) {
		struct beat_in *b = container_of(item, struct beat_in, link);

		if (b->deadline > now)
			return;
		turn_away(b, ft_error_text(FT_ETIME));
	}
}

void listener_tick(struct hb *h, uint64_t now)
{
	struct beat_listener *in = &h->in;

	if (refusals_renew(&in->refusals, now))
		log_rest(in);
	read_all(&in->proved);
	read_all(&in->unauthenticated.held);
	close_late(in, now);
	if (in->paused && event_add(in->readable, NULL) == 0)
		in->paused = false;
}

void listener_close(struct hb *h)
{
	struct beat_listener *in = &h->in;
	struct link *item;

	while ((item = admission_oldest(&in->unauthenticated)) || (item = list_first(&in->proved)))
		in_close(container_of(item, struct beat_in, link));
	log_rest(in);
	event_free(in->readable);
	if (in->fd >= 0)
		close(in->fd);
}
