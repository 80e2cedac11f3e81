/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages across a recovery line. A message is in transit when it was sent before its sender's
 * checkpoint and the program receives it after its own. That is what waits in the matching lists,
 * and what a receive that is still open has matched or even got: after a restore the program posts
 * that receive again (C5). So it does with a message that MPI_Mprobe has found. What was matched
 * comes first, in the order of the matches; then the rest in the order of arrival (C6).
 */
#include "p2p_saved.h"

#include "inflight.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "p2p_probe.h"
#include "p2p_state.h"
#include "p2p_sync.h"
#include "request.h"
#include "stored.h"

static bool each_in(struct link *list, bool (*visit)(struct match_msg *, void *), void *arg)
{
	list_for_each_safe (item, list)
		if (!visit(container_of(item, struct match_msg, all.link), arg))
			return false;
	return true;
}

bool p2p_each_unreceived(bool (*visit)(struct match_msg *msg, void *arg), void *arg)
{
	struct match *m = p2p_matching();

	return each_in(&m->matched, visit, arg) && each_in(&m->arrivals.list, visit, arg);
}

/* ---- taking over ---- */

/* In the same places of the lists. */
bool p2p_pull(struct match_msg *msg)
{
	struct tp_unexpected *held = container_of(msg, struct tp_unexpected, user);
	struct stored *m = stored_new(msg, held->length);
	struct tp_place place;

	engine_assert_held();
	if (!m)
		return false;
	match_replace(msg, &m->msg);
	if (m->msg.handle)
		message_moved(m->msg.handle, &m->msg);
	if (m->msg.inflight)
		inflight_stored(m->msg.inflight, m);
	place = (struct tp_place){
		.buf = m->bytes, .room = (size_t)held->length, .cookie = stored_hold(m)};
	m->sync = p2p_sync_name(msg);
	m->owed = m->sync != 0;
	if (m->owed)
		tp_take(engine_tp(), held, place);
	else
		tp_claim(engine_tp(), held, place);
	return true;
}

bool p2p_is_open(const struct request *r)
{
	return r->kind == REQUEST_RECV && (r->state == REQUEST_MATCHED || request_done(r)) &&
	       !r->past && !r->cancelled && r->m.rank != MPI_PROC_NULL &&
	       !comm_is_coord_context(r->match.context);
}

static bool is_whole(struct match_msg *msg, void *arg)
{
	(void)arg;
	return !msg->stored || msg->stored->whole;
}

static void look_for_open(struct request *r, void *arg)
{
	bool *waiting = arg;

	*waiting |= p2p_is_open(r) && !request_done(r);
}

bool p2p_receiving(void)
{
	bool waiting = false;

	engine_assert_held();
	requests_each(look_for_open, &waiting);
	return waiting;
}

static bool all_whole(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return p2p_each_unreceived(is_whole, NULL) && !p2p_receiving();
}

static bool take_over(struct match_msg *msg, void *arg)
{
	bool *ok = arg;

	if (!msg->stored && !comm_is_coord_context(msg->context))
		*ok = p2p_pull(msg) && *ok;
	return true;
}

bool p2p_secure(void)
{
	bool ok = true;

	engine_assert_held();
	p2p_each_unreceived(take_over, &ok);
	engine_wait(all_whole, NULL);
	return ok;
}

bool p2p_is_here(const struct match_msg *msg)
{
	return msg->stored ? msg->stored->whole
			   : tp_is_here(container_of(msg, struct tp_unexpected, user));
}

bool p2p_secure_found(void)
{
	struct link *found = &p2p_matching()->matched;
	bool all_here = true;

	engine_assert_held();
	list_for_each_safe (item, found) {
		struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (!msg->stored && !p2p_is_here(msg))
			p2p_pull(msg);
	}
	list_for_each (item, found)
		all_here &= p2p_is_here(container_of(item, struct match_msg, all.link));
	return all_here;
}

void p2p_drop(struct tp *tp, struct match_msg *msg)
{
	match_remove(p2p_matching(), msg);
	if (msg->handle)
		message_moved(msg->handle, NULL);
	if (msg->stored)
		stored_release(msg->stored);
	else
		tp_drop(tp, container_of(msg, struct tp_unexpected, user));
}

static bool forget(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (!comm_is_coord_context(msg->context))
		p2p_drop(engine_tp(), msg);
	return true;
}

static void leave_behind(struct request *r, void *arg)
{
	(void)arg;
	r->past |= p2p_is_open(r);
}

void p2p_leave_open(void)
{
	engine_assert_held();
	requests_each(leave_behind, NULL);
}

void p2p_forget(void)
{
	engine_assert_held();
	p2p_each_unreceived(forget, NULL);
	p2p_leave_open();
}

/* ---- for lines that are made while the program goes on ---- */

static void note_open(struct request *r, void *arg)
{
	(void)arg;
	if (p2p_is_open(r))
		inflight_open(r);
}

static bool note_unreceived(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (!comm_is_coord_context(msg->context))
		inflight_unexpected(msg);
	return true;
}

void p2p_note(void)
{
	engine_assert_held();
	p2p_each_unreceived(note_unreceived, NULL);
	requests_each(note_open, NULL);
}

/* ---- in a process that woke up ---- */

static void number_open(struct request *r, void *arg)
{
	struct coord *coord = arg;

	if (!p2p_is_open(r))
		return;
	r->index = coord_injected(
		coord, r->peer, r->match.context, coord_tag(r->match.context, r->got_tag));
	r->stamp = 0;
}

static bool number_unreceived(struct match_msg *msg, void *arg)
{
	struct coord *coord = arg;

	if (comm_is_coord_context(msg->context))
		return true;
	msg->index =
		coord_injected(coord, msg->peer, msg->context, coord_tag(msg->context, msg->tag));
	msg->stamp = 0;
	return true;
}

void p2p_number_anew(struct coord *coord)
{
	engine_assert_held();
	requests_each(number_open, coord);
	p2p_each_unreceived(number_unreceived, coord);
}

struct visitor {
	void (*visit)(void *arg, const struct coord_message *m);
	void *arg;
};

static void visit_open(struct request *r, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m;

	if (!p2p_is_open(r))
		return;
	m = inflight_name_open(r);
	v->visit(v->arg, &m);
}

static bool visit_unreceived(struct match_msg *msg, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m = inflight_name(msg);

	if (!comm_is_coord_context(msg->context))
		v->visit(v->arg, &m);
	return true;
}

void p2p_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	struct visitor v = {visit, arg};

	engine_assert_held();
	p2p_each_unreceived(visit_unreceived, &v);
	requests_each(visit_open, &v);
}
