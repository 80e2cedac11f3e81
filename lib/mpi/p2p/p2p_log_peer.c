/* SPDX-License-Identifier: BSD-3-Clause */
/* What other ranks say of the log, and connections that break. Message logging begins and ends
 * here, with all that its files have. */
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "mpi/engine/engine.h"
#include "numbered.h"
#include "p2p_log_inside.h"

static struct msglog msglog;
static struct link *received_of; /* by peer: control messages that are not whole */

/* ---- start and end ---- */

static void free_all(void)
{
	free(received_of);
	received_of = NULL;
	p2p_log_verify_fini();
	p2p_log_drop();
	p2p_log_sync_fini();
	p2p_log_say_fini();
	p2p_log_recv_fini();
	p2p_log_data_fini();
	p2p_log_told_fini();
	p2p_log_posts_fini();
}

static bool make_all(int self, int size, const struct p2p_log_keeper *keeper)
{
	received_of = malloc((size_t)size * sizeof *received_of);
	for (int i = 0; received_of && i < size; i++)
		list_init(&received_of[i]);
	p2p_log_begin(keeper);
	return received_of && p2p_log_sync_start(size) == 0 && p2p_log_say_start(size) == 0 &&
	       p2p_log_recv_start(size) == 0 && msglog_init(&msglog, self, size);
}

int p2p_log_start(int self, int size, const struct p2p_log_keeper *keeper, const struct outcome *v,
	size_t n, bool verify)
{
	engine_assert_held();
	if (!make_all(self, size, keeper) || (verify && p2p_log_verify_start(size) != 0)) {
		free_all();
		return FT_ENOMEM;
	}
	p2p_log_leaving = false;
	p2p_msglog = &msglog;
	return n == 0 || msglog_load_outcomes(&msglog, v, n) ? 0 : FT_ENOMEM;
}

void p2p_log_fini(void)
{
	if (!p2p_msglog)
		return;
	for (int i = 0; i < msglog.size; i++)
		for (struct link *item; (item = list_pop(&received_of[i]));)
			free(container_of(item, struct log_control, link));
	free_all();
	p2p_msglog = NULL;
	msglog_fini(&msglog);
}

/* ---- synchronous sends ---- */

static bool take_met(struct cursor *c, int peer)
{
	p2p_log_sync_met(peer, cursor_u64(c));
	return cursor_done(c);
}

/* One that has not come, or waits for its receive, is told of when it meets that. */
static bool take_ask(struct cursor *c, int peer)
{
	uint64_t number = cursor_u64(c);

	if (p2p_log_has_met(peer, number))
		p2p_log_owe(peer, number);
	return cursor_done(c);
}

/* Whether those above `from` and up to `last` have met their receives. */
static void ask(int peer, uint64_t from, uint64_t last)
{
	list_for_each (item, &p2p_log_syncs(peer)->list) {
		uint64_t number = numbered_at(item)->index;

		if (number > from && number <= last)
			p2p_log_say(peer, LOG_ASK, number);
	}
}

static bool take_repeated(struct cursor *c, int peer)
{
	uint64_t begun = cursor_u64(c);

	if (!cursor_done(c) || begun > p2p_msglog->pairs[peer].arrived.begun)
		return false;
	p2p_log_was_repeated(peer);
	return true;
}

/* ---- peers ---- */

void p2p_log_lost(int peer)
{
	assert(list_empty(&received_of[peer]));
	p2p_log_settle(peer);
	msglog_lost(p2p_msglog, peer);
	p2p_log_owe_no_more(peer);
	p2p_log_say_hello(peer);
}

static bool take_hello(struct cursor *c, int peer)
{
	struct msglog_hello h;
	uint64_t begun;

	h.has = cursor_u64(c);
	h.limit = cursor_u64(c);
	h.keep = cursor_u64(c);
	h.covered = cursor_u64(c);
	begun = cursor_u64(c);
	if (cursor_done(c) && h.covered < p2p_msglog->pairs[peer].held)
		p2p_log_end(MPI_ERR_OTHER,
			"it goes back behind its checkpoint, before which nothing is kept for it: "
			"were its files removed?",
			peer);
	if (!cursor_done(c) || begun < h.has)
		return false;
	if (!msglog_connected(p2p_msglog, peer, &h))
		p2p_log_end(MPI_ERR_OTHER,
			"it lacks messages that are not kept for it any more: were its checkpoints "
			"removed?",
			peer);
	p2p_log_limit_shrunk();
	if (!p2p_log_has_said(peer))
		p2p_log_say_hello(peer);
	ask(peer, 0, h.has);
	p2p_log_vouch_again(peer, h.has);
	p2p_log_repeat(peer, begun);
	p2p_log_say_repeated(peer);
	return true;
}

/* A durable checkpoint is not taken back: one of before may come late, as it waits for room where a
 * newer one found some. What it covers and has not left, as the peer had it before, does not leave
 * any more. */
static bool take_cover(struct cursor *c, int peer)
{
	uint64_t keep = cursor_u64(c), covered = cursor_u64(c);
	const struct msglog_pair *p = &p2p_msglog->pairs[peer];
	uint64_t had = p->has;

	if (!cursor_done(c))
		return false;
	if (keep < p->keep || covered < p->held)
		return true;
	msglog_covered(p2p_msglog, peer, keep, covered);
	p2p_log_limit_shrunk();
	ask(peer, had, p->has);
	p2p_log_say_repeated(peer);
	return true;
}

static bool take(const struct log_control *m)
{
	struct cursor c = cursor_over(m->bytes, m->len);

	switch (cursor_u32(&c)) {
	case LOG_HELLO:
		return take_hello(&c, m->peer);
	case LOG_MET:
		return take_met(&c, m->peer);
	case LOG_ASK:
		return take_ask(&c, m->peer);
	case LOG_VOUCH:
		return p2p_log_take_vouch(&c, m->len, m->peer);
	case LOG_COVER:
		return take_cover(&c, m->peer);
	case LOG_REPEATED:
		return take_repeated(&c, m->peer);
	default:
		return false;
	}
}

/* ---- the channel ---- */

static struct tp_place place(int peer, const struct envelope *e, uint64_t length)
{
	struct log_control *m;

	(void)e;
	if (length > sizeof m->bytes)
		p2p_log_end(MPI_ERR_INTERN, "what it says is too long", peer);
	m = malloc(sizeof *m);
	if (!m)
		p2p_log_no_memory(peer);
	*m = (struct log_control){.head = {.kind = OBJECT_CONTROL_RECEIVED, .refs = 1},
		.peer = peer,
		.len = (size_t)length};
	list_append(&received_of[peer], &m->link);
	return (struct tp_place){.buf = m->bytes, .room = m->len, .cookie = m};
}

static void unplace(struct object *head)
{
	struct log_control *m = (struct log_control *)(void *)head;

	list_remove(&m->link);
	free(m);
}

static void received(struct object *head, int rc)
{
	struct log_control *m = (struct log_control *)(void *)head;

	if (rc == 0 && !take(m))
		p2p_log_end(MPI_ERR_INTERN, "what it says makes no sense", m->peer);
	unplace(head);
	p2p_log_drive();
}

static void sent(struct object *head)
{
	free(head);
}

const struct p2p_channel p2p_log_channel = {place, received, sent, unplace};
