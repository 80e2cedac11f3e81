/* SPDX-License-Identifier: BSD-3-Clause */
/* What this rank has not received yet, for a checkpoint of data under message logging
 * (ckpt/section_logged.h). */
#include <stdlib.h>
#include <string.h>

#include "ckpt/section_logged.h"
#include "mpi/engine/engine.h"
#include "p2p_log_inside.h"
#include "p2p_probe.h"
#include "p2p_saved.h"
#include "stored.h"

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
				 (was_found(r) ? SECTION_LOGGED_FOUND : 0) |
				 (r->post ? SECTION_LOGGED_GOT : 0),
			.length = r->length},
		.r = r,
		.matched = r->matched};
	bool is_posted = r->kind == REQUEST_RECV && r->state == REQUEST_POSTED && !r->past &&
			 r->m.rank != MPI_PROC_NULL;

	if (p2p_is_open(r))
		gather(g, &u);
	if ((is_posted || p2p_is_open(r)) && r->m.plane == PLANE_POINT &&
		!p2p_log_is_of_prefix(r)) {
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

static bool gather_waiting(struct match_msg *msg, void *arg)
{
	const struct stored *m = msg->stored;
	bool found = p2p_is_found_before(msg->context), got = p2p_is_got_before(msg->context);
	struct unreceived u = {.e = {.number = msg->index,
				       .context = msg->context - (found ? P2P_FOUND_BEFORE : 0) -
						  (got ? P2P_GOT_BEFORE : 0),
				       .peer = msg->peer,
				       .tag = msg->tag,
				       .source = msg->source,
				       .flags = (m && m->whole ? SECTION_LOGGED_WHOLE : 0) |
						waits_flag(msg->stamp) |
						(msg->handle || found ? SECTION_LOGGED_FOUND : 0) |
						(got ? SECTION_LOGGED_GOT : 0),
				       .length = p2p_length(msg)},
		.stored = m && m->whole ? m : NULL,
		.matched = found ? UINT64_MAX : msg->matched}; /* behind those found again */

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

enum turn { OF_OPERATIONS, FOUND, OTHER };

static enum turn turn_of(const struct unreceived *u)
{
	if (u->e.flags & SECTION_LOGGED_FOUND)
		return FOUND;
	return u->r && !u->r->post ? OF_OPERATIONS : OTHER;
}

static int compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Receives of the library's operations have no number, so each kind of them meets its messages in
 * their order; and so does MPI_Mprobe find again what it had found. The others as they have come:
 * what a receive had got is its own. */
static int by_turn(const void *a, const void *b)
{
	const struct unreceived *x = a, *y = b;
	int order = compare(turn_of(x), turn_of(y));

	if (order == 0 && turn_of(x) != OTHER)
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
