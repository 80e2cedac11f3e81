/* SPDX-License-Identifier: BSD-3-Clause */
/* Listening, and all of the connections that are not attached: made and dropped together. */
#include <stdlib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/conn.h"

static void on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct tp_conns *cs = arg;

	(void)fd;
	(void)what;
	event_add(cs->listener, NULL);
}

/* A connection that waits in the backlog would wake the loop without end. */
static void pause_listening(struct tp_conns *cs)
{
	struct timeval t = ms_from_now(DESCRIPTORS_MS);

	if (cs->shortage == 0)
		log_event("no descriptor for an incoming connection: trying again every %d ms",
			DESCRIPTORS_MS);
	event_del(cs->listener);
	event_add(cs->resume, &t);
}

static void open_reserve(struct tp_conns *cs)
{
	cs->reserve = descriptor_past_streams(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static int accept_from(struct tp_conns *cs, struct net_address *from)
{
	*from = (struct net_address){.len = sizeof from->addr};
	return descriptor_past_streams(accept4(cs->listen_fd, (struct sockaddr *)&from->addr,
		&from->len, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

/* A peer that is turned away knows that it has to try again, and when to give up; one left in the
 * backlog for ever does not. */
static bool turn_away(struct tp_conns *cs)
{
	struct net_address from;
	int fd;

	if (cs->reserve < 0)
		open_reserve(cs);
	if (cs->reserve < 0)
		return false;
	descriptors_lock(); /* or the heartbeats take it meanwhile, for good */
	close(cs->reserve);
	fd = accept_from(cs, &from);
	if (fd >= 0)
		unauthenticated_refuse(cs, fd, &from);
	open_reserve(cs);
	descriptors_unlock();
	return fd >= 0;
}

/* The newcomer takes the place of an unauthenticated connection, or is answered that there is none.
 */
static bool make_room(struct tp_conns *cs)
{
	if (unauthenticated_drop_oldest(cs))
		return true;
	if (turn_away(cs) && unauthenticated_any(cs))
		return true;
	pause_listening(cs);
	shortage_note(cs, descriptors_text());
	return false;
}

/* False when there is nobody, or no descriptor, for now. */
static bool accept_one(struct tp_conns *cs)
{
	struct net_address from;
	int fd = accept_from(cs, &from);

	if (fd >= 0) {
		if (!conn_accepted(cs, fd, &from))
			shortage_note(cs, ft_error_text(FT_ENOMEM));
		return true;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return false;
	if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
		return true; /* that one has gone again */
	return make_room(cs);
}

/* The backlog never waits for unauthenticated connections: a peer may be behind them. But those
 * accepted are read between the batches, so that a peer has answered before it is the
 * oldest. */
static void on_listener(evutil_socket_t fd, short what, void *arg)
{
	enum { BATCH = UNAUTHENTICATED_MAX / 4 };

	(void)fd;
	(void)what;
	for (int i = 0; i < BATCH && accept_one(arg); i++)
		continue;
}

static int open_listener(struct tp_conns *cs)
{
	evutil_make_socket_nonblocking(cs->listen_fd);
	evutil_make_socket_closeonexec(cs->listen_fd);
	cs->listener = event_new(
		loop_base(cs->loop), cs->listen_fd, EV_READ | EV_PERSIST, on_listener, cs);
	cs->resume = evtimer_new(loop_base(cs->loop), on_resume, cs);
	if (cs->listener && cs->resume && event_add(cs->listener, NULL) == 0)
		return 0;
	return FT_ENOMEM;
}

static void free_event(struct event *e)
{
	if (e)
		event_free(e);
}

int tp_conns_open(struct tp *tp, const struct tp_physical *phys)
{
	struct tp_conns *cs = calloc(1, sizeof *cs);

	if (!cs)
		return FT_ENOMEM;
	*cs = (struct tp_conns){.tp = tp,
		.loop = phys->loop,
		.listen_fd = phys->listen_fd,
		.reserve = -1,
		.connect_ms = phys->connect_ms,
		.refused_is_final = phys->refused_is_final};
	list_init(&cs->ours);
	cs->attempts = calloc((size_t)tp->c.size, sizeof(struct attempt *));
	if (!cs->attempts || unauthenticated_open(cs) != 0)
		goto free_cs;
	if (cs->listen_fd >= 0 && open_listener(cs) != 0)
		goto free_listener;
	if (cs->listen_fd >= 0)
		open_reserve(cs);
	tp->conns = cs;
	tp->connect = tp_conns_connect;
	return 0;

free_listener:
	free_event(cs->listener);
	free_event(cs->resume);
	unauthenticated_close(cs);
free_cs:
	free(cs->attempts);
	free(cs);
	return FT_ENOMEM;
}

void tp_conns_stop(struct tp *tp)
{
	loop_stop(tp->conns->loop);
}

int tp_conns_close(struct tp *tp, enum tp_end how)
{
	struct tp_conns *cs = tp->conns;
	int listener = cs->listen_fd;
	struct link *item;

	while ((item = list_first(&cs->ours)))
		conn_close(container_of(item, struct conn, link));
	unauthenticated_close(cs);
	for (int i = 0; i < tp->c.size; i++) {
		if (cs->attempts[i] && cs->attempts[i]->timer)
			event_free(cs->attempts[i]->timer);
		free(cs->attempts[i]);
	}
	free_event(cs->listener);
	free_event(cs->resume);
	if (cs->reserve >= 0)
		close(cs->reserve);
	if (listener >= 0 && how == TP_CLOSE) {
		close(listener);
		listener = -1;
	}
	free(cs->attempts);
	free(cs);
	tp->conns = NULL;
	return listener;
}
