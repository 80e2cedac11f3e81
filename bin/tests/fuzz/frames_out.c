/* SPDX-License-Identifier: BSD-3-Clause */
/* What the transport says to its peers: is it doc/wire.md, and what the user gave it? */
#include <poll.h>
#include <sys/socket.h>

#include "base/error.h"
#include "frames.h"

void bytes_add(struct bytes *b, const void *data, size_t len)
{
	if (b->room - b->len < len) {
		b->room = (b->room + len) * 2;
		b->at = realloc(b->at, b->room);
		FUZZ_CHECK(b->at, "out of memory");
	}
	if (len)
		memcpy(b->at + b->len, data, len);
	b->len += len;
}

void bytes_drop(struct bytes *b, size_t len)
{
	b->len -= len;
	if (b->len)
		memmove(b->at, b->at + len, b->len);
}

static void check_payload(const struct send *op, const uint8_t *body)
{
	const uint8_t *want = frames_body((unsigned)(op - frames.sends));

	FUZZ_CHECK(op->len == 0 || memcmp(want, body, op->len) == 0, "other bytes than were given");
}

/* EAGER, RTS and SYNC come in the order of the sends. */
static void out_message(struct side *s, const struct wire_frame *f, const uint8_t *body)
{
	struct send *op;

	FUZZ_CHECK(f->seq == ++s->seq_out && !s->bye_out, "a message out of order");
	FUZZ_CHECK(s->sends_seen < s->nsends, "a message that nobody sent");
	op = s->sends[s->sends_seen++];
	FUZZ_CHECK(f->length == op->len && f->envelope[0] == op->tag, "another message");
	FUZZ_CHECK(op->eager == (f->kind == WIRE_EAGER), "eager or not?");
	FUZZ_CHECK(op->sync == (f->kind == WIRE_SYNC), "synchronous or not?");
	if (op->eager)
		check_payload(op, body);
	else
		op->id = f->id;
}

static void out_cts(struct side *s, const struct wire_frame *f)
{
	FUZZ_CHECK(s->ncts < ASKS, "too many CTS");
	FUZZ_CHECK(f->length <= frames.take_early, "it has its receive");
	s->cts[s->ncts++] = (struct cts){.id = f->id, .peer_id = f->peer_id};
}

/* Which send it belongs to is seen by its bytes, which differ; the CTS that it answers is in what
 * was fed and not read yet: out_check looks at that. */
static void out_data(struct side *s, const struct wire_frame *f, const uint8_t *body)
{
	for (size_t i = 0; i < s->nsends; i++) {
		struct send *op = s->sends[i];

		if (op->eager || op->data_seen || op->len != f->length ||
			(op->len && *body != *frames_body((unsigned)(op - frames.sends))))
			continue;
		check_payload(op, body);
		op->data_seen = true;
		op->data_id = f->peer_id;
		return;
	}
	FUZZ_CHECK(false, "a payload of %zu bytes that nobody sends", (size_t)f->length);
}

static void out_frame(struct side *s, const struct wire_frame *f, const uint8_t *body)
{
	FUZZ_CHECK(!f->zero[0] && !f->zero[1] && !f->zero[2] && f->epoch == EPOCH, "a bad header");
	s->credit_out += f->credit;
	switch (f->kind) {
	case WIRE_EAGER:
	case WIRE_RTS:
	case WIRE_SYNC:
		out_message(s, f, body);
		break;
	case WIRE_CTS:
		out_cts(s, f);
		break;
	case WIRE_DATA:
		out_data(s, f, body);
		break;
	case WIRE_BYE:
		FUZZ_CHECK(!s->bye_out, "BYE twice");
		s->bye_out = true;
		break;
	case WIRE_WITHDRAWN:
		FUZZ_CHECK(++s->withdrawn_out <= s->forgets + s->opened_back,
			"WITHDRAWN, but it is held");
		break;
	case WIRE_MATCHED:
		FUZZ_CHECK(++s->matched_out <= s->matches + s->opened_matched,
			"MATCHED, but it waits");
		break;
	case WIRE_WITHDRAW:
	case WIRE_CREDIT:
		break;
	default:
		FUZZ_CHECK(false, "a frame of kind %d", f->kind);
	}
}

static bool out_next(struct side *s)
{
	struct wire_frame f;
	size_t body;

	if (s->out.len < sizeof f)
		return false;
	memcpy(&f, s->out.at, sizeof f);
	body = f.kind == WIRE_EAGER || f.kind == WIRE_DATA ? (size_t)f.length : 0;
	if (s->out.len - sizeof f < body)
		return false;
	out_frame(s, &f, s->out.at + sizeof f);
	bytes_drop(&s->out, sizeof f + body);
	return true;
}

/* A connection that ended is seen here, whoever ended it. */
bool out_drain(struct side *s)
{
	static uint8_t buf[65536];
	struct pollfd p = {.fd = s->fd};
	bool moved = false;

	while (!s->closed && !s->stalled) {
		ssize_t n = recv(s->fd, buf, sizeof buf, MSG_DONTWAIT);

		if (n <= 0)
			break;
		bytes_add(&s->out, buf, (size_t)n);
		moved = true;
	}
	if (!s->closed && poll(&p, 1, 0) == 1 && (p.revents & POLLHUP))
		s->lost = true;
	return moved;
}

void out_read(struct side *s)
{
	while (out_next(s))
		;
}

static void check_send(const struct side *s, const struct send *op)
{
	FUZZ_CHECK(!op->data_seen || op->cts || s->blind, "a payload that was not asked for");
	FUZZ_CHECK(!op->data_seen || op->data_id == op->peer_id || !op->len || s->blind,
		"it goes to another receive");
	FUZZ_CHECK(!op->answered || op->rc || op->cts || s->blind, "done, but nobody took it");
	FUZZ_CHECK(!op->answered || op->rc || !op->early || op->matched || s->blind,
		"done, but no receive has it");
	FUZZ_CHECK(!op->answered || op->rc != FT_EPEER || s->lost || s->closed,
		"failed, but nobody died");
	if (s->lost || s->closed || s->stalled)
		return;
	FUZZ_CHECK(!op->cts || (op->data_seen && (op->answered || op->early)),
		"asked for, and not sent");
}

void out_check(struct side *s)
{
	for (size_t i = 0; i < s->nsends; i++)
		check_send(s, s->sends[i]);
	if (s->lost || s->closed || s->stalled)
		return;
	FUZZ_CHECK(s->sends_seen == s->nsends && s->out.len == 0, "a message did not go out");
	FUZZ_CHECK(frames.bye || s->blind || model_consumed(s) <= s->credit_out + frames.window / 4,
		"more than a quarter of the window is owed");
	FUZZ_CHECK(s->withdrawn_out == s->forgets + s->opened_back, "forgotten, and not said");
	FUZZ_CHECK(s->matched_out == s->matches + s->opened_matched, "matched, and not said");
	FUZZ_CHECK(s->eager_out - s->credit_in <= frames.window, "it sends more than the window");
}
