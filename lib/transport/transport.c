/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and dropping a transport, its physical half, and the orderly end. */
#include "transport/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/error.h"
#include "transport/memory.h"

static void peer_init(struct tp_peer *p, int id)
{
	*p = (struct tp_peer){.id = id, .fd = -1};
	list_init(&p->queue);
	list_init(&p->busy);
	list_init(&p->sending);
	list_init(&p->receiving);
	list_init(&p->unexpected);
	list_init(&p->lost);
	list_init(&p->mend.kept);
}

struct tp *tp_new(const struct tp_config *config)
{
	struct tp *tp = calloc(1, sizeof *tp);

	if (!tp)
		return NULL;
	tp->c = *config;
	tp->epoll_fd = tp->wake_fd = tp->mail.fd = -1;
	tp->peers = calloc((size_t)config->size, sizeof *tp->peers);
	if (!tp->peers) {
		free(tp);
		return NULL;
	}
	for (int i = 0; i < config->size; i++)
		peer_init(&tp->peers[i], i);
	idtab_init(&tp->sends);
	idtab_init(&tp->recvs);
	slab_init(&tp->send_slab, sizeof(struct tp_send));
	slab_init(&tp->recv_slab, sizeof(struct tp_recv));
	tp->talker = -1;
	tp->flush = 1;
	list_init(&tp->busy);
	list_init(&tp->lost);
	return tp;
}

static void free_unexpected(struct tp_peer *p)
{
	struct link *item;

	while ((item = list_pop(&p->unexpected)))
		free(container_of(item, struct tp_unexpected_message, link));
}

static void free_queue(struct tp_peer *p)
{
	struct link *item;

	while ((item = list_pop(&p->queue)))
		free(container_of(item, struct tp_out, link));
}

void tp_free(struct tp *tp)
{
	for (int i = 0; i < tp->c.size; i++) {
		free_unexpected(&tp->peers[i]);
		free_queue(&tp->peers[i]);
	}
	idtab_fini(&tp->sends);
	idtab_fini(&tp->recvs);
	slab_fini(&tp->send_slab);
	slab_fini(&tp->recv_slab);
	free(tp->spare);
	free(tp->peers);
	auth_wipe(&tp->job, sizeof tp->job);
	free(tp);
}

static int copy_addresses(struct tp *tp, const struct tp_physical *phys)
{
	size_t bytes = (size_t)tp->c.size * sizeof *tp->addresses;

	tp->addresses = malloc(bytes);
	if (!tp->addresses)
		return FT_ENOMEM;
	memcpy(tp->addresses, phys->addresses, bytes);
	return 0;
}

static void set_job(struct tp *tp, const struct tp_physical *phys)
{
	tp->job = (struct handshake_job){.epoch = phys->epoch,
		.self = (uint32_t)tp->c.self,
		.size = (uint32_t)tp->c.size,
		.incarnation = phys->incarnations ? phys->incarnations[tp->c.self] : 0};
	tp->come_back = phys->come_back;
	tp->roomy = phys->roomy;
	memcpy(tp->job.session, phys->session, sizeof tp->job.session);
	memcpy(tp->job.secret, phys->secret, sizeof tp->job.secret);
}

static int open_epoll(struct tp *tp)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = UINT32_MAX};

	tp->epoll_fd = descriptor_past_streams(epoll_create1(EPOLL_CLOEXEC));
	tp->wake_fd = descriptor_past_streams(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	if (tp->epoll_fd < 0 || tp->wake_fd < 0 ||
		epoll_ctl(tp->epoll_fd, EPOLL_CTL_ADD, tp->wake_fd, &ev) != 0)
		return FT_ESYS;
	return 0;
}

static void close_epoll(struct tp *tp)
{
	if (tp->epoll_fd >= 0)
		close(tp->epoll_fd);
	if (tp->wake_fd >= 0)
		close(tp->wake_fd);
	tp->epoll_fd = tp->wake_fd = -1;
	free(tp->addresses);
	tp->addresses = NULL;
}

/* The mailbox has room for all that may come. */
static void set_near(struct tp *tp, const struct tp_physical *phys)
{
	unsigned near = 0;

	for (int i = 0; i < tp->c.size; i++) {
		struct tp_peer *p = &tp->peers[i];

		p->near = phys->near && phys->near[i] && i != tp->c.self && near < MAILBOX_SLOTS;
		near += p->near;
		p->mend.on = phys->mends && phys->mends[i] && i != tp->c.self && !p->near;
		p->incarnation = phys->incarnations ? phys->incarnations[i] : 0;
	}
	tp->mail.groups = mailbox_groups(near);
	tp->mail.required = phys->memory_required;
}

/* What was queued before goes out in the new epoch. */
static void resume_peers(struct tp *tp)
{
	for (int i = 0; i < tp->c.size; i++) {
		assert(tp->peers[i].in.body == BODY_NONE);
		tp_out_renew(tp, &tp->peers[i]);
		if (!list_empty(&tp->peers[i].queue))
			tp_conns_connect(tp, i);
	}
}

int tp_attach(struct tp *tp, const struct tp_physical *phys)
{
	int rc;

	tp_assert_held(tp);
	set_job(tp, phys);
	set_near(tp, phys);
	rc = copy_addresses(tp, phys);
	if (rc == 0)
		rc = open_epoll(tp);
	if (rc == 0)
		rc = tp_conns_open(tp, phys);
	if (rc) {
		close_epoll(tp);
		return rc;
	}
	resume_peers(tp);
	return 0;
}

/* All but connections on their way. reap: receives of what is half read are answered.
 */
static void drop(struct tp *tp, bool reap)
{
	for (int i = 0; i < tp->c.size; i++) {
		struct tp_peer *p = &tp->peers[i];

		if (reap)
			tp_reap_reading(tp, p);
		tp_peer_unplug(tp, p);
		p->dying = p->bye_sent = p->bye_received = false;
		p->cut_until = 0;
		list_remove(&p->lost);
		if (p->state != TP_IDLE)
			tp_peer_set(p, TP_IDLE);
	}
	tp_memory_close(tp);
	close_epoll(tp);
}

int tp_detach(struct tp *tp, enum tp_end how)
{
	int listener;

	tp_conns_stop(tp);
	listener = tp_conns_close(tp, how);
	lock_take(tp->c.lock);
	drop(tp, how == TP_CLOSE);
	lock_give(tp->c.lock);
	return listener;
}

void tp_forget(struct tp *tp)
{
	tp_assert_held(tp);
	tp_forget_numbers(tp);
	tp_conns_close(tp, TP_KEEP_LISTENER);
	drop(tp, false);
}

void tp_bye(struct tp *tp)
{
	tp_assert_held(tp);
	tp->bye = true;
	for (int i = 0; i < tp->c.size; i++) {
		struct tp_peer *p = &tp->peers[i];

		if (p->state == TP_UP && !p->bye_sent && tp_out_control(tp, p, WIRE_BYE, 0, 0) == 0)
			p->bye_sent = true;
	}
	tp_flush(tp);
}

/* Both have said that they begin nothing more: what was announced and not matched never will be.
 * False: a payload has yet to leave, or to come. */
static bool give_up_announced(struct tp *tp, struct tp_peer *p)
{
	bool leaving = false;

	list_for_each_safe (item, &p->sending) {
		struct tp_send *op = container_of(item, struct tp_send, link);

		if (op->state != SEND_LEAVING_EARLY)
			tp_send_done(tp, op, FT_ECANCEL);
		else
			leaving = true;
	}
	return !leaving;
}

static bool peer_finished(struct tp *tp, struct tp_peer *p)
{
	switch (p->state) {
	case TP_IDLE:
	case TP_LOST:
		return true;
	case TP_CONNECTING:
	case TP_AWAITING:
	case TP_UP:
		if (!p->bye_sent || !p->bye_received)
			return false;
		return give_up_announced(tp, p) && list_empty(&p->queue) &&
		       (!p->mend.on || p->mend.bye_came);
	case TP_PEER_STATES:
		break;
	}
	return true;
}

bool tp_finished(struct tp *tp)
{
	tp_assert_held(tp);
	for (int i = 0; i < tp->c.size; i++)
		if (!peer_finished(tp, &tp->peers[i]))
			return false;
	return true;
}

void tp_read_counts(const struct tp *tp, struct tp_counts *out)
{
	*out = tp->counts;
	out->through_memory = tp->counts.connected - (int)tp->sockets;
}
