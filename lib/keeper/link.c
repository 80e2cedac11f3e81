/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/link.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"

enum {
	PAUSE_MS = 10,
	PAUSE_MAX_MS = 500,
	ANSWER_MS = 5000,
	AWAY_MS = 5000,
	SILENT_MS = 20000,
	IDLE_S = 10,
	PROBE_S = 5,
};

struct keeper_link {
	struct loop *loop;
	struct net_address address;
	char at[96]; /* the same, for people */
	const struct keeper_link_calls *calls;
	struct keeper_client client;

	int fd; /* -1: there is no connection. While client.state is CLOSED it is being made */
	struct event *readable, *writable; /* of fd */
	struct event *timer;		   /* fd -1: the next attempt; else its challenge is late */
	unsigned pause_ms;		   /* before the next attempt */
	bool reached;			   /* the keeper has said how the log stands */

	struct event *away; /* not reached for too long */
	bool away_said, nonsense_said;
	int error; /* why it was not reached: an errno, or of base/error.h; 0: no answer */

	/* any thread */
	_Atomic uint64_t last, covered;
	atomic_bool posted; /* the task is on its way */
	struct loop_task task;
};

static struct timeval ms_from_now(unsigned ms)
{
	return (struct timeval){ms / 1000, (ms % 1000) * 1000};
}

/* Without memory for it, at once. */
static void set_timer(struct keeper_link *l, unsigned ms)
{
	struct timeval t = ms_from_now(ms);

	if (event_add(l->timer, &t) != 0)
		event_active(l->timer, EV_TIMEOUT, 0);
}

/* ---- the end of a connection ---- */

static const char *reason(int error)
{
	switch (error) {
	case 0:
		return "it does not answer";
	case ECONNREFUSED:
		return "nobody listens there";
	case ECONNRESET:
		return "it closes the connection";
	case EMFILE:
		return descriptors_text();
	default:
		return error > 0 ? strerror(error) : ft_error_text(error);
	}
}

static void close_connection(struct keeper_link *l)
{
	if (l->readable)
		event_free(l->readable);
	if (l->writable)
		event_free(l->writable);
	l->readable = l->writable = NULL;
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	keeper_client_lost(&l->client);
}

static void try_again(struct keeper_link *l, int error)
{
	close_connection(l);
	l->reached = false;
	l->error = error;
	set_timer(l, l->pause_ms);
	l->pause_ms = l->pause_ms * 2 < PAUSE_MAX_MS ? l->pause_ms * 2 : PAUSE_MAX_MS;
}

/* A connection, or an attempt at one, has ended. */
static void lose(struct keeper_link *l, int error)
{
	if (l->reached) {
		log_event("the connection to the keeper at %s ended: %s", l->at, reason(error));
		l->nonsense_said = false;
	}
	try_again(l, error);
}

/* Said once of connections that end so in a row. */
static void on_nonsense(struct keeper_link *l, int error)
{
	if (l->nonsense_said)
		log_event("at %s there is still no keeper of this job: %s", l->at, reason(error));
	else
		log_error("what answers at %s is no keeper of this job, or one that is broken: %s; "
			  "trying again until the keeper is there",
			l->at, reason(error));
	l->nonsense_said = true;
	l->pause_ms = PAUSE_MAX_MS;
	try_again(l, error);
}

static void on_refused(struct keeper_link *l, unsigned why)
{
	close_connection(l);
	event_del(l->timer);
	event_del(l->away);
	l->calls->refused(l->client.c.ctx, why);
}

static void on_away(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_link *l = arg;

	(void)fd;
	(void)what;
	l->away_said = true;
	log_error("the keeper at %s was not reached for %d s: %s; outcomes, and what waits for "
		  "them, are held up until it is there",
		l->at, AWAY_MS / 1000, reason(l->error));
}

/* ---- what is told ---- */

/* `covered` is read first: records up to it exist, so `last` has them by then. */
static void take_told(struct keeper_link *l)
{
	struct keeper_client *c = &l->client;
	uint64_t covered = atomic_load(&l->covered), last = atomic_load(&l->last);

	if (!c->begun)
		return;
	if (last > c->last)
		keeper_client_tell(c, last);
	if (covered > c->covered)
		keeper_client_cover(c, covered);
}

/* What the socket does not take follows when it has room. KEEPER_WINDOW bounds how much it is. */
static void write_out(struct keeper_link *l)
{
	const uint8_t *bytes;
	size_t n;

	take_told(l);
	while ((bytes = keeper_client_out(&l->client, &n))) {
		ssize_t sent = send(l->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent >= 0)
			keeper_client_sent(&l->client, (size_t)sent);
		if (sent >= 0 || errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			lose(l, errno);
		else if (event_add(l->writable, NULL) != 0)
			lose(l, ENOMEM);
		return;
	}
}

/* What is told from now on posts it again. */
static void on_told(struct loop_task *task)
{
	struct keeper_link *l = container_of(task, struct keeper_link, task);

	atomic_store(&l->posted, false);
	write_out(l);
}

static void hand_over(struct keeper_link *l, _Atomic uint64_t *number, uint64_t to)
{
	uint64_t now = atomic_load(number);

	while (now < to && !atomic_compare_exchange_weak(number, &now, to))
		continue;
	if (!atomic_exchange(&l->posted, true))
		loop_post(l->loop, &l->task);
}

void keeper_link_tell(struct keeper_link *l, uint64_t last)
{
	hand_over(l, &l->last, last);
}

void keeper_link_cover(struct keeper_link *l, uint64_t number)
{
	hand_over(l, &l->covered, number);
}

/* ---- what the keeper says ---- */

static void take_events(struct keeper_link *l)
{
	struct keeper_client_event e;
	void *ctx = l->client.c.ctx;

	while (keeper_client_next(&l->client, &e)) {
		switch (e.what) {
		case CLIENT_RECORDS:
			l->calls->records(ctx, e.number, e.count, e.records);
			break;
		case CLIENT_READY:
			l->calls->ready(ctx, e.number);
			break;
		case CLIENT_ACKNOWLEDGED:
			l->calls->acknowledged(ctx, e.number);
			break;
		case CLIENT_LOST:
			l->calls->lost(ctx, e.number);
			break;
		case CLIENT_IS_REFUSED:
			on_refused(l, e.reason);
			break;
		case CLIENT_BROKE:
			on_nonsense(l, e.error);
			break;
		}
	}
}

/* How far has it come? */
static void note_progress(struct keeper_link *l)
{
	enum keeper_client_state state = l->client.state;

	if (state != CLIENT_STATE && state != CLIENT_GIVEN && state != CLIENT_LIVE)
		return;
	event_del(l->timer);
	if (state == CLIENT_STATE || l->reached)
		return;
	l->reached = true;
	l->pause_ms = PAUSE_MS;
	event_del(l->away);
	if (l->away_said)
		log_error("the keeper at %s is there again", l->at);
	l->away_said = false;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_link *l = arg;
	size_t room;
	uint8_t *place = keeper_client_room(&l->client, &room);
	ssize_t n = recv(fd, place, room, MSG_DONTWAIT);

	(void)what;
	assert(room > 0);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0) {
		lose(l, n < 0 ? errno : ECONNRESET);
		return;
	}
	keeper_client_came(&l->client, (size_t)n);
	take_events(l);
	note_progress(l);
	write_out(l);
}

/* ---- connecting ---- */

/* false: nobody is there. */
static bool is_connected(struct keeper_link *l)
{
	int error = 0;
	socklen_t len = sizeof error;

	if (getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
		error = errno;
	if (!error && event_add(l->readable, NULL) != 0)
		error = ENOMEM;
	if (error)
		lose(l, error);
	return error == 0;
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_link *l = arg;

	(void)fd;
	(void)what;
	if (l->client.state == CLIENT_CLOSED) {
		if (!is_connected(l))
			return;
		l->error = 0;
		keeper_client_connected(&l->client);
	}
	write_out(l);
}

/* A host that is gone without a word is noticed, whether something was sent or not. */
static void tune(int fd)
{
	int on = 1, idle_s = IDLE_S, probe_s = PROBE_S;
	unsigned silent_ms = SILENT_MS;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof probe_s);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
}

/* 0, or the errno; lose in that case. */
static int begin_to_connect(struct keeper_link *l)
{
	struct event_base *base = loop_base(l->loop);

	descriptors_lock();
	l->fd = descriptor_past_streams(
		socket(l->address.addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	descriptors_unlock();
	if (l->fd < 0)
		return errno;
	tune(l->fd);
	l->readable = event_new(base, l->fd, EV_READ | EV_PERSIST, on_readable, l);
	l->writable = event_new(base, l->fd, EV_WRITE, on_writable, l);
	if (!l->readable || !l->writable || event_add(l->writable, NULL) != 0)
		return ENOMEM;
	if (connect(l->fd, (struct sockaddr *)&l->address.addr, l->address.len) != 0 &&
		errno != EINPROGRESS)
		return errno;
	return 0;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct keeper_link *l = arg;
	struct timeval away = ms_from_now(AWAY_MS);
	int error;

	(void)fd;
	(void)what;
	if (l->fd >= 0) {
		lose(l, 0);
		return;
	}
	if (!l->away_said && !evtimer_pending(l->away, NULL))
		event_add(l->away, &away);
	error = begin_to_connect(l);
	if (error)
		lose(l, error);
	else
		set_timer(l, ANSWER_MS);
}

/* ---- from the beginning to the end ---- */

static void write_address(struct keeper_link *l)
{
	char host[64] = "?", port[16] = "?";

	getnameinfo((const struct sockaddr *)&l->address.addr, l->address.len, host, sizeof host,
		port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(l->at, sizeof l->at, "%s port %s", host, port);
}

int keeper_link_new(struct keeper_link **out, const struct keeper_link_job *job)
{
	struct event_base *base = loop_base(job->loop);
	struct keeper_link *l = calloc(1, sizeof *l);

	if (!l)
		return FT_ENOMEM;
	l->loop = job->loop;
	l->address = job->address;
	l->calls = job->calls;
	l->fd = -1;
	l->pause_ms = PAUSE_MS;
	l->task.run = on_told;
	write_address(l);
	keeper_client_init(&l->client, &job->client);
	l->timer = evtimer_new(base, on_timer, l);
	l->away = evtimer_new(base, on_away, l);
	if (!l->timer || !l->away) {
		keeper_link_free(l);
		return FT_ENOMEM;
	}
	event_active(l->timer, EV_TIMEOUT, 0);
	*out = l;
	return 0;
}

void keeper_link_free(struct keeper_link *l)
{
	if (!l)
		return;
	close_connection(l);
	if (l->timer)
		event_free(l->timer);
	if (l->away)
		event_free(l->away);
	keeper_client_fini(&l->client);
	free(l);
}

void keeper_link_forget(struct keeper_link *l)
{
	if (l)
		l->fd = -1;
	keeper_link_free(l);
}

void keeper_link_own_descriptors(const struct keeper_link *l, struct descriptor_list *list)
{
	descriptor_list_add(list, l->fd);
}
