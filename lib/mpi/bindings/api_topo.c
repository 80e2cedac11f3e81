/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies (MPI 5.0 sections 8.5.1, 8.5.2, 8.5.5 to 8.5.7). */
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/topo.h"
#include "topo_calls.h"

static int lookup_grid(MPI_Comm comm, struct comm **c)
{
	return topo_lookup(comm, MPI_CART, c);
}

/* The grid as the program describes it; its number of places. */
static int check_grid(const struct comm *c, int ndims, const int *dims, const int *periods, int *n)
{
	int rc;

	if (ndims < 0)
		return fail_with(MPI_ERR_DIMS, "the number of dimensions is %d", ndims);
	rc = topo_check_array(ndims, dims, "dims");
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(ndims, periods, "periods");
	if (rc != MPI_SUCCESS)
		return rc;
	for (int i = 0; i < ndims; i++) {
		if (dims[i] < 1)
			return fail_with(MPI_ERR_DIMS, "dimension %d has the size %d", i, dims[i]);
	}
	*n = topo_places(ndims, dims);
	if (*n < 0 || *n > c->size)
		return fail_with(MPI_ERR_DIMS,
			"the grid has more places than communicator %s of %d has ranks",
			comm_label(c), c->size);
	return MPI_SUCCESS;
}

#pragma weak MPI_Cart_create = PMPI_Cart_create
int PMPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
	int reorder, MPI_Comm *comm_cart)
{
	struct comm *c = NULL, *made = NULL;
	int places = 0;

	(void)reorder; /* ranks stay as they are, which the standard allows */
	api_enter("MPI_Cart_create");
	check_no_comm_yet(comm_cart);
	int rc = topo_lookup_plain(comm_old, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(comm_cart, "comm_cart");
	if (rc == MPI_SUCCESS)
		rc = check_grid(c, ndims, dims, periods, &places);
	if (rc == MPI_SUCCESS)
		rc = comm_make_leading(c, places, &made);
	if (rc == MPI_SUCCESS && made)
		rc = comm_set_topology(made, topo_new(ndims, dims, periods, made->rank));
	if (rc == MPI_SUCCESS)
		*comm_cart = made ? made->handle : MPI_COMM_NULL;
	return api_leave(c, rc);
}

static int sub(struct comm *c, const int *remain, MPI_Comm *newcomm)
{
	struct comm *made = NULL;
	int color, rank, rc;

	topo_sub_place(c->topo, remain, &color, &rank);
	rc = comm_split(c, color, rank, &made);
	if (rc == MPI_SUCCESS)
		rc = comm_set_topology(made, topo_sub(c->topo, remain));
	if (rc == MPI_SUCCESS)
		*newcomm = made->handle;
	return rc;
}

#pragma weak MPI_Cart_sub = PMPI_Cart_sub
int PMPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	struct comm *c = NULL;

	api_enter("MPI_Cart_sub");
	check_no_comm_yet(newcomm);
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, remain_dims, "remain_dims");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newcomm, "newcomm");
	if (rc == MPI_SUCCESS)
		rc = sub(c, remain_dims, newcomm);
	return api_leave(c, rc);
}

#pragma weak MPI_Cartdim_get = PMPI_Cartdim_get
int PMPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
	struct comm *c = NULL;

	api_enter("MPI_Cartdim_get");
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(ndims, "ndims");
	if (rc == MPI_SUCCESS)
		*ndims = c->topo->ndims;
	return api_leave(c, rc);
}

static int check_room(const struct topology *t, int maxdims)
{
	if (maxdims >= t->ndims)
		return MPI_SUCCESS;
	return fail_with(
		MPI_ERR_ARG, "maxdims is %d, and the grid has %d dimensions", maxdims, t->ndims);
}

#pragma weak MPI_Cart_get = PMPI_Cart_get
int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	struct comm *c = NULL;

	api_enter("MPI_Cart_get");
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_room(c->topo, maxdims);
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, dims, "dims");
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, periods, "periods");
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, coords, "coords");
	for (int i = 0; rc == MPI_SUCCESS && i < c->topo->ndims; i++) {
		dims[i] = c->topo->dims[i];
		periods[i] = c->topo->periods[i];
		coords[i] = c->topo->coords[i];
	}
	return api_leave(c, rc);
}

static int rank_at(const struct comm *c, const int *coords, int *rank)
{
	int bad = 0, there = topo_rank(c->topo, coords, &bad);

	if (there < 0)
		return fail_with(MPI_ERR_ARG,
			"coordinate %d is %d, outside a dimension of %d that is not periodic", bad,
			coords[bad], c->topo->dims[bad]);
	*rank = there;
	return MPI_SUCCESS;
}

#pragma weak MPI_Cart_rank = PMPI_Cart_rank
int PMPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	struct comm *c = NULL;

	api_enter("MPI_Cart_rank");
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, coords, "coords");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(rank, "rank");
	if (rc == MPI_SUCCESS)
		rc = rank_at(c, coords, rank);
	return api_leave(c, rc);
}

#pragma weak MPI_Cart_coords = PMPI_Cart_coords
int PMPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	struct comm *c = NULL;

	api_enter("MPI_Cart_coords");
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS && (rank < 0 || rank >= c->size))
		rc = fail_with(MPI_ERR_RANK, "rank %d is not in communicator %s of %d", rank,
			comm_label(c), c->size);
	if (rc == MPI_SUCCESS)
		rc = check_room(c->topo, maxdims);
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(c->topo->ndims, coords, "coords");
	if (rc == MPI_SUCCESS)
		topo_coords(c->topo, rank, coords);
	return api_leave(c, rc);
}

#pragma weak MPI_Cart_shift = PMPI_Cart_shift
int PMPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	struct comm *c = NULL;

	api_enter("MPI_Cart_shift");
	int rc = lookup_grid(comm, &c);
	if (rc == MPI_SUCCESS && (direction < 0 || direction >= c->topo->ndims))
		rc = fail_with(MPI_ERR_ARG, "direction %d is not a dimension of a grid of %d",
			direction, c->topo->ndims);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(rank_source, "rank_source");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(rank_dest, "rank_dest");
	if (rc == MPI_SUCCESS)
		topo_shift(c->topo, c->rank, direction, disp, rank_source, rank_dest);
	return api_leave(c, rc);
}

#pragma weak MPI_Cart_map = PMPI_Cart_map
int PMPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
	struct comm *c = NULL;
	int places = 0;

	api_enter("MPI_Cart_map");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newrank, "newrank");
	if (rc == MPI_SUCCESS)
		rc = check_grid(c, ndims, dims, periods, &places);
	if (rc == MPI_SUCCESS)
		*newrank = c->rank < places ? c->rank : MPI_UNDEFINED;
	return api_leave(c, rc);
}

#pragma weak MPI_Topo_test = PMPI_Topo_test
int PMPI_Topo_test(MPI_Comm comm, int *status)
{
	struct comm *c = NULL;

	api_enter("MPI_Topo_test");
	int rc = comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		*status = c->topo ? c->topo->kind : MPI_UNDEFINED;
	return api_leave(c, rc);
}

static int fill_dims(int nnodes, int ndims, int *dims)
{
	int bad = -1;

	if (nnodes < 1)
		return fail_with(MPI_ERR_ARG, "nnodes is %d", nnodes);
	if (ndims < 0)
		return fail_with(MPI_ERR_DIMS, "the number of dimensions is %d", ndims);
	if (topo_check_array(ndims, dims, "dims") != MPI_SUCCESS)
		return MPI_ERR_ARG;
	if (dims_create(nnodes, ndims, dims, &bad))
		return MPI_SUCCESS;
	if (bad >= 0)
		return fail_with(MPI_ERR_DIMS, "dimension %d has the size %d", bad, dims[bad]);
	return fail_with(MPI_ERR_DIMS, "the dimensions given do not divide %d processes", nnodes);
}

#pragma weak MPI_Dims_create = PMPI_Dims_create
int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
	api_enter("MPI_Dims_create");
	return api_leave(NULL, fill_dims(nnodes, ndims, dims));
}
