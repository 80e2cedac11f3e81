/* SPDX-License-Identifier: BSD-3-Clause */
#include "beating.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "heartbeat/heartbeat.h"
#include "launch/control.h"
#include "mpi/engine/engine.h"

static uint32_t progress(void *user)
{
	(void)user;
	return engine_calls();
}

static void on_suspect(void *user, int peer, unsigned silent_ms, uint32_t calls)
{
	const struct launch *l = user;

	control_suspect(l->control_fd, peer, silent_ms, calls);
}

static void on_heard(void *user, int peer)
{
	const struct launch *l = user;

	control_heard(l->control_fd, peer);
}

static struct hb_address *addresses_of(const struct launch *l)
{
	struct hb_address *a = calloc((size_t)l->size, sizeof *a);

	for (int i = 0; a && i < l->size; i++)
		a[i] = (struct hb_address){l->beat[i].addr, l->beat[i].len};
	return a;
}

/* From now on the progress thread sees it. */
static void begin(struct beating *b, struct hb *h)
{
	pthread_mutex_lock(&b->lock);
	b->hb = h;
	if (b->observing)
		hb_observe(h);
	pthread_mutex_unlock(&b->lock);
}

int beating_start(struct beating *b, struct launch *l)
{
	struct hb_address *addresses;
	struct hb *started = NULL;
	struct hb_config c = {
		.self = l->rank,
		.size = l->size,
		.period_ms = l->settings.beat_ms,
		.timeout_ms = l->settings.beat_timeout_ms,
		.debug = l->settings.debug,
		.epoch = l->epoch,
		.session = l->session,
		.secret = l->secret,
		.node = l->node,
		.listen_fd = l->beat_fd,
		.progress = progress,
		.suspect = on_suspect,
		.heard = on_heard,
		.user = l,
	};
	int rc;

	if (c.period_ms == 0 || c.listen_fd < 0 || c.size < 2)
		return 0;
	c.addresses = addresses = addresses_of(l);
	rc = addresses ? hb_start(&started, &c) : FT_ENOMEM;
	if (rc == 0) {
		l->beat_fd = -1;
		begin(b, started);
	}
	free(addresses);
	return rc;
}

void beating_observe(struct beating *b)
{
	pthread_mutex_lock(&b->lock);
	b->observing = true;
	if (b->hb)
		hb_observe(b->hb);
	pthread_mutex_unlock(&b->lock);
}

void beating_moved(struct beating *b, int peer, const struct net_address *to)
{
	const struct hb_address address = {to->addr, to->len};

	pthread_mutex_lock(&b->lock);
	if (b->hb)
		hb_moved(b->hb, peer, &address);
	pthread_mutex_unlock(&b->lock);
}

void beating_stop(struct beating *b, struct launch *l)
{
	struct hb *was;

	pthread_mutex_lock(&b->lock);
	was = b->hb;
	b->hb = NULL;
	pthread_mutex_unlock(&b->lock);
	hb_stop(was, true);
	if (l->beat_fd >= 0)
		close(l->beat_fd);
	l->beat_fd = -1;
}

int beating_pause(struct beating *b, uint64_t until_ns)
{
	return b->hb ? hb_pause(b->hb, until_ns) : 0;
}

int beating_go_on(struct beating *b)
{
	return b->hb ? hb_go_on(b->hb) : 0;
}

void beating_forget(struct beating *b)
{
	pthread_mutex_init(&b->lock, NULL);
	hb_forget(b->hb);
	b->hb = NULL;
	b->observing = false;
}

void beating_own_descriptors(
	const struct beating *b, const struct launch *l, struct descriptor_list *list)
{
	if (b->hb)
		hb_own_descriptors(b->hb, list);
	descriptor_list_add(list, l->beat_fd);
}
