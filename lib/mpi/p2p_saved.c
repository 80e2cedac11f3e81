/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages across a recovery line. A message is in transit when it was sent before its sender's
 * checkpoint and the program receives it after its own. That is what waits in the matching lists,
 * and what a receive that is still open has matched or even got: after a restore the program posts
 * that receive again (C5). The latter come first, in the order of their matches; then the former,
 * in the order of their arrival (C6).
 */
#include "p2p_saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "comm.h"
#include "engine.h"
#include "inflight.h"
#include "p2p_state.h"
#include "request.h"
#include "saved_layout.h"
#include "stored.h"

/* ---- taking over ---- */

/* In the same places of both lists. */
bool p2p_pull(struct match_msg *msg)
{
	struct tp_held *held = container_of(msg, struct tp_held, user);
	struct stored *m = stored_new(msg, held->length);
	struct tp_place place;

	if (!m)
		return false;
	list_append(&msg->link, &m->msg.link);
	list_append(&msg->all, &m->msg.all);
	match_forget(msg);
	if (m->msg.inflight)
		inflight_stored(m->msg.inflight, m);
	place = (struct tp_place){
		.buf = m->bytes, .room = (size_t)held->length, .cookie = stored_hold(m)};
	tp_claim(engine_tp(), held, place);
	return true;
}

struct open_receives {
	struct request **list; /* NULL: only count */
	size_t n;
	bool waiting; /* one has matched, and its message is not whole */
};

/* A receive that the program has not finished and that has its message. */
static bool is_open(const struct request *r)
{
	return r->kind == REQUEST_RECV && r->active && !r->posted && !r->cancelled &&
	       r->rank != MPI_PROC_NULL && !comm_is_coord_context(r->match.context);
}

static void gather_open(struct request *r, void *arg)
{
	struct open_receives *o = arg;

	if (!is_open(r))
		return;
	if (!r->done)
		o->waiting = true;
	if (o->list)
		o->list[o->n] = r;
	o->n++;
}

static bool all_whole(void *arg, int *expect)
{
	struct open_receives o = {0};
	struct link *arrivals = arg;

	(void)expect;
	list_for_each (item, arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (msg->stored && !msg->stored->whole)
			return false;
	}
	requests_each(gather_open, &o);
	return !o.waiting;
}

bool p2p_secure(void)
{
	struct link *arrivals = &p2p_matching()->arrivals;
	bool ok = true;

	list_for_each_safe (item, arrivals) {
		struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored && !comm_is_coord_context(msg->context))
			ok = p2p_pull(msg) && ok;
	}
	engine_wait(all_whole, arrivals);
	return ok;
}

void p2p_forget(void)
{
	list_for_each_safe (item, &p2p_matching()->arrivals) {
		struct match_msg *msg = container_of(item, struct match_msg, all);

		if (comm_is_coord_context(msg->context))
			continue;
		match_forget(msg);
		if (msg->stored)
			stored_release(msg->stored);
		else
			tp_drop(engine_tp(), container_of(msg, struct tp_held, user));
	}
}

/* ---- for lines that are made while the program goes on ---- */

static void note_open(struct request *r, void *arg)
{
	(void)arg;
	if (is_open(r))
		inflight_open(r);
}

void p2p_note(void)
{
	list_for_each_safe (item, &p2p_matching()->arrivals) {
		struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!comm_is_coord_context(msg->context))
			inflight_kept(msg);
	}
	requests_each(note_open, NULL);
}

struct visitor {
	void (*visit)(void *arg, const struct coord_message *m);
	void *arg;
};

static void visit_open(struct request *r, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m;

	if (!is_open(r))
		return;
	m = inflight_name_open(r);
	v->visit(v->arg, &m);
}

void p2p_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	struct visitor v = {visit, arg};

	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);
		struct coord_message m = inflight_name(msg);

		if (!comm_is_coord_context(msg->context))
			visit(arg, &m);
	}
	requests_each(visit_open, &v);
}

/* ---- into bytes ---- */

static int by_delivery(const void *a, const void *b)
{
	const struct request *x = *(struct request *const *)a, *y = *(struct request *const *)b;

	return x->matched < y->matched ? -1 : x->matched > y->matched;
}

static bool list_open(struct open_receives *o)
{
	requests_each(gather_open, o);
	o->list = malloc((o->n + 1) * sizeof *o->list);
	if (!o->list)
		return false;
	o->n = 0;
	requests_each(gather_open, o);
	qsort(o->list, o->n, sizeof *o->list, by_delivery);
	return true;
}

/* The message in the buffer of a receive. */
static bool copy_bytes(const struct request *r, uint8_t *to)
{
	uint8_t *packed;

	if (r->type->contiguous) {
		if (r->bytes)
			memcpy(to, r->buf, (size_t)r->bytes);
		return true;
	}
	packed = malloc(r->count * r->type->size + 1);
	if (!packed)
		return false;
	type_pack(r->type, r->buf, r->count, packed);
	memcpy(to, packed, (size_t)r->bytes);
	free(packed);
	return true;
}

struct stored *p2p_copy(const struct request *r)
{
	struct match_msg msg = {0};
	struct stored *m = stored_new(&msg, r->length);

	if (!m)
		return NULL;
	if (!copy_bytes(r, m->bytes)) {
		stored_release(m);
		return NULL;
	}
	memset(m->bytes + r->bytes, 0, (size_t)(r->length - r->bytes));
	m->whole = true;
	return m;
}

/* Its message, from where the program will find it. */
static bool write_open(struct writer *w, const struct request *r)
{
	struct saved_entry e = {.context = r->match.context,
		.peer = r->peer,
		.tag = r->got_tag,
		.source = r->source,
		.length = r->bytes};
	bool ok;

	saved_write(w, &e);
	ok = !w->bad && (size_t)(w->end - w->at) >= r->bytes && copy_bytes(r, w->at);
	if (ok)
		w->at += r->bytes;
	return ok;
}

static size_t total_bytes(const struct open_receives *o, uint32_t *count)
{
	size_t bytes = SAVED_HEAD_BYTES;

	*count = (uint32_t)o->n;
	for (size_t i = 0; i < o->n; i++)
		bytes += SAVED_ENTRY_BYTES + (size_t)o->list[i]->bytes;
	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored)
			continue;
		bytes += SAVED_ENTRY_BYTES + (size_t)msg->stored->length;
		++*count;
	}
	return bytes;
}

static void write_stored(struct writer *w)
{
	struct saved_entry e;

	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored)
			continue;
		e = (struct saved_entry){.context = msg->context,
			.peer = msg->peer,
			.tag = msg->tag,
			.source = msg->source,
			.length = msg->stored->length};
		saved_write(w, &e);
		writer_bytes(w, msg->stored->bytes, (size_t)msg->stored->length);
	}
}

bool p2p_capture(uint8_t **out, size_t *len)
{
	struct open_receives o = {0};
	struct writer w;
	uint32_t count;
	bool ok = list_open(&o);

	if (!ok)
		return false;
	*len = total_bytes(&o, &count);
	*out = malloc(*len);
	ok = *out != NULL;
	if (ok) {
		w = writer_over(*out, *len);
		writer_u32(&w, count);
		for (size_t i = 0; i < o.n; i++)
			ok = ok && write_open(&w, o.list[i]);
		write_stored(&w);
		ok = ok && !w.bad;
	}
	if (!ok) {
		free(*out);
		*out = NULL;
	}
	free(o.list);
	return ok;
}

/* ---- out of bytes ---- */

bool p2p_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = cursor_u32(&c);
	const uint8_t *contents;
	struct saved_entry e;

	for (uint32_t i = 0; i < count; i++)
		if (!saved_read(&c, &e, &contents) || e.peer < 0 || e.peer >= size || e.tag < 0)
			return false;
	return cursor_done(&c);
}

static struct stored *stored_from(
	struct coord *coord, const struct saved_entry *e, const uint8_t *bytes)
{
	struct match_msg msg = {
		.context = e->context, .peer = e->peer, .tag = e->tag, .source = e->source};
	struct stored *m = stored_new(&msg, e->length);

	if (!m)
		return NULL;
	if (e->length)
		memcpy(m->bytes, bytes, (size_t)e->length);
	m->whole = true;
	m->msg.index = coord_injected(coord, e->peer, e->context, coord_tag(e->context, e->tag));
	return m;
}

bool p2p_inject(struct coord *coord, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	const uint8_t *contents;
	struct saved_entry e;

	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		struct stored *m;

		if (!saved_read(&c, &e, &contents))
			return false;
		m = stored_from(coord, &e, contents);
		if (!m)
			return false;
		p2p_arrive(m);
	}
	return true;
}
