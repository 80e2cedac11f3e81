/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program sends to its own rank, where messages are logged: a copy of it waits for its
 * receive, as a log has what others get. So a standard send is done at once. It is in no log, and
 * has a number, as a receive from any source may get it; one of a partitioned operation has none.
 */
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "p2p_log_inside.h"
#include "stored.h"

static struct stored *copy_of(const struct request *r)
{
	size_t len = (size_t)p2p_room(&r->m);
	struct match_msg msg = {.context = p2p_context(&r->m),
		.peer = p2p_msglog->self,
		.tag = r->m.tag,
		.source = r->m.comm->rank,
		.stamp = r->m.mode == SEND_SYNC ? P2P_LOG_SYNC : 0};
	struct stored *copy = stored_new(&msg, len);

	if (!copy)
		return NULL;
	type_pack(r->m.type, r->m.buf, (size_t)r->m.count, copy->bytes);
	copy->whole = true;
	return copy;
}

static void arrive(struct stored *m)
{
	struct request *r = p2p_log_take_bound(&m->msg);

	if (!r) {
		p2p_arrive(m);
		return;
	}
	m->msg.arrived = ++p2p.sequence;
	p2p_give(r, &m->msg);
}

int p2p_log_send_to_self(struct request *r)
{
	struct stored *copy = copy_of(r);

	engine_assert_held();
	if (!copy)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a copy of a message of %zu bytes",
			(size_t)p2p_room(&r->m));
	tp_count_sent(engine_tp(), p2p_msglog->self, (size_t)p2p_room(&r->m));
	if (r->m.plane == PLANE_POINT)
		copy->msg.index = msglog_sent_to_self(p2p_msglog);
	if (r->m.mode == SEND_SYNC)
		p2p_log_sync_begin(r, p2p_msglog->self, copy->msg.index);
	else
		request_complete(r, MPI_SUCCESS);
	arrive(copy);
	return MPI_SUCCESS;
}

void p2p_log_take_back(struct request *r)
{
	struct match_msg *msg = p2p_log_find(r->peer, r->index);

	if (!msg)
		return;
	match_remove(&p2p.match, msg);
	stored_release(msg->stored);
	r->cancelled = true;
	p2p_log_sync_met(r->peer, r->index); /* nothing waits for it any more */
}
