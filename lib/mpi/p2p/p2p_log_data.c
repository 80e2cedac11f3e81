/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints of data under message logging (doc/msglog.md, M10): what this rank has not received
 * yet, as bytes and back, and what becomes of its messages at its restore point.
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

static void look_for_cancelled(struct request *r, void *arg)
{
	bool *found = arg;

	*found |= r->kind == REQUEST_RECV && request_active(r) && r->cancelled && r->post > posted;
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

/* ---- what was not received ---- */

/* A message, where it lies: whole, or without contents. */
struct unreceived {
	struct section_logged e;
	const struct request *r;
	const struct stored *stored;
	uint64_t matched; /* p2p_sequence */
	size_t place;	  /* as they were gathered: those without a receive as they have come */
};

struct gathered {
	struct unreceived *v; /* NULL: only count */
	size_t n, receives;
	struct section_logged_receive *posts; /* NULL: only count */
};

static void gather(struct gathered *g, const struct unreceived *one)
{
	if (g->v) {
		g->v[g->n] = *one;
		g->v[g->n].place = g->n;
	}
	g->n++;
}

static void gather_post(struct gathered *g, const struct section_logged_receive *post)
{
	if (g->posts)
		g->posts[g->receives] = *post;
	g->receives++;
}

/* The program finds it again, and then receives it. */
static bool was_found(const struct request *r)
{
	return r->m.plane == PLANE_POINT && !r->post;
}

/* It may have got less than its message. */
static void gather_open(struct request *r, void *arg)
{
	struct gathered *g = arg;
	struct unreceived u = {
		.e = {.number = r->index,
			.context = r->match.context,
			.peer = r->peer,
			.tag = r->got_tag,
			.source = r->source,
			.flags = SECTION_LOGGED_WHOLE | (r->stamp ? SECTION_LOGGED_MET : 0) |
				 (was_found(r) ? SECTION_LOGGED_FOUND : 0),
			.length = r->length},
		.r = r,
		.matched = r->matched};
	bool is_posted = r->kind == REQUEST_RECV && r->state == REQUEST_POSTED && !r->past &&
			 r->m.rank != MPI_PROC_NULL;

	if (p2p_is_open(r))
		gather(g, &u);
	if ((is_posted || p2p_is_open(r)) && r->m.plane == PLANE_POINT && r->post > posted) {
		struct section_logged_receive post = p2p_log_post_of(r);

		gather_post(g, &post);
	}
}

static uint32_t waits_flag(uint32_t stamp)
{
	if (stamp & P2P_LOG_MET)
		return SECTION_LOGGED_MET;
	return stamp & P2P_LOG_SYNC ? SECTION_LOGGED_SYNC : 0;
}

static uint32_t stamp_of(uint32_t flags)
{
	if (flags & SECTION_LOGGED_MET)
		return P2P_LOG_MET;
	return flags & SECTION_LOGGED_SYNC ? P2P_LOG_SYNC : 0;
}

static bool gather_waiting(struct match_msg *msg, void *arg)
{
	const struct stored *m = msg->stored;
	bool before = p2p_is_found_before(msg->context), found = msg->handle || before;
	struct unreceived u = {
		.e = {.number = msg->index,
			.context = msg->context - (before ? P2P_FOUND_BEFORE : 0),
			.peer = msg->peer,
			.tag = msg->tag,
			.source = msg->source,
			.flags = (m && m->whole ? SECTION_LOGGED_WHOLE : 0) |
				 waits_flag(msg->stamp) | (found ? SECTION_LOGGED_FOUND : 0),
			.length = p2p_length(msg)},
		.stored = m && m->whole ? m : NULL,
		.matched = msg->matched};

	gather(arg, &u);
	return true;
}

static void gather_all(struct gathered *g)
{
	g->n = g->receives = 0;
	for (size_t i = 0; i < p2p_log_posts_left(); i++)
		gather_post(g, p2p_log_post_left(i));
	requests_each(gather_open, g);
	p2p_each_unreceived(gather_waiting, g);
}

enum turn { OF_RECEIVES, FOUND, WAITING };

static enum turn turn_of(const struct unreceived *u)
{
	if (u->e.flags & SECTION_LOGGED_FOUND)
		return FOUND;
	return u->r ? OF_RECEIVES : WAITING;
}

static int compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Those of receives in the order in which these were posted: so each finds its own again. Receives
 * of the library's have no number, and each kind of them meets messages in their order. Then what
 * MPI_Mprobe has found, in that order, and the others as they have come. */
static int by_turn(const void *a, const void *b)
{
	const struct unreceived *x = a, *y = b;
	int order = compare(turn_of(x), turn_of(y));

	if (order == 0 && turn_of(x) == OF_RECEIVES)
		order = compare(x->r->post, y->r->post);
	if (order == 0 && turn_of(x) != WAITING)
		order = compare(x->matched, y->matched);
	return order ? order : compare(x->place, y->place);
}

static int by_number(const void *a, const void *b)
{
	const struct section_logged_receive *x = a, *y = b;

	return compare(x->number, y->number);
}

static bool list_all(struct gathered *g)
{
	gather_all(g);
	g->v = malloc((g->n + 1) * sizeof *g->v);
	g->posts = malloc((g->receives + 1) * sizeof *g->posts);
	if (!g->v || !g->posts)
		return false;
	gather_all(g);
	qsort(g->v, g->n, sizeof *g->v, by_turn);
	qsort(g->posts, g->receives, sizeof *g->posts, by_number);
	return true;
}

static void write_contents(struct writer *w, const struct unreceived *u)
{
	size_t len = (size_t)u->e.length;

	if (u->stored) {
		writer_bytes(w, u->stored->bytes, len);
	} else if (u->r) {
		size_t got = (size_t)u->r->bytes;

		type_pack_prefix(u->r->m.type, u->r->m.buf, u->r->m.count, w->at, got);
		memset(w->at + got, 0, len - got);
		w->at += len;
	}
}

static bool write_all(const struct gathered *g, uint8_t **out, size_t *len)
{
	struct writer w;

	*len = SECTION_LOGGED_HEAD + g->receives * SECTION_LOGGED_RECEIVE +
	       g->n * SECTION_LOGGED_MESSAGE;
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].e.flags & SECTION_LOGGED_WHOLE)
			*len += (size_t)g->v[i].e.length;
	*out = malloc(*len);
	if (!*out)
		return false;
	w = writer_over(*out, *len);
	writer_u32(&w, (uint32_t)g->receives);
	for (size_t i = 0; i < g->receives; i++)
		section_logged_write_receive(&w, &g->posts[i]);
	writer_u32(&w, (uint32_t)g->n);
	for (size_t i = 0; i < g->n; i++) {
		section_logged_write(&w, &g->v[i].e);
		write_contents(&w, &g->v[i]);
	}
	assert(!w.bad && w.at == w.end);
	return true;
}

/* Into this library's memory. */
static bool pull_here(struct match_msg *msg, void *arg)
{
	(void)arg;
	return msg->stored || !p2p_is_here(msg) || p2p_pull(msg);
}

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

bool p2p_log_capture(uint8_t **out, size_t *len)
{
	struct gathered g = {0};
	bool made;

	engine_assert_held();
	made = p2p_each_unreceived(pull_here, NULL) && list_all(&g) && write_all(&g, out, len);
	free(g.v);
	free(g.posts);
	return made;
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

static struct stored *stored_from(const struct section_logged *e, const uint8_t *bytes)
{
	struct match_msg msg = {
		.context = e->context | (e->flags & SECTION_LOGGED_FOUND ? P2P_FOUND_BEFORE : 0),
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
