/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages across a recovery line. A message is in transit when it was sent before its sender's
 * checkpoint and the program receives it after its own. That is what waits in the matching lists,
 * and what a receive that is still open has matched or even got: after a restore the program posts
 * that receive again (C5). So it does with a message that MPI_Mprobe has found. What was matched
 * comes first, in the order of the matches; then the rest in the order of arrival (C6).
 */
#include "p2p_saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "comm.h"
#include "engine.h"
#include "inflight.h"
#include "p2p_message.h"
#include "p2p_state.h"
#include "request.h"
#include "saved_layout.h"
#include "stored.h"

static bool each_in(struct link *list, bool (*visit)(struct match_msg *, void *), void *arg)
{
	list_for_each_safe (item, list)
		if (!visit(container_of(item, struct match_msg, all), arg))
			return false;
	return true;
}

bool p2p_each_kept(bool (*visit)(struct match_msg *msg, void *arg), void *arg)
{
	struct match *m = p2p_matching();

	return each_in(&m->taken, visit, arg) && each_in(&m->arrivals, visit, arg);
}

/* ---- taking over ---- */

/* In the same places of the lists. */
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
	if (m->msg.taken)
		message_moved(m->msg.taken, &m->msg);
	if (m->msg.inflight)
		inflight_stored(m->msg.inflight, m);
	place = (struct tp_place){
		.buf = m->bytes, .room = (size_t)held->length, .cookie = stored_hold(m)};
	tp_claim(engine_tp(), held, place);
	return true;
}

/* What was matched and is not the program's yet: the message of a receive, or one that MPI_Mprobe
 * has found. */
struct delivered {
	uint64_t matched;
	const struct request *r;     /* or */
	const struct match_msg *msg; /* in our memory */
};

struct deliveries {
	struct delivered *list; /* NULL: only count */
	size_t n;
	bool waiting; /* a receive has matched, and its message is not whole */
};

/* A receive that the program has not finished and that has its message. */
static bool is_open(const struct request *r)
{
	return r->kind == REQUEST_RECV && r->active && !r->posted && !r->cancelled &&
	       r->rank != MPI_PROC_NULL && !comm_is_coord_context(r->match.context);
}

static void gather(struct deliveries *d, const struct delivered *one)
{
	if (d->list)
		d->list[d->n] = *one;
	d->n++;
}

static void gather_open(struct request *r, void *arg)
{
	struct deliveries *d = arg;

	if (!is_open(r))
		return;
	if (!r->done)
		d->waiting = true;
	gather(d, &(struct delivered){.matched = r->matched, .r = r});
}

static bool is_whole(struct match_msg *msg, void *arg)
{
	(void)arg;
	return !msg->stored || msg->stored->whole;
}

static bool all_whole(void *arg, int *expect)
{
	struct deliveries d = {0};

	(void)arg;
	(void)expect;
	if (!p2p_each_kept(is_whole, NULL))
		return false;
	requests_each(gather_open, &d);
	return !d.waiting;
}

static bool take_over(struct match_msg *msg, void *arg)
{
	bool *ok = arg;

	if (!msg->stored && !comm_is_coord_context(msg->context))
		*ok = p2p_pull(msg) && *ok;
	return true;
}

bool p2p_secure(void)
{
	bool ok = true;

	p2p_each_kept(take_over, &ok);
	engine_wait(all_whole, NULL);
	return ok;
}

static bool forget(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (comm_is_coord_context(msg->context))
		return true;
	match_forget(msg);
	if (msg->taken)
		message_moved(msg->taken, NULL);
	if (msg->stored)
		stored_release(msg->stored);
	else
		tp_drop(engine_tp(), container_of(msg, struct tp_held, user));
	return true;
}

void p2p_forget(void)
{
	p2p_each_kept(forget, NULL);
}

/* ---- for lines that are made while the program goes on ---- */

static void note_open(struct request *r, void *arg)
{
	(void)arg;
	if (is_open(r))
		inflight_open(r);
}

static bool note_kept(struct match_msg *msg, void *arg)
{
	(void)arg;
	if (!comm_is_coord_context(msg->context))
		inflight_kept(msg);
	return true;
}

void p2p_note(void)
{
	p2p_each_kept(note_kept, NULL);
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

static bool visit_kept(struct match_msg *msg, void *arg)
{
	const struct visitor *v = arg;
	struct coord_message m = inflight_name(msg);

	if (!comm_is_coord_context(msg->context))
		v->visit(v->arg, &m);
	return true;
}

void p2p_undelivered(void (*visit)(void *arg, const struct coord_message *m), void *arg)
{
	struct visitor v = {visit, arg};

	p2p_each_kept(visit_kept, &v);
	requests_each(visit_open, &v);
}

/* ---- into bytes ---- */

static int by_delivery(const void *a, const void *b)
{
	const struct delivered *x = a, *y = b;

	return x->matched < y->matched ? -1 : x->matched > y->matched;
}

static void gather_all(struct deliveries *d)
{
	requests_each(gather_open, d);
	list_for_each (item, &p2p_matching()->taken) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (msg->stored)
			gather(d, &(struct delivered){.matched = msg->matched, .msg = msg});
	}
}

static bool list_deliveries(struct deliveries *d)
{
	gather_all(d);
	d->list = malloc((d->n + 1) * sizeof *d->list);
	if (!d->list)
		return false;
	d->n = 0;
	gather_all(d);
	qsort(d->list, d->n, sizeof *d->list, by_delivery);
	return true;
}

/* The message in the buffer of a receive. */
static void copy_bytes(const struct request *r, uint8_t *to)
{
	type_pack_prefix(r->type, r->buf, r->count, to, (size_t)r->bytes);
}

struct stored *p2p_copy(const struct request *r)
{
	struct match_msg msg = {0};
	struct stored *m = stored_new(&msg, r->length);

	if (!m)
		return NULL;
	copy_bytes(r, m->bytes);
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
	ok = !w->bad && (size_t)(w->end - w->at) >= r->bytes;
	if (ok) {
		copy_bytes(r, w->at);
		w->at += r->bytes;
	}
	return ok;
}

static void write_stored(struct writer *w, const struct match_msg *msg)
{
	struct saved_entry e = {.context = msg->context,
		.peer = msg->peer,
		.tag = msg->tag,
		.source = msg->source,
		.length = msg->stored->length};

	saved_write(w, &e);
	writer_bytes(w, msg->stored->bytes, (size_t)msg->stored->length);
}

static bool write_delivered(struct writer *w, const struct delivered *one)
{
	if (one->r)
		return write_open(w, one->r);
	write_stored(w, one->msg);
	return true;
}

static size_t total_bytes(const struct deliveries *d, uint32_t *count)
{
	size_t bytes = SAVED_HEAD_BYTES;

	*count = (uint32_t)d->n;
	for (size_t i = 0; i < d->n; i++)
		bytes +=
			SAVED_ENTRY_BYTES + (size_t)(d->list[i].r ? d->list[i].r->bytes
								  : d->list[i].msg->stored->length);
	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored)
			continue;
		bytes += SAVED_ENTRY_BYTES + (size_t)msg->stored->length;
		++*count;
	}
	return bytes;
}

static void write_arrivals(struct writer *w)
{
	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (msg->stored)
			write_stored(w, msg);
	}
}

bool p2p_capture(uint8_t **out, size_t *len)
{
	struct deliveries d = {0};
	struct writer w;
	uint32_t count;
	bool ok = list_deliveries(&d);

	if (!ok)
		return false;
	*len = total_bytes(&d, &count);
	*out = malloc(*len);
	ok = *out != NULL;
	if (ok) {
		w = writer_over(*out, *len);
		writer_u32(&w, count);
		for (size_t i = 0; i < d.n; i++)
			ok = ok && write_delivered(&w, &d.list[i]);
		write_arrivals(&w);
		ok = ok && !w.bad;
	}
	if (!ok) {
		free(*out);
		*out = NULL;
	}
	free(d.list);
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
