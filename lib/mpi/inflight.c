/* SPDX-License-Identifier: BSD-3-Clause */
#include "inflight.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/fault.h"
#include "match.h"
#include "p2p_saved.h"
#include "request.h"
#include "stored.h"

struct inflight {
	struct link link; /* of its peer */
	struct coord_message m;
	int tag, source;
	uint64_t arrived, matched; /* moments; 0: has not */
	uint64_t left;		   /* when the program had received it, by s.clock; 0: it has not */
	struct match_msg *msg;	   /* while it waits for a receive */
	struct request *receive;   /* while it is open */
	struct stored *contents;   /* NULL: not in our memory */
};

unsigned inflight_lines;

static struct {
	const struct coord *coord;
	int peers;
	struct link *of;   /* by peer: in the order in which they were noted */
	struct link lines; /* oldest first */
	uint64_t clock;	   /* counts lines begun and messages received */
} s;

int inflight_init(const struct coord *c, int peers)
{
	s.of = malloc((size_t)peers * sizeof *s.of);
	if (!s.of)
		return FT_ENOMEM;
	s.coord = c;
	s.peers = peers;
	for (int i = 0; i < peers; i++)
		list_init(&s.of[i]);
	list_init(&s.lines);
	return 0;
}

void inflight_fini(void)
{
	free(s.of);
	s.of = NULL;
	s.peers = 0;
}

/* The protocol is not asked about what was received before the line. */
static enum coord_fate fate(const struct inflight_line *l, const struct inflight *f)
{
	if (f->left && f->left < l->begun)
		return COORD_OUT;
	return coord_fate(s.coord, l->number, &f->m);
}

/* Is there a line with respect to which it is not out? */
static bool wanted(const struct inflight *f)
{
	list_for_each (item, &s.lines)
		if (fate(container_of(item, struct inflight_line, link), f) != COORD_OUT)
			return true;
	return false;
}

static bool in_transit(const struct inflight *f)
{
	list_for_each (item, &s.lines)
		if (fate(container_of(item, struct inflight_line, link), f) == COORD_IN)
			return true;
	return false;
}

static bool is_whole(const struct inflight *f)
{
	return f->contents && f->contents->whole && !f->contents->rc;
}

/* ---- a line's contents ---- */

static void complete(struct inflight_line *l)
{
	if (l->complete)
		return;
	l->complete = true;
	for (size_t i = 0; !l->why && i < l->n; i++)
		l->members[i].contents = stored_hold(l->members[i].f->contents);
	l->ready(l);
}

void inflight_break(struct inflight_line *l, const char *why)
{
	if (!l->why)
		l->why = why;
	if (l->finishing)
		complete(l);
}

static void break_lines(const struct inflight *f, const char *why)
{
	list_for_each (item, &s.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (fate(l, f) != COORD_OUT)
			inflight_break(l, why);
	}
}

/* What a receive had got by then comes first, in the order of the matches, then the rest in the
 * order of arrival (C6). */
static void place(struct inflight_member *member, const struct inflight_line *l)
{
	const struct inflight *f = member->f;
	bool open = f->matched && f->matched < l->at;

	member->first = !open;
	member->then = open ? f->matched : f->arrived;
}

static int by_place(const void *a, const void *b)
{
	const struct inflight_member *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->then < y->then ? -1 : x->then > y->then;
}

static size_t count_members(const struct inflight_line *l)
{
	size_t n = 0;

	for (int peer = 0; peer < s.peers; peer++)
		list_for_each (item, &s.of[peer])
			n += fate(l, container_of(item, struct inflight, link)) == COORD_IN;
	return n;
}

static void add_member(struct inflight_line *l, struct inflight *f)
{
	struct inflight_member *member = &l->members[l->n++];

	*member = (struct inflight_member){.f = f,
		.entry = {.context = f->m.context,
			.peer = f->m.peer,
			.tag = f->tag,
			.source = f->source}};
	place(member, l);
	l->lacking += !is_whole(f);
}

static void gather(struct inflight_line *l)
{
	l->members = malloc((count_members(l) + 1) * sizeof *l->members);
	if (!l->members) {
		inflight_break(l, "no memory for a list of the messages in transit");
		return;
	}
	for (int peer = 0; peer < s.peers; peer++)
		list_for_each (item, &s.of[peer]) {
			struct inflight *f = container_of(item, struct inflight, link);

			if (fate(l, f) == COORD_IN)
				add_member(l, f);
		}
	qsort(l->members, l->n, sizeof *l->members, by_place);
	if (l->why || l->lacking == 0)
		complete(l);
}

void inflight_finish(struct inflight_line *l)
{
	l->finishing = true;
	gather(l);
}

void inflight_whole(struct inflight *f)
{
	if (f->contents->rc) {
		break_lines(f, "a message in transit is lost with its sender");
		return;
	}
	list_for_each (item, &s.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (l->members && !l->complete && fate(l, f) == COORD_IN && --l->lacking == 0)
			complete(l);
	}
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

static void pull(struct inflight *f)
{
	if (!f->msg || f->msg->stored)
		return;
	if (fault_error("short-pull") || !p2p_pull(f->msg))
		break_lines(f, "no memory for a message in transit");
}

/* NULL: no line wants it, or no memory. */
static struct inflight *note(const struct coord_message *m)
{
	struct inflight seen = {.m = *m}, *f;

	if (!wanted(&seen))
		return NULL;
	f = malloc(sizeof *f);
	if (!f) {
		break_lines(&seen, "no memory to note a message in transit");
		return NULL;
	}
	*f = seen;
	list_append(&s.of[m->peer], &f->link);
	return f;
}

void inflight_kept(struct match_msg *msg)
{
	struct coord_message m = inflight_name(msg);
	struct inflight *f = msg->inflight ? NULL : note(&m);

	if (!f)
		return;
	f->tag = msg->tag;
	f->source = msg->source;
	f->arrived = msg->arrived;
	f->matched = msg->matched;
	f->msg = msg;
	msg->inflight = f;
	if (msg->stored)
		f->contents = stored_hold(msg->stored);
	if (in_transit(f))
		pull(f);
}

static void take_contents(struct inflight *f, struct request *r)
{
	if (r->stored) {
		f->contents = stored_hold(r->stored);
		r->stored->msg.inflight = f;
	} else if (r->done) {
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
	if (!r->inflight)
		note_open(r);
	if (r->inflight && !r->inflight->contents)
		take_contents(r->inflight, r);
}

/* ---- what becomes of them ---- */

static void drop(struct inflight *f)
{
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

void inflight_stored(struct inflight *f, struct stored *m)
{
	f->contents = stored_hold(m);
	f->msg = &m->msg;
}

void inflight_taken(struct inflight *f, uint64_t moment)
{
	f->matched = moment;
}

void inflight_matched(struct inflight *f, struct request *r)
{
	f->msg = NULL;
	f->matched = r->matched;
	f->receive = r;
	r->inflight = f;
}

void inflight_filled(struct request *r, bool ok)
{
	struct inflight *f = r->inflight;

	if (f->contents)
		return;
	f->contents = ok && !fault_error("short-copy") ? p2p_copy(r) : NULL;
	if (f->contents)
		inflight_whole(f);
	else
		break_lines(f, ok ? "no memory to copy a message in transit"
				  : "a message in transit is lost");
}

void inflight_leave(struct request *r)
{
	r->inflight->left = ++s.clock;
	r->inflight->receive = NULL;
	r->inflight = NULL;
}

void inflight_withdrawn(struct inflight *f)
{
	list_for_each (item, &s.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (fate(l, f) == COORD_IN)
			inflight_break(l, "its sender took a message in transit back");
	}
	drop(f);
}

/* ---- lines ---- */

void inflight_begin(struct inflight_line *l)
{
	l->begun = ++s.clock;
	list_append(&s.lines, &l->link);
	inflight_lines++;
}

void inflight_settle(struct inflight_line *l, int peer)
{
	list_for_each_safe (item, &s.of[peer]) {
		struct inflight *f = container_of(item, struct inflight, link);

		if (fate(l, f) == COORD_IN)
			pull(f);
		else if (!wanted(f))
			drop(f);
	}
}

void inflight_end(struct inflight_line *l)
{
	list_remove(&l->link);
	inflight_lines--;
	for (int peer = 0; peer < s.peers; peer++)
		list_for_each_safe (item, &s.of[peer]) {
			struct inflight *f = container_of(item, struct inflight, link);

			if (!wanted(f))
				drop(f);
		}
}

void inflight_line_free(struct inflight_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->members[i].contents)
			stored_release(l->members[i].contents);
	free(l->members);
	l->members = NULL;
	l->n = 0;
}

bool inflight_bytes(const struct inflight_line *l, uint8_t **out, size_t *len)
{
	size_t bytes = SAVED_HEAD_BYTES;
	struct writer w;

	for (size_t i = 0; i < l->n; i++)
		bytes += SAVED_ENTRY_BYTES + (size_t)l->members[i].contents->length;
	*out = malloc(bytes);
	if (!*out)
		return false;
	*len = bytes;
	w = writer_over(*out, bytes);
	writer_u32(&w, (uint32_t)l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct saved_entry e = l->members[i].entry;

		e.length = l->members[i].contents->length;
		saved_write(&w, &e);
		writer_bytes(&w, l->members[i].contents->bytes, (size_t)e.length);
	}
	return true;
}
