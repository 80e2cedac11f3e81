/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving: receives that are posted, messages that come, and how one matches the other. A message
 * that comes for a posted receive (p2p_on_match) goes from the socket into its buffer, and the
 * receive is done when all of it is there (p2p_on_received). One that comes unexpected
 * (p2p_on_unexpected) is put into the matching lists and stays with the transport until a receive
 * claims it. After a restore, or while a line is made, unexpected messages may also lie in the
 * library's memory (stored.h): these are copied to their receive once they are whole.
 */
#include "base/error.h"
#include "envelope.h"
#include "inflight.h"
#include "mpi/engine/engine.h"
#include "p2p_inside.h"
#include "p2p_log_inside.h"
#include "p2p_orphan.h"
#include "p2p_saved.h"
#include "p2p_sync.h"
#include "stored.h"

/* ---- a message comes ---- */

/* A message of the library's own, or an orphan: one that this rank had received before the recovery
 * line that was restored. */
static __attribute__((noinline)) struct tp_place place_of_other(
	int peer, const struct tp_envelope *te, uint64_t length)
{
	struct envelope e = envelope_unpack(te);
	struct tp_place place;

	if (comm_is_coord_control(e.context))
		return p2p.job.coordination->place(peer, &e, length);
	if (comm_is_window(e.context))
		return p2p.job.windows->place(peer, &e, length);
	place = p2p_orphan_place(peer, &e, length);
	p2p_noted();
	return place;
}

/* A message is coming: its place is the buffer of its receive, if that is posted. */
struct tp_place p2p_on_match(void *user, int peer, const struct tp_envelope *te, uint64_t length)
{
	struct envelope e = envelope_unpack(te);
	bool told = p2p_is_told(e.context);
	int32_t tag = coord_tag(e.context, e.tag);
	struct match_recv *m;
	struct request *r;

	engine_assert_held();
	(void)user;
	if (__builtin_expect(
		    comm_is_coord_control(e.context) || comm_is_window(e.context) ||
			    (told && coord_discards(p2p.coord, peer, e.context, tag, e.stamp)),
		    false))
		return place_of_other(peer, te, length);
	if (p2p_logs())
		return p2p_log_match(peer, &e, length);
	m = match_arrival(&p2p.match, e.context, peer, e.tag);
	if (!m)
		return (struct tp_place){.counted = told && coord_counts(p2p.coord)};
	engine_set_posted(p2p.match.nposted);
	r = container_of(m, struct request, match);
	request_become(r, REQUEST_MATCHED);
	r->peer = peer;
	r->stamp = e.stamp;
	r->arrived = ++p2p.sequence;
	r->index = told ? coord_arrived(p2p.coord, peer, e.context, tag, e.stamp) : 0;
	r->matched = ++p2p.sequence;
	r->source = r->m.rank >= 0 ? r->m.rank : p2p_source_rank(r->m.comm, peer, e.source);
	r->got_tag = e.tag;
	if (told && __builtin_expect(coord_making(p2p.coord), false))
		inflight_met(r, p2p_sync_matching());
	if (told)
		p2p_noted();
	return p2p_place_of(r);
}

static struct match_msg *msg_of(struct tp_unexpected *held)
{
	static_assert(
		sizeof(struct match_msg) <= sizeof held->user, "it lies in the unexpected message");
	return (struct match_msg *)(void *)held->user;
}

void p2p_on_unexpected(void *user, struct tp_unexpected *held)
{
	struct envelope e = envelope_unpack(&held->envelope);
	struct match_msg *msg = msg_of(held);

	engine_assert_held();
	(void)user;
	*msg = (struct match_msg){.context = e.context,
		.peer = held->peer,
		.tag = e.tag,
		.source = e.source,
		.stamp = e.stamp,
		.arrived = ++p2p.sequence,
		.since = p2p_time()};
	engine_completed(); /* somebody may be probing for it */
	if (p2p_logs()) {
		p2p_log_keep(msg);
		return;
	}
	match_add_unexpected(&p2p.match, msg);
	if (!p2p_is_told(e.context))
		return;
	msg->index = coord_arrived(
		p2p.coord, msg->peer, msg->context, coord_tag(msg->context, msg->tag), msg->stamp);
	if (__builtin_expect(coord_making(p2p.coord), false))
		inflight_unexpected(msg);
	p2p_noted();
}

void p2p_on_forget(void *user, struct tp_unexpected *held)
{
	struct match_msg *msg = msg_of(held);

	engine_assert_held();
	(void)user;
	if (p2p_logs()) {
		p2p_log_forget(held);
		return;
	}
	assert(!msg->handle); /* p2p_secure_found was asked before the image */
	match_remove(&p2p.match, msg);
	if (msg->inflight)
		inflight_withdrawn(msg->inflight);
}

/* ---- messages are in their place ---- */

static void finish(struct request *r, uint64_t length, int rc)
{
	uint64_t room = p2p_room(&r->m);
	int error = MPI_SUCCESS;

	if (p2p_logs() && !p2p_log_received(r, rc))
		return;
	r->length = length;
	r->bytes = length < room ? length : room;
	if (rc)
		error = MPI_ERR_PROC_ABORTED;
	else if (__builtin_expect(length != room, false))
		error = p2p_uneven(r, room);
	if (!rc && !r->m.type->contiguous && r->error)
		error = r->error;
	if (rc && p2p.job.launched)
		return; /* the launcher ends or restarts this process: no answer, so no wrong one */
	if (__builtin_expect(p2p_may_be_orphan(r), false))
		p2p_orphan_note(r, request_arrived(error));
	if (__builtin_expect(r->inflight != NULL, false))
		inflight_filled(r, request_arrived(error));
	request_complete(r, error);
}

/* A message in the library's memory has its receive, and is whole; or rc says why it never will be.
 */
static void fill(struct request *r, struct stored *m, int rc)
{
	uint64_t room = p2p_room(&r->m), n = m->length < room ? m->length : room;

	if (!rc)
		type_unpack(r->m.type, r->m.buf, r->m.count, m->bytes, (size_t)n);
	r->stored = NULL;
	if (m->owed && !rc)
		p2p_sync_matched(m);
	finish(r, m->length, rc);
	stored_release(m);
}

/* The transport has filled a message in the library's memory, or has lost its sender: then the
 * launcher acts, and without one the receive fails. */
static void stored_received(struct stored *m, int rc)
{
	if (!rc || !p2p.job.launched) {
		m->whole = true;
		m->rc = rc;
		if (m->msg.inflight)
			inflight_whole(m->msg.inflight);
		if (m->receive)
			fill(m->receive, m, rc);
		else
			p2p_sync_withdraw_again();
	}
	stored_release(m);
}

/* Not inline, so that the receives, which are nearly all messages, save no registers for it. */
static __attribute__((noinline)) void other_received(struct object *head, int rc)
{
	if (head->kind == OBJECT_STORED)
		stored_received((struct stored *)(void *)head, rc);
	else if (head->kind == OBJECT_ORPHAN)
		p2p_orphan_received(head, rc);
	else if (head->kind == OBJECT_CONTROL_RECEIVED)
		p2p.job.coordination->received(head, rc);
	else if (head->kind == OBJECT_RMA_RECEIVED)
		p2p.job.windows->received(head, rc);
}

void p2p_on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct object *head = cookie;

	engine_assert_held();
	(void)user;
	if (__builtin_expect(head->kind >= OBJECT_STORED, false))
		other_received(head, rc);
	else
		finish(cookie, length, rc);
}

/* ---- receives are posted ---- */

static inline void set_matched(struct request *r, const struct match_msg *msg)
{
	request_become(r, REQUEST_MATCHED);
	r->peer = msg->peer;
	r->stamp = msg->stamp;
	r->index = msg->index;
	r->arrived = msg->arrived;
	r->matched = msg->matched ? msg->matched : ++p2p.sequence;
	r->source = r->m.rank >= 0 ? r->m.rank : p2p_source_rank(r->m.comm, msg->peer, msg->source);
	r->got_tag = msg->tag;
	if (p2p_logs())
		p2p_log_met(r);
}

/* An unexpected message that stayed with the transport, removed from the lists, goes to a receive.
 */
static void claim(struct request *r, struct match_msg *msg)
{
	struct tp_unexpected *held = container_of(msg, struct tp_unexpected, user);

	set_matched(r, msg);
	if (__builtin_expect(msg->inflight != NULL, false))
		inflight_matched(msg->inflight, r);
	tp_claim(engine_tp(), held, p2p_place_of(r));
}

/* The same for one in the library's memory. Not inline, as other_received. */
static __attribute__((noinline)) void give_stored(struct request *r, struct stored *m)
{
	set_matched(r, &m->msg);
	if (p2p_logs() && !m->whole) {
		p2p_log_give(r, m);
		return;
	}
	if (m->msg.inflight)
		inflight_matched(m->msg.inflight, r);
	r->stored = m;
	m->receive = r;
	if (m->whole)
		fill(r, m, m->rc);
}

static inline void give(struct request *r, struct match_msg *msg)
{
	if (msg->stored)
		give_stored(r, msg->stored);
	else
		claim(r, msg);
}

void p2p_give(struct request *r, struct match_msg *msg)
{
	engine_assert_held();
	give(r, msg);
}

void p2p_arrive(struct stored *m)
{
	struct match_recv *recv;

	engine_assert_held();
	recv = match_arrival(&p2p.match, m->msg.context, m->msg.peer, m->msg.tag);
	m->msg.arrived = ++p2p.sequence;
	if (!recv) {
		m->msg.since = p2p_time();
		match_add_unexpected(&p2p.match, &m->msg);
		return;
	}
	engine_set_posted(p2p.match.nposted);
	give_stored(container_of(recv, struct request, match), m);
}

void p2p_recv_withdraw(struct request *r)
{
	engine_assert_held();
	if (r->bound)
		p2p_log_withdraw(r);
	else
		match_withdraw(&p2p.match, &r->match);
	engine_set_posted(p2p.match.nposted);
	request_become(r, REQUEST_STARTED);
}

void p2p_recv_start(struct request *r)
{
	struct match_msg *msg = NULL;

	engine_assert_held();
	if (r->m.rank == MPI_PROC_NULL) {
		r->source = MPI_PROC_NULL;
		r->got_tag = MPI_ANY_TAG;
		request_complete(r, MPI_SUCCESS);
		return;
	}
	r->match.context = p2p_context(&r->m);
	r->match.peer = r->m.rank == MPI_ANY_SOURCE ? MPI_ANY_SOURCE
						    : comm_world_rank(r->m.comm, r->m.rank);
	r->match.tag = r->m.tag;
	if (p2p_logs() && p2p_log_post(r, &msg)) {
		if (msg)
			give(r, msg);
		return;
	}
	msg = match_post(&p2p.match, &r->match);
	if (msg) {
		give(r, msg);
		return;
	}
	request_become(r, REQUEST_POSTED);
	engine_set_posted(p2p.match.nposted);
	if (r->match.peer >= 0 && p2p.gone[r->match.peer] && !p2p.job.launched) {
		p2p_recv_withdraw(r);
		request_complete(r, MPI_ERR_PROC_ABORTED);
	}
}

/* NULL: no memory. */
static inline struct request *begin_receive(const struct p2p_message *m)
{
	struct request *r = request_new(REQUEST_RECV, m);

	if (!r)
		return NULL;
	p2p_begin(r);
	p2p_recv_start(r);
	return r;
}

int p2p_irecv(const struct p2p_message *m, struct request **out)
{
	struct request *r = begin_receive(m);

	if (!r)
		return MPI_ERR_NO_MEM;
	*out = r;
	return MPI_SUCCESS;
}

int p2p_recv(const struct p2p_message *m, MPI_Status *status)
{
	struct request *r = begin_receive(m);

	if (!r)
		return MPI_ERR_NO_MEM;
	if (!request_done(r)) {
		if (p2p_logs())
			p2p_log_awaits(r);
		engine_wait_on(request_expects(r), request_is_done, r);
	}
	return request_finish(NULL, r, status);
}

/* ---- the end of a peer ---- */

static void fail_posted(struct match_list *l, int peer)
{
	list_for_each_safe (item, &l->list) {
		struct match_recv *m = container_of(item, struct match_recv, place.link);
		struct request *r = container_of(m, struct request, match);
		int source = p2p_source_rank(r->m.comm, peer, -1);

		if (source < 0)
			continue;
		match_withdraw(&p2p.match, m);
		request_become(r, REQUEST_STARTED);
		r->source = source;
		request_complete(r, MPI_ERR_PROC_ABORTED);
	}
}

void p2p_recv_fail(int peer)
{
	engine_assert_held();
	fail_posted(&p2p.match.posted[peer], peer);
	fail_posted(&p2p.match.any, peer);
	engine_set_posted(p2p.match.nposted);
}
