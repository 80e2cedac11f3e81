/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent sends to a rank that runs: RESTART, OBSERVE, DUMP, SAVE, LEAVE, MOVED, FAULT. The
 * end of the socket means that the agent is gone. */
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

enum { HEAD_BYTES = 8 };

/* Can the body of a command have so many bytes? No running rank is told anything else. */
static bool may_be(uint16_t type, uint32_t bytes)
{
	switch (type) {
	case CONTROL_RESTART:
	case CONTROL_OBSERVE:
	case CONTROL_DUMP:
	case CONTROL_LEAVE:
		return bytes == 4;
	case CONTROL_SAVE:
		return bytes == 12;
	case CONTROL_FAULT:
		return bytes == 16;
	case CONTROL_MOVED:
		return bytes >= CONTROL_MOVED_LEAST && bytes <= CONTROL_MOVED_MOST;
	default:
		return false;
	}
}

static int decode_save(struct control_command *c, struct cursor *in)
{
	uint32_t step;

	c->n = cursor_u32(in);
	step = cursor_u32(in);
	c->step = (enum control_save_step)step;
	return step <= CONTROL_SAVE_RELEASE ? 0 : FT_EPROTO;
}

static int decode_moved(struct control_moved *m, struct cursor *in)
{
	uint16_t data, beat;
	char address[64];

	m->rank = cursor_u32(in);
	m->incarnation = cursor_u32(in);
	cursor_string(in, address, sizeof address);
	data = cursor_u16(in);
	beat = cursor_u16(in);
	if (!cursor_done(in) || control_parse_address(address, data, &m->data) != 0)
		return FT_EPROTO;
	return control_parse_address(address, beat, &m->beat);
}

static int decode_fault(struct control_fault *f, struct cursor *in)
{
	uint32_t what = cursor_u32(in);

	f->what = (enum control_fault_kind)what;
	f->peer = cursor_u32(in);
	f->ms = cursor_u32(in);
	return what >= CONTROL_FAULT_DISK_FULL && what <= CONTROL_FAULT_CUT ? 0 : FT_EPROTO;
}

int control_commands_needs(struct control_command *c)
{
	struct cursor in = cursor_over(c->bytes, c->have);
	uint32_t body;

	if (c->have < HEAD_BYTES)
		return (int)(HEAD_BYTES - c->have);
	body = cursor_u32(&in);
	c->type = cursor_u16(&in);
	if (cursor_u16(&in) != CONTROL_VERSION || !may_be(c->type, body))
		return FT_EPROTO;
	if (c->have < HEAD_BYTES + body)
		return (int)(HEAD_BYTES + body - c->have);
	c->epoch = cursor_u32(&in);
	if (c->type == CONTROL_SAVE)
		return decode_save(c, &in);
	if (c->type == CONTROL_FAULT)
		return decode_fault(&c->fault, &in);
	return c->type == CONTROL_MOVED ? decode_moved(&c->moved, &in) : 0;
}

static struct {
	struct event *event;
	uint32_t epoch;
	struct control_handlers commands;
	struct control_command command;
} watch;

static void carry_out(int fd, const struct control_command *c)
{
	const struct control_handlers *commands = &watch.commands;
	bool current = c->epoch == watch.epoch;

	if (c->type == CONTROL_OBSERVE && current)
		commands->observe();
	else if (c->type == CONTROL_DUMP && current)
		commands->dump();
	else if (c->type == CONTROL_SAVE && current && commands->save)
		commands->save(c->n, c->step);
	else if (c->type == CONTROL_LEAVE && current && commands->leave)
		commands->leave();
	else if (c->type == CONTROL_MOVED && current && commands->moved)
		commands->moved(&c->moved);
	else if (c->type == CONTROL_FAULT && current && commands->fault)
		commands->fault(&c->fault);
	if (c->type != CONTROL_RESTART)
		return;
	if (c->epoch <= watch.epoch) {
		log_event("a restart of epoch %u comes too late", c->epoch);
		return;
	}
	fault_point("restart-received");
	control_restarting(fd, c->epoch);
	commands->restart();
}

static void on_control(evutil_socket_t fd, short what, void *arg)
{
	struct control_command *c = &watch.command;
	int needs;

	(void)what;
	(void)arg;
	while ((needs = control_commands_needs(c)) > 0) {
		ssize_t n = recv((int)fd, c->bytes + c->have, (size_t)needs, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			log_event("its agent has closed the connection, as the launcher, or a "
				  "shell that began this rank, is gone: this rank ends");
			_exit(1);
		}
		c->have += (size_t)n;
	}
	if (needs < 0) {
		log_error("the launcher's agent said what no running rank is told: this rank ends");
		_exit(1);
	}
	c->have = 0;
	carry_out((int)fd, c);
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
