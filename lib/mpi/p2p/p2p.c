/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point messages: requests above, the transport below, matching between. The transport's
 * upcalls end here, in p2p_recv.c and in p2p_send.c; they run with the engine lock held, on
 * whichever thread makes progress.
 */
#include "p2p.h"

#include <stdlib.h>

#include "base/error.h"
#include "mpi/engine/engine.h"
#include "p2p_buffer.h"
#include "p2p_inside.h"
#include "p2p_message.h"
#include "p2p_part.h"
#include "p2p_saved.h"
#include "stored.h"

struct p2p p2p;

void p2p_coordinate(struct coord *c)
{
	p2p.coord = c;
}

uint32_t p2p_word_stamp(void)
{
	return p2p.coord ? coord_stamp(p2p.coord) : 0;
}

void p2p_word_sent(int peer, uint64_t context)
{
	if (p2p.coord)
		coord_sent(p2p.coord, peer, context, 0);
}

void p2p_word_arrived(int peer, uint64_t context, uint32_t stamp)
{
	if (!p2p.coord)
		return;
	coord_arrived(p2p.coord, peer, context, 0, stamp);
	coord_noted(p2p.coord);
}

struct match *p2p_matching(void)
{
	return &p2p.match;
}

uint64_t p2p_moment(void)
{
	return p2p.moment;
}

bool p2p_gone(void)
{
	return p2p.anyone_gone;
}

int p2p_init(const struct p2p_job *job)
{
	p2p.job = *job;
	p2p.gone = calloc((size_t)job->size, sizeof *p2p.gone);
	if (!p2p.gone)
		return FT_ENOMEM;
	if (match_init(&p2p.match, job->size) != 0) {
		free(p2p.gone);
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
	match_fini(&p2p.match);
	buffers_fini();
	parts_fini();
	requests_fini();
	free(p2p.gone);
	p2p.gone = NULL;
}

int p2p_start_message(struct request *r)
{
	if (r->kind == REQUEST_SEND)
		return p2p_send_start(r);
	p2p_recv_start(r);
	return MPI_SUCCESS;
}

int p2p_start(struct request *r)
{
	int rc = MPI_SUCCESS;

	r->active = true;
	r->done = r->cancelled = r->past = false;
	r->error = MPI_SUCCESS;
	r->bytes = r->length = 0;
	if (__builtin_expect(p2p.job.timed, false))
		r->since = p2p_time();
	if (__builtin_expect(r->class != NULL, false))
		rc = r->class->start(r);
	else if (r->kind == REQUEST_RECV)
		p2p_recv_start(r);
	else
		rc = p2p_send_start(r);
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
	if (r->kind == REQUEST_RECV && r->posted)
		p2p_recv_withdraw(r);
	return MPI_SUCCESS;
}

uint64_t p2p_next_moment(void)
{
	return ++p2p.moment;
}

static void on_lost(void *user, int peer, const char *why)
{
	(void)user;
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
	.keep = p2p_on_keep,
	.forget = p2p_on_forget,
	.received = p2p_on_received,
	.sent = p2p_on_sent,
	.lost = on_lost,
	.notify = on_notify,
};
