/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a process that woke up from an image the pairs of this rank and all others begin anew
 * (tp_begin_anew). A receive that had met its message and did not get all of it waits for it again,
 * in its old place; a message that was only announced is none. What the protocol was told of these
 * is void, as its own counts begin anew. No line is being made.
 */
#include <stdlib.h>
#include <string.h>

#include "inflight.h"
#include "mpi/engine/engine.h"
#include "p2p_inside.h"
#include "p2p_log_inside.h"
#include "p2p_orphan.h"
#include "stored.h"

void p2p_peers_anew(void)
{
	engine_assert_held();
	memset(p2p.gone, 0, (size_t)p2p.job.size * sizeof *p2p.gone);
	p2p.anyone_gone = false;
}

static void wait_again(struct request *r)
{
	assert(!r->inflight);
	free(r->packed);
	r->packed = NULL;
	r->stored = NULL;
	r->error = MPI_SUCCESS;
	request_become(r, REQUEST_POSTED);
	match_repost(&p2p.match, &r->match);
	engine_set_posted(p2p.match.nposted);
}

/* It was taken over from the transport, and is in the lists or has its receive: neither has it. */
static void drop_stored(struct stored *m)
{
	assert(!m->msg.handle && !m->msg.inflight);
	if (m->receive)
		wait_again(m->receive);
	else
		match_remove(&p2p.match, &m->msg);
	stored_release(m);
	stored_release(m); /* the transport's */
}

void p2p_on_unmatch(void *user, void *cookie)
{
	struct object *head = cookie;

	engine_assert_held();
	(void)user;
	if (head->kind == OBJECT_STORED)
		drop_stored(cookie);
	else if (head->kind == OBJECT_ORPHAN)
		p2p_orphan_unplace(head);
	else if (head->kind == OBJECT_CONTROL_RECEIVED)
		p2p.job.coordination->unplace(head);
	else if (head->kind == OBJECT_RMA_RECEIVED)
		p2p.job.windows->unplace(head);
	else if (head->kind != OBJECT_DUPLICATE && p2p_logs())
		p2p_log_unmatch(cookie);
	else if (head->kind != OBJECT_DUPLICATE)
		wait_again(cookie);
}
