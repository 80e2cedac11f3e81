/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs as topologies: MPI 5.0 sections 8.5.3 and 8.5.4. */
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "topo.h"

static struct topology *graph_alloc(int kind, size_t values)
{
	struct topology *t = calloc(1, sizeof(*t) + values * sizeof(int));

	if (t) {
		t->kind = kind;
		t->refs = 1;
	}
	return t;
}

const char *topo_graph_wrong(int nnodes, const int *index, const int *edges, int *bad)
{
	int n = 0;

	for (int i = 0; i < nnodes; i++) {
		*bad = i;
		if (index[i] < n)
			return "of index is less than the one before, or than 0";
		n = index[i];
	}
	*bad = 0;
	if (n > 0 && !edges)
		return "of edges should be there, and edges is a null pointer";
	for (int i = 0; i < n; i++) {
		*bad = i;
		if (edges[i] < 0 || edges[i] >= nnodes)
			return "of edges is no node of the graph";
	}
	return NULL;
}

struct topology *topo_graph_new(int nnodes, const int *index, const int *edges, int rank)
{
	int nedges = nnodes > 0 ? index[nnodes - 1] : 0, first = rank > 0 ? index[rank - 1] : 0;
	struct topology *t = graph_alloc(MPI_GRAPH, (size_t)nnodes + (size_t)nedges);

	if (!t)
		return NULL;
	t->nnodes = nnodes;
	t->nedges = nedges;
	t->index = t->values;
	t->edges = t->values + nnodes;
	memcpy(t->index, index, (size_t)nnodes * sizeof(int));
	if (nedges > 0)
		memcpy(t->edges, edges, (size_t)nedges * sizeof(int));
	t->around.nsources = t->around.ndestinations = index[rank] - first;
	t->around.sources = t->around.destinations = t->edges + first;
	return t;
}

static int count_out(const struct topo_edge *edges, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++)
		out += edges[i].out;
	return (int)out;
}

struct topology *topo_dist_new(const struct topo_edge *edges, size_t n, bool weighted)
{
	struct topology *t = graph_alloc(MPI_DIST_GRAPH, 2 * n);
	int nout = count_out(edges, n), nin = (int)n - nout, in = 0, out = 0;

	if (!t)
		return NULL;
	t->weighted = weighted;
	t->around = (struct sched_around){nin, nout, t->values, t->values + nin, false};
	t->source_weights = t->values + n;
	t->destination_weights = t->source_weights + nin;
	for (size_t i = 0; i < n; i++) {
		const struct topo_edge *e = &edges[i];

		(e->out ? t->around.destinations : t->around.sources)[e->out ? out : in] = e->other;
		(e->out ? t->destination_weights : t->source_weights)[e->out ? out++ : in++] =
			e->weight;
	}
	return t;
}
