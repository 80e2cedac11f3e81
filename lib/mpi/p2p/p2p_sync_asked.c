/* SPDX-License-Identifier: BSD-3-Clause */
/* What senders of synchronous messages ask after, or want back, and what they are answered. */
#include "envelope.h"
#include "inflight.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "p2p_inside.h"
#include "p2p_saved.h"
#include "p2p_sync.h"
#include "stored.h"

/* A message as its sender calls it. */
struct name {
	int peer;
	uint64_t id;
};

/* Those that were taken back are remembered for senders that may not know yet when the next line is
 * made: these are few, and the last ones. */
enum { REMEMBERED = 1024 };

static struct name taken_back[REMEMBERED];
static unsigned next_place;

static void remember(const struct name *name)
{
	taken_back[next_place] = *name;
	next_place = (next_place + 1) % REMEMBERED;
}

static bool is_taken_back(const struct name *name)
{
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (taken_back[i].id == name->id && taken_back[i].peer == name->peer)
			return true;
	return false;
}

static struct stored *find_in(struct link *list, const struct name *name)
{
	list_for_each (item, list) {
		struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (msg->stored && msg->stored->sync == name->id && msg->peer == name->peer)
			return msg->stored;
	}
	return NULL;
}

/* One that waits for a receive, or that MPI_Mprobe has found. */
static struct stored *find(const struct name *name)
{
	struct stored *m = find_in(&p2p.match.matched, name);

	return m ? m : find_in(&p2p.match.arrivals.list, name);
}

static bool is_own(int peer)
{
	return peer == comm_world()->rank;
}

/* ---- the pairs begin anew ---- */

/* What a rank sends to itself is in the same image, and stays as it is. */
static bool owe_nothing(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (msg->stored && !is_own(msg->peer))
		msg->stored->owed = false;
	return true;
}

void p2p_sync_anew(void)
{
	engine_assert_held();
	p2p_each_unreceived(owe_nothing, NULL);
	p2p_sync_withdraw_never();
}

enum tp_sync p2p_on_open(void *user, int peer, uint64_t sync)
{
	struct name name = {peer, sync};
	struct stored *m = find(&name);

	engine_assert_held();
	(void)user;
	if (!m)
		return is_taken_back(&name) ? TP_SYNC_TAKEN_BACK : TP_SYNC_MATCHED;
	m->owed = true;
	return TP_SYNC_WAITS;
}

/* ---- a sender wants one back ---- */

/* A line would hold a message that nobody sent, if this rank's part of it has the message and the
 * sender makes its own part after it has the message back. Under `blocking` all make their
 * parts, and the sender is told after that; else the line is given up. */
static bool may_be_taken_back(const struct tp_withdrawal *w, const struct stored *m)
{
	struct envelope e = envelope_unpack(&w->said);

	if ((p2p.coord && coord_is_saving(p2p.coord)) || (m && !m->whole)) {
		p2p_sync_withdraw_later(w);
		return false;
	}
	if (inflight_making() && !is_own(w->peer))
		inflight_break_behind(e.stamp);
	return true;
}

static void let_go(struct match_msg *msg)
{
	if (msg->inflight)
		inflight_released(msg->inflight);
	if (msg->stored)
		p2p_drop(engine_tp(), msg);
}

/* Where lines are no images, all of it is the transport's. */
bool p2p_on_withdraw(void *user, const struct tp_withdrawal *w)
{
	struct name name = {w->peer, w->id};
	struct stored *m;

	engine_assert_held();
	(void)user;
	if (!p2p_sync_is_used())
		return w->unexpected != NULL;
	m = w->unexpected ? NULL : find(&name);
	if (!w->unexpected && (!m || m->msg.handle))
		return false;
	if (!may_be_taken_back(w, m))
		return false;
	if (m || w->unexpected->sync)
		remember(&name);
	let_go(m ? &m->msg : (struct match_msg *)(void *)w->unexpected->user);
	return true;
}
