/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How logged messages arrive and meet their receives.
 *
 * A message whose connection breaks while its contents come begins to arrive again. Meanwhile its
 * receive stays as it was, in a list of its peer (away); one without a receive keeps its place
 * among the others by a stored message without contents, so that no later one is found before it.
 *
 * While a rank runs again, a receive of which an outcome of before tells the message waits for that
 * one, and for nothing else, in a list of its own (bound); so does one that was cancelled, for
 * none. Numbers of receives count those that the program posts. Both lists may be long, and
 * receives are found in them by their messages' numbers (numbered.h).
 */
#include <stdlib.h>

#include "base/error.h"
#include "envelope.h"
#include "mpi/engine/engine.h"
#include "numbered.h"
#include "p2p_log_inside.h"
#include "p2p_probe.h"
#include "p2p_saved.h"
#include "stored.h"

static struct match_list *away; /* by peer: receives whose message comes again */
static struct match_list bound; /* receives that are in no matching list */
static int peers;

/* The message that is asked about (p2p_log_match) keeps a place in the lists, which it takes when
 * it is kept. */
static struct match_msg *kept;

/* What comes a second time, and is thrown away. */
static struct object duplicate = {.kind = OBJECT_DUPLICATE, .refs = 1};

int p2p_log_recv_start(int size)
{
	away = malloc((size_t)size * sizeof *away);
	if (!away)
		return FT_ENOMEM;
	for (int i = 0; i < size; i++)
		match_list_init(&away[i]);
	peers = size;
	match_list_init(&bound);
	p2p.match.numbered = true;
	return 0;
}

/* Some may still be in the lists. */
void p2p_log_recv_fini(void)
{
	if (!away)
		return;
	for (int i = 0; i < peers; i++)
		match_index_forget(&away[i]);
	match_index_forget(&bound);
	free(away);
	away = NULL;
}

static bool is_self(int peer)
{
	return peer == p2p_msglog->self;
}

/* The number with this low half that is nearest to those that have come. */
static uint64_t number_of(int peer, uint32_t low)
{
	uint64_t near = p2p_msglog->pairs[peer].arrived.begun;
	int32_t distance = (int32_t)(low - (uint32_t)near);

	return near + (uint64_t)(int64_t)distance;
}

/* Those in lists of this file count, too. */
static void count_posted(int more)
{
	p2p.match.nposted += (unsigned)more;
	engine_set_posted(p2p.match.nposted);
}

/* ---- receives that are bound ---- */

static struct request *take_bound(int peer, uint64_t number)
{
	struct request *r = numbered_find(&bound, &p2p.match.hooks, peer, number);

	if (r)
		p2p_log_withdraw(r);
	return r;
}

void p2p_log_withdraw(struct request *r)
{
	r->bound = false;
	numbered_remove(&bound, r);
	count_posted(-1);
}

static bool fits(const struct request *r, uint64_t context, int peer, int tag)
{
	return r->match.context == context &&
	       (r->match.peer == peer || r->match.peer == MPI_ANY_SOURCE) &&
	       (r->match.tag == tag || r->match.tag == MPI_ANY_TAG);
}

struct request *p2p_log_take_bound(const struct match_msg *msg)
{
	struct request *r = msg->index ? take_bound(msg->peer, msg->index) : NULL;

	if (r && !fits(r, msg->context, msg->peer, msg->tag))
		p2p_log_strange();
	return r;
}

static void bind_to(struct request *r, int peer, uint64_t number)
{
	r->peer = peer;
	r->index = number;
	r->bound = true;
	request_become(r, REQUEST_POSTED);
	numbered_add(&bound, r);
	count_posted(1);
}

struct match_msg *p2p_log_find(int peer, uint64_t number)
{
	return match_numbered(&p2p.match, peer, number);
}

/* One that MPI_Mprobe has found, too; of these a program has few at a time. */
static struct match_msg *find(int peer, uint64_t number)
{
	struct match_msg *unexpected = p2p_log_find(peer, number);

	if (unexpected)
		return unexpected;
	list_for_each (item, &p2p.match.matched) {
		struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (msg->peer == peer && msg->index == number)
			return msg;
	}
	return NULL;
}

static bool has_begun(int peer, uint64_t number)
{
	const struct arrival_order *a = &p2p_msglog->pairs[peer].arrived;

	return number <= a->begun && !number_list_has(&a->skipped, number);
}

bool p2p_log_has_met(int peer, uint64_t number)
{
	const struct match_msg *msg = find(peer, number);

	return has_begun(peer, number) && (!msg || msg->stamp & P2P_LOG_MET);
}

bool p2p_log_is_gone(int peer, uint64_t number)
{
	return has_begun(peer, number) && !p2p_log_find(peer, number);
}

static void bind_posted(struct request *r, int peer, uint64_t number)
{
	match_withdraw(&p2p.match, &r->match);
	request_become(r, REQUEST_STARTED);
	bind_to(r, peer, number);
}

/* A message of before that had come by the time of the image has its receive in it. */
static void bind_again(struct request *r, void *arg)
{
	uint64_t number = 0;
	uint32_t peer = 0;

	(void)arg;
	if (r->kind != REQUEST_RECV || r->state != REQUEST_POSTED || r->m.plane != PLANE_POINT ||
		r->m.rank == MPI_PROC_NULL)
		return;
	switch (expected_receives_fate(&p2p_msglog->outcomes.expected, r->post, &peer, &number)) {
	case FATE_OPEN:
		return;
	case FATE_CANCELLED:
		bind_posted(r, MPI_ANY_SOURCE, 0);
		return;
	case FATE_MESSAGE:
		bind_posted(r, (int)peer, number);
		return;
	}
}

void p2p_log_bind_again(void)
{
	requests_each(bind_again, NULL);
}

bool p2p_log_post(struct request *r, struct match_msg **msg)
{
	struct outcomes *o = &p2p_msglog->outcomes;
	uint64_t number;
	uint32_t peer = 0;
	int from = 0;

	if (r->m.plane != PLANE_POINT)
		return false;
	number = p2p_log_number_post(r, &from);
	*msg = number ? p2p_log_find(from, number) : NULL;
	if (*msg) {
		match_remove(&p2p.match, *msg);
		return true;
	}
	switch (expected_receives_fate(&o->expected, r->post, &peer, &number)) {
	case FATE_OPEN:
		return false;
	case FATE_CANCELLED:
		bind_to(r, MPI_ANY_SOURCE, 0);
		return true;
	case FATE_MESSAGE:
		break;
	}
	if (r->match.peer != MPI_ANY_SOURCE)
		p2p_log_strange();
	*msg = p2p_log_find((int)peer, number);
	if (*msg ? !fits(r, (*msg)->context, (*msg)->peer, (*msg)->tag)
		 : p2p_log_is_gone((int)peer, number))
		p2p_log_strange();
	if (*msg)
		match_remove(&p2p.match, *msg);
	else
		bind_to(r, (int)peer, number);
	return true;
}

/* ---- a message comes ---- */

/* It began to arrive before. */
static struct tp_place place_again(int peer, uint64_t number)
{
	struct request *r = numbered_find(&away[peer], &p2p.match.hooks, peer, number);

	if (r) {
		numbered_remove(&away[peer], r);
		count_posted(-1);
		return p2p_place_of(r);
	}
	kept = find(peer, number);
	if (kept && kept->stored)
		return (struct tp_place){.counted = true};
	kept = NULL;
	return (struct tp_place){.cookie = &duplicate};
}

static struct tp_place place_new(int peer, const struct envelope *e, uint64_t number)
{
	struct request *r = take_bound(peer, number);
	struct match_recv *m;

	if (r && !fits(r, e->context, peer, e->tag))
		p2p_log_strange();
	if (!r) {
		m = match_arrival(&p2p.match, e->context, peer, e->tag);
		if (!m)
			return (struct tp_place){.counted = true};
		engine_set_posted(p2p.match.nposted);
		r = container_of(m, struct request, match);
	}
	request_become(r, REQUEST_MATCHED);
	r->peer = peer;
	r->stamp = (uint32_t)e->source & P2P_LOG_SYNC;
	r->index = number;
	r->arrived = ++p2p.sequence;
	r->matched = ++p2p.sequence;
	r->source = r->m.rank >= 0 ? r->m.rank
				   : p2p_source_rank(r->m.comm, peer, e->source & ~P2P_LOG_SYNC);
	r->got_tag = e->tag;
	p2p_log_met(r);
	return p2p_place_of(r);
}

/* The sender may not have heard that it has met its receive. */
static void tell_again(int peer, const struct envelope *e, uint64_t number)
{
	if (e->source & P2P_LOG_SYNC && p2p_log_has_met(peer, number))
		p2p_log_owe(peer, number);
}

struct tp_place p2p_log_match(int peer, const struct envelope *e, uint64_t length)
{
	uint64_t number;

	(void)length;
	kept = NULL;
	if (is_self(peer)) /* of a collective operation: p2p_log_send_to_self has the others */
		return place_new(peer, e, 0);
	number = number_of(peer, e->stamp);
	switch (msglog_arrives(p2p_msglog, peer, number)) {
	case ARRIVAL_NEW:
		return place_new(peer, e, number);
	case ARRIVAL_AGAIN:
		tell_again(peer, e, number);
		return place_again(peer, number);
	case ARRIVAL_DUPLICATE:
		tell_again(peer, e, number);
		return (struct tp_place){.cookie = &duplicate};
	case ARRIVAL_GAP:
		p2p_log_end(MPI_ERR_INTERN, "messages before one that has come are missing", peer);
	case ARRIVAL_NO_MEMORY:
		break;
	}
	p2p_log_end(MPI_ERR_NO_MEM, "there is no memory for a message", peer);
}

/* One that comes again takes the place that was kept for it. */
void p2p_log_keep(struct match_msg *msg)
{
	msg->index = is_self(msg->peer) ? 0 : number_of(msg->peer, msg->stamp);
	msg->stamp = (uint32_t)msg->source & P2P_LOG_SYNC;
	msg->source &= ~P2P_LOG_SYNC;
	if (!kept) {
		match_add_unexpected(&p2p.match, msg);
		return;
	}
	msg->context = kept->context; /* of one that was found before, */
	msg->stamp = kept->stamp;     /* or had met its receive */
	msg->handle = kept->handle;
	msg->matched = kept->matched;
	match_replace(kept, msg);
	if (msg->handle) {
		message_moved(msg->handle, msg);
		container_of(msg, struct tp_unexpected, user)->firm = true;
	}
	stored_release(kept->stored);
}

/* ---- it does not become whole, and comes again ---- */

void p2p_log_forget(struct tp_unexpected *held)
{
	struct match_msg *msg = (struct match_msg *)(void *)held->user;
	struct stored *m = stored_new(msg, 0);

	if (!m)
		p2p_log_end(MPI_ERR_NO_MEM, "there is no memory for a message", msg->peer);
	m->length = held->length;
	match_replace(msg, &m->msg);
	if (m->msg.handle)
		message_moved(m->msg.handle, &m->msg);
}

/* As a receive that is posted: the progress thread looks for its message. */
static void await(struct request *r)
{
	match_place_init(&r->match.place);
	numbered_add(&away[r->peer], r);
	count_posted(1);
}

void p2p_log_unmatch(struct request *r)
{
	free(r->packed);
	r->packed = NULL;
	r->error = MPI_SUCCESS;
	await(r);
}

void p2p_log_give(struct request *r, struct stored *m)
{
	await(r);
	stored_release(m);
}

void p2p_log_settle(int peer)
{
	list_for_each (item, &p2p.match.unexpected[peer].list) {
		struct match_msg *msg = container_of(item, struct match_msg, place.link);

		if (p2p_is_here(msg))
			msglog_arrived(p2p_msglog, peer, msg->index);
	}
	list_for_each (item, &p2p.match.matched) {
		struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (msg->peer == peer && p2p_is_here(msg))
			msglog_arrived(p2p_msglog, peer, msg->index);
	}
}

/* ---- receives ---- */

void p2p_log_met(struct request *r)
{
	struct outcomes *o = &p2p_msglog->outcomes;

	if (r->match.peer == MPI_ANY_SOURCE &&
		!outcomes_match(o, r->post, (uint32_t)r->peer, r->index))
		p2p_log_end(MPI_ERR_NO_MEM, "there is no memory for what a receive got", r->peer);
	if (r->stamp & P2P_LOG_SYNC && is_self(r->peer))
		p2p_log_sync_met(r->peer, r->index);
	else if (r->stamp & P2P_LOG_SYNC)
		p2p_log_owe(r->peer, r->index);
	p2p_log_drive();
}

bool p2p_log_received(struct request *r, int rc)
{
	if (rc == FT_EPEER) {
		p2p_log_unmatch(r);
		return false;
	}
	if (rc)
		p2p_log_end(MPI_ERR_NO_MEM, "there is no memory for a message", r->peer);
	if (!is_self(r->peer))
		msglog_arrived(p2p_msglog, r->peer, r->index);
	return true;
}
