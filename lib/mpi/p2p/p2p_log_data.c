/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints of data under message logging (doc/msglog.md, M10): what becomes of this rank's
 * messages as one is taken, and at its restore point.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ckpt/section_logged.h"
#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"
#include "p2p_probe.h"
#include "p2p_saved.h"
#include "stored.h"

static uint64_t posted; /* receives, in the prefix */

/* ---- the prefix ---- */

bool p2p_log_begin_prefix(const uint8_t *state, size_t len, const struct outcome *v, size_t n)
{
	struct p2p_log_behind *b = &p2p_log_behind;

	engine_assert_held();
	*b = (struct p2p_log_behind){.state = state,
		.len = len,
		.covered = msglog_saved_outcomes(state, len),
		.v = malloc((n + 1) * sizeof *v),
		.n = n};
	if (!b->v || !msglog_load_prefix(p2p_msglog, state, len))
		return false;
	if (n)
		memcpy(b->v, v, n * sizeof *v);
	return true;
}

void p2p_log_data_fini(void)
{
	free(p2p_log_behind.v);
	p2p_log_behind = (struct p2p_log_behind){0};
	posted = 0;
}

static void look_for_posted(struct request *r, void *arg)
{
	bool *found = arg;

	*found |= r->kind == REQUEST_RECV && r->state == REQUEST_POSTED &&
		  r->m.plane == PLANE_POINT && r->m.rank != MPI_PROC_NULL;
}

bool p2p_log_has_posted(void)
{
	bool found = false;

	engine_assert_held();
	requests_each(look_for_posted, &found);
	return found;
}

bool p2p_log_is_of_prefix(const struct request *r)
{
	return r->post <= posted;
}

static void look_for_cancelled(struct request *r, void *arg)
{
	bool *found = arg;

	*found |= r->kind == REQUEST_RECV && request_active(r) && r->cancelled &&
		  !p2p_log_is_of_prefix(r);
}

bool p2p_log_has_cancelled(void)
{
	bool found = false;

	engine_assert_held();
	requests_each(look_for_cancelled, &found);
	return found;
}

/* A receive without a message would be posted again, and get another one. */
const char *p2p_log_restore_point(void)
{
	if (p2p_log_has_posted())
		return "a receive is posted and has no message yet: wait for it before the call, "
		       "or post it behind";
	p2p_leave_open(); /* the prefix has their messages again */
	posted = p2p_msglog->outcomes.posted;
	return msglog_restore_point(p2p_msglog) ? NULL
						: "there is no memory for what was done "
						  "before it";
}

/* ---- a checkpoint is taken ---- */

static bool none_receiving(void *arg, int *expect)
{
	(void)arg;
	(void)expect;
	return !p2p_receiving();
}

void p2p_log_await_contents(void)
{
	engine_wait(none_receiving, NULL);
}

static void end_send(struct request *r, void *arg)
{
	struct outcome over = {
		.kind = OUTCOME_SEND_OVER, .peer = (uint32_t)r->peer, .value = r->index};

	(void)arg;
	if (!p2p_log_sync_is_open(r))
		return;
	p2p_log_happened(&over);
	p2p_log_sync_end(r);
}

void p2p_log_end_sends(void)
{
	engine_assert_held();
	requests_each(end_send, NULL);
}

bool p2p_log_save(uint8_t **out, size_t *len)
{
	struct msglog *m = p2p_msglog;

	engine_assert_held();
	for (int i = 0; i < m->size; i++)
		if (i != m->self)
			p2p_log_settle(i);
	if (!msglog_save(m, out, len))
		return false;
	p2p_log_drive(); /* a run of noes is an outcome now, which is told before it is covered */
	return true;
}

/* ---- back ---- */

static void end_with_prefix(struct request *r, void *arg)
{
	(void)arg;
	if (p2p_log_sync_is_open(r))
		p2p_log_sync_end(r);
}

void p2p_log_go_back(void)
{
	struct p2p_log_behind *b = &p2p_log_behind;

	engine_assert_held();
	if (!p2p_log_is_live(NULL, NULL))
		p2p_log_strange();
	posted = p2p_msglog->outcomes.posted;
	p2p_forget();
	requests_each(end_with_prefix, NULL); /* they were over in the checkpoint */
	if (!msglog_load(p2p_msglog, b->state, b->len, b->v, b->n))
		p2p_log_no_memory(p2p_msglog->self);
	if (b->untold && b->acked < b->covered + b->n)
		msglog_untold(p2p_msglog);
	free(b->v);
	*b = (struct p2p_log_behind){0};
}

static uint64_t apart(uint32_t flags)
{
	if (flags & SECTION_LOGGED_FOUND)
		return P2P_FOUND_BEFORE;
	return flags & SECTION_LOGGED_GOT ? P2P_GOT_BEFORE : 0;
}

static uint32_t stamp_of(uint32_t flags)
{
	if (flags & SECTION_LOGGED_MET)
		return P2P_LOG_MET;
	return flags & SECTION_LOGGED_SYNC ? P2P_LOG_SYNC : 0;
}

static struct stored *stored_from(const struct section_logged *e, const uint8_t *bytes)
{
	struct match_msg msg = {.context = e->context | apart(e->flags),
		.peer = e->peer,
		.tag = e->tag,
		.source = e->source,
		.index = e->number,
		.stamp = stamp_of(e->flags)};
	struct stored *m = stored_new(&msg, bytes ? e->length : 0);

	if (!m)
		return NULL;
	if (bytes && e->length)
		memcpy(m->bytes, bytes, (size_t)e->length);
	m->length = e->length;
	m->whole = bytes != NULL;
	return m;
}

/* Its pair has it so. */
static bool is_known(const struct section_logged *e)
{
	const struct arrival_order *a = &p2p_msglog->pairs[e->peer].arrived;

	if (e->peer == p2p_msglog->self) /* of collective and partitioned operations: without one */
		return e->number <= a->begun && (e->flags & SECTION_LOGGED_WHOLE);
	return e->number && e->number <= a->begun && !number_list_has(&a->skipped, e->number) &&
	       ((e->flags & SECTION_LOGGED_WHOLE) || number_list_has(&a->open, e->number));
}

static bool take_receives(struct cursor *c)
{
	size_t n = cursor_u32(c);
	struct section_logged_receive *posts = malloc((n + 1) * sizeof *posts);

	if (!posts)
		return false;
	for (size_t i = 0; i < n; i++)
		posts[i] = section_logged_read_receive(c);
	p2p_log_posts_again(posts, n);
	return true;
}

bool p2p_log_inject(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct section_logged e;
	const uint8_t *contents;

	engine_assert_held();
	if (!take_receives(&c))
		return false;
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		struct stored *m = NULL;

		if (section_logged_read(&c, &e, &contents) && is_known(&e))
			m = stored_from(&e, contents);
		if (!m)
			return false;
		p2p_arrive(m);
	}
	return true;
}

/* What a peer had sent in the prefix, and is on its way, must not be taken for what it sends now.
 */
void p2p_log_begin_pairs_anew(void)
{
	engine_assert_held();
	for (int i = 0; i < p2p_msglog->size; i++)
		if (i != p2p_msglog->self)
			tp_begin_pair_anew(engine_tp(), i);
	p2p_log_say_all();
	p2p_log_drive(); /* the event logger may have lost outcomes meanwhile */
}
