/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's collective operations among neighbours: what each gives and gets, and the calls.
 * mixed_topologies.c says who is whose neighbour, mixed_ops.c how long an operation stays open.
 */
#include "mixed_neighbors.h"

#include <stdlib.h>

enum { ROOM = 1 << 16, SOURCES_MOST = 3 * 8 };

static void choose(struct mixed_deal *d, uint64_t *random)
{
	d->kind = (int)mixed_decide(random, NEIGHBORS_KINDS);
	d->which = MIXED_GRID + (int)mixed_decide(random, MIXED_WEB - MIXED_GRID + 1);
	d->n = mixed_bytes(d->m, random, 8) / 8;
	if (d->n > ROOM / (2 * SOURCES_MOST) - NEIGHBORS_UNEVEN)
		d->n = ROOM / (2 * SOURCES_MOST) - NEIGHBORS_UNEVEN;
}

long mixed_neighbors_count(const struct mixed_deal *d, int from, int edge)
{
	if (d->kind == NEIGHBORS_ALLGATHER || d->kind == NEIGHBORS_ALLTOALL)
		return d->n;
	return d->n + (from + (d->kind == NEIGHBORS_ALLGATHERV ? 0 : edge)) % NEIGHBORS_UNEVEN;
}

/* Who gathers gives all the same. */
static bool gathers(const struct mixed_deal *d)
{
	return d->kind == NEIGHBORS_ALLGATHER || d->kind == NEIGHBORS_ALLGATHERV;
}

static int stride(const struct mixed_deal *d)
{
	return d->kind == NEIGHBORS_ALLTOALLW ? 2 : 1;
}

static long give(const struct mixed_deal *d, uint64_t *in)
{
	int self = d->m->prog->rank;
	struct around to = mixed_neighbors_to(d, self);

	if (gathers(d)) {
		mixed_ops_words(d, self, MIXED_ALL, mixed_neighbors_count(d, self, 0), 1, in);
		return mixed_neighbors_block(d);
	}
	for (int i = 0; i < to.n; i++)
		mixed_ops_words(d, self, i, mixed_neighbors_count(d, self, i), stride(d),
			in + i * mixed_neighbors_block(d));
	return to.n * mixed_neighbors_block(d);
}

static long want(const struct mixed_deal *d, uint64_t *out)
{
	int self = d->m->prog->rank;
	struct around from = mixed_neighbors_from(d, self);

	for (int i = 0; i < from.n; i++) {
		if (from.rank[i] < 0)
			continue;
		int edge = mixed_neighbors_edge(d, self, i);

		mixed_ops_words(d, from.rank[i], gathers(d) ? MIXED_ALL : edge,
			mixed_neighbors_count(d, from.rank[i], edge), stride(d),
			out + i * mixed_neighbors_block(d));
	}
	return from.n * mixed_neighbors_block(d);
}

/* ---- the calls ---- */

/* One side of a call, by edge. */
struct edges {
	int counts[NEIGHBORS_MOST], displs[NEIGHBORS_MOST];
	MPI_Aint bytes[NEIGHBORS_MOST];
	MPI_Datatype types[NEIGHBORS_MOST];
	int blocks[NEIGHBORS_MOST]; /* all 1: blocks of a type each */
	int n;
};

struct args {
	struct edges to, from;
};

static void set_edge(const struct mixed_deal *d, struct edges *e, int i, long count)
{
	e->counts[i] = (int)count;
	e->displs[i] = (int)(i * mixed_neighbors_block(d));
	e->bytes[i] = e->displs[i] * (MPI_Aint)sizeof(uint64_t);
	e->blocks[i] = 1;
	MPI_Type_vector((int)count, 1, 2, MPI_UINT64_T, &e->types[i]);
	MPI_Type_commit(&e->types[i]);
	e->n = i + 1;
}

static struct args *args_of(struct mixed_op *o)
{
	const struct mixed_deal *d = &o->deal;
	int self = d->m->prog->rank;
	struct around to = mixed_neighbors_to(d, self), from = mixed_neighbors_from(d, self);
	struct args *a = prog_alloc(d->m->prog, sizeof(*a));

	a->to.n = a->from.n = 0;
	for (int i = 0; i < to.n; i++)
		set_edge(d, &a->to, i, mixed_neighbors_count(d, self, i));
	for (int i = 0; i < from.n; i++) {
		long count = 0;

		if (from.rank[i] >= 0)
			count = mixed_neighbors_count(
				d, from.rank[i], mixed_neighbors_edge(d, self, i));
		set_edge(d, &a->from, i, count);
	}
	return a;
}

static void free_types(const struct edges *e)
{
	for (int i = 0; i < e->n; i++) {
		MPI_Datatype type = e->types[i];

		MPI_Type_free(&type);
	}
}

static void allgather(struct mixed_op *o, const struct args *a, MPI_Comm c)
{
	int n = (int)o->deal.n;

	(void)a;
	if (o->deal.way == MIXED_NOW)
		MPI_Neighbor_allgather(o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ineighbor_allgather(
			o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c, &o->request);
	else
		MPI_Neighbor_allgather_init(o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c,
			MPI_INFO_NULL, &o->request);
}

static void allgatherv(struct mixed_op *o, const struct args *a, MPI_Comm c)
{
	int mine = (int)mixed_neighbors_count(&o->deal, o->deal.m->prog->rank, 0);

	if (o->deal.way == MIXED_NOW)
		MPI_Neighbor_allgatherv(o->in, mine, MPI_UINT64_T, o->out, a->from.counts,
			a->from.displs, MPI_UINT64_T, c);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ineighbor_allgatherv(o->in, mine, MPI_UINT64_T, o->out, a->from.counts,
			a->from.displs, MPI_UINT64_T, c, &o->request);
	else
		MPI_Neighbor_allgatherv_init(o->in, mine, MPI_UINT64_T, o->out, a->from.counts,
			a->from.displs, MPI_UINT64_T, c, MPI_INFO_NULL, &o->request);
}

static void alltoall(struct mixed_op *o, const struct args *a, MPI_Comm c)
{
	int n = (int)o->deal.n;

	(void)a;
	if (o->deal.way == MIXED_NOW)
		MPI_Neighbor_alltoall(o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ineighbor_alltoall(
			o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c, &o->request);
	else
		MPI_Neighbor_alltoall_init(o->in, n, MPI_UINT64_T, o->out, n, MPI_UINT64_T, c,
			MPI_INFO_NULL, &o->request);
}

static void alltoallv(struct mixed_op *o, const struct args *a, MPI_Comm c)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Neighbor_alltoallv(o->in, a->to.counts, a->to.displs, MPI_UINT64_T, o->out,
			a->from.counts, a->from.displs, MPI_UINT64_T, c);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ineighbor_alltoallv(o->in, a->to.counts, a->to.displs, MPI_UINT64_T, o->out,
			a->from.counts, a->from.displs, MPI_UINT64_T, c, &o->request);
	else
		MPI_Neighbor_alltoallv_init(o->in, a->to.counts, a->to.displs, MPI_UINT64_T, o->out,
			a->from.counts, a->from.displs, MPI_UINT64_T, c, MPI_INFO_NULL,
			&o->request);
}

static void alltoallw(struct mixed_op *o, const struct args *a, MPI_Comm c)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Neighbor_alltoallw(o->in, a->to.blocks, a->to.bytes, a->to.types, o->out,
			a->from.blocks, a->from.bytes, a->from.types, c);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ineighbor_alltoallw(o->in, a->to.blocks, a->to.bytes, a->to.types, o->out,
			a->from.blocks, a->from.bytes, a->from.types, c, &o->request);
	else
		MPI_Neighbor_alltoallw_init(o->in, a->to.blocks, a->to.bytes, a->to.types, o->out,
			a->from.blocks, a->from.bytes, a->from.types, c, MPI_INFO_NULL,
			&o->request);
}

static void (*const calls[NEIGHBORS_KINDS])(
	struct mixed_op *o, const struct args *a, MPI_Comm c) = {
	[NEIGHBORS_ALLGATHER] = allgather,
	[NEIGHBORS_ALLGATHERV] = allgatherv,
	[NEIGHBORS_ALLTOALL] = alltoall,
	[NEIGHBORS_ALLTOALLV] = alltoallv,
	[NEIGHBORS_ALLTOALLW] = alltoallw,
};

/* The operation keeps what it needs of the types. */
void mixed_neighbors_call(struct mixed_op *o)
{
	struct args *a = args_of(o);

	o->lists = a;
	calls[o->deal.kind](o, a, o->deal.m->comm[o->deal.which]);
	free_types(&a->to);
	free_types(&a->from);
}

/* ---- the part ---- */

static struct mixed_family family = {
	.part = MIXED_NEIGHBORS,
	.most = 2,
	.room = ROOM,
	.choose = choose,
	.give = give,
	.want = want,
	.call = mixed_neighbors_call,
};

static void begin(struct mixed *m)
{
	mixed_ops_begin(&family, m);
}

static void restored(struct mixed *m)
{
	mixed_ops_restored(&family, m);
}

static void step_around(struct mixed *m, long step)
{
	mixed_ops_step(&family, m, step);
}

static uint64_t expect(const struct mixed *m, long step)
{
	return mixed_ops_expect(&family, m, step);
}

static void end(struct mixed *m)
{
	(void)m;
	mixed_ops_end(&family);
}

const struct mixed_part mixed_neighbors = {
	.name = "neighbors",
	.begin = begin,
	.restored = restored,
	.step = step_around,
	.expect = expect,
	.end = end,
};
