/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_probe.h"

#include <stdlib.h>

#include "inflight.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "p2p_inside.h"
#include "stored.h"

static struct message *message_new(struct comm *c, int source)
{
	struct message *m = calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->head = (struct object){.kind = OBJECT_MESSAGE, .refs = 1};
	if (handle_table_add(&m->head) != MPI_SUCCESS) {
		free(m);
		return NULL;
	}
	m->comm = c;
	m->source = source;
	comm_hold(c);
	return m;
}

static void message_free(struct message *m)
{
	handle_table_remove(&m->head);
	comm_release(m->comm);
	free(m);
}

void message_forget_all(void)
{
	struct object *o;

	while ((o = handle_table_any(OBJECT_MESSAGE))) {
		struct message *m = (struct message *)(void *)o;

		if (m->msg)
			m->msg->handle = NULL;
		message_free(m);
	}
}

struct comm *message_comm(const struct message *m)
{
	return m->comm;
}

static void set_matched(struct message *m, struct match_msg *msg)
{
	m->msg = msg;
	msg->handle = m;
	msg->matched = p2p_next_sequence();
	m->order = match_set_matched(p2p_matching(), msg);
	if (p2p_is_found_before(msg->context))
		msg->context &= ~P2P_FOUND_BEFORE;
	if (msg->inflight)
		inflight_mprobed(msg->inflight, msg->matched);
	if (!msg->stored)
		container_of(msg, struct tp_unexpected, user)->firm = true;
}

uint64_t p2p_length(const struct match_msg *msg)
{
	return msg->stored ? msg->stored->length
			   : container_of(msg, struct tp_unexpected, user)->length;
}

static void tell_found(
	const struct comm *c, int source, const struct match_msg *msg, struct p2p_found *out)
{
	out->source = source >= 0 ? source : p2p_source_rank(c, msg->peer, msg->source);
	out->tag = msg->tag;
	out->bytes = p2p_length(msg);
}

static struct match_msg *probe(
	struct comm *c, int source, int tag, uint64_t plane, struct p2p_found *out)
{
	int peer = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : comm_world_rank(c, source);
	struct match_msg *msg = match_probe(p2p_matching(), c->context | plane, peer, tag);

	engine_assert_held();
	if (msg)
		tell_found(c, source, msg, out);
	return msg;
}

struct match_msg *p2p_probe(struct comm *c, int source, int tag, struct p2p_found *out)
{
	return probe(c, source, tag, PLANE_POINT, out);
}

struct match_msg *p2p_probe_found_before(struct comm *c, int source, int tag, struct p2p_found *out)
{
	return probe(c, source, tag, PLANE_POINT | P2P_FOUND_BEFORE, out);
}

bool p2p_probed(
	struct comm *c, int source, int tag, const struct match_msg *msg, struct p2p_found *out)
{
	if (msg->context != (c->context | PLANE_POINT) ||
		(source >= 0 && comm_world_rank(c, source) != msg->peer) ||
		(tag != MPI_ANY_TAG && tag != msg->tag))
		return false;
	tell_found(c, source, msg, out);
	return true;
}

int message_take(struct comm *c, struct match_msg *msg, int source, MPI_Message *out)
{
	struct message *m = message_new(c, source);

	engine_assert_held();
	*out = MPI_MESSAGE_NULL;
	if (!m)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a message's handle");
	set_matched(m, msg);
	*out = (MPI_Message)m;
	return MPI_SUCCESS;
}

int message_lookup(MPI_Message handle, struct message **out)
{
	engine_assert_held();
	*out = NULL;
	if (handle == MPI_MESSAGE_NO_PROC)
		return MPI_SUCCESS;
	if (handle == MPI_MESSAGE_NULL)
		return fail_with(MPI_ERR_REQUEST, "MPI_MESSAGE_NULL was given");
	if (!handle_table_has(handle, OBJECT_MESSAGE))
		return fail_with(MPI_ERR_REQUEST, "%p is not a message (was it received already?)",
			(void *)handle);
	*out = (struct message *)(void *)handle;
	if (!(*out)->msg)
		return fail_with(MPI_ERR_REQUEST,
			"the message was found before a line was restored: it is void");
	return MPI_SUCCESS;
}

static void give(struct request *r, struct message *m)
{
	struct match_msg *msg = m->msg;

	request_become(r, REQUEST_STARTED);
	r->m.rank = m->source;
	r->m.tag = msg->tag;
	r->match.context = msg->context;
	r->match.peer = msg->peer;
	r->match.tag = msg->tag;
	r->match.order = m->order;
	match_remove(p2p_matching(), msg);
	msg->handle = NULL;
	message_free(m);
	p2p_give(r, msg);
}

int message_receive(struct message *found, const struct p2p_message *m, struct request **out)
{
	struct request *r = request_new(REQUEST_RECV, m);

	engine_assert_held();
	if (!r)
		return MPI_ERR_NO_MEM;
	*out = r;
	if (found) {
		give(r, found);
		return MPI_SUCCESS;
	}
	r->m.rank = MPI_PROC_NULL;
	return p2p_start(r);
}
