/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was written to a peer of another host, and may not have come (mend.c): kept until it has, or
 * put back to the head of the queue. kept_from is where the first of it begins in the stream; the
 * last of it ends where the head of the queue begins.
 */
#include "base/error.h"
#include "transport/tp.h"

enum { KEPT_MAX = 8 << 20 };

static uint64_t size_of(const struct tp_out *o)
{
	return o->len + o->payload_len;
}

static struct tp_out *first_of(const struct link *list)
{
	return list_empty(list) ? NULL : container_of(list->next, struct tp_out, link);
}

/* It has come, or it is the other side's own affair. */
static void drop_first(struct tp *tp, struct tp_peer *p)
{
	struct tp_out *o = first_of(&p->mend.kept);
	struct tp_send *op = o->op;

	p->mend.kept_from += size_of(o);
	p->mend.kept_bytes -= o->len;
	list_remove(&o->link);
	tp_out_free(tp, o);
	if (op)
		tp_send_written(tp, op);
}

static void drop_all(struct tp *tp, struct tp_peer *p)
{
	while (!list_empty(&p->mend.kept))
		drop_first(tp, p);
}

/* A copy behind what the last one has copied. */
static bool goes_into_last(struct tp_mend *m, const struct tp_out *o)
{
	struct tp_out *last =
		list_empty(&m->kept) ? NULL : container_of(m->kept.prev, struct tp_out, link);

	if (!last || last->op || o->op || last->room - last->len < o->len)
		return false;
	memcpy(last->bytes + last->len, o->bytes, o->len);
	last->len += o->len;
	return true;
}

void tp_kept_add(struct tp *tp, struct tp_peer *p, struct tp_out *o)
{
	struct tp_mend *m = &p->mend;

	m->kept_bytes += o->len;
	if (goes_into_last(m, o)) {
		tp_out_free(tp, o);
	} else {
		list_append(&m->kept, &o->link);
		if (o->cursor)
			drop_all(tp, p);
	}
	while (m->kept_bytes > KEPT_MAX)
		drop_first(tp, p);
}

void tp_kept_reset(struct tp *tp, struct tp_peer *p)
{
	struct tp_mend *m = &p->mend;

	drop_all(tp, p);
	tp_mend_end_resuming(tp, p);
	m->ack_due = m->bye_came = false;
	m->times = 0;
	m->in_vain = 0;
	m->why = NULL;
	m->kept_from = m->wrote = m->came = m->told = m->began = m->progress = 0;
}

int tp_kept_acked(struct tp *tp, struct tp_peer *p, const struct wire_frame *f)
{
	struct tp_mend *m = &p->mend;

	if (!tp_mend_is_said(f))
		return 0;
	if (f->id > m->wrote)
		return FT_EPROTO;
	if (f->kind == WIRE_CREDIT && f->peer_id && p->bye_sent)
		m->bye_came = true;
	while (!list_empty(&m->kept) && m->kept_from + size_of(first_of(&m->kept)) <= f->id)
		drop_first(tp, p);
	return 0;
}

bool tp_kept_go_back(struct tp *tp, struct tp_peer *p, uint64_t came)
{
	struct tp_mend *m = &p->mend;
	struct link lacks;
	uint64_t at;
	struct tp_out *o;

	if (came < m->kept_from || came > m->wrote)
		return false;
	while ((o = first_of(&m->kept)) && m->kept_from + size_of(o) <= came)
		drop_first(tp, p);
	at = m->kept_from;
	list_init(&lacks);
	while ((o = first_of(&m->kept))) {
		list_remove(&o->link);
		list_append(&lacks, &o->link);
		m->kept_bytes -= o->len;
		tp->work.queued++;
	}
	while (!list_empty(&p->queue)) {
		struct link *item = list_pop(&p->queue);

		list_append(&lacks, item);
	}
	while (!list_empty(&lacks)) {
		o = container_of(list_pop(&lacks), struct tp_out, link);
		o->done = came > at ? (size_t)(came - at) : 0;
		at += size_of(o);
		list_append(&p->queue, &o->link);
	}
	if (!list_empty(&p->queue) && !list_linked(&p->busy))
		list_append(&tp->busy, &p->busy);
	m->wrote = came;
	return true;
}
