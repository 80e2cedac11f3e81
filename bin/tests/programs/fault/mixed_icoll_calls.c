/* SPDX-License-Identifier: BSD-3-Clause */
/* The collective operations of mixed, as calls that return a request. */
#include "mixed_coll_calls.h"

static void begin_barrier(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	(void)in;
	(void)out;
	MPI_Ibarrier(c->comm, r);
}

static void make_barrier(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	(void)in;
	(void)out;
	MPI_Barrier_init(c->comm, MPI_INFO_NULL, r);
}

static void begin_bcast(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	(void)in;
	MPI_Ibcast(out, c->n, MPI_UINT64_T, c->root, c->comm, r);
}

static void make_bcast(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	(void)in;
	MPI_Bcast_init(out, c->n, MPI_UINT64_T, c->root, c->comm, MPI_INFO_NULL, r);
}

static void begin_gather(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Igather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm, r);
}

static void make_gather(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Gather_init(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm,
		MPI_INFO_NULL, r);
}

static void begin_gatherv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Igatherv(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs, MPI_UINT64_T,
		c->root, c->comm, r);
}

static void make_gatherv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Gatherv_init(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs,
		MPI_UINT64_T, c->root, c->comm, MPI_INFO_NULL, r);
}

static void begin_scatter(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iscatter(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm, r);
}

static void make_scatter(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Scatter_init(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm,
		MPI_INFO_NULL, r);
}

static void begin_scatterv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iscatterv(in, c->counts, c->displs, MPI_UINT64_T, out, c->counts[c->self], MPI_UINT64_T,
		c->root, c->comm, r);
}

static void make_scatterv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Scatterv_init(in, c->counts, c->displs, MPI_UINT64_T, out, c->counts[c->self],
		MPI_UINT64_T, c->root, c->comm, MPI_INFO_NULL, r);
}

static void begin_allgather(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iallgather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm, r);
}

static void make_allgather(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Allgather_init(
		in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm, MPI_INFO_NULL, r);
}

static void begin_allgatherv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iallgatherv(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs,
		MPI_UINT64_T, c->comm, r);
}

static void make_allgatherv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Allgatherv_init(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs,
		MPI_UINT64_T, c->comm, MPI_INFO_NULL, r);
}

static void begin_alltoall(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Ialltoall(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm, r);
}

static void make_alltoall(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Alltoall_init(
		in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm, MPI_INFO_NULL, r);
}

static void begin_alltoallv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Ialltoallv(in, c->counts, c->displs, MPI_UINT64_T, out, c->heard, c->places,
		MPI_UINT64_T, c->comm, r);
}

static void make_alltoallv(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Alltoallv_init(in, c->counts, c->displs, MPI_UINT64_T, out, c->heard, c->places,
		MPI_UINT64_T, c->comm, MPI_INFO_NULL, r);
}

static void begin_reduce(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Ireduce(in, out, c->n, MPI_UINT64_T, c->op, c->root, c->comm, r);
}

static void make_reduce(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Reduce_init(in, out, c->n, MPI_UINT64_T, c->op, c->root, c->comm, MPI_INFO_NULL, r);
}

static void begin_allreduce(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iallreduce(in, out, c->n, MPI_UINT64_T, c->op, c->comm, r);
}

static void make_allreduce(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Allreduce_init(in, out, c->n, MPI_UINT64_T, c->op, c->comm, MPI_INFO_NULL, r);
}

static void begin_scan(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iscan(in, out, c->n, MPI_UINT64_T, c->op, c->comm, r);
}

static void make_scan(const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Scan_init(in, out, c->n, MPI_UINT64_T, c->op, c->comm, MPI_INFO_NULL, r);
}

static void begin_exscan(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Iexscan(in, out, c->n, MPI_UINT64_T, c->op, c->comm, r);
}

static void make_exscan(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Exscan_init(in, out, c->n, MPI_UINT64_T, c->op, c->comm, MPI_INFO_NULL, r);
}

static void begin_reduce_scatter_block(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Ireduce_scatter_block(in, out, c->n, MPI_UINT64_T, c->op, c->comm, r);
}

static void make_reduce_scatter_block(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Reduce_scatter_block_init(
		in, out, c->n, MPI_UINT64_T, c->op, c->comm, MPI_INFO_NULL, r);
}

static void begin_reduce_scatter(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Ireduce_scatter(in, out, c->counts, MPI_UINT64_T, c->op, c->comm, r);
}

static void make_reduce_scatter(
	const struct mixed_call *c, const uint64_t *in, uint64_t *out, MPI_Request *r)
{
	MPI_Reduce_scatter_init(in, out, c->counts, MPI_UINT64_T, c->op, c->comm, MPI_INFO_NULL, r);
}

const struct mixed_icoll mixed_icoll_calls[] = {
	{begin_barrier, make_barrier},
	{begin_bcast, make_bcast},
	{begin_gather, make_gather},
	{begin_gatherv, make_gatherv},
	{begin_scatter, make_scatter},
	{begin_scatterv, make_scatterv},
	{begin_allgather, make_allgather},
	{begin_allgatherv, make_allgatherv},
	{begin_alltoall, make_alltoall},
	{begin_alltoallv, make_alltoallv},
	{begin_reduce, make_reduce},
	{begin_allreduce, make_allreduce},
	{begin_scan, make_scan},
	{begin_exscan, make_exscan},
	{begin_reduce_scatter_block, make_reduce_scatter_block},
	{begin_reduce_scatter, make_reduce_scatter},
};
