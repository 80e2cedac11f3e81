/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a line as bytes, and back: CKPT_MESSAGES (section_messages.h). */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "ckpt/section_messages.h"
#include "mpi/comm/comm.h"
#include "p2p_saved.h"
#include "p2p_state.h"
#include "request.h"
#include "stored.h"

/* ---- what was matched ---- */

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
};

static void gather(struct deliveries *d, const struct delivered *one)
{
	if (d->list)
		d->list[d->n] = *one;
	d->n++;
}

static void gather_open(struct request *r, void *arg)
{
	struct deliveries *d = arg;

	if (p2p_is_open(r))
		gather(d, &(struct delivered){.matched = r->matched, .r = r});
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
	list_for_each (item, &p2p_matching()->matched) {
		const struct match_msg *msg = container_of(item, struct match_msg, all.link);

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

/* Its message, from where the program will find it. */
static bool write_open(struct writer *w, const struct request *r)
{
	struct section_message e = {.context = r->match.context,
		.peer = r->peer,
		.tag = r->got_tag,
		.source = r->source,
		.length = r->bytes};
	bool ok;

	section_messages_write(w, &e);
	ok = !w->bad && (size_t)(w->end - w->at) >= r->bytes;
	if (ok) {
		type_pack_prefix(r->m.type, r->m.buf, r->m.count, w->at, (size_t)r->bytes);
		w->at += r->bytes;
	}
	return ok;
}

static void write_stored(struct writer *w, const struct match_msg *msg)
{
	struct section_message e = {.context = msg->context,
		.peer = msg->peer,
		.tag = msg->tag,
		.source = msg->source,
		.length = msg->stored->length};

	section_messages_write(w, &e);
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
	size_t bytes = SECTION_MESSAGES_HEAD;

	*count = (uint32_t)d->n;
	for (size_t i = 0; i < d->n; i++)
		bytes += SECTION_MESSAGES_ENTRY +
			 (size_t)(d->list[i].r ? d->list[i].r->bytes
					       : d->list[i].msg->stored->length);
	list_for_each (item, &p2p_matching()->arrivals.list) {
		const struct match_msg *msg = container_of(item, struct match_msg, all.link);

		if (!msg->stored)
			continue;
		bytes += SECTION_MESSAGES_ENTRY + (size_t)msg->stored->length;
		++*count;
	}
	return bytes;
}

static void write_arrivals(struct writer *w)
{
	list_for_each (item, &p2p_matching()->arrivals.list) {
		const struct match_msg *msg = container_of(item, struct match_msg, all.link);

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

	engine_assert_held();
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

static struct stored *stored_from(
	struct coord *coord, const struct section_message *e, const uint8_t *bytes)
{
	struct match_msg msg = {
		.context = e->context, .peer = e->peer, .tag = e->tag, .source = e->source};
	struct stored *m = stored_new(&msg, e->length);

	if (!m)
		return NULL;
	if (e->length)
		memcpy(m->bytes, bytes, (size_t)e->length);
	m->whole = true;
	m->sync = e->sync;
	m->msg.index = coord_injected(coord, e->peer, e->context, coord_tag(e->context, e->tag));
	return m;
}

bool p2p_inject(struct coord *coord, const uint8_t *bytes, size_t len)
{
	struct cursor c = cursor_over(bytes, len);
	const uint8_t *contents;
	struct section_message e;

	engine_assert_held();
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		struct stored *m;

		if (!section_messages_read(&c, &e, &contents))
			return false;
		m = stored_from(coord, &e, contents);
		if (!m)
			return false;
		p2p_arrive(m);
	}
	return true;
}
