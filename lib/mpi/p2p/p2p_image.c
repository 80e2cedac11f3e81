/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_image.h"

#include <assert.h>

#include "inflight.h"
#include "mpi/engine/engine.h"
#include "p2p_inside.h"
#include "p2p_orphan.h"
#include "p2p_saved.h"
#include "p2p_sync.h"
#include "stored.h"

/* ---- what stays ---- */

static void lacks(int peer, uint64_t arrived)
{
	if (arrived < p2p.lacking[peer])
		p2p.lacking[peer] = arrived;
}

static bool look_at_unreceived(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (!msg->handle && !comm_is_coord_context(msg->context) && !p2p_is_here(msg))
		lacks(msg->peer, msg->arrived);
	return true;
}

static void look_at_open(struct request *r, void *arg)
{
	(void)arg;
	if (p2p_is_open(r) && !request_done(r))
		lacks(r->peer, r->arrived);
}

/* Of each rank the first message that is not whole. */
static void look(void)
{
	for (int i = 0; i < p2p.job.size; i++)
		p2p.lacking[i] = UINT64_MAX;
	p2p_each_unreceived(look_at_unreceived, NULL);
	requests_each(look_at_open, NULL);
}

static bool stays(const struct match_msg *msg)
{
	return msg->handle || msg->arrived < p2p.lacking[msg->peer];
}

/* ---- the line is cut ---- */

struct visitor {
	void (*visit)(void *arg, const struct coord_message *m);
	void *arg;
};

/* It is another rank's: this one's own are not early. */
static void tell_sum(const struct match_msg *msg)
{
	const void *contents = msg->stored
				       ? msg->stored->bytes
				       : tp_contents(container_of(msg, struct tp_unexpected, user));

	p2p_orphan_note_unreceived(msg, contents, p2p_length(msg));
}

static bool visit_unreceived(struct match_msg *msg, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m = inflight_name(msg);

	if (comm_is_coord_context(msg->context))
		return true;
	if (!stays(msg)) {
		v->visit(v->arg, &m);
		return true;
	}
	if (msg->inflight)
		inflight_stays(msg->inflight);
	/* of one that MPI_Mprobe has found and that is not whole there is no image */
	if (coord_is_early(p2p.coord, msg->stamp) && p2p_is_here(msg))
		tell_sum(msg);
	return true;
}

/* The checksum of one that is whole was told when it came. */
static void visit_open(struct request *r, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m = inflight_name_open(r);

	if (!p2p_is_open(r))
		return;
	if (!request_done(r))
		v->visit(v->arg, &m);
	else if (r->inflight)
		inflight_stays(r->inflight);
}

void p2p_image_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	struct visitor v = {visit, arg};

	engine_assert_held();
	look();
	p2p_each_unreceived(visit_unreceived, &v);
	requests_each(visit_open, &v);
}

static bool note_unreceived(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (!comm_is_coord_context(msg->context) && !stays(msg))
		inflight_unexpected(msg);
	return true;
}

static void note_open(struct request *r, void *arg)
{
	(void)arg;
	if (p2p_is_open(r) && !request_done(r))
		inflight_open(r);
}

void p2p_image_note(void)
{
	engine_assert_held();
	look();
	p2p_each_unreceived(note_unreceived, NULL);
	requests_each(note_open, NULL);
}

/* ---- it wakes up ---- */

static bool drop(struct match_msg *msg, void *arg)
{
	struct tp *tp = arg;

	assert(!msg->inflight);
	if (p2p_is_here(msg) && (comm_is_coord_context(msg->context) || !stays(msg)))
		p2p_drop(tp, msg);
	return true;
}

void p2p_image_woke(struct tp *tp)
{
	engine_assert_held();
	p2p_sync_anew();
	look();
	p2p_each_unreceived(drop, tp);
}
