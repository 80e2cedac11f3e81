/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs that all processes know as a whole (MPI 5.0 sections 8.5.3, 8.5.5 and 8.5.8). */
#include <string.h>

#include "api.h"
#include "check.h"
#include "topo_calls.h"

static int check_graph(const struct comm *c, int nnodes, const int *index, const int *edges)
{
	int bad = 0, rc;
	const char *wrong;

	if (nnodes < 0)
		return fail_with(MPI_ERR_ARG, "the number of nodes is %d", nnodes);
	if (nnodes > c->size)
		return fail_with(MPI_ERR_ARG,
			"the graph has %d nodes, and communicator %s only %d ranks", nnodes,
			comm_label(c), c->size);
	rc = topo_check_array(nnodes, index, "index");
	if (rc != MPI_SUCCESS)
		return rc;
	wrong = topo_graph_wrong(nnodes, index, edges, &bad);
	return wrong ? fail_with(MPI_ERR_ARG, "entry %d %s", bad, wrong) : MPI_SUCCESS;
}

struct graph {
	int nnodes;
	const int *index, *edges;
};

static int create(struct comm *c, const struct graph *g, MPI_Comm *comm_graph)
{
	struct comm *made = NULL;
	int rc = check_graph(c, g->nnodes, g->index, g->edges);

	if (rc == MPI_SUCCESS && g->nnodes > 0)
		rc = comm_make_leading(c, g->nnodes, &made);
	if (rc == MPI_SUCCESS && made)
		rc = comm_set_topology(
			made, topo_graph_new(g->nnodes, g->index, g->edges, made->rank));
	if (rc == MPI_SUCCESS)
		*comm_graph = made ? made->handle : MPI_COMM_NULL;
	return rc;
}

#pragma weak MPI_Graph_create = PMPI_Graph_create
int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
	int reorder, MPI_Comm *comm_graph)
{
	struct graph g = {nnodes, indx, edges};
	struct comm *c = NULL;

	(void)reorder; /* ranks stay as they are, which the standard allows */
	api_enter("MPI_Graph_create");
	check_no_comm_yet(comm_graph);
	int rc = topo_lookup_plain(comm_old, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(comm_graph, "comm_graph");
	if (rc == MPI_SUCCESS)
		rc = create(c, &g, comm_graph);
	return api_leave(c, rc);
}

#pragma weak MPI_Graph_map = PMPI_Graph_map
int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank)
{
	struct comm *c = NULL;

	api_enter("MPI_Graph_map");
	int rc = topo_lookup_plain(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newrank, "newrank");
	if (rc == MPI_SUCCESS)
		rc = check_graph(c, nnodes, indx, edges);
	if (rc == MPI_SUCCESS)
		*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return api_leave(c, rc);
}

#pragma weak MPI_Graphdims_get = PMPI_Graphdims_get
int PMPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	struct comm *c = NULL;

	api_enter("MPI_Graphdims_get");
	int rc = topo_lookup(comm, MPI_GRAPH, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(nnodes, "nnodes");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(nedges, "nedges");
	if (rc == MPI_SUCCESS) {
		*nnodes = c->topo->nnodes;
		*nedges = c->topo->nedges;
	}
	return api_leave(c, rc);
}

/* The array that the caller gives has room for `room` of the n entries that there are. */
static int check_room(const char *what, int room, int n, const void *array)
{
	if (room < n)
		return fail_with(MPI_ERR_ARG,
			"there is room for %d entries of %s, and there are %d", room, what, n);
	return topo_check_array(n, array, what);
}

static void copy_ints(int *to, const int *from, int n)
{
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof(int));
}

#pragma weak MPI_Graph_get = PMPI_Graph_get
int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
	struct comm *c = NULL;

	api_enter("MPI_Graph_get");
	int rc = topo_lookup(comm, MPI_GRAPH, &c);
	if (rc == MPI_SUCCESS)
		rc = check_room("index", maxindex, c->topo->nnodes, indx);
	if (rc == MPI_SUCCESS)
		rc = check_room("edges", maxedges, c->topo->nedges, edges);
	if (rc == MPI_SUCCESS) {
		copy_ints(indx, c->topo->index, c->topo->nnodes);
		copy_ints(edges, c->topo->edges, c->topo->nedges);
	}
	return api_leave(c, rc);
}

/* The neighbours of a rank: *n of them from *first of edges on. */
static int neighbours(const struct comm *c, int rank, int *first, int *n)
{
	if (rank < 0 || rank >= c->topo->nnodes)
		return fail_with(MPI_ERR_RANK, "rank %d is not in communicator %s of %d", rank,
			comm_label(c), c->size);
	*first = rank > 0 ? c->topo->index[rank - 1] : 0;
	*n = c->topo->index[rank] - *first;
	return MPI_SUCCESS;
}

#pragma weak MPI_Graph_neighbors_count = PMPI_Graph_neighbors_count
int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	struct comm *c = NULL;
	int first, n = 0;

	api_enter("MPI_Graph_neighbors_count");
	int rc = topo_lookup(comm, MPI_GRAPH, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(nneighbors, "nneighbors");
	if (rc == MPI_SUCCESS)
		rc = neighbours(c, rank, &first, &n);
	if (rc == MPI_SUCCESS)
		*nneighbors = n;
	return api_leave(c, rc);
}

#pragma weak MPI_Graph_neighbors = PMPI_Graph_neighbors
int PMPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	struct comm *c = NULL;
	int first = 0, n = 0;

	api_enter("MPI_Graph_neighbors");
	int rc = topo_lookup(comm, MPI_GRAPH, &c);
	if (rc == MPI_SUCCESS)
		rc = neighbours(c, rank, &first, &n);
	if (rc == MPI_SUCCESS)
		rc = check_room("neighbors", maxneighbors, n, neighbors);
	if (rc == MPI_SUCCESS)
		copy_ints(neighbors, c->topo->edges + first, n);
	return api_leave(c, rc);
}
