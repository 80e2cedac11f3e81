/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent sends to a rank that runs: RESTART, OBSERVE, DUMP. The end of the socket means
 * that the agent is gone. */
#include "control_commands.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/loop.h"
#include "control.h"

enum { HEAD_BYTES = 8, EPOCH_BYTES = 4 };

int control_commands_needs(struct control_command *c, uint32_t *epoch)
{
	struct cursor in = cursor_over(c->bytes, c->have);

	if (c->have < HEAD_BYTES)
		return (int)(HEAD_BYTES - c->have);
	if (cursor_u32(&in) != EPOCH_BYTES)
		return FT_EPROTO;
	c->type = cursor_u16(&in);
	if (c->type < CONTROL_RESTART || c->type > CONTROL_DUMP ||
		cursor_u16(&in) != CONTROL_VERSION)
		return FT_EPROTO;
	if (c->have < sizeof c->bytes)
		return (int)(sizeof c->bytes - c->have);
	*epoch = cursor_u32(&in);
	return 0;
}

static struct {
	struct event *event;
	uint32_t epoch;
	struct control_handlers commands;
	struct control_command command;
} watch;

static void carry_out(int fd, uint32_t epoch)
{
	watch.command.have = 0;
	if (watch.command.type != CONTROL_RESTART) {
		if (epoch == watch.epoch)
			(watch.command.type == CONTROL_DUMP ? watch.commands.dump
							    : watch.commands.observe)();
		return;
	}
	if (epoch <= watch.epoch) {
		log_event("a restart of epoch %u comes too late", epoch);
		return;
	}
	fault_point("restart-received");
	control_restarting(fd, epoch);
	watch.commands.restart();
}

static void on_control(evutil_socket_t fd, short what, void *arg)
{
	struct control_command *c = &watch.command;
	uint32_t epoch;
	int needs;

	(void)what;
	(void)arg;
	while ((needs = control_commands_needs(c, &epoch)) > 0) {
		ssize_t n = recv((int)fd, c->bytes + c->have, (size_t)needs, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			log_event("the launcher is gone: this rank ends");
			_exit(1);
		}
		c->have += (size_t)n;
	}
	if (needs < 0) {
		log_error("the launcher's agent said what no running rank is told: this rank ends");
		_exit(1);
	}
	carry_out((int)fd, epoch);
}

int control_commands_watch(
	struct loop *loop, int fd, uint32_t epoch, const struct control_handlers *commands)
{
	watch.epoch = epoch;
	watch.commands = *commands;
	watch.event = event_new(loop_base(loop), fd, EV_READ | EV_PERSIST, on_control, NULL);
	return watch.event && event_add(watch.event, NULL) == 0 ? 0 : FT_ENOMEM;
}

void control_commands_unwatch(void)
{
	if (watch.event)
		event_free(watch.event);
	watch.event = NULL;
}

void control_commands_forget(void)
{
	control_commands_unwatch();
	watch.command.have = 0;
}
