/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input: bytes into frames, with any split of them over reads. One read asks for a header and what
 * follows it; a body of which much is still to come is read straight into its place.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "transport/tp.h"

/* Where the next bytes of the body go, and how many may; NULL: to nowhere. */
static uint8_t *body_target(struct tp_in *in, uint64_t *room)
{
	uint64_t space;

	*room = in->left;
	switch (in->body) {
	case BODY_HOLD:
		return in->hold->bytes + in->offset;
	case BODY_PLACE:
	case BODY_DATA:
		space = in->place.room > in->offset ? in->place.room - in->offset : 0;
		if (space == 0)
			return NULL;
		if (*room > space)
			*room = space;
		return (uint8_t *)in->place.buf + in->offset;
	case BODY_NONE:
		break;
	}
	return NULL;
}

static int body_advance(struct tp *tp, struct tp_peer *p, uint64_t bytes)
{
	p->in.left -= bytes;
	p->in.offset += bytes;
	if (p->in.body == BODY_HOLD)
		p->in.hold->have += bytes;
	return p->in.left ? 0 : tp_message_body(tp, p);
}

/* Use up what is in the prefetch buffer. 0, or an error that ends the connection. */
static int parse(struct tp *tp, struct tp_peer *p)
{
	struct tp_in *in = &p->in;
	struct wire_frame f;
	int rc = 0;

	while (rc == 0 && !p->dying) {
		size_t have = in->end - in->at;

		if (in->body != BODY_NONE) {
			uint64_t room;
			uint8_t *target = body_target(in, &room);
			size_t n = have < room ? have : (size_t)room;

			if (n == 0)
				return 0;
			if (target)
				memcpy(target, in->buf + in->at, n);
			in->at += n;
			rc = body_advance(tp, p, n);
		} else {
			if (have < sizeof f)
				return 0;
			memcpy(&f, in->buf + in->at, sizeof f);
			in->at += sizeof f;
			tp->counts.frames_in++;
			rc = tp_message_begin(tp, p, &f);
		}
	}
	return rc;
}

/* One read. *full says that it gave all that was asked for, so that there may be more. */
static ssize_t read_direct(
	struct tp *tp, struct tp_peer *p, uint8_t *target, uint64_t room, int *rc, bool *full)
{
	size_t asked = room < (1u << 30) ? (size_t)room : 1u << 30;
	ssize_t n = recv(p->fd, target, asked, MSG_DONTWAIT);

	if (n > 0)
		*rc = body_advance(tp, p, (uint64_t)n);
	*full = n > 0 && (size_t)n == asked;
	return n;
}

static ssize_t read_prefetch(struct tp *tp, struct tp_peer *p, int *rc, bool *full)
{
	struct tp_in *in = &p->in;
	size_t asked;
	ssize_t n;

	if (in->at == in->end)
		in->at = in->end = 0;
	if (in->at > 0 && TP_PREFETCH - in->end < TP_PREFETCH / 2) {
		memmove(in->buf, in->buf + in->at, in->end - in->at);
		in->end -= in->at;
		in->at = 0;
	}
	asked = TP_PREFETCH - in->end;
	n = recv(p->fd, in->buf + in->end, asked, MSG_DONTWAIT);
	if (n > 0) {
		in->end += (size_t)n;
		*rc = parse(tp, p);
	}
	*full = n > 0 && (size_t)n == asked;
	return n;
}

static bool read_once(struct tp *tp, struct tp_peer *p, bool *full)
{
	uint64_t room = 0;
	uint8_t *target = body_target(&p->in, &room);
	ssize_t n;
	int rc = 0;

	tp->counts.recvs++;
	if (target && room > TP_DIRECT)
		n = read_direct(tp, p, target, room, &rc, full);
	else
		n = read_prefetch(tp, p, &rc, full);
	if (n == 0)
		tp_peer_lose(tp, p, "it closed the connection");
	else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		tp_peer_lose(tp, p, strerror(errno));
	else if (rc)
		tp_peer_lose(tp, p, ft_error_text(rc));
	return n > 0;
}

/* Reads while the socket gives all that is asked for, but not for ever: others wait too. True when
 * bytes came. */
bool tp_in_read(struct tp *tp, struct tp_peer *p)
{
	enum { TURNS = 16 };
	bool moved = false, full = true;

	for (int turn = 0; turn < TURNS && full && p->state == TP_UP && !p->dying; turn++)
		moved |= read_once(tp, p, &full);
	return moved;
}
