/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * graphs: topologies that are no grids, and the edges of those that are: what is put in comes out,
 * copies keep it, and what is wrong is an error on every rank that would have to wait otherwise.
 */
#include <stdio.h>

#include "graphs.h"

struct prog prog = {.name = "graphs", .text = "graph topologies"};

void graphs_topology(MPI_Comm comm, int expected)
{
	int status = -1;

	IS(MPI_Topo_test(comm, &status), MPI_SUCCESS);
	IS(status, expected);
}

void graphs_same(const int *got, const int *expected, int n, const char *what)
{
	for (int i = 0; i < n; i++)
		if (got[i] != expected[i])
			prog_wrong(
				&prog, "%s: entry %d is %d, not %d", what, i, got[i], expected[i]);
}

/* ---- a graph that all know ---- */

/* A star: node 0 has edges to all others and two to itself, they have one each to it. */
struct star {
	int nodes, nedges;
	int index[64], edges[128];
};

static struct star star_of(int nodes)
{
	struct star s = {.nodes = nodes};

	for (int i = 1; i < nodes; i++)
		s.edges[s.nedges++] = i;
	s.edges[s.nedges++] = 0;
	s.edges[s.nedges++] = 0;
	s.index[0] = s.nedges;
	for (int i = 1; i < nodes; i++) {
		s.edges[s.nedges++] = 0;
		s.index[i] = s.nedges;
	}
	return s;
}

static void is_star(MPI_Comm comm, const struct star *s)
{
	int nodes = -1, nedges = -1, n = -1, index[64], edges[128], first = 0;

	graphs_topology(comm, MPI_GRAPH);
	IS(MPI_Graphdims_get(comm, &nodes, &nedges), MPI_SUCCESS);
	IS(nodes, s->nodes);
	IS(nedges, s->nedges);
	IS(MPI_Graph_get(comm, nodes, nedges, index, edges), MPI_SUCCESS);
	graphs_same(index, s->index, nodes, "index");
	graphs_same(edges, s->edges, nedges, "edges");
	for (int rank = 0; rank < nodes; rank++) {
		IS(MPI_Graph_neighbors_count(comm, rank, &n), MPI_SUCCESS);
		IS(n, s->index[rank] - first);
		IS(MPI_Graph_neighbors(comm, rank, n, edges), MPI_SUCCESS);
		graphs_same(edges, s->edges + first, n, "neighbors");
		first = s->index[rank];
	}
	FAILS(MPI_Graph_neighbors_count(comm, nodes, &n), MPI_ERR_RANK);
	FAILS(MPI_Graph_neighbors(comm, -1, 1, edges), MPI_ERR_RANK);
	FAILS(MPI_Graph_neighbors(comm, 0, s->index[0] - 1, edges), MPI_ERR_ARG);
	FAILS(MPI_Graph_get(comm, nodes - 1, nedges, index, edges), MPI_ERR_ARG);
	FAILS(MPI_Graph_get(comm, nodes, nedges - 1, index, edges), MPI_ERR_ARG);
	FAILS(MPI_Cartdim_get(comm, &n), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Dist_graph_neighbors_count(comm, &n, &n, &n), MPI_ERR_TOPOLOGY);
}

/* The last rank is left out where there are more than one. */
static void star(void)
{
	struct star s = star_of(prog.size > 1 ? prog.size - 1 : 1);
	MPI_Comm comm = MPI_COMM_SELF, copy;
	int place = -2;
	int inside = prog.rank < s.nodes;

	IS(MPI_Graph_map(MPI_COMM_WORLD, s.nodes, s.index, s.edges, &place), MPI_SUCCESS);
	IS(place, inside ? prog.rank : MPI_UNDEFINED);
	IS(MPI_Graph_create(MPI_COMM_WORLD, s.nodes, s.index, s.edges, 1, &comm), MPI_SUCCESS);
	IS(comm == MPI_COMM_NULL, !inside);
	if (!inside)
		return;
	is_star(comm, &s);
	IS(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	is_star(copy, &s);
	/* a part has none */
	IS(MPI_Comm_split(copy, 0, 0, &comm), MPI_SUCCESS);
	graphs_topology(comm, MPI_UNDEFINED);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	IS(MPI_Comm_free(&copy), MPI_SUCCESS);
}

static void wrong_graphs(void)
{
	MPI_Comm w = MPI_COMM_WORLD, comm = MPI_COMM_SELF;
	int index[65] = {1, 0}, edges[2] = {0, 0}, n;

	FAILS(MPI_Graph_create(w, -1, index, edges, 0, &comm), MPI_ERR_ARG);
	FAILS(MPI_Graph_create(w, prog.size + 1, index, edges, 0, &comm), MPI_ERR_ARG);
	FAILS(MPI_Graph_create(w, 1, NULL, edges, 0, &comm), MPI_ERR_ARG);
	FAILS(MPI_Graph_create(w, 1, index, NULL, 0, &comm), MPI_ERR_ARG);
	FAILS(MPI_Graph_create(w, 1, index, edges, 0, NULL), MPI_ERR_ARG);
	FAILS(MPI_Graph_create(MPI_COMM_NULL, 1, index, edges, 0, &comm), MPI_ERR_COMM);
	if (prog.size > 1)
		FAILS(MPI_Graph_create(w, 2, index, edges, 0, &comm), MPI_ERR_ARG);
	edges[0] = 1; /* of one node */
	FAILS(MPI_Graph_create(w, 1, index, edges, 0, &comm), MPI_ERR_ARG);
	index[0] = -1;
	FAILS(MPI_Graph_create(w, 1, index, edges, 0, &comm), MPI_ERR_ARG);
	IS(comm, MPI_COMM_NULL);
	FAILS(MPI_Graphdims_get(w, &n, &n), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Graph_map(w, -1, index, edges, &n), MPI_ERR_ARG);
	comm = MPI_COMM_SELF;
	IS(MPI_Graph_create(w, 0, NULL, NULL, 0, &comm), MPI_SUCCESS);
	IS(comm, MPI_COMM_NULL);
}

/* ---- grids at their edges ---- */

static void grid_of_nothing(void)
{
	MPI_Comm comm, part;
	int dims = 1, period = 1, no = 0, n = -1, rank = -1;

	IS(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &comm), MPI_SUCCESS);
	IS(comm == MPI_COMM_NULL, prog.rank > 0);
	if (comm != MPI_COMM_NULL) {
		graphs_topology(comm, MPI_CART);
		IS(MPI_Cartdim_get(comm, &n), MPI_SUCCESS);
		IS(n, 0);
		IS(MPI_Cart_get(comm, 0, NULL, NULL, NULL), MPI_SUCCESS);
		IS(MPI_Cart_rank(comm, NULL, &rank), MPI_SUCCESS);
		IS(rank, 0);
		IS(MPI_Cart_coords(comm, 0, 0, NULL), MPI_SUCCESS);
		IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	}
	/* all dimensions dropped: every process is a grid of its own */
	dims = prog.size;
	IS(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &period, 0, &comm), MPI_SUCCESS);
	IS(MPI_Cart_sub(comm, &no, &part), MPI_SUCCESS);
	IS(MPI_Comm_size(part, &n), MPI_SUCCESS);
	IS(n, 1);
	IS(MPI_Cartdim_get(part, &n), MPI_SUCCESS);
	IS(n, 0);
	IS(MPI_Comm_free(&part), MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	graphs_topology(MPI_COMM_WORLD, MPI_UNDEFINED);
	star();
	wrong_graphs();
	graphs_of_neighbors();
	graphs_of_anyone();
	grid_of_nothing();
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("graphs: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
