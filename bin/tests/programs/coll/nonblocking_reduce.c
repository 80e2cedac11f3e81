/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective operation in every form: reductions and scans. */
#include "nonblocking.h"

static void reduce(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Reduce(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ireduce(
			c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->root, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ireduce_c(
			c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->root, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Reduce_init(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->root, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Reduce_init_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->root, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

static void allreduce(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Allreduce(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iallreduce(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iallreduce_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Allreduce_init(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Allreduce_init_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

static void reduce_scatter_block(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Reduce_scatter_block(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ireduce_scatter_block(
			c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ireduce_scatter_block_c(
			c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Reduce_scatter_block_init(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Reduce_scatter_block_init_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

static void reduce_scatter(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Reduce_scatter(c->in, c->out, nb_even.counts, MPI_INT, MPI_SUM, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ireduce_scatter(
			c->in, c->out, nb_even.counts, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ireduce_scatter_c(
			c->in, c->out, nb_even.counts_c, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Reduce_scatter_init(c->in, c->out, nb_even.counts, MPI_INT, MPI_SUM, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Reduce_scatter_init_c(c->in, c->out, nb_even.counts_c, MPI_INT, MPI_SUM,
			c->comm, MPI_INFO_NULL, c->request);
	}
}

static void scan(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Scan(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iscan(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iscan_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Scan_init(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL,
			c->request);
		break;
	default:
		MPI_Scan_init_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL,
			c->request);
	}
}

static void exscan(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Exscan(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iexscan(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iexscan_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Exscan_init(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL,
			c->request);
		break;
	default:
		MPI_Exscan_init_c(c->in, c->out, NB_BLOCK, MPI_INT, MPI_SUM, c->comm, MPI_INFO_NULL,
			c->request);
	}
}

const struct nb_operation nb_reductions[] = {
	{"Reduce", reduce},
	{"Allreduce", allreduce},
	{"Reduce_scatter_block", reduce_scatter_block},
	{"Reduce_scatter", reduce_scatter},
	{"Scan", scan},
	{"Exscan", exscan},
	{NULL, NULL},
};
