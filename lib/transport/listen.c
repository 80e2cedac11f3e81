/* SPDX-License-Identifier: BSD-3-Clause */
/* Listening, and all of the connections that are not attached: made and dropped together. */
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
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
