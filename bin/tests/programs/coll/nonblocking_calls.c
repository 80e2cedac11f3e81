/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective operation in every form: movements. */
#include "nonblocking.h"

static void barrier(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Barrier(c->comm);
		break;
	case NB_BEGIN:
	case NB_BEGIN_C:
		MPI_Ibarrier(c->comm, c->request);
		break;
	case NB_INIT:
	case NB_INIT_C:
	default:
		MPI_Barrier_init(c->comm, MPI_INFO_NULL, c->request);
	}
}

static void bcast(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Bcast(c->out, NB_BLOCK, MPI_INT, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ibcast(c->out, NB_BLOCK, MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ibcast_c(c->out, NB_BLOCK, MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Bcast_init(
			c->out, NB_BLOCK, MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Bcast_init_c(
			c->out, NB_BLOCK, MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
	}
}

static void gather(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Gather(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Igather(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root, c->comm,
			c->request);
		break;
	case NB_BEGIN_C:
		MPI_Igather_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root, c->comm,
			c->request);
		break;
	case NB_INIT:
		MPI_Gather_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root,
			c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Gather_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root,
			c->comm, MPI_INFO_NULL, c->request);
	}
}

static void gatherv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Gatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts, nb_even.places,
			MPI_INT, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Igatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts, nb_even.places,
			MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Igatherv_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c, nb_even.places_c,
			MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Gatherv_init(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts, nb_even.places,
			MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Gatherv_init_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c,
			nb_even.places_c, MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
	}
}

static void scatter(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Scatter(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iscatter(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root, c->comm,
			c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iscatter_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root,
			c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Scatter_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root,
			c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Scatter_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->root,
			c->comm, MPI_INFO_NULL, c->request);
	}
}

static void scatterv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Scatterv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out, NB_BLOCK,
			MPI_INT, c->root, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iscatterv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out, NB_BLOCK,
			MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iscatterv_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT, c->out,
			NB_BLOCK, MPI_INT, c->root, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Scatterv_init(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out, NB_BLOCK,
			MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Scatterv_init_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT, c->out,
			NB_BLOCK, MPI_INT, c->root, c->comm, MPI_INFO_NULL, c->request);
	}
}

static void allgather(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Allgather(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iallgather(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iallgather_c(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Allgather_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Allgather_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

static void allgatherv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Allgatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts, nb_even.places,
			MPI_INT, c->comm);
		break;
	case NB_BEGIN:
		MPI_Iallgatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts, nb_even.places,
			MPI_INT, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Iallgatherv_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c,
			nb_even.places_c, MPI_INT, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Allgatherv_init(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts,
			nb_even.places, MPI_INT, c->comm, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Allgatherv_init_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c,
			nb_even.places_c, MPI_INT, c->comm, MPI_INFO_NULL, c->request);
	}
}

static void alltoall(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Alltoall(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ialltoall(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ialltoall_c(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Alltoall_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Alltoall_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

static void alltoallv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Alltoallv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ialltoallv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ialltoallv_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT, c->out,
			nb_even.counts_c, nb_even.places_c, MPI_INT, c->comm, c->request);
		break;
	case NB_INIT:
		MPI_Alltoallv_init(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, c->comm, MPI_INFO_NULL,
			c->request);
		break;
	default:
		MPI_Alltoallv_init_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT, c->out,
			nb_even.counts_c, nb_even.places_c, MPI_INT, c->comm, MPI_INFO_NULL,
			c->request);
	}
}

static void alltoallw(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Alltoallw(c->in, nb_even.counts, nb_even.byte_places, nb_even.types, c->out,
			nb_even.counts, nb_even.byte_places, nb_even.types, c->comm);
		break;
	case NB_BEGIN:
		MPI_Ialltoallw(c->in, nb_even.counts, nb_even.byte_places, nb_even.types, c->out,
			nb_even.counts, nb_even.byte_places, nb_even.types, c->comm, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ialltoallw_c(c->in, nb_even.counts_c, nb_even.byte_places_c, nb_even.types,
			c->out, nb_even.counts_c, nb_even.byte_places_c, nb_even.types, c->comm,
			c->request);
		break;
	case NB_INIT:
		MPI_Alltoallw_init(c->in, nb_even.counts, nb_even.byte_places, nb_even.types,
			c->out, nb_even.counts, nb_even.byte_places, nb_even.types, c->comm,
			MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Alltoallw_init_c(c->in, nb_even.counts_c, nb_even.byte_places_c, nb_even.types,
			c->out, nb_even.counts_c, nb_even.byte_places_c, nb_even.types, c->comm,
			MPI_INFO_NULL, c->request);
	}
}

const struct nb_operation nb_moves[] = {
	{"Barrier", barrier},
	{"Bcast", bcast},
	{"Gather", gather},
	{"Gatherv", gatherv},
	{"Scatter", scatter},
	{"Scatterv", scatterv},
	{"Allgather", allgather},
	{"Allgatherv", allgatherv},
	{"Alltoall", alltoall},
	{"Alltoallv", alltoallv},
	{"Alltoallw", alltoallw},
	{NULL, NULL},
};
