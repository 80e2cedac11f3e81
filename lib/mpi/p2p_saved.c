/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages across a recovery line. A message is in transit when it was sent before its sender's
 * checkpoint and the program receives it after its own. That is what waits in the matching lists,
 * and what a receive that is still open has matched or even got: after a restore the program posts
 * that receive again (C5). The latter come first, in the order of their matches; then the former,
 * in the order of their arrival (C6).
 *
 * Layout of CKPT_MESSAGES: u32 count, then for each: u64 context, u32 peer, i32 tag, i32 source,
 * u64 length, the bytes. Little-endian.
 */
#include "p2p_saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "comm.h"
#include "engine.h"
#include "p2p_state.h"
#include "request.h"
#include "stored.h"

enum { HEAD_BYTES = 4, ENTRY_BYTES = 28 };

struct stored *stored_new(const struct match_msg *msg, uint64_t length)
{
	struct stored *m = length < SIZE_MAX / 2 ? malloc(sizeof *m + (size_t)length) : NULL;

	if (!m)
		return NULL;
	*m = (struct stored){
		.head = {.kind = OBJECT_STORED, .refs = 1}, .msg = *msg, .length = length};
	m->msg.stored = m;
	return m;
}

void stored_free(struct stored *m)
{
	free(m);
}

/* ---- taking over ---- */

/* In the same places of both lists. */
static bool take_over(struct match_msg *msg)
{
	struct tp_held *held = container_of(msg, struct tp_held, user);
	struct stored *m = stored_new(msg, held->length);
	struct tp_place place;

	if (!m)
		return false;
	list_append(&msg->link, &m->msg.link);
	list_append(&msg->all, &m->msg.all);
	match_forget(msg);
	place = (struct tp_place){.buf = m->bytes, .room = (size_t)held->length, .cookie = m};
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
			ok = take_over(msg) && ok;
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
			stored_free(msg->stored);
		else
			tp_drop(engine_tp(), container_of(msg, struct tp_held, user));
	}
}

/* ---- into bytes ---- */

static int by_delivery(const void *a, const void *b)
{
	const struct request *x = *(struct request *const *)a, *y = *(struct request *const *)b;

	return x->delivered < y->delivered ? -1 : x->delivered > y->delivered;
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

static void write_entry(struct writer *w, const struct match_msg *msg, uint64_t length)
{
	writer_u64(w, msg->context);
	writer_u32(w, (uint32_t)msg->peer);
	writer_u32(w, (uint32_t)msg->tag);
	writer_u32(w, (uint32_t)msg->source);
	writer_u64(w, length);
}

/* Its message, from where the program will find it. */
static bool write_open(struct writer *w, const struct request *r)
{
	struct match_msg msg = {.context = r->comm->context | (uint64_t)r->plane,
		.peer = comm_world_rank(r->comm, r->source),
		.tag = r->got_tag,
		.source = r->source};
	uint8_t *packed;

	write_entry(w, &msg, r->bytes);
	if (r->type->contiguous) {
		writer_bytes(w, r->buf, (size_t)r->bytes);
		return true;
	}
	packed = malloc(r->count * r->type->size + 1);
	if (!packed)
		return false;
	type_pack(r->type, r->buf, r->count, packed);
	writer_bytes(w, packed, (size_t)r->bytes);
	free(packed);
	return true;
}

static size_t total_bytes(const struct open_receives *o, uint32_t *count)
{
	size_t bytes = HEAD_BYTES;

	*count = (uint32_t)o->n;
	for (size_t i = 0; i < o->n; i++)
		bytes += ENTRY_BYTES + (size_t)o->list[i]->bytes;
	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored)
			continue;
		bytes += ENTRY_BYTES + (size_t)msg->stored->length;
		++*count;
	}
	return bytes;
}

static void write_stored(struct writer *w)
{
	list_for_each (item, &p2p_matching()->arrivals) {
		const struct match_msg *msg = container_of(item, struct match_msg, all);

		if (!msg->stored)
			continue;
		write_entry(w, msg, msg->stored->length);
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

struct entry {
	struct match_msg msg;
	uint64_t length;
	const uint8_t *bytes;
};

static bool read_entry(struct cursor *c, struct entry *e)
{
	e->msg = (struct match_msg){.context = cursor_u64(c)};
	e->msg.peer = (int)cursor_u32(c);
	e->msg.tag = (int)cursor_u32(c);
	e->msg.source = (int)cursor_u32(c);
	e->length = cursor_u64(c);
	if (c->bad || e->length > (uint64_t)(c->end - c->at))
		return false;
	e->bytes = c->at;
	c->at += e->length;
	return true;
}

bool p2p_valid(const uint8_t *bytes, size_t len, int size)
{
	struct cursor c = cursor_over(bytes, len);
	uint32_t count = cursor_u32(&c);
	struct entry e;

	for (uint32_t i = 0; i < count; i++)
		if (!read_entry(&c, &e) || e.msg.peer < 0 || e.msg.peer >= size || e.msg.tag < 0)
			return false;
	return cursor_done(&c);
}

bool p2p_inject(const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	struct entry e;

	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		struct stored *m;

		if (!read_entry(&c, &e))
			return false;
		m = stored_new(&e.msg, e.length);
		if (!m)
			return false;
		if (e.length)
			memcpy(m->bytes, e.bytes, (size_t)e.length);
		m->whole = true;
		p2p_arrive(m);
	}
	return true;
}
