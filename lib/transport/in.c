/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input, from a look at the sockets and rings to the upcalls about an eager message: bytes into
 * frames, with any split of them over reads. One read of a socket asks for a header and what
 * follows it; a body of which much is still to come is read straight into its place. From a ring
 * each byte is copied once, into its place. What other frames mean is in frame.c. Nothing in a
 * header is believed before it is checked; an error ends the connection.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/error.h"
#include "transport/memory.h"

/* At most *room bytes of the next piece. Not inlined, so that a body without pieces is cheap. */
static __attribute__((noinline)) uint8_t *first_piece(struct tp_iov_cursor *cursor, uint64_t *room)
{
	struct iovec first;

	cursor->next(cursor, &first, 1);
	if (*room > first.iov_len)
		*room = first.iov_len;
	return first.iov_base;
}

/* Where the next bytes of the body go, and how many may; NULL: to nowhere. */
static inline uint8_t *body_target(struct tp_in *in, uint64_t *room)
{
	uint64_t space;

	*room = in->left;
	switch (in->body) {
	case BODY_UNEXPECTED:
		return in->unexpected->bytes + in->offset;
	case BODY_DATA:
		if (__builtin_expect(in->offset < in->op->got, false)) {
			if (*room > in->op->got - in->offset)
				*room = in->op->got - in->offset;
			return NULL;
		}
		__attribute__((fallthrough));
	case BODY_PLACE:
		space = in->place.room > in->offset ? in->place.room - in->offset : 0;
		if (space == 0)
			return NULL;
		if (*room > space)
			*room = space;
		if (__builtin_expect(in->place.cursor != NULL, false))
			return first_piece(in->place.cursor, room);
		return (uint8_t *)in->place.buf + in->offset;
	case BODY_NONE:
		break;
	}
	return NULL;
}

/* They went into the place, all or none: body_target mixes no room with none. */
static __attribute__((noinline)) void pass_pieces(struct tp_in *in, uint64_t bytes)
{
	if (in->body == BODY_DATA && in->offset < in->op->got)
		return;
	if (in->offset < in->place.room)
		in->place.cursor->pass(in->place.cursor, (size_t)bytes);
}

/* All of the body is here. */
static inline void body_end(struct tp *tp, struct tp_peer *p)
{
	struct tp_in *in = &p->in;
	enum tp_body body = in->body;

	in->body = BODY_NONE;
	if (body == BODY_PLACE) {
		tp_consumed(tp, p, tp_eager_cost(in->length));
		tp->c.up->received(tp->c.user, in->place.cookie, in->length, 0);
	} else if (body == BODY_UNEXPECTED) {
		tp_unexpected_complete(tp, p, in->unexpected);
	} else if (body == BODY_DATA) {
		p->mend.ack_due = true;
		tp_recv_done(tp, in->op, 0);
	}
}

/* A message that has no place yet has no pieces. */
static inline __attribute__((always_inline)) void body_advance(
	struct tp *tp, struct tp_peer *p, uint64_t bytes)
{
	if (__builtin_expect(p->in.place.cursor != NULL, false))
		pass_pieces(&p->in, bytes);
	p->in.left -= bytes;
	p->in.offset += bytes;
	if (p->in.body == BODY_UNEXPECTED)
		p->in.unexpected->have += bytes;
	if (p->in.left == 0)
		body_end(tp, p);
}

/* Where it lies the envelope is bytes alone. */
static const struct tp_envelope *envelope_of(const uint8_t *bytes)
{
	return (const struct tp_envelope *)(const void *)bytes;
}

/* A message that its sender wrote at once: may it? */
static inline bool may_be_eager(const struct tp *tp, const struct tp_peer *p, uint64_t length)
{
	return length <= WIRE_EAGER_MAX &&
	       p->unconsumed_in + tp_eager_cost(length) <= tp->c.unexpected_limit;
}

static int begin_eager(struct tp *tp, struct tp_peer *p, const uint8_t *envelope, uint64_t length)
{
	const struct tp_envelope *e = envelope_of(envelope);
	struct tp_in *in = &p->in;

	if (!may_be_eager(tp, p, length))
		return FT_EPROTO;
	p->unconsumed_in += (uint32_t)tp_eager_cost(length);
	in->left = in->length = length;
	in->offset = 0;
	in->place = tp->c.up->match(tp->c.user, p->id, e, length);
	in->body = BODY_PLACE;
	return in->place.cookie ? 0 : tp_unexpected_eager(tp, p, e);
}

/* A body has begun that has no bytes. */
static inline void end_empty(struct tp *tp, struct tp_peer *p)
{
	if (__builtin_expect(p->in.body != BODY_NONE && p->in.left == 0, false))
		body_end(tp, p);
}

/* The peer has consumed no more than it was sent. */
static inline bool may_credit(const struct tp_peer *p, uint32_t credit)
{
	return credit <= p->unconsumed;
}

/* What holds for every header, and for the order of messages. */
static int begin(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	int rc;

	if (f->kind == 0 || f->kind >= WIRE_KIND_END || f->zero[0] || f->zero[1] || f->zero[2])
		return FT_EPROTO;
	if (f->epoch != tp->job.epoch)
		return FT_ESTALE;
	if (!may_credit(p, f->credit))
		return FT_EPROTO;
	p->unconsumed -= f->credit;
	if (__builtin_expect(p->mend.on, false)) {
		rc = tp_kept_acked(tp, p, f);
		if (rc)
			return rc;
	}
	if (f->kind == WIRE_EAGER || f->kind == WIRE_RTS || f->kind == WIRE_SYNC) {
		if (f->seq != p->recv_seq + 1 || p->bye_received)
			return FT_EPROTO;
		p->recv_seq = f->seq;
	}
	tp->counts.frames_in++;
	rc = f->kind == WIRE_EAGER ? begin_eager(tp, p, f->envelope, f->length)
				   : tp_message_begin(tp, p, f);
	if (rc == 0)
		end_empty(tp, p);
	return rc;
}

/* As many of these bytes as the body that is being read still wants. Returns how many. */
static inline size_t take_body(struct tp *tp, struct tp_peer *p, const uint8_t *bytes, size_t have)
{
	struct tp_in *in = &p->in;
	size_t used = 0;

	while (used < have && in->body != BODY_NONE) {
		uint64_t room;
		uint8_t *target = body_target(in, &room);
		size_t n = have - used < room ? have - used : (size_t)room;

		if (target)
			memcpy(target, bytes + used, n);
		used += n;
		body_advance(tp, p, n);
	}
	return used;
}

/* After the last frame on the socket only bytes that wake come there. */
static int only_bells(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] != 0)
			return FT_EPROTO;
	return 0;
}

/* Use up what is in the prefetch buffer. 0, or an error that ends the connection. */
static int parse(struct tp *tp, struct tp_peer *p)
{
	struct tp_in *in = &p->in;
	struct wire_frame f;
	int rc = 0;

	while (rc == 0 && !p->dying) {
		in->at += take_body(tp, p, in->buf + in->at, in->end - in->at);
		if (in->end - in->at < sizeof f)
			return 0;
		memcpy(&f, in->buf + in->at, sizeof f);
		in->at += sizeof f;
		rc = begin(tp, p, &f);
		if (rc == 0 && p->in_ring) {
			rc = only_bells(in->buf + in->at, in->end - in->at);
			in->at = in->end = 0;
			return rc;
		}
	}
	return rc;
}

/* One read. *full says that it gave all that was asked for, so that there may be more. */
static ssize_t read_direct(
	struct tp *tp, struct tp_peer *p, uint8_t *target, uint64_t room, bool *full)
{
	size_t asked = room < (1u << 30) ? (size_t)room : 1u << 30;
	ssize_t n = recv(p->fd, target, asked, MSG_DONTWAIT);

	if (n > 0) {
		p->mend.came += (uint64_t)n;
		body_advance(tp, p, (uint64_t)n);
	}
	*full = n > 0 && (size_t)n == asked;
	return n;
}

/* The pieces that the next `room` bytes go to, cut off there. Returns how many bytes they are. */
static size_t pieces_within(struct tp_iov_cursor *cursor, uint64_t room, struct msghdr *m, int max)
{
	size_t asked = 0;

	m->msg_iovlen = (size_t)cursor->next(cursor, m->msg_iov, max);
	for (size_t i = 0; i < m->msg_iovlen; i++) {
		if (m->msg_iov[i].iov_len > room - asked)
			m->msg_iov[i].iov_len = (size_t)room - asked;
		asked += m->msg_iov[i].iov_len;
	}
	return asked;
}

/* The same into several pieces at once. */
static __attribute__((noinline)) ssize_t read_pieces(struct tp *tp, struct tp_peer *p, bool *full)
{
	enum { IN_IOV = 64 };
	struct iovec iov[IN_IOV];
	struct msghdr m = {.msg_iov = iov};
	struct tp_in *in = &p->in;
	uint64_t space = in->place.room - in->offset;
	size_t asked =
		pieces_within(in->place.cursor, in->left < space ? in->left : space, &m, IN_IOV);
	ssize_t n = recvmsg(p->fd, &m, MSG_DONTWAIT);

	if (n > 0) {
		p->mend.came += (uint64_t)n;
		body_advance(tp, p, (uint64_t)n);
	}
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
		p->mend.came += (uint64_t)n; /* before anything is sent that says so */
		*rc = parse(tp, p);
	}
	*full = n > 0 && (size_t)n == asked;
	return n;
}

/* Reads while the socket gives all that is asked for, but not for ever: others wait too. True when
 * bytes came. */
static bool read_socket(struct tp *tp, struct tp_peer *p)
{
	enum { TURNS = 16 };
	bool moved = false, full = true;

	for (int turn = 0; turn < TURNS && full && p->state == TP_UP && !p->dying && !p->in_ring;
		turn++) {
		uint64_t room = 0;
		uint8_t *target = body_target(&p->in, &room);
		ssize_t n;
		int rc = 0;

		if (__builtin_expect(p->mend.resuming, false) && !tp_mend_resume(tp, p))
			break;
		tp->counts.recvs++;
		if (target && __builtin_expect(p->in.place.cursor != NULL, false))
			n = read_pieces(tp, p, &full);
		else if (target && room > TP_DIRECT)
			n = read_direct(tp, p, target, room, &full);
		else
			n = read_prefetch(tp, p, &rc, &full);
		if (n == 0)
			tp_peer_broke(tp, p, "it closed the connection");
		else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
			tp_peer_broke(tp, p, strerror(errno));
		else if (rc)
			tp_peer_lose(tp, p, ft_error_text(rc));
		moved |= n > 0;
	}
	if (__builtin_expect(p->mend.on, false))
		tp_mend_tell(tp, p);
	return moved;
}

/* ---- through memory ---- */

/* Where it has no place, or one in pieces. */
static __attribute__((noinline)) int take_short_slowly(struct tp *tp, struct tp_peer *p,
	const struct byte_ring_record *r, const struct tp_place *place)
{
	struct tp_in *in = &p->in;
	int rc;

	in->left = in->length = r->length;
	in->offset = 0;
	in->place = *place;
	in->body = BODY_PLACE;
	rc = place->cookie ? 0 : tp_unexpected_eager(tp, p, envelope_of(r->envelope));
	if (rc)
		return rc;
	end_empty(tp, p);
	take_body(tp, p, r->bytes, r->length);
	return 0;
}

enum { LEFT = 1 };

/* An eager message between two frames: its number is the next, its epoch the connection's. It
 * is here as a whole. *placed: a message of this look went to a receive; one that nobody has asked
 * for is then left where it lies, as the receive that has its message may be followed by that for
 * this one. 0, LEFT, or an error that ends the connection. */
static int take_short(
	struct tp *tp, struct tp_peer *p, const struct byte_ring_record *r, bool *placed)
{
	unsigned posted =
		tp->c.posted ? *tp->c.posted : 0; /* messages of the library have no receive */
	struct tp_in *in = &p->in;
	struct tp_place place;

	if (in->body != BODY_NONE || in->end > 0 || p->bye_received || !may_credit(p, r->credit) ||
		!may_be_eager(tp, p, r->length))
		return FT_EPROTO;
	place = tp->c.up->match(tp->c.user, p->id, envelope_of(r->envelope), r->length);
	if (!place.cookie && !place.counted && *placed)
		return LEFT;
	*placed |= place.cookie && (!tp->c.posted || *tp->c.posted != posted);
	p->unconsumed -= r->credit;
	p->unconsumed_in += (uint32_t)tp_eager_cost(r->length);
	p->recv_seq++;
	tp->counts.frames_in++;
	if (__builtin_expect(!place.cookie || place.cursor, false))
		return take_short_slowly(tp, p, r, &place);
	if (r->length > 0 && place.room > 0)
		memcpy(place.buf, r->bytes, r->length < place.room ? r->length : place.room);
	tp_consumed(tp, p, tp_eager_cost(r->length));
	tp->c.up->received(tp->c.user, place.cookie, r->length, 0);
	return 0;
}

/* A header may lie in two records: its first part waits in the prefetch buffer. *used bytes are
 * taken: less than all when enough was pulled. */
static int take_stream(struct tp *tp, struct tp_peer *p, const struct byte_ring_record *r,
	uint64_t enough, size_t *used)
{
	struct tp_in *in = &p->in;
	struct wire_frame f;
	int rc = 0;

	*used = 0;
	while (*used < r->length && rc == 0 && !p->dying && tp->pulled < enough) {
		const uint8_t *bytes = r->bytes + *used;
		size_t have = r->length - *used, n = take_body(tp, p, bytes, have);

		if (n == 0) {
			n = sizeof f - in->end < have ? sizeof f - in->end : have;
			memcpy(in->buf + in->end, bytes, n);
			in->end += n;
			if (in->end == sizeof f) {
				memcpy(&f, in->buf, sizeof f);
				in->end = 0;
				rc = begin(tp, p, &f);
			}
		}
		*used += n;
	}
	return rc;
}

/* This thread has taken, or left, what another that sleeps or listens does not find by itself. */
static void tell_others(struct tp *tp)
{
	if (tp->mail.sleeping)
		tp_kick(tp);
	if (tp->mail.listening)
		tp->work.unheard = true;
}

static inline bool nobody_waits(const struct tp *tp)
{
	return tp->c.posted && *tp->c.posted == 0;
}

/* Reads while there are records, but not for ever. True when bytes came; *left: there may be more.
 * A caller that took the peer's byte in the mailbox then puts it back, so that whatever is in a
 * ring has its byte set, or will have it by the peer. */
static bool read_ring(struct tp *tp, struct tp_peer *p, bool *left)
{
	enum { RECORDS = 64, PULLS = 16 << 20 };
	uint64_t enough = tp->pulled + PULLS;
	struct byte_ring_record r;
	bool placed = false;
	int rc = 0, i;

	*left = true;
	for (i = 0; i < RECORDS && rc == 0 && !p->dying && tp->pulled < enough; i++) {
		enum byte_ring_kind kind = byte_ring_peek(p->in_ring, &r);
		size_t used = 0;

		if (kind == BYTE_RING_NOTHING) {
			*left = false;
			return i > 0;
		}
		if (kind == BYTE_RING_SHORT) {
			rc = take_short(tp, p, &r, &placed);
			used = r.length;
		} else if (kind == BYTE_RING_STREAM) {
			rc = take_stream(tp, p, &r, enough, &used);
		} else {
			rc = FT_EPROTO;
		}
		if (rc == 0 && byte_ring_pass(p->in_ring, used) && !p->dying)
			tp_memory_post(p);
		if (placed && nobody_waits(tp))
			break;
	}
	if (rc < 0)
		tp_peer_lose(tp, p, ft_error_text(rc));
	return true;
}

/* What it wrote before it went is read first. */
static void socket_ended(struct tp *tp, struct tp_peer *p, const char *why)
{
	enum { MOST = BYTE_RING_CELLS };
	bool left;

	for (int i = 0; i < MOST && !p->dying && read_ring(tp, p, &left); i++)
		;
	tp_peer_lose(tp, p, why);
}

/* The socket of a peer whose messages come through memory: it rang, or is gone. */
static bool read_bells(struct tp *tp, struct tp_peer *p)
{
	uint8_t bells[256];
	ssize_t n = recv(p->fd, bells, sizeof bells, MSG_DONTWAIT);

	tp->counts.recvs++;
	if (n >= 0)
		tell_others(tp);
	if (n == 0)
		socket_ended(tp, p, "it closed the connection");
	else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		socket_ended(tp, p, strerror(errno));
	else if (n > 0 && only_bells(bells, (size_t)n) != 0)
		tp_peer_lose(tp, p, ft_error_text(FT_EPROTO));
	return n > 0;
}

/* ---- of either kind ---- */

/* left: in its ring there may be more than was read, and its byte in the mailbox is not set. */
static void put_back(struct tp *tp, struct tp_peer *p, bool left)
{
	struct byte_ring_record r;

	if (left && !p->dying && byte_ring_peek(p->in_ring, &r) != BYTE_RING_NOTHING &&
		mailbox_keep(tp->mail.box, p->memory->own))
		tell_others(tp);
}

/* Before a peer goes over to its ring a look at the mailbox takes its byte for nothing. */
static inline bool read_peer(struct tp *tp, struct tp_peer *p)
{
	bool moved, left;

	if (__builtin_expect(p->in_ring != NULL, true))
		return !p->dying && read_ring(tp, p, &left);
	moved = read_socket(tp, p);
	if (p->in_ring && !p->dying) {
		moved |= read_ring(tp, p, &left);
		put_back(tp, p, left);
	}
	return moved;
}

/* ---- looks: at the peer that is expected to speak (the last one that did, when it may be any), at
 * times at all of them, so that the cost follows activity, not the number of peers ---- */

/* After so many looks at all of them: when the expected one is silent, and when it speaks without
 * end. Sockets that bring nothing but the end of their peers are looked at as seldom as that. */
enum { ALL_WHEN_SILENT = 16, ALL_WHEN_BUSY = 256 };

static bool look_at_sockets(struct tp *tp)
{
	struct epoll_event ev[TP_EVENTS];

	return tp_in_events(tp, ev, epoll_wait(tp->epoll_fd, ev, TP_EVENTS, 0));
}

static inline bool spoke(struct tp *tp, const struct tp_peer *p, bool moved)
{
	if (moved)
		tp->talker = p->id;
	return moved;
}

static bool read_mail(struct tp *tp, struct tp_peer *p)
{
	bool left, moved = spoke(tp, p, read_ring(tp, p, &left));

	put_back(tp, p, left);
	return moved;
}

/* Those that share memory and have said that they have news: bytes, or room for ours. */
bool tp_in_mailbox(struct tp *tp)
{
	bool moved = false;

	for (unsigned g = 0; tp->mail.box && g < tp->mail.groups; g++) {
		unsigned news = mailbox_take(tp->mail.box, g);

		for (; news; news &= news - 1) {
			unsigned slot = g * MAILBOX_GROUP + (unsigned)__builtin_ctz(news);
			struct tp_peer *p;

			if (slot >= tp->mail.slots)
				continue;
			p = &tp->peers[tp->mail.peers[slot]];
			if (p->in_ring && !p->dying)
				moved |= read_mail(tp, p);
			if (p->out_ring && !list_empty(&p->queue))
				moved |= tp_out_write(tp, p);
		}
	}
	return moved;
}

bool tp_in_events(struct tp *tp, const struct epoll_event *ev, int n)
{
	bool moved = false;

	for (int i = 0; i < n; i++) {
		struct tp_peer *p;

		if (ev[i].data.u32 == UINT32_MAX)
			continue; /* meant for the thread that sleeps: tp_sleep takes it */
		p = &tp->peers[ev[i].data.u32];
		if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
			if (p->in_ring && !p->dying)
				moved |= read_bells(tp, p);
			if (!p->dying)
				moved |= spoke(tp, p, read_peer(tp, p));
		}
		if (ev[i].events & EPOLLOUT)
			moved |= tp_out_write(tp, p);
	}
	return moved;
}

bool tp_flush(struct tp *tp)
{
	bool moved;

	tp_assert_held(tp);
	moved = tp_out_flush(tp);
	if (list_empty(&tp->lost))
		return moved;
	tp_reap(tp);
	return true;
}

bool tp_look(struct tp *tp, int expect)
{
	int first = expect == TP_ANYBODY ? tp->talker : expect;
	bool moved = false;

	tp_assert_held(tp);
	tp->turn++;
	if (first >= 0 && tp->peers[first].state == TP_UP)
		moved = read_peer(tp, &tp->peers[first]);
	if ((expect < 0 && !moved) ||
		tp->turn % (expect >= 0 && moved ? ALL_WHEN_BUSY : ALL_WHEN_SILENT) == 0) {
		moved |= tp_in_mailbox(tp);
		if (tp->sockets > 0 || expect == TP_EVERYBODY || tp->turn % ALL_WHEN_BUSY == 0)
			moved |= look_at_sockets(tp);
	}
	moved |= tp_out_flush(tp);
	if (!list_empty(&tp->lost)) {
		tp_reap(tp);
		moved = true;
	}
	return moved;
}
