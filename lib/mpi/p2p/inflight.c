/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: they are noted, pulled in, copied, and dropped when no line wants them. */
#include <stdlib.h>

#include "base/error.h"
#include "base/fault.h"
#include "inflight_inside.h"
#include "match.h"
#include "mpi/engine/engine.h"
#include "p2p_saved.h"
#include "p2p_sync.h"
#include "request.h"
#include "stored.h"

unsigned inflight_lines;

int inflight_init(const struct coord *c, int peers, bool (*pull)(struct match_msg *msg))
{
	inflights.of = malloc((size_t)peers * sizeof *inflights.of);
	if (!inflights.of)
		return FT_ENOMEM;
	inflights.coord = c;
	inflights.pull = pull;
	inflights.peers = peers;
	inflights.copied = 0;
	inflights.most = INFLIGHT_COPIES;
	for (int i = 0; i < peers; i++)
		list_init(&inflights.of[i]);
	list_init(&inflights.lines);
	return 0;
}

void inflight_fini(void)
{
	free(inflights.of);
	inflights.of = NULL;
	inflights.peers = 0;
}

/* A line that was given up holds nothing, though it may be long until it is ended. */
static bool may_hold(const struct inflight_line *l, const struct inflight *f)
{
	return !l->why && inflight_fate(l, f) != COORD_OUT;
}

static bool holds(const struct inflight_line *l, const struct inflight *f)
{
	return !l->why && inflight_fate(l, f) == COORD_IN;
}

static bool wanted(const struct inflight *f)
{
	list_for_each (item, &inflights.lines)
		if (may_hold(container_of(item, struct inflight_line, link), f))
			return true;
	return false;
}

static bool in_transit(const struct inflight *f)
{
	list_for_each (item, &inflights.lines)
		if (holds(container_of(item, struct inflight_line, link), f))
			return true;
	return false;
}

/* ---- noting ---- */

struct coord_message inflight_name(const struct match_msg *msg)
{
	return (struct coord_message){.peer = msg->peer,
		.context = msg->context,
		.tag = coord_tag(msg->context, msg->tag),
		.index = msg->index,
		.stamp = msg->stamp};
}

struct coord_message inflight_name_open(const struct request *r)
{
	return (struct coord_message){.peer = r->peer,
		.context = r->match.context,
		.tag = coord_tag(r->match.context, r->got_tag),
		.index = r->index,
		.stamp = r->stamp};
}

static void pull_in(struct inflight *f)
{
	if (!f->msg || f->msg->stored)
		return;
	if (fault_error("short-pull") || !inflights.pull(f->msg))
		inflight_break_lines(f, "no memory for a message in transit");
}

/* NULL: no line wants it, or no memory. */
static struct inflight *note(const struct coord_message *m)
{
	struct inflight seen = {.m = *m}, *f;

	if (!wanted(&seen))
		return NULL;
	f = malloc(sizeof *f);
	if (!f) {
		inflight_break_lines(&seen, "no memory to note a message in transit");
		return NULL;
	}
	*f = seen;
	list_append(&inflights.of[m->peer], &f->link);
	return f;
}

void inflight_unexpected(struct match_msg *msg)
{
	struct coord_message m = inflight_name(msg);
	struct inflight *f = msg->inflight ? NULL : note(&m);

	engine_assert_held();
	if (!f)
		return;
	f->tag = msg->tag;
	f->source = msg->source;
	f->sync = p2p_sync_name(msg);
	f->arrived = msg->arrived;
	f->matched = msg->matched;
	f->msg = msg;
	msg->inflight = f;
	if (msg->stored)
		f->contents = stored_hold(msg->stored);
	if (in_transit(f))
		pull_in(f);
}

static void take_contents(struct inflight *f, struct request *r)
{
	if (r->stored) {
		f->contents = stored_hold(r->stored);
		r->stored->msg.inflight = f;
	} else if (request_done(r)) {
		inflight_filled(r, request_arrived(r->error));
	}
}

static void note_open(struct request *r)
{
	struct coord_message m = inflight_name_open(r);
	struct inflight *f = note(&m);

	if (!f)
		return;
	f->tag = r->got_tag;
	f->source = r->source;
	f->arrived = r->arrived;
	f->matched = r->matched;
	f->receive = r;
	r->inflight = f;
}

/* What could not be copied for a line before may be copied for the next. */
void inflight_open(struct request *r)
{
	engine_assert_held();
	if (!r->inflight)
		note_open(r);
	if (r->inflight && !r->inflight->contents)
		take_contents(r->inflight, r);
}

void inflight_met(struct request *r, uint64_t sync)
{
	engine_assert_held();
	inflight_open(r);
	if (r->inflight)
		r->inflight->sync = sync;
}

/* ---- what becomes of them ---- */

static void drop(struct inflight *f)
{
	inflights.copied -= f->copied;
	if (f->msg)
		f->msg->inflight = NULL;
	if (f->receive)
		f->receive->inflight = NULL;
	if (f->contents) {
		f->contents->msg.inflight = NULL;
		stored_release(f->contents);
	}
	list_remove(&f->link);
	free(f);
}

static const char too_much[] = "messages that came after this rank's part of it and may belong to "
			       "it take too much memory, "
			       "as another rank is late for its own part";

/* The program has its contents, which stay here for lines. What is broken is ready, and let go, a
 * little later: the caller still uses f. */
static void count_copied(struct inflight *f)
{
	if (f->copied || !f->contents)
		return;
	f->copied = f->contents->length;
	inflights.copied += f->copied;
	if (inflights.copied <= inflights.most)
		return;
	list_for_each (item, &inflights.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (!l->finishing && may_hold(l, f))
			inflight_abandon(l, too_much);
	}
}

void inflight_stored(struct inflight *f, struct stored *m)
{
	f->contents = stored_hold(m);
	f->msg = &m->msg;
}

void inflight_mprobed(struct inflight *f, uint64_t sequence)
{
	engine_assert_held();
	f->matched = sequence;
}

void inflight_matched(struct inflight *f, struct request *r)
{
	engine_assert_held();
	f->msg = NULL;
	f->matched = r->matched;
	f->receive = r;
	r->inflight = f;
}

void inflight_filled(struct request *r, bool ok)
{
	struct inflight *f = r->inflight;

	engine_assert_held();
	if (f->contents || !wanted(f))
		return;
	f->contents = ok && !fault_error("short-copy") ? p2p_copy(r) : NULL;
	if (f->contents)
		count_copied(f);
	if (f->contents)
		inflight_whole(f);
	else
		inflight_break_lines(f, ok ? "no memory to copy a message in transit"
					   : "a message in transit is lost");
}

void inflight_stays(struct inflight *f)
{
	engine_assert_held();
	if (!f->left)
		f->left = ++inflights.clock;
}

static void stay_or_drop(struct inflight *f)
{
	if (wanted(f))
		inflight_stays(f);
	else
		drop(f);
}

void inflight_leave(struct request *r)
{
	struct inflight *f = r->inflight;

	engine_assert_held();
	f->receive = NULL;
	r->inflight = NULL;
	count_copied(f);
	stay_or_drop(f);
}

static const char taken_back[] = "its sender took a message in transit back";

void inflight_withdrawn(struct inflight *f)
{
	engine_assert_held();
	list_for_each (item, &inflights.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (holds(l, f))
			inflight_break(l, taken_back);
	}
	drop(f);
}

void inflight_released(struct inflight *f)
{
	engine_assert_held();
	if (!f->contents) {
		inflight_break_lines(f, taken_back);
		return;
	}
	f->msg = NULL;
	count_copied(f);
	stay_or_drop(f);
}

/* A sender that has closed a line has made its part of it. */
void inflight_break_behind(uint32_t interval)
{
	engine_assert_held();
	list_for_each (item, &inflights.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (!l->finishing && l->number >= interval)
			inflight_break(l, taken_back);
	}
}

/* ---- lines come and go ---- */

void inflight_begin(struct inflight_line *l)
{
	engine_assert_held();
	l->begun = ++inflights.clock;
	if (l->state > inflights.most)
		inflights.most = l->state;
	list_append(&inflights.lines, &l->link);
	inflight_lines++;
}

void inflight_settle(struct inflight_line *l, int peer)
{
	engine_assert_held();
	list_for_each_safe (item, &inflights.of[peer]) {
		struct inflight *f = container_of(item, struct inflight, link);

		if (holds(l, f))
			pull_in(f);
		else if (!wanted(f))
			drop(f);
	}
}

void inflight_end(struct inflight_line *l)
{
	engine_assert_held();
	list_remove(&l->link);
	inflight_lines--;
	for (int peer = 0; peer < inflights.peers; peer++)
		list_for_each_safe (item, &inflights.of[peer]) {
			struct inflight *f = container_of(item, struct inflight, link);

			if (!wanted(f))
				drop(f);
		}
}
