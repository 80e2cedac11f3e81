/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of mixed_intercoll.c: each kind at once, to be waited for, and persistent. */
#include <stdlib.h>

#include "mixed_intercoll.h"

/* What the calls want to know, at the deal's counts. */
struct args {
	MPI_Comm comm;
	int n, share; /* words of an even block; of this rank's part of a sum */
	int root;     /* as this rank names it */
	int mine;     /* words of an uneven block that it sends to the root, or gets from there */
	/* by rank of the other side: what it gives or gets, what this rank gets from all alike;
	 * words, and bytes where blocks have types */
	int *counts, *displs, *got, *bytes, *shares;
	MPI_Datatype *to, *from;
};

static int root_of(const struct side *s, const struct mixed_deal *d)
{
	if (s->side != d->side)
		return d->root;
	return s->rank == d->root ? MPI_ROOT : MPI_PROC_NULL;
}

static MPI_Datatype every_second(long n)
{
	MPI_Datatype type;

	MPI_Type_vector((int)n, 1, 2, MPI_UINT64_T, &type);
	MPI_Type_commit(&type);
	return type;
}

enum { LISTS = 5 };

static struct args args_of(struct mixed_op *o)
{
	const struct mixed_deal *d = &o->deal;
	struct side s = mixed_intercoll_of(d->m);
	size_t most = (size_t)d->m->prog->size;
	struct args a = {.comm = d->m->comm[d->which],
		.n = (int)d->n,
		.share = (int)mixed_intercoll_share(&s, d, s.rank),
		.root = root_of(&s, d),
		.mine = (int)mixed_intercoll_count(d, s.rank)};

	o->lists = prog_alloc(d->m->prog, most * (LISTS * sizeof(int) + 2 * sizeof(*a.to)));
	a.to = o->lists;
	a.from = a.to + most;
	a.counts = (int *)(a.from + most);
	a.displs = a.counts + most;
	a.got = a.displs + most;
	a.bytes = a.got + most;
	a.shares = a.bytes + most;
	for (int r = 0; r < s.them; r++) {
		a.counts[r] = (int)mixed_intercoll_count(d, r);
		a.displs[r] = (int)(r * mixed_intercoll_block(d));
		a.got[r] = a.mine;
		a.bytes[r] = a.displs[r] * (int)sizeof(uint64_t);
	}
	for (int r = 0; r < s.us; r++)
		a.shares[r] = (int)mixed_intercoll_share(&s, d, r);
	return a;
}

static void barrier(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Barrier(a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ibarrier(a->comm, &o->request);
	else
		MPI_Barrier_init(a->comm, MPI_INFO_NULL, &o->request);
}

static void bcast(struct mixed_op *o, const struct args *a)
{
	uint64_t *buf = a->root == MPI_ROOT ? o->in : o->out;

	if (o->deal.way == MIXED_NOW)
		MPI_Bcast(buf, a->n, MPI_UINT64_T, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ibcast(buf, a->n, MPI_UINT64_T, a->root, a->comm, &o->request);
	else
		MPI_Bcast_init(
			buf, a->n, MPI_UINT64_T, a->root, a->comm, MPI_INFO_NULL, &o->request);
}

static void gather(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Gather(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Igather(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root, a->comm,
			&o->request);
	else
		MPI_Gather_init(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root,
			a->comm, MPI_INFO_NULL, &o->request);
}

static void gatherv(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Gatherv(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Igatherv(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->root, a->comm, &o->request);
	else
		MPI_Gatherv_init(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->root, a->comm, MPI_INFO_NULL, &o->request);
}

static void scatter(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Scatter(
			o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Iscatter(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root,
			a->comm, &o->request);
	else
		MPI_Scatter_init(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->root,
			a->comm, MPI_INFO_NULL, &o->request);
}

static void scatterv(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Scatterv(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->mine,
			MPI_UINT64_T, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Iscatterv(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->mine,
			MPI_UINT64_T, a->root, a->comm, &o->request);
	else
		MPI_Scatterv_init(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->mine,
			MPI_UINT64_T, a->root, a->comm, MPI_INFO_NULL, &o->request);
}

static void allgather(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Allgather(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Iallgather(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm,
			&o->request);
	else
		MPI_Allgather_init(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm,
			MPI_INFO_NULL, &o->request);
}

static void allgatherv(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Allgatherv(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Iallgatherv(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->comm, &o->request);
	else
		MPI_Allgatherv_init(o->in, a->mine, MPI_UINT64_T, o->out, a->counts, a->displs,
			MPI_UINT64_T, a->comm, MPI_INFO_NULL, &o->request);
}

static void alltoall(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Alltoall(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ialltoall(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm,
			&o->request);
	else
		MPI_Alltoall_init(o->in, a->n, MPI_UINT64_T, o->out, a->n, MPI_UINT64_T, a->comm,
			MPI_INFO_NULL, &o->request);
}

static void alltoallv(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Alltoallv(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->got, a->displs,
			MPI_UINT64_T, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ialltoallv(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->got, a->displs,
			MPI_UINT64_T, a->comm, &o->request);
	else
		MPI_Alltoallv_init(o->in, a->counts, a->displs, MPI_UINT64_T, o->out, a->got,
			a->displs, MPI_UINT64_T, a->comm, MPI_INFO_NULL, &o->request);
}

static void alltoallw(struct mixed_op *o, const struct args *a)
{
	int them = mixed_intercoll_of(o->deal.m).them;

	for (int r = 0; r < them; r++) {
		a->to[r] = every_second(a->counts[r]);
		a->from[r] = every_second(a->mine);
		a->counts[r] = 1;
	}
	if (o->deal.way == MIXED_NOW)
		MPI_Alltoallw(o->in, a->counts, a->bytes, a->to, o->out, a->counts, a->bytes,
			a->from, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ialltoallw(o->in, a->counts, a->bytes, a->to, o->out, a->counts, a->bytes,
			a->from, a->comm, &o->request);
	else
		MPI_Alltoallw_init(o->in, a->counts, a->bytes, a->to, o->out, a->counts, a->bytes,
			a->from, a->comm, MPI_INFO_NULL, &o->request);
	/* the operation keeps what it needs */
	for (int r = 0; r < them; r++) {
		MPI_Datatype to = a->to[r], from = a->from[r];

		MPI_Type_free(&to);
		MPI_Type_free(&from);
	}
}

static void reduce(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Reduce(o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->root, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ireduce(
			o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->root, a->comm, &o->request);
	else
		MPI_Reduce_init(o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->root, a->comm,
			MPI_INFO_NULL, &o->request);
}

static void allreduce(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Allreduce(o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Iallreduce(o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->comm, &o->request);
	else
		MPI_Allreduce_init(o->in, o->out, a->n, MPI_UINT64_T, MPI_SUM, a->comm,
			MPI_INFO_NULL, &o->request);
}

static void reduce_scatter(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Reduce_scatter(o->in, o->out, a->shares, MPI_UINT64_T, MPI_SUM, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ireduce_scatter(
			o->in, o->out, a->shares, MPI_UINT64_T, MPI_SUM, a->comm, &o->request);
	else
		MPI_Reduce_scatter_init(o->in, o->out, a->shares, MPI_UINT64_T, MPI_SUM, a->comm,
			MPI_INFO_NULL, &o->request);
}

static void reduce_scatter_block(struct mixed_op *o, const struct args *a)
{
	if (o->deal.way == MIXED_NOW)
		MPI_Reduce_scatter_block(o->in, o->out, a->share, MPI_UINT64_T, MPI_SUM, a->comm);
	else if (o->deal.way == MIXED_OPEN_LATER)
		MPI_Ireduce_scatter_block(
			o->in, o->out, a->share, MPI_UINT64_T, MPI_SUM, a->comm, &o->request);
	else
		MPI_Reduce_scatter_block_init(o->in, o->out, a->share, MPI_UINT64_T, MPI_SUM,
			a->comm, MPI_INFO_NULL, &o->request);
}

static void (*const calls[INTERCOLL_KINDS])(struct mixed_op *o, const struct args *a) = {
	[INTERCOLL_BARRIER] = barrier,
	[INTERCOLL_BCAST] = bcast,
	[INTERCOLL_GATHER] = gather,
	[INTERCOLL_GATHERV] = gatherv,
	[INTERCOLL_SCATTER] = scatter,
	[INTERCOLL_SCATTERV] = scatterv,
	[INTERCOLL_ALLGATHER] = allgather,
	[INTERCOLL_ALLGATHERV] = allgatherv,
	[INTERCOLL_ALLTOALL] = alltoall,
	[INTERCOLL_ALLTOALLV] = alltoallv,
	[INTERCOLL_ALLTOALLW] = alltoallw,
	[INTERCOLL_REDUCE] = reduce,
	[INTERCOLL_ALLREDUCE] = allreduce,
	[INTERCOLL_REDUCE_SCATTER] = reduce_scatter,
	[INTERCOLL_REDUCE_SCATTER_BLOCK] = reduce_scatter_block,
};

void mixed_intercoll_call(struct mixed_op *o)
{
	struct args a = args_of(o);

	calls[o->deal.kind](o, &a);
}
