/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mixed's communicators with neighbours: a grid whose rows are rings, a ring of all, a graph in
 * which a few have themselves beside them, and a web of edges that chance has drawn, some of them
 * more than once.
 */
#include "mixed_neighbors.h"

#include <stdlib.h>

enum { DIMENSIONS = 2, WEB_EDGES = 3 };

/* ---- the grids ---- */

static int dims_of(const struct mixed *m, int which, int *dims, int *periods)
{
	int n = which == MIXED_GRID ? DIMENSIONS : 1;

	dims[0] = dims[1] = 0;
	MPI_Dims_create(m->prog->size, n, dims);
	periods[0] = which == MIXED_RING;
	periods[1] = 1;
	return n;
}

/* Rank beside `rank` in dimension k; -1: there is none. */
static int beside(const struct mixed *m, int which, int rank, int k, int step)
{
	int dims[DIMENSIONS], periods[DIMENSIONS], at[DIMENSIONS];
	int n = dims_of(m, which, dims, periods), below = n == 2 ? dims[1] : 1;

	at[0] = rank / below;
	at[1] = rank % below;
	at[k] += step;
	if (!periods[k] && (at[k] < 0 || at[k] >= dims[k]))
		return -1;
	at[k] = (at[k] + dims[k]) % dims[k];
	return at[0] * below + at[1];
}

static struct around grid_of(const struct mixed *m, int which, int rank)
{
	struct around a = {0};

	for (int k = 0; k < (which == MIXED_GRID ? DIMENSIONS : 1); k++) {
		a.rank[a.n++] = beside(m, which, rank, k, -1);
		a.rank[a.n++] = beside(m, which, rank, k, 1);
	}
	return a;
}

/* ---- the graphs ---- */

static struct around graph_of(const struct mixed *m, int rank)
{
	int size = m->prog->size;
	struct around a = {2, {(rank + 1) % size, (rank + size - 1) % size}};

	if (rank % 2 == 0)
		a.rank[a.n++] = rank;
	return a;
}

static struct around web_to(const struct mixed *m, int rank)
{
	uint64_t random = mixed_random(m, MIXED_NEIGHBORS, 0, UINT64_C(1) << 61 | (uint64_t)rank);
	struct around a = {.n = (int)mixed_decide(&random, WEB_EDGES + 1)};

	for (int i = 0; i < a.n; i++)
		a.rank[i] = (int)mixed_decide(&random, m->prog->size);
	return a;
}

/* The last rank first. */
static struct around web_from(const struct mixed *m, int rank)
{
	struct around a = {0};

	for (int source = m->prog->size; source-- > 0;) {
		struct around to = web_to(m, source);

		for (int i = 0; i < to.n; i++)
			if (to.rank[i] == rank)
				a.rank[a.n++] = source;
	}
	return a;
}

/* ---- edges ---- */

struct around mixed_neighbors_to(const struct mixed_deal *d, int rank)
{
	if (d->which == MIXED_GRID || d->which == MIXED_RING)
		return grid_of(d->m, d->which, rank);
	return d->which == MIXED_GRAPH ? graph_of(d->m, rank) : web_to(d->m, rank);
}

struct around mixed_neighbors_from(const struct mixed_deal *d, int rank)
{
	return d->which == MIXED_WEB ? web_from(d->m, rank) : mixed_neighbors_to(d, rank);
}

/* What comes from below was sent up. Else edges of the same two ranks are told apart by their
 * order. */
int mixed_neighbors_edge(const struct mixed_deal *d, int rank, int i)
{
	struct around from = mixed_neighbors_from(d, rank),
		      to = mixed_neighbors_to(d, from.rank[i]);
	int before = 0, edge = 0;

	if (d->which == MIXED_GRID || d->which == MIXED_RING)
		return i ^ 1;
	for (int k = 0; k < i; k++)
		before += from.rank[k] == from.rank[i];
	for (;; edge++)
		if (to.rank[edge] == rank && before-- == 0)
			return edge;
}

/* ---- making them ---- */

static MPI_Comm make_grid(const struct mixed *m, int which)
{
	int dims[DIMENSIONS], periods[DIMENSIONS];
	int n = dims_of(m, which, dims, periods);
	MPI_Comm c;

	MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 0, &c);
	return c;
}

static MPI_Comm make_graph(const struct mixed *m)
{
	int size = m->prog->size, n = 0;
	int *index = prog_alloc(m->prog, (size_t)size * (1 + NEIGHBORS_MOST) * sizeof(*index));
	int *edges = index + size;
	MPI_Comm c;

	for (int rank = 0; rank < size; rank++) {
		struct around a = graph_of(m, rank);

		for (int i = 0; i < a.n; i++)
			edges[n++] = a.rank[i];
		index[rank] = n;
	}
	MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &c);
	free(index);
	return c;
}

static MPI_Comm make_web(const struct mixed *m)
{
	struct around from = web_from(m, m->prog->rank), to = web_to(m, m->prog->rank);
	MPI_Comm c;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, from.n, from.rank, MPI_UNWEIGHTED, to.n,
		to.rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
	return c;
}

MPI_Comm mixed_neighbors_make(const struct mixed *m, int which)
{
	if (which == MIXED_GRID || which == MIXED_RING)
		return make_grid(m, which);
	return which == MIXED_GRAPH ? make_graph(m) : make_web(m);
}
