/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport's user in the frames target: what he posts, sends and is told. */
#include "base/error.h"
#include "frames.h"

enum { UNTOUCHED = 0xee };

/* Bytes of bodies, and of a buffer that nobody wrote to. Copied and compared in one piece: loops
 * would cost most of the fuzzer's time. */
static uint8_t bytes_of_bodies[BODY_MOST + 256], untouched[BODY_MOST];

static void make_bytes(void)
{
	if (untouched[0])
		return;
	memset(untouched, UNTOUCHED, sizeof untouched);
	for (size_t i = 0; i < sizeof bytes_of_bodies; i++)
		bytes_of_bodies[i] = (uint8_t)(i + (i >> 8) * 37);
}

const uint8_t *frames_body(unsigned seed)
{
	make_bytes();
	return bytes_of_bodies + seed % 256;
}

static struct receive *receive_new(uint8_t tag, size_t room)
{
	struct receive *r;

	make_bytes();
	if (frames.nreceives == RECEIVES)
		return NULL;
	room = room < BODY_MOST ? room : BODY_MOST;
	r = &frames.receives[frames.nreceives++];
	*r = (struct receive){.buf = malloc(room ? room : 1), .room = room, .tag = tag};
	memcpy(r->buf, untouched, room);
	return r;
}

/* The receive has its message. */
static struct tp_place place_of(struct receive *r, struct side *s, struct message *m)
{
	r->from = s;
	r->message = m;
	r->posted = false;
	m->to = r;
	FUZZ_CHECK(s->nasks < ASKS, "more receives than messages");
	s->asks[s->nasks++] = m;
	return (struct tp_place){.buf = r->buf, .room = r->room, .cookie = r};
}

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	struct side *s = &frames.sides[peer];
	struct message *m = &s->messages[s->matched++];

	(void)user;
	(void)length;
	FUZZ_CHECK(s->matched < MESSAGES, "more messages than were sent");
	FUZZ_CHECK(!s->lost, "a message of a lost peer");
	for (size_t i = 0; i < frames.nreceives; i++) {
		struct receive *r = &frames.receives[i];

		if (r->posted && r->tag == (e->bytes[0] & 3))
			return place_of(r, s, m);
	}
	return (struct tp_place){0};
}

void user_claim(struct message *m, size_t room)
{
	struct tp_unexpected *held = m->held;
	struct receive *r = receive_new(0, room);

	if (!r)
		return;
	m->held = NULL;
	if (frames.take_early && held->peer != SELF)
		m->sync = held->sync;
	if (m->sync)
		tp_take(frames.tp, held, place_of(r, &frames.sides[held->peer], m));
	else
		tp_claim(frames.tp, held, place_of(r, &frames.sides[held->peer], m));
}

static void on_keep(void *user, struct tp_unexpected *held)
{
	struct side *s = &frames.sides[held->peer];
	struct message *m = &s->messages[s->matched - 1];

	(void)user;
	FUZZ_CHECK(!m->to && !m->held, "kept, though it has a place");
	m->held = held;
	memcpy(held->user, &m, sizeof m);
	if (frames.claim_at_once)
		user_claim(m, (size_t)(held->length < 4096 ? held->length : 4096));
}

static void on_forget(void *user, struct tp_unexpected *held)
{
	struct message *m;

	(void)user;
	memcpy(&m, held->user, sizeof m);
	FUZZ_CHECK(m->held == held, "forgotten, though it is not held");
	m->held = NULL;
	m->forgotten = true;
	frames.sides[held->peer].forgets++;
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct receive *r = cookie;

	(void)user;
	FUZZ_CHECK(r->message && !r->done, "a receive was answered twice, or without a message");
	r->done = true;
	r->length = length;
	r->rc = rc;
	FUZZ_CHECK(rc == 0 || rc == FT_EPEER, "received with %d", rc);
	if (rc == 0 && r->message->sync && !r->from->lost) {
		r->from->matches++;
		tp_matched(frames.tp, r->from->rank, r->message->sync);
	}
	if (rc == 0 && frames.send_back && !r->from->lost)
		user_send(r->from->rank, 0, 8, 0);
}

static void on_sent(void *user, void *cookie, int rc)
{
	struct send *s = cookie;

	(void)user;
	FUZZ_CHECK(!s->answered && !s->eager, "a send was answered twice");
	s->answered = true;
	s->rc = rc;
	free(s->payload);
	s->payload = NULL;
	FUZZ_CHECK(rc == 0 || rc == FT_EPEER || rc == FT_ECANCEL, "sent with %d", rc);
	FUZZ_CHECK(rc != FT_ECANCEL || s->withdrawn_asked || s->given_up,
		"a send was taken back that nobody wanted back");
}

static bool on_withdraw(void *user, const struct tp_withdrawal *w)
{
	(void)user;
	return w->unexpected != NULL;
}

/* By the script's choice of the name. */
static enum tp_sync on_open(void *user, int peer, uint64_t sync)
{
	struct side *s = &frames.sides[peer];

	(void)user;
	if (sync % 3 == TP_SYNC_MATCHED)
		s->opened_matched++;
	if (sync % 3 == TP_SYNC_TAKEN_BACK)
		s->opened_back++;
	return (enum tp_sync)(sync % 3);
}

static void on_lost(void *user, int peer, const char *why)
{
	struct side *s = &frames.sides[peer];

	(void)user;
	FUZZ_CHECK(!s->lost_calls, "lost twice");
	FUZZ_CHECK(why && *why, "lost without a reason");
	s->lost = true;
	s->lost_calls++;
}

static void on_notify(void *user)
{
	(void)user;
}

const struct tp_upcalls frames_upcalls = {.match = on_match,
	.keep = on_keep,
	.forget = on_forget,
	.received = on_received,
	.sent = on_sent,
	.lost = on_lost,
	.notify = on_notify,
	.withdraw = on_withdraw,
	.open = on_open};

/* ---- what he does ---- */

static struct message *first_held(uint8_t tag)
{
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < frames.sides[rank].matched; i++) {
			struct message *m = &frames.sides[rank].messages[i];

			if (m->held && (m->held->envelope.bytes[0] & 3) == tag)
				return m;
		}
	return NULL;
}

void user_post(uint8_t tag, size_t room)
{
	struct message *m = first_held(tag);
	struct receive *r;

	if (m) {
		user_claim(m, room);
		return;
	}
	r = receive_new(tag, room);
	if (r)
		r->posted = true;
}

void user_drop(uint8_t tag)
{
	struct message *m = first_held(tag);
	struct tp_unexpected *held;

	if (!m)
		return;
	held = m->held;
	m->held = NULL;
	m->dropped = true;
	tp_drop(frames.tp, held);
}

/* The transport's answer is believed only with its counterpart: 1, and the payload may go. */
static void sent_with(struct send *s, int rc)
{
	s->eager = rc == 1;
	if (rc == 0)
		return;
	if (rc < 0) {
		FUZZ_CHECK(rc == FT_EPEER, "a send was refused with %d", rc);
		s->answered = true;
		s->rc = rc;
	}
	if (s->to->rank != SELF || rc < 0) {
		free(s->payload);
		s->payload = NULL;
	}
}

static void self_message(struct side *self, const struct send *s)
{
	struct message *m = &self->messages[self->known++];

	m->known = m->whole = true;
	m->length = s->len;
	m->payload = malloc(s->len ? s->len : 1);
	memcpy((void *)(uintptr_t)m->payload, s->payload, s->len);
}

void user_send(int rank, uint8_t tag, size_t len, unsigned flags)
{
	struct side *to = &frames.sides[rank];
	struct tp_envelope e = {{tag}};
	struct send *s = &frames.sends[frames.nsends];
	int rc;

	if (frames.nsends == SENDS || frames.bye)
		return;
	len = len < BODY_MOST ? len : BODY_MOST;
	frames.nsends++;
	*s = (struct send){.to = to,
		.len = len,
		.tag = tag,
		.sync = flags & TP_SYNC,
		.payload = malloc(len ? len : 1)};
	memcpy(s->payload, frames_body((unsigned)(s - frames.sends)), len);
	if (rank == SELF)
		self_message(to, s);
	/* the order of the calls is the order on the wire, also from within an upcall */
	to->sends[to->nsends++] = s;
	s->eager = false;
	rc = tp_send(frames.tp, rank, &e, s->payload, len, flags, s);
	if (rc < 0)
		to->nsends--;
	else if (rc == 1 && rank != SELF)
		to->eager_out += len + sizeof(struct wire_frame);
	sent_with(s, rc);
}

void user_withdraw(size_t which)
{
	struct send *s;

	if (!frames.nsends)
		return;
	s = &frames.sends[which % frames.nsends];
	if (s->answered || s->eager || (s->cts && !s->early))
		return;
	s->withdrawn_asked = true;
	tp_withdraw(frames.tp, s->to->rank, &(struct tp_envelope){{0}}, s);
}

/* ---- was it told the truth? ---- */

static void check_received(const struct receive *r)
{
	const struct message *m = r->message;
	size_t n = r->length < r->room ? (size_t)r->length : r->room;
	const uint8_t *want = m->payload ? m->payload : r->from->fed.at + m->body_at;

	FUZZ_CHECK(m->known && m->whole, "received before it came");
	FUZZ_CHECK(r->length == m->length, "%zu bytes told, %zu sent", (size_t)r->length,
		(size_t)m->length);
	FUZZ_CHECK(n == 0 || memcmp(r->buf, want, n) == 0, "other bytes than were sent");
	FUZZ_CHECK(memcmp(r->buf + n, untouched, r->room - n) == 0, "written beyond the message");
}

void user_check(struct side *s)
{
	for (size_t i = 0; i < s->matched; i++) {
		struct message *m = &s->messages[i];
		struct receive *r = m->to;

		m->old = true;
		if (!r || r->checked)
			continue;
		FUZZ_CHECK(r->done || !m->whole || s->closed || s->lost,
			"it is whole and was not received");
		FUZZ_CHECK(
			!r->done || r->rc == 0 || s->lost || s->closed, "failed, but nobody died");
		if (!r->done)
			continue;
		if (r->rc == 0 && !s->blind)
			check_received(r);
		r->checked = true;
		free(r->buf);
		r->buf = NULL;
	}
}

/* The peer is gone: everything that waited for it has its answer. */
void user_check_answered(struct side *s)
{
	for (size_t i = 0; i < s->matched; i++)
		FUZZ_CHECK(
			!s->messages[i].to || s->messages[i].to->done, "a receive waits for ever");
	for (size_t i = 0; i < s->nsends; i++)
		FUZZ_CHECK(s->sends[i]->eager || s->sends[i]->answered, "a send waits for ever");
}

void user_free(void)
{
	for (size_t i = 0; i < frames.nreceives; i++)
		free(frames.receives[i].buf);
	for (size_t i = 0; i < frames.nsends; i++)
		free(frames.sends[i].payload);
	for (size_t i = 0; i < frames.sides[SELF].known; i++)
		free((void *)(uintptr_t)frames.sides[SELF].messages[i].payload);
}
