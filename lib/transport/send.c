/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender's side of messages (frame.c): eager ones leave at once, long ones are announced and
 * leave when they are asked for, unless they were taken back before. A synchronous one is done when
 * a receive has matched it, which may be later.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "transport/memory.h"

/* A payload in pieces is gathered, as long as there are few of them, for a peer that reads it where
 * it lies: that peer then needs no turn of ours for every part that a ring takes. And for one whose
 * connection is mended when it breaks, as pieces are gone through once. */
static void stage(struct tp *tp, struct tp_send *op)
{
	struct tp_place all = {.room = op->len};

	if (tp->staged + op->len > TP_STAGED_MAX)
		return;
	op->staged = all.buf = malloc(op->len);
	if (!op->staged)
		return;
	tp_payload_copy_pieces(&all, NULL, op->cursor, op->len);
	tp->staged += op->len;
	op->payload = op->staged;
	op->cursor = NULL;
}

/* Through the ring, which both sides then copy to and from at the same time: two processors are
 * faster than one that has the kernel find the pages of the other. Where the sender computes, or
 * waits for a processor, the ring would stand still, and its peer reads the payload where it lies.
 */
static bool goes_by_ring(const struct tp *tp, unsigned flags)
{
	return tp->roomy && flags & TP_AWAITED;
}

/* It is announced. */
static __attribute__((noinline)) int send_rendezvous(struct tp *tp, struct tp_peer *p,
	const struct tp_envelope *e, const void *payload, size_t len, unsigned flags, void *cookie)
{
	struct wire_frame f = {.seq = p->send_seq + 1, .length = len};
	struct tp_send *op = slab_take(&tp->send_slab);
	bool by_ring;

	if (!op)
		return FT_ENOMEM;
	*op = tp_send_of(p->id, payload, len, flags, cookie);
	op->id = idtab_add(&tp->sends, op);
	if (!op->id)
		goto free_op;
	memcpy(f.envelope, e->bytes, sizeof f.envelope);
	f.kind = op->sync ? WIRE_SYNC : WIRE_RTS;
	f.id = op->id;
	by_ring = p->out_ring && goes_by_ring(tp, flags);
	if (((p->out_ring && !by_ring) || p->mend.on) && op->cursor && len > 0)
		stage(tp, op);
	f.peer_id = p->out_ring && !by_ring ? (uint64_t)(uintptr_t)op->payload : 0;
	if (tp_out_small(tp, p, &f, NULL, 0) != 0)
		goto remove_id;
	p->send_seq = f.seq;
	list_append(&p->sending, &op->link);
	tp->work.asked++;
	return 0;

remove_id:
	tp_send_unstage(tp, op);
	idtab_remove(&tp->sends, op->id);
free_op:
	slab_give(&tp->send_slab, op);
	return FT_ENOMEM;
}

/* An eager message that fits a record of its ring goes there without a frame's header. False: it
 * goes another way. */
static inline bool send_short(struct tp *tp, struct tp_peer *p, const struct tp_envelope *e,
	const void *payload, size_t len)
{
	if (len > BYTE_RING_SHORT_MAX || !list_empty(&p->queue) || p->dying ||
		!byte_ring_put_short(p->out_ring, p->owed, e->bytes, payload, len))
		return false;
	p->unconsumed_in -= p->owed;
	p->owed = 0;
	tp->counts.frames_out++;
	tp_memory_post(p);
	p->send_seq++;
	p->unconsumed += (uint32_t)tp_eager_cost(len);
	return true;
}

static inline void count(struct tp_peer *p, size_t bytes)
{
	p->sent.messages++;
	p->sent.bytes += bytes;
}

/* rc: what tp_send returns. */
static inline int counted(struct tp_peer *p, size_t len, unsigned flags, int rc)
{
	if (rc >= 0 && !(flags & TP_UNCOUNTED))
		count(p, len);
	return rc;
}

int tp_send(struct tp *tp, int peer, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	struct tp_peer *p = &tp->peers[peer];
	bool eager = len <= tp->c.eager_limit && (!p->out_ring || len <= TP_RING_EAGER) &&
		     !(flags & (TP_SYNC | TP_IOV_CURSOR)) &&
		     p->unconsumed + tp_eager_cost(len) <= tp->c.unexpected_limit;
	struct wire_frame f;

	tp_assert_held(tp);
	if (eager && p->out_ring) {
		if (send_short(tp, p, e, payload, len))
			return counted(p, len, flags, 1);
		if (flags & TP_UNQUEUED && len <= BYTE_RING_SHORT_MAX && !tp_may_send(tp, peer))
			return FT_EAGAIN;
	}
	if (peer == tp->c.self)
		return flags & TP_NOW && len > tp->c.eager_limit
			       ? FT_EAGAIN
			       : counted(p, len, flags,
					 tp_self_send(tp, e, payload, len, flags, cookie));
	if (p->state == TP_LOST || p->dying)
		return FT_EPEER;
	if (p->state == TP_IDLE)
		tp_conns_connect(tp, peer);
	if (!eager)
		return flags & TP_NOW
			       ? FT_EAGAIN
			       : counted(p, len, flags,
					 send_rendezvous(tp, p, e, payload, len, flags, cookie));
	f = (struct wire_frame){.kind = WIRE_EAGER, .seq = p->send_seq + 1, .length = len};
	memcpy(f.envelope, e->bytes, sizeof f.envelope);
	if (tp_out_small(tp, p, &f, payload, len) != 0)
		return FT_ENOMEM;
	p->send_seq = f.seq;
	p->unconsumed += (uint32_t)tp_eager_cost(len);
	return counted(p, len, flags, 1);
}

void tp_count_sent(struct tp *tp, int peer, size_t bytes)
{
	tp_assert_held(tp);
	count(&tp->peers[peer], bytes);
}

struct tp_sent tp_sent_to(const struct tp *tp, int peer)
{
	tp_assert_held(tp);
	return tp->peers[peer].sent;
}

bool tp_may_send(struct tp *tp, int peer)
{
	struct tp_peer *p = &tp->peers[peer];

	tp_assert_held(tp);
	return !p->out_ring || p->state != TP_UP || p->dying || !list_empty(&p->queue) ||
	       byte_ring_has_room(p->out_ring);
}

/* ---- it is answered ---- */

/*
 * ANNOUNCED is asked for: LEAVING, and done when the payload has left. A synchronous one that is
 * asked for before a receive has matched it: LEAVING_EARLY, then UNMATCHED, until that has
 * happened. One whose payload is read where it lies is never LEAVING. When the pair begins anew all
 * synchronous ones are UNMATCHED again, as the other side may have gone back behind its receive;
 * what it says then may also be that it had let the message go (LET_GO), since the program that ran
 * on here took it back, and will again.
 */

static struct tp_send *find(
	struct tp *tp, const struct tp_peer *p, uint64_t id, enum tp_send_state state)
{
	struct tp_send *op = idtab_find(&tp->sends, id);

	return op && op->peer == p->id && op->state == state ? op : NULL;
}

int tp_send_asked(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_send *op = find(tp, p, f->id, SEND_ANNOUNCED);
	struct wire_frame data = {.kind = WIRE_DATA, .peer_id = f->peer_id};
	int rc;

	if (!op || f->length > op->sync)
		return FT_EPROTO;
	tp_send_become(op, f->length ? SEND_LEAVING_EARLY : SEND_LEAVING);
	if (op->state == SEND_LEAVING)
		list_remove(&op->link);
	data.length = op->len;
	rc = op->len > 0 ? tp_out_large(tp, p, &data, op) : tp_out_small(tp, p, &data, NULL, 0);
	if (rc)
		tp_send_done(tp, op, rc);
	else if (data.length == 0)
		tp_send_written(tp, op);
	return rc;
}

int tp_send_pulled(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_send *op = find(tp, p, f->id, SEND_ANNOUNCED);

	if (!op || f->length > op->sync || !op->payload || !p->memory)
		return FT_EPROTO;
	if (f->length)
		tp_send_unmatched(tp, op);
	else
		tp_send_done(tp, op, 0);
	return 0;
}

int tp_send_matched(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_send *op = find(tp, p, f->id, SEND_UNMATCHED);

	if (!op)
		return FT_EPROTO;
	tp_send_done(tp, op, 0);
	return 0;
}

/* ---- the pair begins anew ---- */

/* The frames are queued. One that was to be taken back still is. */
int tp_send_open(struct tp *tp, struct tp_peer *p, struct tp_send *op)
{
	int rc = 0;

	if (op->state == SEND_LET_GO)
		return 0;
	tp_send_unmatched(tp, op);
	op->asked = true;
	rc = tp_out_control(tp, p, WIRE_OPEN, op->id, 0);
	if (rc == 0 && op->withdrawing)
		rc = tp_out_control(tp, p, WIRE_WITHDRAW, op->id, 0);
	return rc;
}

/* ---- it is taken back ---- */

static void withdraw(struct tp *tp, const struct tp_envelope *e, struct tp_send *op)
{
	struct wire_frame f = {.kind = WIRE_WITHDRAW, .id = op->id};

	memcpy(f.envelope, e->bytes, sizeof f.envelope);
	if (op->peer == tp->c.self)
		tp_self_withdraw(tp, e, op);
	else if (op->state == SEND_LET_GO)
		tp_send_done(tp, op, FT_ECANCEL);
	else if (!op->withdrawing)
		op->withdrawing = tp_out_small(tp, &tp->peers[op->peer], &f, NULL, 0) == 0;
}

void tp_withdraw(struct tp *tp, int peer, const struct tp_envelope *e, const void *cookie)
{
	tp_assert_held(tp);
	list_for_each (item, &tp->peers[peer].sending) {
		struct tp_send *op = container_of(item, struct tp_send, link);

		if (op->cookie != cookie)
			continue;
		withdraw(tp, e, op);
		return;
	}
}

/* Unasked it would drop a message whose sender takes it for sent. */
int tp_send_withdrawn(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_send *op = idtab_find(&tp->sends, f->id);

	if (!op || op->peer != p->id || (!op->withdrawing && !op->asked) ||
		(op->state != SEND_ANNOUNCED && op->state != SEND_UNMATCHED))
		return FT_EPROTO;
	if (op->withdrawing)
		tp_send_done(tp, op, FT_ECANCEL);
	else
		tp_send_become(op, SEND_LET_GO);
	return 0;
}
