/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent says to a rank that runs: RESTART, OBSERVE, DUMP, and, by the end of the socket,
 * that it is gone. */
#include "control.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/loop.h"

enum { HEAD_BYTES = 8, EPOCH_BYTES = 4 };

int control_order_needs(struct control_order *o, uint32_t *epoch)
{
	struct cursor c = cursor_over(o->bytes, o->have);

	if (o->have < HEAD_BYTES)
		return (int)(HEAD_BYTES - o->have);
	if (cursor_u32(&c) != EPOCH_BYTES)
		return FT_EPROTO;
	o->type = cursor_u16(&c);
	if (o->type < CONTROL_RESTART || o->type > CONTROL_DUMP ||
		cursor_u16(&c) != CONTROL_VERSION)
		return FT_EPROTO;
	if (o->have < sizeof o->bytes)
		return (int)(sizeof o->bytes - o->have);
	*epoch = cursor_u32(&c);
	return 0;
}

static struct {
	struct event *event;
	uint32_t epoch;
	struct control_orders orders;
	struct control_order order;
} watch;

static _Noreturn void leave(const char *why)
{
	log_event("%s: this rank ends", why);
	_exit(1);
}

static _Noreturn void refuse(void)
{
	log_error("the launcher's agent said what no running rank is told: this rank ends");
	_exit(1);
}

static void obey(int fd, uint32_t epoch)
{
	watch.order.have = 0;
	if (watch.order.type != CONTROL_RESTART) {
		if (epoch == watch.epoch)
			(watch.order.type == CONTROL_DUMP ? watch.orders.dump
							  : watch.orders.observe)();
		return;
	}
	if (epoch <= watch.epoch) {
		log_event("a restart of epoch %u comes too late", epoch);
		return;
	}
	fault_point("restart-received");
	control_restarting(fd, epoch);
	watch.orders.restart();
}

static void on_control(evutil_socket_t fd, short what, void *arg)
{
	struct control_order *o = &watch.order;
	uint32_t epoch;
	int needs;

	(void)what;
	(void)arg;
	while ((needs = control_order_needs(o, &epoch)) > 0) {
		ssize_t n = recv((int)fd, o->bytes + o->have, (size_t)needs, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			leave("the launcher is gone");
		o->have += (size_t)n;
	}
	if (needs < 0)
		refuse();
	obey((int)fd, epoch);
}

int control_watch(struct loop *loop, int fd, uint32_t epoch, const struct control_orders *orders)
{
	watch.epoch = epoch;
	watch.orders = *orders;
	watch.order.have = 0;
	watch.event = event_new(loop_base(loop), fd, EV_READ | EV_PERSIST, on_control, NULL);
	return watch.event && event_add(watch.event, NULL) == 0 ? 0 : FT_ENOMEM;
}

void control_unwatch(void)
{
	if (watch.event)
		event_free(watch.event);
	watch.event = NULL;
}
