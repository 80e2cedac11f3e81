/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread: starts, ends, ticks. */
#include "heartbeat/heartbeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "heartbeat/hb.h"

/* A suspicion that is due before the next tick does not wait for that. */
static void await_moment(struct hb *h)
{
	uint64_t due = detector_due(h->detector), period = (uint64_t)h->c.period_ms * 1000000;
	uint64_t us = due / 1000 + 1;
	struct timeval t = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)};

	if (due < period)
		event_add(h->moment, &t);
}

/* What has come is read first; then nobody is judged for what this thread did late. */
static void judge(struct hb *h, uint64_t now)
{
	int n;

	listener_tick(h, now);
	n = detector_tick(h->detector, now, h->acts);
	for (int i = 0; i < n; i++)
		hb_act(h, &h->acts[i]);
	await_moment(h);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct hb *h = arg;
	uint64_t now = clock_ns();

	(void)fd;
	(void)what;
	for (int i = 0; i < h->nlinks; i++)
		link_tick(&h->links[i], now);
	judge(h, now);
}

static void on_moment(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	judge(arg, clock_ns());
}

static bool has_port(const struct hb_address *a)
{
	const struct sockaddr *sa = (const struct sockaddr *)&a->addr;

	/* at the same place in both families */
	return a->len > 0 && ((const struct sockaddr_in *)(const void *)sa)->sin_port != 0;
}

static void on_moved(struct loop_task *task)
{
	struct beat_link *l = container_of(task, struct beat_link, move);

	link_close(l);
	pthread_mutex_lock(&l->h->moving);
	l->to = l->next;
	l->moves = false;
	pthread_mutex_unlock(&l->h->moving);
}

static void lay_links(
	struct hb *h, const struct observers *observers, const struct hb_address *addresses)
{
	int to[OBSERVERS_MOST], n = observers_of(observers, h->c.self, to);

	for (int i = 0; i < n; i++)
		if (has_port(&addresses[to[i]]))
			h->links[h->nlinks++] = (struct beat_link){.h = h,
				.peer = to[i],
				.to = addresses[to[i]],
				.fd = -1,
				.move.run = on_moved};
}

/* Whom it beats to, and whom it observes. */
static int lay_out(struct hb *h, const struct hb_config *c)
{
	struct detector_config dc = {c->period_ms, c->timeout_ms, c->debug};
	struct observers *observers = observers_new(c->node, c->size);
	int *peers = calloc((size_t)c->size, sizeof *peers), count;

	if (observers && peers) {
		lay_links(h, observers, c->addresses);
		count = observers_observed(observers, c->self, peers);
		h->detector = detector_new(&dc, peers, count, clock_ns());
		h->acts = calloc((size_t)count + 1, sizeof *h->acts);
	}
	observers_free(observers);
	free(peers);
	return h->detector && h->acts ? 0 : FT_ENOMEM;
}

static int start_ticking(struct hb *h)
{
	struct timeval t = {h->c.period_ms / 1000, h->c.period_ms % 1000 * 1000};

	h->tick = event_new(loop_base(h->loop), -1, EV_PERSIST, on_tick, h);
	h->moment = event_new(loop_base(h->loop), -1, 0, on_moment, h);
	if (!h->tick || !h->moment || event_add(h->tick, &t) != 0)
		return FT_ENOMEM;
	event_active(h->tick, EV_TIMEOUT, 0); /* the first connects, at once */
	return 0;
}

static void free_all(struct hb *h)
{
	if (h->tick)
		event_free(h->tick);
	if (h->moment)
		event_free(h->moment);
	if (h->loop)
		loop_free(h->loop);
	detector_free(h->detector);
	free(h->acts);
	auth_wipe(&h->key, sizeof h->key);
	pthread_mutex_destroy(&h->moving);
	free(h);
}

static void on_observe(struct loop_task *task)
{
	struct hb *h = container_of(task, struct hb, observe);

	detector_expect(h->detector, clock_ns());
	h->observing = false;
}

/* The task may be on its way already; then it is the same again. */
void hb_observe(struct hb *h)
{
	if (atomic_exchange(&h->observing, true))
		return;
	h->observe.run = on_observe;
	loop_post(h->loop, &h->observe);
}

/* Where it went before that was noticed does not matter. */
void hb_moved(struct hb *h, int peer, const struct hb_address *to)
{
	for (int i = 0; i < h->nlinks && has_port(to); i++) {
		struct beat_link *l = &h->links[i];
		bool was;

		if (l->peer != peer)
			continue;
		pthread_mutex_lock(&h->moving);
		was = l->moves;
		l->next = *to;
		l->moves = true;
		pthread_mutex_unlock(&h->moving);
		if (!was)
			loop_post(h->loop, &l->move);
	}
}

static void on_rise(struct loop_task *task)
{
	(void)task;
	priority_rise();
}

/* A thread that was ended before it came to its tasks has left this one. */
int hb_go_on(struct hb *h)
{
	if (!list_linked(&h->rise.link))
		loop_post(h->loop, &h->rise);
	return loop_start(h->loop);
}

int hb_pause(struct hb *h, uint64_t until_ns)
{
	return loop_pause(h->loop, until_ns);
}

static bool sensible(const struct hb_config *c)
{
	return c->size > 0 && c->self >= 0 && c->self < c->size && c->period_ms > 0 &&
	       c->timeout_ms > 0 && c->listen_fd >= 0 && c->progress && c->suspect && c->heard;
}

int hb_start(struct hb **out, const struct hb_config *c)
{
	struct hb *h;
	int rc;

	if (!sensible(c))
		return FT_EINVAL;
	h = calloc(1, sizeof *h);
	if (!h)
		return FT_ENOMEM;
	h->c = *c;
	pthread_mutex_init(&h->moving, NULL);
	memcpy(h->key.secret, c->secret, sizeof h->key.secret);
	memcpy(h->key.session, c->session, sizeof h->key.session);
	h->loop = loop_new("ftmpi-beat");
	rc = h->loop ? lay_out(h, c) : FT_ENOMEM;
	if (rc == 0)
		rc = start_ticking(h);
	if (rc)
		goto free_all;
	rc = listener_open(h);
	if (rc)
		goto free_all;
	h->rise.run = on_rise;
	list_init(&h->rise.link);
	rc = hb_go_on(h);
	if (rc)
		goto close_listener;
	*out = h;
	return 0;

close_listener:
	h->in.fd = -1; /* the caller's */
	listener_close(h);
free_all:
	free_all(h);
	return rc;
}

void hb_stop(struct hb *h, bool leaving)
{
	if (!h)
		return;
	loop_stop(h->loop);
	for (int i = 0; i < h->nlinks; i++) {
		if (leaving)
			link_leave(&h->links[i]);
		link_close(&h->links[i]);
	}
	listener_close(h);
	free_all(h);
}

static void forget_accepted(const struct link *list)
{
	list_for_each (item, list)
		container_of(item, struct beat_in, link)->fd = -1;
}

void hb_forget(struct hb *h)
{
	if (!h)
		return;
	h->in.fd = -1;
	for (int i = 0; i < h->nlinks; i++)
		h->links[i].fd = -1;
	forget_accepted(&h->in.unauthenticated.held);
	forget_accepted(&h->in.proved);
	loop_forget(h->loop);
	hb_stop(h, false);
}

static void add_accepted(const struct link *list, struct descriptor_list *out)
{
	list_for_each (item, list)
		descriptor_list_add(out, container_of(item, struct beat_in, link)->fd);
}

void hb_own_descriptors(const struct hb *h, struct descriptor_list *list)
{
	loop_own_descriptors(h->loop, list);
	descriptor_list_add(list, h->in.fd);
	add_accepted(&h->in.unauthenticated.held, list);
	add_accepted(&h->in.proved, list);
	for (int i = 0; i < h->nlinks; i++)
		descriptor_list_add(list, h->links[i].fd);
}
