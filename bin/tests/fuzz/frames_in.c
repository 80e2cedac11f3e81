/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer may say, read once more from doc/wire.md: what was fed is walked through frame by
 * frame after the transport has dealt with it.
 */
#include "frames.h"

enum verdict { MODEL_BAD, MODEL_GOOD, MODEL_EITHER };

enum { EAGER_MOST = 1 << 20 };

static enum verdict when(bool good)
{
	return good ? MODEL_GOOD : MODEL_BAD;
}

/* All that may have been consumed by now. What is not read yet is counted as if it were eager. */
uint64_t model_consumed(const struct side *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->matched; i++) {
		const struct message *m = &s->messages[i];
		uint64_t length = m->to ? m->to->length : m->length;

		if (m->known && is_announced(m->kind))
			continue;
		if ((m->to && m->to->done && m->to->rc == 0) || (m->dropped && m->whole))
			sum += length + sizeof(struct wire_frame);
	}
	return sum;
}

static enum verdict judge_eager(const struct side *s, const struct wire_frame *f)
{
	uint64_t used = s->eager_in + f->length + sizeof *f;

	if (f->length > EAGER_MOST || used > frames.window + model_consumed(s))
		return MODEL_BAD;
	return used <= frames.window + s->credit_out_old ? MODEL_GOOD : MODEL_EITHER;
}

static enum verdict judge_message(const struct side *s, const struct wire_frame *f)
{
	if (f->seq != s->seq_in + 1 || s->bye_in)
		return MODEL_BAD;
	if (f->kind == WIRE_EAGER)
		return judge_eager(s, f);
	return when(f->length <= (uint64_t)1 << 48);
}

static struct send *send_of(struct side *s, uint64_t id)
{
	for (size_t i = 0; i < s->nsends; i++)
		if (s->sends[i]->id == id && id)
			return s->sends[i];
	return NULL;
}

/* Have messages been sent whose ids were not seen yet? */
static bool unseen_sends(const struct side *s)
{
	return s->sends_seen < s->nsends;
}

/* Of a payload that has left. */
static enum verdict judge_end(const struct send *op)
{
	if (!op->early || op->matched)
		return MODEL_BAD;
	return op->data_old ? MODEL_GOOD : MODEL_EITHER;
}

static enum verdict judge_answer(struct side *s, const struct wire_frame *f)
{
	struct send *op = send_of(s, f->id);

	if (!op)
		return unseen_sends(s) ? MODEL_EITHER : MODEL_BAD;
	if (op->over || op->given_up)
		return MODEL_BAD;
	if (f->kind == WIRE_WITHDRAWN && !op->withdrawn_asked)
		return MODEL_BAD;
	if (f->kind == WIRE_MATCHED || (f->kind == WIRE_WITHDRAWN && op->early))
		return judge_end(op);
	if (op->cts || (f->kind == WIRE_CTS && f->length > op->sync))
		return MODEL_BAD;
	return op->old ? MODEL_GOOD : MODEL_EITHER;
}

/* The n-th announced one that was given a place. */
static struct message *asked(struct side *s, size_t n)
{
	for (size_t i = 0; i < s->nasks; i++)
		if (s->asks[i]->known && is_announced(s->asks[i]->kind) && n-- == 0)
			return s->asks[i];
	return NULL;
}

static struct cts *cts_of(struct side *s, uint64_t peer_id)
{
	for (size_t i = s->ncts; i-- > 0;)
		if (s->cts[i].peer_id == peer_id)
			return &s->cts[i];
	return NULL;
}

static enum verdict judge_data(struct side *s, const struct wire_frame *f)
{
	struct cts *c = cts_of(s, f->peer_id);
	struct message *m = c ? asked(s, (size_t)(c - s->cts)) : NULL;

	if (!c)
		return asked(s, s->ncts) ? MODEL_EITHER : MODEL_BAD;
	if (c->used || (m && m->length != f->length))
		return MODEL_BAD;
	return c->old ? MODEL_GOOD : MODEL_EITHER;
}

static enum verdict judge_kind(struct side *s, const struct wire_frame *f)
{
	switch (f->kind) {
	case WIRE_EAGER:
	case WIRE_RTS:
	case WIRE_SYNC:
		return judge_message(s, f);
	case WIRE_CTS:
	case WIRE_WITHDRAWN:
	case WIRE_MATCHED:
		return judge_answer(s, f);
	case WIRE_DATA:
		return judge_data(s, f);
	default:
		return MODEL_GOOD;
	}
}

static enum verdict judge(struct side *s, const struct wire_frame *f)
{
	uint64_t credit = s->credit_in + f->credit;
	enum verdict v;

	if (f->kind == 0 || (f->kind > WIRE_WITHDRAWN && f->kind < WIRE_SYNC) ||
		f->kind > WIRE_OPEN || f->zero[0] || f->zero[1] || f->zero[2])
		return MODEL_BAD;
	if (f->epoch != EPOCH || credit > s->eager_out)
		return MODEL_BAD;
	v = judge_kind(s, f);
	return v == MODEL_GOOD && credit > s->eager_out_old ? MODEL_EITHER : v;
}

static void take_message(struct side *s, const struct wire_frame *f)
{
	struct message *m = &s->messages[s->known++];

	FUZZ_CHECK(s->known <= s->matched || s->lost, "a message that nobody was asked about");
	s->seq_in = f->seq;
	m->known = true;
	m->kind = f->kind;
	m->length = f->length;
	m->id = f->id;
	if (f->kind == WIRE_EAGER) {
		s->eager_in += f->length + sizeof *f;
		m->body_at = s->parsed;
		s->body = m;
		s->body_left = (size_t)f->length;
		m->whole = s->body_left == 0;
	}
}

static void take_data(struct side *s, const struct wire_frame *f)
{
	struct cts *c = cts_of(s, f->peer_id);
	struct message *m = c ? asked(s, (size_t)(c - s->cts)) : NULL;

	FUZZ_CHECK(m, "a payload was taken that was not asked for");
	c->used = true;
	m->body_at = s->parsed;
	s->body = m;
	s->body_left = (size_t)f->length;
	m->whole = s->body_left == 0;
}

static void take_answer(struct side *s, const struct wire_frame *f)
{
	struct send *op = send_of(s, f->id);

	FUZZ_CHECK(op, "an answer was taken to something that was not sent");
	if (f->kind == WIRE_WITHDRAWN) {
		op->over = true;
		FUZZ_CHECK(op->answered, "it is taken back, and its sender was not told");
	} else if (f->kind == WIRE_MATCHED) {
		op->matched = true;
		FUZZ_CHECK(op->answered, "it is matched, and its sender was not told");
	} else {
		op->cts = true;
		op->early = f->length;
		op->peer_id = f->peer_id;
	}
}

/* What is held is forgotten: one message of this id, if there are several. */
static void take_withdraw(struct side *s, const struct wire_frame *f)
{
	bool held = false, forgotten = s->lost;

	for (size_t i = 0; i < s->known; i++) {
		const struct message *m = &s->messages[i];

		if (!is_announced(m->kind) || m->id != f->id)
			continue;
		held |= m->old && m->held;
		forgotten |= m->forgotten;
	}
	FUZZ_CHECK(forgotten || !held, "it was taken back, and is not forgotten");
}

static void take(struct side *s, const struct wire_frame *f)
{
	s->credit_in += f->credit;
	switch (f->kind) {
	case WIRE_EAGER:
	case WIRE_RTS:
	case WIRE_SYNC:
		take_message(s, f);
		break;
	case WIRE_DATA:
		take_data(s, f);
		break;
	case WIRE_CTS:
	case WIRE_WITHDRAWN:
	case WIRE_MATCHED:
		take_answer(s, f);
		break;
	case WIRE_WITHDRAW:
		take_withdraw(s, f);
		break;
	case WIRE_BYE:
		s->bye_in = true;
		break;
	default:
		break;
	}
}

static void read_body(struct side *s)
{
	size_t have = s->fed.len - s->parsed, n = have < s->body_left ? have : s->body_left;

	s->parsed += n;
	s->body_left -= n;
	s->body->whole = s->body_left == 0;
}

static bool read_header(struct side *s)
{
	struct wire_frame f;
	enum verdict v;

	if (s->fed.len - s->parsed < sizeof f)
		return false;
	memcpy(&f, s->fed.at + s->parsed, sizeof f);
	v = judge(s, &f);
	s->bad = v == MODEL_BAD;
	/* lost: was it this frame, or a later one? stalled: its id has not left our end's buffer */
	s->blind = v == MODEL_EITHER && (s->lost || (s->stalled && f.kind != WIRE_EAGER));
	if (s->bad || s->blind)
		return false;
	s->parsed += sizeof f;
	take(s, &f);
	return true;
}

void model_read(struct side *s)
{
	while (!s->bad && !s->blind) {
		if (s->body_left) {
			if (s->parsed == s->fed.len)
				break;
			read_body(s);
		} else if (!read_header(s)) {
			break;
		}
	}
}
