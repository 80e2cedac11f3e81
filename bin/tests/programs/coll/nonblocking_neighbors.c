/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective operation in every form: among the neighbours on a ring. */
#include "nonblocking.h"

static void neighbor_allgather(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Neighbor_allgather(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring);
		break;
	case NB_BEGIN:
		MPI_Ineighbor_allgather(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ineighbor_allgather_c(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring, c->request);
		break;
	case NB_INIT:
		MPI_Neighbor_allgather_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT,
			nb_ring, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Neighbor_allgather_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT,
			nb_ring, MPI_INFO_NULL, c->request);
	}
}

static void neighbor_allgatherv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Neighbor_allgatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts,
			nb_even.places, MPI_INT, nb_ring);
		break;
	case NB_BEGIN:
		MPI_Ineighbor_allgatherv(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts,
			nb_even.places, MPI_INT, nb_ring, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ineighbor_allgatherv_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c,
			nb_even.places_c, MPI_INT, nb_ring, c->request);
		break;
	case NB_INIT:
		MPI_Neighbor_allgatherv_init(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts,
			nb_even.places, MPI_INT, nb_ring, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Neighbor_allgatherv_init_c(c->in, NB_BLOCK, MPI_INT, c->out, nb_even.counts_c,
			nb_even.places_c, MPI_INT, nb_ring, MPI_INFO_NULL, c->request);
	}
}

static void neighbor_alltoall(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Neighbor_alltoall(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring);
		break;
	case NB_BEGIN:
		MPI_Ineighbor_alltoall(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ineighbor_alltoall_c(
			c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT, nb_ring, c->request);
		break;
	case NB_INIT:
		MPI_Neighbor_alltoall_init(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT,
			nb_ring, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Neighbor_alltoall_init_c(c->in, NB_BLOCK, MPI_INT, c->out, NB_BLOCK, MPI_INT,
			nb_ring, MPI_INFO_NULL, c->request);
	}
}

static void neighbor_alltoallv(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Neighbor_alltoallv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, nb_ring);
		break;
	case NB_BEGIN:
		MPI_Ineighbor_alltoallv(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, nb_ring, c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ineighbor_alltoallv_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT,
			c->out, nb_even.counts_c, nb_even.places_c, MPI_INT, nb_ring, c->request);
		break;
	case NB_INIT:
		MPI_Neighbor_alltoallv_init(c->in, nb_even.counts, nb_even.places, MPI_INT, c->out,
			nb_even.counts, nb_even.places, MPI_INT, nb_ring, MPI_INFO_NULL,
			c->request);
		break;
	default:
		MPI_Neighbor_alltoallv_init_c(c->in, nb_even.counts_c, nb_even.places_c, MPI_INT,
			c->out, nb_even.counts_c, nb_even.places_c, MPI_INT, nb_ring, MPI_INFO_NULL,
			c->request);
	}
}

static void neighbor_alltoallw(const struct nb_call *c)
{
	switch (c->way) {
	case NB_BLOCKING:
		MPI_Neighbor_alltoallw(c->in, nb_even.counts, nb_even.byte_places_c, nb_even.types,
			c->out, nb_even.counts, nb_even.byte_places_c, nb_even.types, nb_ring);
		break;
	case NB_BEGIN:
		MPI_Ineighbor_alltoallw(c->in, nb_even.counts, nb_even.byte_places_c, nb_even.types,
			c->out, nb_even.counts, nb_even.byte_places_c, nb_even.types, nb_ring,
			c->request);
		break;
	case NB_BEGIN_C:
		MPI_Ineighbor_alltoallw_c(c->in, nb_even.counts_c, nb_even.byte_places_c,
			nb_even.types, c->out, nb_even.counts_c, nb_even.byte_places_c,
			nb_even.types, nb_ring, c->request);
		break;
	case NB_INIT:
		MPI_Neighbor_alltoallw_init(c->in, nb_even.counts, nb_even.byte_places_c,
			nb_even.types, c->out, nb_even.counts, nb_even.byte_places_c, nb_even.types,
			nb_ring, MPI_INFO_NULL, c->request);
		break;
	default:
		MPI_Neighbor_alltoallw_init_c(c->in, nb_even.counts_c, nb_even.byte_places_c,
			nb_even.types, c->out, nb_even.counts_c, nb_even.byte_places_c,
			nb_even.types, nb_ring, MPI_INFO_NULL, c->request);
	}
}

const struct nb_operation nb_neighbors[] = {
	{"Neighbor_allgather", neighbor_allgather},
	{"Neighbor_allgatherv", neighbor_allgatherv},
	{"Neighbor_alltoall", neighbor_alltoall},
	{"Neighbor_alltoallv", neighbor_alltoallv},
	{"Neighbor_alltoallw", neighbor_alltoallw},
	{NULL, NULL},
};
