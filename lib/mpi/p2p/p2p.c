/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point messages: requests above, the transport below, matching between. They begin and
 * end here, with all that the other files have. The transport's upcalls end here, in p2p_recv.c, in
 * p2p_anew.c, in p2p_sync_asked.c and in p2p_send.c; they run with the engine lock held, on
 * whichever thread makes progress.
 */
#include "p2p.h"

#include <stdlib.h>

#include "base/error.h"
#include "mpi/engine/engine.h"
#include "p2p_buffer.h"
#include "p2p_inside.h"
#include "p2p_log_inside.h"
#include "p2p_part.h"
#include "p2p_saved.h"
#include "p2p_sync.h"
#include "stored.h"

int p2p_init(const struct p2p_job *job)
{
	p2p.job = *job;
	p2p.gone = calloc((size_t)job->size, sizeof *p2p.gone);
	p2p.lacking = calloc((size_t)job->size, sizeof *p2p.lacking);
	if (!p2p.gone || !p2p.lacking || match_init(&p2p.match, job->size) != 0) {
		free(p2p.gone);
		free(p2p.lacking);
		return FT_ENOMEM;
	}
	requests_init();
	return 0;
}

static bool forget_stored(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (msg->stored)
		stored_release(msg->stored);
	return true;
}

void p2p_fini(void)
{
	p2p_each_unreceived(forget_stored, NULL);
	p2p_log_fini();
	match_fini(&p2p.match);
	buffers_fini();
	parts_fini();
	requests_fini();
	free(p2p.gone);
	free(p2p.lacking);
	p2p.gone = NULL;
	p2p.lacking = NULL;
}

static void on_lost(void *user, int peer, const char *why)
{
	(void)user;
	if (p2p_logs()) {
		p2p_log_lost(peer);
		return;
	}
	p2p.gone[peer] = true;
	p2p.anyone_gone = !p2p.job.launched;
	p2p.job.lost(peer, why);
	if (!p2p.job.launched)
		p2p_recv_fail(peer);
}

static void on_notify(void *user)
{
	(void)user;
	engine_tell();
}

const struct tp_upcalls p2p_upcalls = {
	.match = p2p_on_match,
	.keep = p2p_on_unexpected,
	.forget = p2p_on_forget,
	.received = p2p_on_received,
	.sent = p2p_on_sent,
	.lost = on_lost,
	.notify = on_notify,
	.withdraw = p2p_on_withdraw,
	.open = p2p_on_open,
	.unmatch = p2p_on_unmatch,
};
