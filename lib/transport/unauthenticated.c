/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that were accepted and have proved nothing yet. Anybody can make them, so they must
 * cost little and keep no peer out: a peer answers within a few round trips, and the
 * connection that has taken longest is dropped when there are too many. Those with a hello of this
 * job are in a list of their own, where a flood of others does not reach them. A peer that is
 * dropped all the same tries again (attempt.c).
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "transport/conn.h"

/* ---- what is logged of them ---- */

static void log_rest(struct unauthenticated *s)
{
	unsigned long more = refusals_rest(&s->refusals);

	if (more)
		log_event("turned away %lu more strangers", more);
}

static void on_complain(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	log_rest(arg);
}

/* A line each, unless there are many: then their number. */
static bool worth_a_line(struct unauthenticated *s)
{
	struct timeval t = ms_from_now(REFUSALS_MS);

	if (refusals_renew(&s->refusals, clock_ns())) {
		log_rest(s);
		event_add(s->complain, &t);
	}
	return refusals_line(&s->refusals, NULL);
}

static void complain(
	struct tp_conns *cs, const struct net_address *from, const char *as, const char *why)
{
	char host[64] = "?", port[16] = "?";

	if (!worth_a_line(&cs->unauthenticated))
		return;
	getnameinfo((const struct sockaddr *)&from->addr, from->len, host, sizeof host, port,
		sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	log_event("turned away a stranger at %s port %s%s: %s", host, port, as, why);
}

void unauthenticated_turn_away(struct conn *c, const char *why)
{
	char as[32] = "";

	if (c->state == CONN_PROOF)
		snprintf(as, sizeof as, " as rank %u", (unsigned)c->handshake.hello.from);
	complain(c->cs, &c->from, as, why);
	conn_close(c);
}

void unauthenticated_refuse(struct tp_conns *cs, int fd, const struct net_address *from)
{
	complain(cs, from, "", "no descriptor is free");
	close(fd);
}

/* ---- how many there may be ---- */

static bool drop(struct link *oldest)
{
	if (!oldest)
		return false;
	unauthenticated_turn_away(
		container_of(oldest, struct conn, link), "too many strangers at a time");
	return true;
}

/* A connection that has sent a hello is most likely a peer: when descriptors are short each of them
 * must have the time to end its handshake, or none ever does. */
static bool drop_greeted(struct unauthenticated *s)
{
	struct link *oldest = admission_oldest(&s->of[UNAUTHENTICATED_GREETED]);
	uint64_t young = (uint64_t)(HANDSHAKE_MS - GREETED_MS) * 1000000;

	if (!oldest || container_of(oldest, struct conn, link)->deadline > clock_ns() + young)
		return false;
	return drop(oldest);
}

bool unauthenticated_drop_oldest(struct tp_conns *cs)
{
	struct unauthenticated *s = &cs->unauthenticated;

	return drop(admission_oldest(&s->of[UNAUTHENTICATED_SILENT])) || drop_greeted(s);
}

bool unauthenticated_any(const struct tp_conns *cs)
{
	const struct unauthenticated *s = &cs->unauthenticated;

	return s->of[UNAUTHENTICATED_SILENT].count + s->of[UNAUTHENTICATED_GREETED].count > 0;
}

void unauthenticated_enter(struct conn *c)
{
	enum unauthenticated_stage stage =
		c->state == CONN_PROOF ? UNAUTHENTICATED_GREETED : UNAUTHENTICATED_SILENT;

	c->admission = &c->cs->unauthenticated.of[stage];
	drop(admission_surplus(c->admission));
	admission_enter(c->admission, &c->link);
}

int unauthenticated_open(struct tp_conns *cs)
{
	struct unauthenticated *s = &cs->unauthenticated;

	for (int i = 0; i < UNAUTHENTICATED_STAGES; i++)
		admission_open(
			&s->of[i], admission_most(UNAUTHENTICATED_MAX, UNAUTHENTICATED_SHARE));
	s->complain = evtimer_new(loop_base(cs->loop), on_complain, s);
	return s->complain ? 0 : FT_ENOMEM;
}

void unauthenticated_close(struct tp_conns *cs)
{
	struct unauthenticated *s = &cs->unauthenticated;

	for (int i = 0; i < UNAUTHENTICATED_STAGES; i++) {
		struct link *item;

		while ((item = admission_oldest(&s->of[i])))
			conn_close(container_of(item, struct conn, link));
	}
	log_rest(s);
	event_free(s->complain);
}
