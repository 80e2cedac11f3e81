/* SPDX-License-Identifier: BSD-3-Clause */
#include "rt_message.h"

#include <stdlib.h>

struct rt_list rt_list_draw(struct rt_case *c, int most, int tags)
{
	struct rng *rng = &c->common;
	struct rt_list l = {.pattern = rt_pattern_draw(rng)};
	size_t ranks = (size_t)c->size;
	l.n = 1 + (int)rng_below(rng, (size_t)most);
	l.message = prog_alloc(c->prog, (size_t)l.n * sizeof(*l.message));
	for (int i = 0; i < l.n; i++) {
		struct rt_message *m = &l.message[i];
		*m = (struct rt_message){.number = i};
		m->src = (int)rng_below(rng, ranks);
		m->dst = (int)rng_below(rng, ranks);
		m->tag = (int)rng_below(rng, (size_t)tags);
		m->units = rt_amount_draw(c, rng, &l.pattern, l.n);
		m->synchronous = rng_chance(rng, 30);
		l.most = m->units > l.most ? m->units : l.most;
	}
	return l;
}

void rt_list_free(struct rt_list *l)
{
	free(l->message);
}

uint64_t rt_message_stream(const struct rt_case *c, const struct rt_message *m)
{
	return rt_stream(c, m->src, m->dst, 1 + m->number + 1000 * m->round);
}

/* Put the address of the buffer into a type of its own. */
static void make_absolute(struct rt_end *e)
{
	MPI_Aint address;
	MPI_Datatype made;
	MPI_Get_address(e->buf, &address);
	MPI_Type_create_struct(1, &e->count, &address, &e->type, &made);
	MPI_Type_commit(&made);
	e->absolute = true;
	e->type = made;
	e->count = 1;
	e->buf = MPI_BOTTOM;
}

static void end_make(
	struct rt_end *e, struct rt_case *c, const struct rt_list *l, size_t units, size_t room)
{
	rt_side_make(&e->side, c, &l->pattern, units, room);
	e->buf = e->side.image.buf;
	e->count = (int)e->side.image.elements;
	e->type = e->side.layout.type;
	e->absolute = false;
	if (e->count > 0 && rng_chance(&c->own, 10))
		make_absolute(e);
}

void rt_end_send(
	struct rt_end *e, struct rt_case *c, const struct rt_list *l, const struct rt_message *m)
{
	end_make(e, c, l, m->units, m->units);
	rt_image_put(&e->side.image, RT_BOTH, 0, m->units, rt_message_stream(c, m));
}

void rt_end_recv(struct rt_end *e, struct rt_case *c, const struct rt_list *l, size_t room)
{
	/* units of 0: the message need not be a whole number of the receiver's elements */
	end_make(e, c, l, 0, room);
}

void rt_end_close(struct rt_end *e, const char *what)
{
	if (e->absolute)
		MPI_Type_free(&e->type);
	rt_side_close(&e->side, what);
}

static void check_status(
	const struct rt_end *e, const struct rt_message *m, const MPI_Status *status)
{
	struct rt_case *c = e->side.image.c;
	size_t per = (size_t)e->side.layout.units;
	int count = -1, cancelled = -1;
	int want = m->units % per == 0 ? (int)(m->units / per) : MPI_UNDEFINED;
	MPI_Get_count(status, e->side.layout.type, &count);
	MPI_Test_cancelled(status, &cancelled);
	if (status->MPI_SOURCE != m->src || status->MPI_TAG != m->tag)
		rt_wrong(c, "status of message %d says source %d, tag %d, not %d and %d", m->number,
			status->MPI_SOURCE, status->MPI_TAG, m->src, m->tag);
	if (count != want)
		rt_wrong(c, "status of message %d says %d of %s, not %d", m->number, count,
			e->side.layout.name, want);
	if (cancelled)
		rt_wrong(c, "status of message %d says it was cancelled", m->number);
}

void rt_end_arrived(struct rt_end *e, const struct rt_message *m, const MPI_Status *status)
{
	if (status != NULL)
		check_status(e, m, status);
	rt_image_put(&e->side.image, RT_WANT, 0, m->units, rt_message_stream(e->side.image.c, m));
}

const struct rt_message *rt_list_claim(
	struct rt_case *c, struct rt_list *l, int source, int tag, bool any_tag)
{
	for (int i = 0; i < l->n; i++) {
		struct rt_message *m = &l->message[i];
		if (m->used || m->dst != c->rank || m->src != source || (!any_tag && m->tag != tag))
			continue;
		m->used = true;
		return m;
	}
	rt_wrong(c, "a message from rank %d with tag %d came that nobody sent", source, tag);
}
