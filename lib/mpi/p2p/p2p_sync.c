/* SPDX-License-Identifier: BSD-3-Clause */
#include "p2p_sync.h"

#include <stdlib.h>

#include "base/log.h"
#include "envelope.h"
#include "inflight.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/process.h"
#include "p2p_image.h"
#include "p2p_inside.h"
#include "p2p_saved.h"
#include "stored.h"

/* A message as its sender calls it. */
struct name {
	int peer;
	uint64_t id;
};

struct pending {
	struct link link;
	struct tp_withdrawal w;
};

/* Those that were taken back are remembered for senders that may not know yet when the next line is
 * made: these are few, and the last ones. */
enum { REMEMBERED = 1024 };

static struct {
	bool used;
	struct link pending; /* wanted back, and not let go yet; oldest first */
	struct name taken_back[REMEMBERED];
	unsigned next; /* the place of the next */
} s = {.pending = {&s.pending, &s.pending}};

void p2p_image_use(bool use)
{
	engine_assert_held();
	s.used = use;
}

/* ---- matches ---- */

uint64_t p2p_sync_name(const struct match_msg *msg)
{
	if (msg->stored)
		return msg->stored->sync;
	return s.used ? container_of(msg, const struct tp_unexpected, user)->sync : 0;
}

uint64_t p2p_sync_matching(void)
{
	return s.used ? tp_matching_sync(engine_tp()) : 0;
}

void p2p_sync_matched(struct stored *m)
{
	m->owed = false;
	tp_matched(engine_tp(), m->msg.peer, m->sync);
}

/* One that waits for a receive, or that MPI_Mprobe has found. */
static struct stored *find_in(struct link *list, const struct name *name)
{
	list_for_each (item, list) {
		struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (msg->stored && msg->stored->sync == name->id && msg->peer == name->peer)
			return msg->stored;
	}
	return NULL;
}

static struct stored *find(const struct name *name)
{
	struct stored *m = find_in(&p2p.match.matched, name);

	return m ? m : find_in(&p2p.match.arrivals.list, name);
}

/* ---- the pairs begin anew ---- */

static bool is_own(int peer)
{
	return peer == comm_world()->rank;
}

static bool owe_nothing(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (msg->stored && !is_own(msg->peer))
		msg->stored->owed = false;
	return true;
}

static void forget_pending(void)
{
	for (struct link *item; (item = list_pop(&s.pending));)
		free(container_of(item, struct pending, link));
}

/* What a rank sends to itself is in the same image, and stays as it is. */
void p2p_sync_anew(void)
{
	engine_assert_held();
	p2p_each_unreceived(owe_nothing, NULL);
	forget_pending();
}

static bool is_taken_back(const struct name *name)
{
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (s.taken_back[i].id == name->id && s.taken_back[i].peer == name->peer)
			return true;
	return false;
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

static void remember(const struct name *name)
{
	s.taken_back[s.next] = *name;
	s.next = (s.next + 1) % REMEMBERED;
}

static bool later(const struct tp_withdrawal *w)
{
	struct pending *p = malloc(sizeof *p);

	if (!p) {
		process_last_words();
		log_error("no memory to note that rank %d wants a message back", w->peer);
		process_die(MPI_ERR_NO_MEM);
	}
	*p = (struct pending){.w = *w};
	list_append(&s.pending, &p->link);
	return false;
}

/* A line of which this rank's part has the message, and which the sender makes its own part of when
 * it knows that it has it back, has a message that nobody sent. Under `blocking` all make their
 * parts, and then one hears of it; else the line is given up. */
static bool may_be_taken_back(const struct tp_withdrawal *w, const struct stored *m)
{
	struct envelope e = envelope_unpack(&w->said);

	if ((p2p.coord && coord_is_saving(p2p.coord)) || (m && !m->whole))
		return later(w);
	if (inflight_making() && !is_own(w->peer))
		inflight_break_behind(e.stamp);
	return true;
}

static struct match_msg *msg_of(const struct tp_withdrawal *w, struct stored *m)
{
	return m ? &m->msg : (struct match_msg *)(void *)w->unexpected->user;
}

bool p2p_on_withdraw(void *user, const struct tp_withdrawal *w)
{
	struct name name = {w->peer, w->id};
	struct stored *m = w->unexpected || !s.used ? NULL : find(&name);

	engine_assert_held();
	(void)user;
	if (!s.used)
		return w->unexpected != NULL;
	if (!w->unexpected && (!m || m->msg.handle))
		return false;
	if (!may_be_taken_back(w, m))
		return false;
	if (m || w->unexpected->sync)
		remember(&name);
	if (msg_of(w, m)->inflight)
		inflight_released(msg_of(w, m)->inflight);
	if (m)
		p2p_drop(engine_tp(), &m->msg);
	return true;
}

void p2p_sync_withdraw_again(void)
{
	struct link wanted = {&wanted, &wanted};
	struct link *item;

	engine_assert_held();
	while ((item = list_pop(&s.pending)))
		list_append(&wanted, item);
	while ((item = list_pop(&wanted))) {
		struct pending *p = container_of(item, struct pending, link);
		struct tp_withdrawal w = p->w;

		free(p);
		tp_withdraw_again(engine_tp(), &w);
	}
}
