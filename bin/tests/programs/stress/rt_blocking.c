/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages one after the other: every rank goes through the same list and does its part of each
 * message before it looks at the next, so nothing can wait in a circle. And Sendrecv along a random
 * permutation.
 */
#include "rt_message.h"

#include <sched.h>
#include <stdlib.h>

static void send_one(struct rt_case *c, const struct rt_list *l, const struct rt_message *m)
{
	struct rt_end e;
	MPI_Request request;
	MPI_Status status;
	rt_end_send(&e, c, l, m);
	switch (rng_below(&c->own, 4)) {
	case 0:
		MPI_Send(e.buf, e.count, e.type, m->dst, m->tag, c->comm);
		break;
	case 1:
		MPI_Ssend(e.buf, e.count, e.type, m->dst, m->tag, c->comm);
		break;
	case 2:
		MPI_Isend(e.buf, e.count, e.type, m->dst, m->tag, c->comm, &request);
		MPI_Wait(&request, &status);
		break;
	default:
		MPI_Issend(e.buf, e.count, e.type, m->dst, m->tag, c->comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	rt_end_close(&e, "send buffer");
}

/* What a probe says must be true of the message. */
static void probe(struct rt_case *c, const struct rt_message *m, int source, int tag)
{
	MPI_Status status;
	int flag = 0;
	if (rng_chance(&c->own, 50))
		MPI_Probe(source, tag, c->comm, &status);
	else
		for (; !flag; sched_yield())
			MPI_Iprobe(source, tag, c->comm, &flag, &status);
	if (status.MPI_SOURCE != m->src || status.MPI_TAG != m->tag)
		rt_wrong(c, "a probe for message %d says source %d, tag %d, not %d and %d",
			m->number, status.MPI_SOURCE, status.MPI_TAG, m->src, m->tag);
}

static void recv_one(
	struct rt_case *c, const struct rt_list *l, const struct rt_message *m, bool wild)
{
	struct rt_end e;
	MPI_Request request;
	MPI_Status status;
	/* tags are unique, so any source is safe with the tag, and any tag with the source */
	int source = wild && rng_chance(&c->own, 30) ? MPI_ANY_SOURCE : m->src;
	int tag = wild && source == m->src && rng_chance(&c->own, 30) ? MPI_ANY_TAG : m->tag;
	size_t extra = rng_chance(&c->own, 30) ? 3 : 0;
	rt_end_recv(&e, c, l, m->units + extra);
	if (rng_chance(&c->own, 40))
		probe(c, m, source, tag);
	if (rng_chance(&c->own, 50)) {
		MPI_Recv(e.buf, e.count, e.type, source, tag, c->comm, &status);
	} else {
		MPI_Irecv(e.buf, e.count, e.type, source, tag, c->comm, &request);
		MPI_Wait(&request, &status);
	}
	rt_end_arrived(&e, m, &status);
	rt_end_close(&e, "receive buffer");
}

static void to_myself(struct rt_case *c, const struct rt_list *l, const struct rt_message *m)
{
	struct rt_end in, out;
	MPI_Request request;
	MPI_Status status;
	rt_end_recv(&in, c, l, m->units);
	rt_end_send(&out, c, l, m);
	if (rng_chance(&c->own, 50)) {
		MPI_Sendrecv(out.buf, out.count, out.type, c->rank, m->tag, in.buf, in.count,
			in.type, c->rank, m->tag, c->comm, &status);
	} else {
		MPI_Irecv(in.buf, in.count, in.type, c->rank, m->tag, c->comm, &request);
		MPI_Send(out.buf, out.count, out.type, c->rank, m->tag, c->comm);
		MPI_Wait(&request, &status);
	}
	rt_end_arrived(&in, m, &status);
	rt_end_close(&in, "receive buffer");
	rt_end_close(&out, "send buffer");
}

static void run_blocking(struct rt_case *c)
{
	struct rt_list l = rt_list_draw(c, 2 * c->size, 1);
	bool wild = rng_chance(&c->common, 50);
	rt_describe(c, "%d messages of up to %zu units of %d basic types from %s", l.n, l.most,
		l.pattern.n, rt_basics[l.pattern.basic[0]].name);
	for (int i = 0; i < l.n; i++) {
		struct rt_message *m = &l.message[i];
		m->tag = i;
		if (m->src == c->rank && m->dst == c->rank)
			to_myself(c, &l, m);
		else if (m->src == c->rank)
			send_one(c, &l, m);
		else if (m->dst == c->rank)
			recv_one(c, &l, m, wild);
	}
	/* a message of a later case must not meet a wildcard of this one */
	if (wild)
		MPI_Barrier(c->comm);
	rt_list_free(&l);
}

/* next[r]: to whom rank r sends; some send to nobody. */
static int *draw_permutation(struct rt_case *c)
{
	int *next = prog_alloc(c->prog, (size_t)c->size * sizeof(int));
	for (int r = 0; r < c->size; r++) {
		int j = (int)rng_below(&c->common, (size_t)r + 1);
		next[r] = next[j];
		next[j] = r;
	}
	for (int r = 0; r < c->size; r++)
		if (rng_chance(&c->common, 15))
			next[r] = MPI_PROC_NULL;
	return next;
}

static void check_nobody(struct rt_case *c, const MPI_Status *status)
{
	int count = -1;
	MPI_Get_count(status, MPI_INT, &count);
	if (status->MPI_SOURCE != MPI_PROC_NULL || status->MPI_TAG != MPI_ANY_TAG || count != 0)
		rt_wrong(c,
			"status of a receive from MPI_PROC_NULL says source %d, tag %d, %d numbers",
			status->MPI_SOURCE, status->MPI_TAG, count);
}

static void run_sendrecv(struct rt_case *c)
{
	struct rt_list l = rt_list_draw(c, 1, 1);
	int *next = draw_permutation(c), from = MPI_PROC_NULL, to = next[c->rank];
	struct rt_end in, out;
	MPI_Status status;
	rt_describe(c, "%zu units of %d basic types from %s along a permutation", l.most,
		l.pattern.n, rt_basics[l.pattern.basic[0]].name);
	for (int r = 0; r < c->size; r++)
		if (next[r] == c->rank)
			from = r;
	struct rt_message sent = {0, c->rank, to < 0 ? c->rank : to, 3, l.most, false, 0, false};
	struct rt_message coming = {
		0, from < 0 ? c->rank : from, c->rank, 3, l.most, false, 0, false};
	rt_end_send(&out, c, &l, &sent);
	rt_end_recv(&in, c, &l, l.most);
	MPI_Sendrecv(out.buf, out.count, out.type, to, 3, in.buf, in.count, in.type, from,
		rng_chance(&c->own, 30) ? MPI_ANY_TAG : 3, c->comm, &status);
	if (from == MPI_PROC_NULL)
		check_nobody(c, &status);
	else
		rt_end_arrived(&in, &coming, &status);
	rt_end_close(&in, "receive buffer");
	rt_end_close(&out, "send buffer");
	rt_list_free(&l);
	free(next);
}

const struct rt_kind rt_blocking_kinds[] = {
	{"blocking", run_blocking},
	{"sendrecv", run_sendrecv},
	{NULL, NULL},
};
