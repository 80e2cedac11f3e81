/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending. A message that leaves at once needs no request (p2p_send); any other has one, which is
 * done when the transport says so (p2p_on_sent). Data that does not lie in one piece is packed
 * first, or, where it is long, while it leaves.
 */
#include <stdlib.h>

#include "base/error.h"
#include "envelope.h"
#include "iov_cursor.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_inside.h"
#include "p2p_log_inside.h"
#include "p2p_saved.h"

/* Data that does not lie in one piece is packed on the stack up to so many bytes: a blocking send
 * of it needs neither a request nor memory then. */
enum { PACKED_HERE = 2048 };

/* A message of the library's own. */
static void other_sent(struct object *head)
{
	if (head->kind == OBJECT_LOGGED)
		p2p_log_sent(head);
	else if (head->kind == OBJECT_CONTROL_SENT)
		p2p.job.coordination->sent(head);
	else
		p2p.job.windows->sent(head);
}

void p2p_on_sent(void *user, void *cookie, int rc)
{
	struct request *r = cookie;

	engine_assert_held();
	(void)user;
	if (__builtin_expect(r->head.kind >= OBJECT_STORED, false)) {
		other_sent(&r->head);
		return;
	}
	if (rc == FT_EPEER && p2p.job.launched)
		return; /* as in p2p_recv.c (finish) */
	r->cancelled = rc == FT_ECANCEL;
	request_complete(r, rc == FT_EPEER ? MPI_ERR_PROC_ABORTED : MPI_SUCCESS);
}

/* A message that must wait for its receiver is packed while it leaves, through a cursor. */
static bool goes_by_cursor(size_t len)
{
	return len > p2p.job.eager_limit;
}

/* The data of a send: where it lies, a cursor over it, or packed. NULL: no memory. */
static const void *payload_of(struct request *r, size_t len)
{
	void *piece = type_piece(r->m.type, r->m.buf, r->m.count);

	if (piece)
		return piece;
	if (goes_by_cursor(len)) {
		r->packed = iov_cursor_out(r->m.type, r->m.buf, r->m.count);
		return r->packed;
	}
	r->packed = malloc(len);
	if (r->packed)
		type_pack(r->m.type, r->m.buf, r->m.count, r->packed);
	return r->packed;
}

/* What the protocol, if it is told of the message, has in its envelope. */
static inline struct tp_envelope envelope_of(
	const struct p2p_message *m, uint64_t context, bool told)
{
	struct envelope e = {.context = context,
		.tag = m->tag,
		.source = m->comm->rank,
		.stamp = told ? coord_stamp(p2p.coord) : 0};

	return envelope_pack(&e);
}

/* Ranks agree on lines through messages that are none of the program's. */
static inline unsigned uncounted(uint64_t context)
{
	return comm_is_coord_context(context) ? TP_UNCOUNTED : 0;
}

/* The message leaves: the coordination protocol is told. */
static inline void note_sent(int peer, uint64_t context, int tag)
{
	if (coord_sent(p2p.coord, peer, context, coord_tag(context, tag)))
		p2p.drive();
}

static bool may_send(void *peer, int *expect)
{
	*expect = *(int *)peer;
	return tp_may_send(engine_tp(), *expect);
}

/* The ring to the peer is full. What is queued then is dearer for both, so a call that may wait
 * does so a moment for room; one that has waited in vain has no more to wait for, as it leaves a
 * queue. */
static __attribute__((noinline)) int send_in_a_moment(const struct p2p_message *m, uint64_t context,
	bool told, int peer, const void *payload, size_t len)
{
	struct tp_envelope te;

	engine_spin_for_room(peer, may_send, &peer);
	te = envelope_of(m, context, told); /* a line may have been cut meanwhile */
	return tp_send(engine_tp(), peer, &te, payload, len, TP_NOW | uncounted(context), NULL);
}

/* Into the log; to this rank itself by a request. */
static __attribute__((noinline)) int send_logged(
	const struct p2p_message *m, int peer, struct request **rest)
{
	if (peer == p2p_msglog->self)
		return p2p_isend(m, rest);
	*rest = NULL;
	return p2p_log_send(m, peer, NULL);
}

static int send_by_request(const struct p2p_message *m, unsigned flags, struct request **out);

int p2p_send(const struct p2p_message *m, bool may_wait, struct request **rest)
{
	char packed[PACKED_HERE];
	const void *payload = type_piece(m->type, m->buf, (size_t)m->count);
	size_t len = (size_t)p2p_room(m);
	struct tp_envelope te;
	uint64_t context;
	bool told;
	int peer, rc;

	engine_assert_held();
	if (m->rank < 0 || m->mode == SEND_SYNC)
		return p2p_isend(m, rest);
	peer = comm_world_rank(m->comm, m->rank);
	if (p2p_logs())
		return send_logged(m, peer, rest);
	if (__builtin_expect(!payload && len, false)) {
		if (len > PACKED_HERE || goes_by_cursor(len))
			return send_by_request(m, may_wait ? TP_AWAITED : 0, rest);
		type_pack(m->type, m->buf, (size_t)m->count, packed);
		payload = packed;
	}
	context = p2p_context(m);
	told = p2p_is_told(context);
	te = envelope_of(m, context, told);
	rc = tp_send(engine_tp(), peer, &te, payload, len,
		TP_NOW | (may_wait ? TP_UNQUEUED : 0) | uncounted(context), NULL);
	if (__builtin_expect(rc == FT_EAGAIN && may_wait && !tp_may_send(engine_tp(), peer), false))
		rc = send_in_a_moment(m, context, told, peer, payload, len);
	/* else nothing was sent: a request sends it, or says what is wrong */
	if (rc != 1)
		return send_by_request(m, may_wait ? TP_AWAITED : 0, rest);
	if (told)
		note_sent(peer, context, m->tag);
	*rest = NULL;
	return MPI_SUCCESS;
}

/* tp_send has returned the error rc. MPI_SUCCESS: the request stays open, as the launcher acts. */
static int failed(const struct request *r, int rc, size_t len)
{
	if (rc != FT_EPEER)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a message of %zu bytes", len);
	tp_flush(engine_tp()); /* the transport may know of its loss, and not have told yet */
	if (p2p.gone[comm_world_rank(r->m.comm, r->m.rank)] && p2p.job.launched)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_PROC_ABORTED, "rank %d has left the job", r->m.rank);
}

/* A synchronous one is done when it has met its receive. */
static __attribute__((noinline)) int start_logged(struct request *r, int peer)
{
	bool sync = r->m.mode == SEND_SYNC;
	int rc = p2p_log_send(&r->m, peer, sync ? r : NULL);

	if (rc == MPI_SUCCESS && !sync)
		request_complete(r, MPI_SUCCESS);
	return rc;
}

static int start(struct request *r, unsigned flags)
{
	const void *payload = r->m.buf;
	size_t len = (size_t)p2p_room(&r->m);
	uint64_t context = p2p_context(&r->m);
	bool told = p2p_is_told(context);
	struct tp_envelope te;
	int peer, rc;

	engine_assert_held();
	if (r->m.mode == SEND_SYNC)
		flags |= TP_SYNC;
	r->source = r->m.rank;
	r->got_tag = r->m.tag;
	if (r->m.rank == MPI_PROC_NULL) {
		request_complete(r, MPI_SUCCESS);
		return MPI_SUCCESS;
	}
	peer = comm_world_rank(r->m.comm, r->m.rank);
	if (p2p_logs() && peer != p2p_msglog->self)
		return start_logged(r, peer);
	if (p2p_logs() && r->m.plane != PLANE_COLL)
		return p2p_log_send_to_self(r);
	if (!r->m.type->contiguous && len) {
		payload = payload_of(r, len);
		if (!payload)
			return fail_with(
				MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", len);
		if (payload == r->packed && goes_by_cursor(len))
			flags |= TP_IOV_CURSOR;
	}
	te = envelope_of(&r->m, context, told);
	rc = tp_send(engine_tp(), peer, &te, payload, len, flags | uncounted(context), r);
	if (rc < 0)
		return failed(r, rc, len);
	if (told)
		note_sent(peer, context, r->m.tag);
	if (rc == 1)
		request_complete(r, MPI_SUCCESS);
	return MPI_SUCCESS;
}

/* Its receiver is told in which interval that is (p2p_sync_asked.c). What is in the log is sent for
 * good. */
void p2p_send_withdraw(struct request *r)
{
	uint64_t context = p2p_context(&r->m);
	int peer = comm_world_rank(r->m.comm, r->m.rank);
	struct tp_envelope te;

	if (p2p_logs()) {
		if (peer == p2p_msglog->self)
			p2p_log_take_back(r);
		return;
	}
	te = envelope_of(&r->m, context, p2p_is_told(context));
	tp_withdraw(engine_tp(), peer, &te, r);
}

int p2p_send_start(struct request *r)
{
	return start(r, 0);
}

static int send_by_request(const struct p2p_message *m, unsigned flags, struct request **out)
{
	struct request *r = request_new(REQUEST_SEND, m);
	int rc;

	if (!r)
		return MPI_ERR_NO_MEM;
	p2p_begin(r);
	rc = start(r, flags);
	if (rc)
		request_free(r);
	else
		*out = r;
	return rc;
}

int p2p_isend(const struct p2p_message *m, struct request **out)
{
	return send_by_request(m, 0, out);
}

int p2p_send_wait(const struct p2p_message *m)
{
	struct request *rest = NULL;
	int rc = p2p_send(m, true, &rest);

	return rc || !rest ? rc : request_wait(rest, MPI_STATUS_IGNORE);
}
