/* SPDX-License-Identifier: BSD-3-Clause */
/* What a line has to hold: gathered when nothing more will come, whole when all of it is here. */
#include <stdlib.h>

#include "inflight_inside.h"
#include "mpi/engine/engine.h"
#include "stored.h"

struct inflights inflights;

/* The protocol is not asked about what was received before the line. */
enum coord_fate inflight_fate(const struct inflight_line *l, const struct inflight *f)
{
	if (f->left && f->left < l->begun)
		return COORD_OUT;
	return coord_fate(inflights.coord, l->number, &f->m);
}

/* ---- it can be made, or not ---- */

static bool is_whole(const struct inflight *f)
{
	return f->contents && f->contents->whole && !f->contents->rc;
}

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
	engine_assert_held();
	if (!l->why)
		l->why = why;
	if (l->finishing)
		complete(l);
}

void inflight_abandon(struct inflight_line *l, const char *why)
{
	if (!l->why)
		l->why = why;
	complete(l);
}

void inflight_break_lines(const struct inflight *f, const char *why)
{
	engine_assert_held();
	list_for_each (item, &inflights.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (inflight_fate(l, f) != COORD_OUT)
			inflight_break(l, why);
	}
}

/* ---- its contents ---- */

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

	for (int peer = 0; peer < inflights.peers; peer++)
		list_for_each (item, &inflights.of[peer])
			n += inflight_fate(l, container_of(item, struct inflight, link)) ==
			     COORD_IN;
	return n;
}

static void add_member(struct inflight_line *l, struct inflight *f)
{
	struct inflight_member *member = &l->members[l->n++];

	*member = (struct inflight_member){.f = f,
		.entry = {.context = f->m.context,
			.peer = f->m.peer,
			.tag = f->tag,
			.source = f->source,
			.sync = f->sync}};
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
	for (int peer = 0; peer < inflights.peers; peer++)
		list_for_each (item, &inflights.of[peer]) {
			struct inflight *f = container_of(item, struct inflight, link);

			if (inflight_fate(l, f) == COORD_IN)
				add_member(l, f);
		}
	qsort(l->members, l->n, sizeof *l->members, by_place);
	if (l->why || l->lacking == 0)
		complete(l);
}

void inflight_finish(struct inflight_line *l)
{
	engine_assert_held();
	l->finishing = true;
	gather(l);
}

void inflight_whole(struct inflight *f)
{
	engine_assert_held();
	if (f->contents->rc) {
		inflight_break_lines(f, "a message in transit is lost with its sender");
		return;
	}
	list_for_each (item, &inflights.lines) {
		struct inflight_line *l = container_of(item, struct inflight_line, link);

		if (l->members && !l->complete && inflight_fate(l, f) == COORD_IN &&
			--l->lacking == 0)
			complete(l);
	}
}

/* ---- when it is ready ---- */

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
	size_t bytes = SECTION_MESSAGES_HEAD;
	struct writer w;

	for (size_t i = 0; i < l->n; i++)
		bytes += section_messages_entry(&l->members[i].entry) +
			 (size_t)l->members[i].contents->length;
	*out = malloc(bytes);
	if (!*out)
		return false;
	*len = bytes;
	w = writer_over(*out, bytes);
	writer_u32(&w, (uint32_t)l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct section_message e = l->members[i].entry;

		e.length = l->members[i].contents->length;
		section_messages_write(&w, &e);
		writer_bytes(&w, l->members[i].contents->bytes, (size_t)e.length);
	}
	return true;
}
