/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronous sends, where messages are logged. One is done when its receiver says that it has met
 * its receive, and a checkpoint of data ends all that are open: the program that goes on from that
 * has them no more, and what it would learn of them it could not learn again. That is an outcome,
 * so that a rank that goes on from an older checkpoint has them end in the same place.
 */
#include <stdlib.h>

#include "base/error.h"
#include "mpi/engine/engine.h"
#include "numbered.h"
#include "p2p_log_inside.h"

static struct match_list *syncs; /* by peer: those that wait for MET */
static int peers;

int p2p_log_sync_start(int size)
{
	syncs = malloc((size_t)size * sizeof *syncs);
	peers = size;
	for (int i = 0; syncs && i < size; i++)
		match_list_init(&syncs[i]);
	return syncs ? 0 : FT_ENOMEM;
}

void p2p_log_sync_fini(void)
{
	for (int i = 0; syncs && i < peers; i++)
		match_index_forget(&syncs[i]);
	free(syncs);
	syncs = NULL;
}

struct match_list *p2p_log_syncs(int peer)
{
	return &syncs[peer];
}

void p2p_log_sync_end(struct request *r)
{
	r->over = true;
	if (request_done(r))
		return;
	numbered_remove(&syncs[r->peer], r);
	request_complete(r, MPI_SUCCESS);
}

void p2p_log_sync_begin(struct request *r, int peer, uint64_t number)
{
	r->peer = peer;
	r->index = number;
	numbered_add(&syncs[peer], r);
	if (outcomes_send_over(&p2p_msglog->outcomes, (uint32_t)peer, number))
		p2p_log_sync_end(r);
}

void p2p_log_sync_met(int peer, uint64_t number)
{
	struct request *r = numbered_find(&syncs[peer], &p2p.match.hooks, peer, number);

	if (!r)
		return;
	numbered_remove(&syncs[peer], r);
	request_complete(r, MPI_SUCCESS);
}

bool p2p_log_sync_is_open(const struct request *r)
{
	return r->kind == REQUEST_SEND && r->m.mode == SEND_SYNC && r->m.rank >= 0 &&
	       request_active(r) && !r->freed && !r->over;
}

static void end_as_before(struct request *r, void *arg)
{
	(void)arg;
	if (p2p_log_sync_is_open(r) &&
		outcomes_send_over(&p2p_msglog->outcomes, (uint32_t)r->peer, r->index))
		p2p_log_sync_end(r);
}

void p2p_log_end_as_before(void)
{
	requests_each(end_as_before, NULL);
}
