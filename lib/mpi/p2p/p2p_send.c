/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending: a message's data is found or packed, and goes to the transport. One that leaves at once
 * needs no request.
 */
#include <stdlib.h>

#include "base/error.h"
#include "envelope.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_inside.h"
#include "p2p_saved.h"
#include "pieces.h"

static void other_sent(struct object *head)
{
	if (head->kind == OBJECT_SAID)
		p2p.job.coordination->sent(head);
	else
		p2p.job.windows->sent(head);
}

void p2p_on_sent(void *user, void *cookie, int rc)
{
	struct request *r = cookie;

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

/* What must wait for its receiver is packed while it goes. */
static bool goes_in_pieces(size_t len)
{
	return len > p2p.job.eager_limit;
}

/* The data of a send: where it lies, in pieces, or packed. NULL: no memory. */
static const void *payload_of(struct request *r, size_t len)
{
	void *piece = type_piece(r->type, r->buf, r->count);

	if (piece)
		return piece;
	if (goes_in_pieces(len)) {
		r->packed = pieces_out(r->type, r->buf, r->count);
		return r->packed;
	}
	r->packed = malloc(len);
	if (r->packed)
		type_pack(r->type, r->buf, r->count, r->packed);
	return r->packed;
}

/* As tp_send; the protocol is told what leaves. */
static inline int transmit(struct envelope *e, int peer, const void *payload, size_t len,
	unsigned flags, struct request *r)
{
	bool told = p2p_is_told(e->context);
	struct tp_envelope te;
	int rc;

	if (told)
		e->stamp = coord_stamp(p2p.coord);
	te = envelope_pack(e);
	rc = tp_send(engine_tp(), peer, &te, payload, len, flags, r);
	if (rc >= 0 && told &&
		coord_sent(p2p.coord, peer, e->context, coord_tag(e->context, e->tag)))
		p2p.drive();
	return rc;
}

bool p2p_send_now(const struct comm *c, enum plane plane, const struct p2p_message *m)
{
	struct envelope e = {.context = c->context | plane, .tag = m->tag, .source = c->rank};
	const void *payload = type_piece(m->t, m->buf, m->count);
	size_t len = m->count * m->t->size;

	if (m->rank < 0 || (len && !payload))
		return false;
	return transmit(&e, comm_world_rank(c, m->rank), payload, len, TP_NOW, NULL) == 1;
}

int p2p_send_start(struct request *r)
{
	const void *payload = r->buf;
	size_t len = (size_t)p2p_room(r);
	struct envelope e = {.context = p2p_context(r), .tag = r->tag, .source = r->comm->rank};
	unsigned flags = r->mode == SEND_SYNC ? TP_SYNC : 0;
	int peer, rc;

	r->source = r->rank;
	r->got_tag = r->tag;
	if (r->rank == MPI_PROC_NULL) {
		request_complete(r, MPI_SUCCESS);
		return MPI_SUCCESS;
	}
	peer = comm_world_rank(r->comm, r->rank);
	if (!r->type->contiguous && len) {
		payload = payload_of(r, len);
		if (!payload)
			return fail_with(
				MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", len);
		if (payload == r->packed && goes_in_pieces(len))
			flags |= TP_PIECES;
	}
	rc = transmit(&e, peer, payload, len, flags, r);
	if (rc == FT_EPEER)
		tp_flush(engine_tp()); /* the news of its loss may be on its way */
	if (rc == 1)
		request_complete(r, MPI_SUCCESS);
	if (rc >= 0 || (rc == FT_EPEER && p2p.gone[peer] && p2p.job.launched))
		return MPI_SUCCESS;
	if (rc == FT_EPEER)
		return fail_with(MPI_ERR_PROC_ABORTED, "rank %d has left the job", r->rank);
	return fail_with(MPI_ERR_NO_MEM, "no memory for a message of %zu bytes", len);
}
