/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point messages: requests above, the transport below, matching between. The transport's
 * upcalls end here; they run with the engine lock held, on whichever thread makes progress.
 */
#include "p2p.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "base/error.h"
#include "coord_talk.h"
#include "engine.h"
#include "envelope.h"
#include "inflight.h"
#include "match.h"
#include "p2p_buffer.h"
#include "p2p_message.h"
#include "p2p_part.h"
#include "p2p_saved.h"
#include "p2p_state.h"
#include "pieces.h"
#include "queues.h"
#include "request.h"
#include "rma.h"
#include "stored.h"

static struct {
	struct match match;
	struct p2p_job job;
	bool *gone;	     /* by world rank: its connection broke */
	bool anyone_gone;    /* and there is no launcher */
	struct coord *coord; /* told of every message; NULL */
	uint64_t moment;     /* messages that have come or met their receives so far */
} s;

void p2p_coordinate(struct coord *c)
{
	s.coord = c;
}

struct match *p2p_matching(void)
{
	return &s.match;
}

uint64_t p2p_moment(void)
{
	return s.moment;
}

bool p2p_gone(void)
{
	return s.anyone_gone;
}

int p2p_init(const struct p2p_job *job)
{
	s.job = *job;
	s.gone = calloc((size_t)job->size, sizeof *s.gone);
	if (!s.gone)
		return FT_ENOMEM;
	if (match_init(&s.match, job->size) != 0) {
		free(s.gone);
		return FT_ENOMEM;
	}
	requests_init();
	return 0;
}

static bool forget_stored(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (msg->taken)
		message_forget(msg->taken);
	if (msg->stored)
		stored_release(msg->stored);
	return true;
}

void p2p_fini(void)
{
	p2p_each_kept(forget_stored, NULL);
	match_fini(&s.match);
	buffers_fini();
	parts_fini();
	requests_fini();
	free(s.gone);
	s.gone = NULL;
}

static uint64_t context_of(const struct request *r)
{
	return r->comm->context | r->plane;
}

static uint64_t capacity(const struct request *r)
{
	return (uint64_t)r->count * r->type->size;
}

/* ---- receiving ---- */

/* The sender's rank in the communicator; what the sender says counts only if it is true. */
static int source_rank(const struct comm *c, int peer, int said)
{
	if (said >= 0 && said < c->npeers && comm_world_rank(c, said) == peer)
		return said;
	for (int i = 0; i < c->npeers; i++)
		if (comm_world_rank(c, i) == peer)
			return i;
	return MPI_ANY_SOURCE;
}

/* The request has its message. */
static inline void take_message(struct request *r, const struct match_msg *msg)
{
	r->posted = false;
	r->peer = msg->peer;
	r->stamp = msg->stamp;
	r->index = msg->index;
	r->arrived = msg->arrived;
	r->matched = __builtin_expect(msg->matched != 0, false) ? msg->matched : ++s.moment;
	r->source = r->rank >= 0 ? r->rank : source_rank(r->comm, msg->peer, msg->source);
	r->got_tag = msg->tag;
}

/* Where shall its payload go? Without memory nowhere, and the receive fails. */
static inline struct tp_place place_for(struct request *r)
{
	struct tp_place place = {.buf = r->buf, .room = capacity(r), .cookie = r};

	if (r->type->contiguous || place.room == 0)
		return place;
	place.buf = type_piece(r->type, r->buf, r->count);
	if (place.buf)
		return place;
	r->packed = place.pieces = pieces_in(r->type, r->buf, r->count);
	if (!r->packed) {
		r->error = MPI_ERR_NO_MEM;
		place.room = 0;
	}
	return place;
}

/* The protocol is told of it. */
static bool of_program(uint64_t context)
{
	return s.coord && !comm_is_coord_context(context);
}

/* A message that has come; its index is not known yet. */
static struct match_msg msg_from(const struct envelope *e, int peer)
{
	return (struct match_msg){.context = e->context,
		.peer = peer,
		.tag = e->tag,
		.source = e->source,
		.stamp = e->stamp,
		.arrived = ++s.moment};
}

static inline uint64_t tell_arrival(const struct match_msg *m)
{
	return coord_arrived(s.coord, m->peer, m->context, coord_tag(m->context, m->tag), m->stamp);
}

/* Of a message that the protocol is told of. */
static bool is_void(const struct envelope *e, int peer)
{
	return coord_discards(s.coord, peer, e->context, coord_tag(e->context, e->tag), e->stamp);
}

/* What is read and thrown away. */
static struct object sink = {.kind = OBJECT_SINK};

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *te, uint64_t length)
{
	struct envelope e = envelope_unpack(te);
	bool told = of_program(e.context);
	struct match_recv *m;
	struct match_msg msg;
	struct tp_place place;
	struct request *r;

	(void)user;
	if (__builtin_expect(comm_is_coord_talk(e.context), false))
		return talk_place(peer, length);
	if (__builtin_expect(rma_is_context(e.context), false))
		return rma_place(peer, &e, length);
	if (__builtin_expect(told && is_void(&e, peer), false)) {
		coord_noted(s.coord);
		return (struct tp_place){.cookie = &sink};
	}
	m = match_arrival(&s.match, e.context, peer, e.tag);
	if (!m)
		return (struct tp_place){0};
	engine_set_posted(s.match.nposted);
	r = container_of(m, struct request, match);
	msg = msg_from(&e, peer);
	if (told)
		msg.index = tell_arrival(&msg);
	take_message(r, &msg);
	place = place_for(r);
	if (!told)
		return place;
	if (__builtin_expect(coord_making(s.coord), false))
		inflight_open(r);
	coord_noted(s.coord);
	return place;
}

static struct match_msg *msg_of(struct tp_held *held)
{
	static_assert(
		sizeof(struct match_msg) <= sizeof held->user, "it is kept in the held message");
	return (struct match_msg *)(void *)held->user;
}

static void on_keep(void *user, struct tp_held *held)
{
	struct envelope e = envelope_unpack(&held->envelope);
	struct match_msg *msg = msg_of(held);

	(void)user;
	*msg = msg_from(&e, held->peer);
	msg->since = queues_moment();
	match_keep(&s.match, msg);
	engine_completed(); /* somebody may be probing for it */
	if (!of_program(e.context))
		return;
	msg->index = tell_arrival(msg);
	if (__builtin_expect(coord_making(s.coord), false))
		inflight_kept(msg);
	coord_noted(s.coord);
}

static void on_forget(void *user, struct tp_held *held)
{
	struct match_msg *msg = msg_of(held);

	(void)user;
	match_forget(msg);
	if (msg->inflight)
		inflight_withdrawn(msg->inflight);
}

/* The rest of a receive's life: its message is in its place. */
static void finish_recv(struct request *r, uint64_t length, int rc)
{
	uint64_t room = capacity(r);
	int error = MPI_SUCCESS;

	r->length = length;
	r->bytes = length < room ? length : room;
	if (rc)
		error = MPI_ERR_PROC_ABORTED;
	else if (__builtin_expect(length != room, false))
		error = p2p_uneven(r, room);
	if (!rc && !r->type->contiguous && r->error)
		error = r->error;
	if (rc && s.job.launched)
		return; /* the launcher ends or restarts this process: no answer, so no wrong one */
	if (__builtin_expect(r->inflight != NULL, false))
		inflight_filled(r, request_arrived(error));
	request_complete(r, error);
}

/* A message in our memory has its receive and is whole, or never will be. */
static void fill(struct request *r, struct stored *m, int rc)
{
	uint64_t room = capacity(r), n = m->length < room ? m->length : room;

	if (!rc)
		type_unpack(r->type, r->buf, r->count, m->bytes, (size_t)n);
	r->stored = NULL;
	finish_recv(r, m->length, rc);
	stored_release(m);
}

/* What the transport filled. Is its sender gone, the launcher acts; without one the receive fails.
 */
static void stored_received(struct stored *m, int rc)
{
	if (!rc || !s.job.launched) {
		m->whole = true;
		m->rc = rc;
		if (m->msg.inflight)
			inflight_whole(m->msg.inflight);
		if (m->receive)
			fill(m->receive, m, rc);
	}
	stored_release(m);
}

static void other_received(struct object *head, int rc)
{
	if (head->kind == OBJECT_STORED)
		stored_received((struct stored *)(void *)head, rc);
	else if (head->kind == OBJECT_HEARD)
		talk_received(head, rc);
	else if (head->kind == OBJECT_RMA_HEARD)
		rma_received(head, rc);
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct object *head = cookie;

	(void)user;
	if (__builtin_expect(head->kind >= OBJECT_STORED, false))
		other_received(head, rc);
	else
		finish_recv(cookie, length, rc);
}

/* A message in our memory, taken out of the lists, goes to a receive. */
static void deliver_stored(struct request *r, struct stored *m)
{
	take_message(r, &m->msg);
	if (m->msg.inflight)
		inflight_matched(m->msg.inflight, r);
	r->stored = m;
	m->receive = r;
	if (m->whole)
		fill(r, m, m->rc);
}

void p2p_arrive(struct stored *m)
{
	struct match_recv *recv = match_arrival(&s.match, m->msg.context, m->msg.peer, m->msg.tag);

	m->msg.arrived = ++s.moment;
	if (!recv) {
		m->msg.since = queues_moment();
		match_keep(&s.match, &m->msg);
		return;
	}
	engine_set_posted(s.match.nposted);
	deliver_stored(container_of(recv, struct request, match), m);
}

/* The transport has it, taken out of the lists. */
static void start_held(struct request *r, struct match_msg *msg)
{
	struct tp_held *held = container_of(msg, struct tp_held, user);
	struct tp_place place;

	take_message(r, msg);
	place = place_for(r);
	if (__builtin_expect(msg->inflight != NULL, false))
		inflight_matched(msg->inflight, r);
	tp_claim(engine_tp(), held, place);
}

static inline void give(struct request *r, struct match_msg *msg)
{
	if (msg->stored)
		deliver_stored(r, msg->stored);
	else
		start_held(r, msg);
}

void p2p_give(struct request *r, struct match_msg *msg)
{
	give(r, msg);
}

static void start_recv(struct request *r)
{
	struct match_msg *msg;

	if (r->rank == MPI_PROC_NULL) {
		r->source = MPI_PROC_NULL;
		r->got_tag = MPI_ANY_TAG;
		request_complete(r, MPI_SUCCESS);
		return;
	}
	r->match.context = context_of(r);
	r->match.peer =
		r->rank == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : comm_world_rank(r->comm, r->rank);
	r->match.tag = r->tag;
	msg = match_post(&s.match, &r->match);
	r->posted = !msg;
	engine_set_posted(s.match.nposted);
	if (msg) {
		give(r, msg);
	} else if (r->match.peer >= 0 && s.gone[r->match.peer] && !s.job.launched) {
		p2p_cancel(r);
		request_complete(r, MPI_ERR_PROC_ABORTED);
	}
}

/* ---- sending ---- */

static void other_sent(struct object *head)
{
	if (head->kind == OBJECT_SAID)
		talk_sent(head);
	else
		rma_sent(head);
}

static void on_sent(void *user, void *cookie, int rc)
{
	struct request *r = cookie;

	(void)user;
	if (__builtin_expect(r->head.kind >= OBJECT_STORED, false)) {
		other_sent(&r->head);
		return;
	}
	if (rc == FT_EPEER && s.job.launched)
		return; /* as in on_received */
	r->cancelled = rc == FT_ECANCEL;
	request_complete(r, rc == FT_EPEER ? MPI_ERR_PROC_ABORTED : MPI_SUCCESS);
}

/* What must wait for its receiver is packed while it goes. */
static bool goes_in_pieces(size_t len)
{
	return len > s.job.eager_limit;
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
	bool told = of_program(e->context);
	struct tp_envelope te;
	int rc;

	if (told)
		e->stamp = coord_stamp(s.coord);
	te = envelope_pack(e);
	rc = tp_send(engine_tp(), peer, &te, payload, len, flags, r);
	if (rc >= 0 && told)
		coord_sent(s.coord, peer, e->context, coord_tag(e->context, e->tag));
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

static int start_send(struct request *r)
{
	const void *payload = r->buf;
	size_t len = (size_t)capacity(r);
	struct envelope e = {.context = context_of(r), .tag = r->tag, .source = r->comm->rank};
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
			return api_fail(
				MPI_ERR_NO_MEM, "no memory to pack a message of %zu bytes", len);
		if (payload == r->packed && goes_in_pieces(len))
			flags |= TP_PIECES;
	}
	rc = transmit(&e, peer, payload, len, flags, r);
	if (rc == FT_EPEER)
		tp_flush(engine_tp()); /* the news of its loss may be on its way */
	if (rc == 1)
		request_complete(r, MPI_SUCCESS);
	if (rc >= 0 || (rc == FT_EPEER && s.gone[peer] && s.job.launched))
		return MPI_SUCCESS;
	if (rc == FT_EPEER)
		return api_fail(MPI_ERR_PROC_ABORTED, "rank %d has left the job", r->rank);
	return api_fail(MPI_ERR_NO_MEM, "no memory for a message of %zu bytes", len);
}

int p2p_start_message(struct request *r)
{
	if (r->kind == REQUEST_SEND)
		return start_send(r);
	start_recv(r);
	return MPI_SUCCESS;
}

int p2p_start(struct request *r)
{
	int rc = MPI_SUCCESS;

	r->active = true;
	r->done = r->cancelled = false;
	r->error = MPI_SUCCESS;
	r->bytes = r->length = 0;
	if (__builtin_expect(queues_timed, false))
		r->since = queues_moment();
	if (__builtin_expect(r->class != NULL, false))
		rc = r->class->start(r);
	else if (r->kind == REQUEST_RECV)
		start_recv(r);
	else
		rc = start_send(r);
	if (rc)
		r->active = false;
	return rc;
}

int p2p_cancel(struct request *r)
{
	if (r->class && r->class->cancel)
		return r->class->cancel(r);
	if (r->kind == REQUEST_SEND && !r->done && r->rank >= 0)
		tp_withdraw(engine_tp(), comm_world_rank(r->comm, r->rank), r);
	if (r->kind == REQUEST_RECV && r->posted) {
		match_withdraw(&s.match, &r->match);
		engine_set_posted(s.match.nposted);
		r->posted = false;
		r->cancelled = true;
	}
	return MPI_SUCCESS;
}

uint64_t p2p_length(const struct match_msg *msg)
{
	return msg->stored ? msg->stored->length : container_of(msg, struct tp_held, user)->length;
}

struct match_msg *p2p_probe(struct comm *c, int source, int tag, struct p2p_found *out)
{
	int peer = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : comm_world_rank(c, source);
	struct match_msg *msg = match_probe(&s.match, c->context | PLANE_POINT, peer, tag);

	if (!msg)
		return NULL;
	out->source = source >= 0 ? source : source_rank(c, msg->peer, msg->source);
	out->tag = msg->tag;
	out->bytes = p2p_length(msg);
	return msg;
}

uint64_t p2p_next_moment(void)
{
	return ++s.moment;
}

/* ---- the end of a peer ---- */

static void fail_posted(struct link *list, int peer)
{
	list_for_each_safe (item, list) {
		struct match_recv *m = container_of(item, struct match_recv, link);
		struct request *r = container_of(m, struct request, match);
		int source = source_rank(r->comm, peer, -1);

		if (source < 0)
			continue;
		match_withdraw(&s.match, m);
		r->posted = false;
		r->source = source;
		request_complete(r, MPI_ERR_PROC_ABORTED);
	}
}

static void on_lost(void *user, int peer, const char *why)
{
	(void)user;
	s.gone[peer] = true;
	s.anyone_gone = !s.job.launched;
	s.job.lost(peer, why);
	if (s.job.launched)
		return;
	fail_posted(&s.match.posted[peer], peer);
	fail_posted(&s.match.any, peer);
	engine_set_posted(s.match.nposted);
}

static void on_notify(void *user)
{
	(void)user;
	engine_tell();
}

const struct tp_upcalls p2p_upcalls = {
	.match = on_match,
	.keep = on_keep,
	.forget = on_forget,
	.received = on_received,
	.sent = on_sent,
	.lost = on_lost,
	.notify = on_notify,
};
