/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies (MPI 5.0 chapter 8): Cartesian grids, in which ranks run row-major (the last
 * coordinate changes fastest), graphs that every process knows as a whole, and distributed graphs,
 * of which each knows its own edges. Pure; arguments are checked by the caller unless said. A
 * topology never changes, so that communicators share it; the engine lock guards the references.
 */
#ifndef FTMPI_MPI_TOPO_H
#define FTMPI_MPI_TOPO_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/sched/sched.h"

/* As seen from one process. */
struct topology {
	int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
	unsigned refs;
	/* a grid */
	int ndims;
	int *dims, *periods, *coords; /* coords: of this process */
	/* a graph: the neighbours of node i are edges[index[i - 1] ... index[i] - 1] */
	int nnodes, nedges;
	int *index, *edges;
	bool one_way; /* some node has more edges to another than that has to it; in a distributed
			 graph: than that says come from it */
	/* a distributed graph: with each neighbour the weight of the edge, 0 without weights */
	bool weighted;
	int *source_weights, *destination_weights;
	/* all: from whom this process receives and to whom it sends */
	struct sched_around around;
	int values[]; /* room for the arrays */
};

struct topology *topo_copy(struct topology *t); /* another reference */
void topo_free(struct topology *t);		/* give a reference back; NULL is fine */

/* Number of places in a grid; -1 when a dimension is below 1 or the product does not fit an int. */
int topo_places(int ndims, const int *dims);

/* The grid as seen from rank, which is below topo_places. NULL when out of memory. */
struct topology *topo_new(int ndims, const int *dims, const int *periods, int rank);

void topo_coords(const struct topology *t, int rank, int *coords);

/* The rank at coords, wrapped where the dimension is periodic. -1 and the dimension in *bad when it
 * is not periodic and the coordinate lies outside. */
int topo_rank(const struct topology *t, const int *coords, int *bad);

/* The ranks `disp` steps before and behind rank along dimension `direction`; MPI_PROC_NULL beyond
 * an end that is not periodic. */
void topo_shift(
	const struct topology *t, int rank, int direction, int disp, int *source, int *dest);

/* The grid of the kept dimensions, as seen from this process. NULL when out of memory. */
struct topology *topo_sub(const struct topology *t, const int *remain);

/* The rank in that grid, and a number that is equal for the processes of one such grid alone. */
void topo_sub_place(const struct topology *t, const int *remain, int *color, int *rank);

/* ---- topo_graph.c ---- */

/* What is wrong with entry *bad of index or edges: the sentence's end; NULL if nothing is. */
const char *topo_graph_wrong(int nnodes, const int *index, const int *edges, int *bad);

/* The graph as seen from node rank. NULL when out of memory. */
struct topology *topo_graph_new(int nnodes, const int *index, const int *edges, int rank);

/* One edge of a distributed graph, as one of its ends sees it. */
struct topo_edge {
	int other, weight;
	bool out; /* from this process to the other */
};

/* The edges of this process, in the order that its neighbours shall have. NULL when out of memory.
 */
struct topology *topo_graph_new_dist(const struct topo_edge *edges, size_t n, bool weighted);

/*
 * MPI_Dims_create: replace the zeros in dims so that the product is nnodes. The new ones do not
 * increase, and are as close to each other as can be: the largest and the smallest first; of
 * several ways, the one with the largest smallest, then with the largest last but one, and so on.
 * *bad is the culprit's index, -1 when the product does not divide. false leaves dims as they were.
 */
bool dims_create(int nnodes, int ndims, int *dims, int *bad);

#endif
