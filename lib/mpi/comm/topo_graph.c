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

/* An edge between two nodes, the lower one first: +1 when it begins there, else -1. */
struct link {
	int low, high, way;
};

static int by_ends(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

static void list_links(const struct topology *t, struct link *links)
{
	for (int i = 0, k = 0; i < t->nnodes; i++) {
		for (; k < t->index[i]; k++) {
			int to = t->edges[k];

			links[k] = i < to ? (struct link){i, to, 1} : (struct link){to, i, -1};
			if (i == to)
				links[k].way = 0;
		}
	}
}

/* Every edge has one the other way (MPI 5.0 section 8.6 needs it). false: no memory to find out. */
static bool note_one_way(struct topology *t)
{
	struct link *links = malloc(((size_t)t->nedges + 1) * sizeof *links);
	int sum = 0;

	if (!links)
		return false;
	list_links(t, links);
	qsort(links, (size_t)t->nedges, sizeof *links, by_ends);
	for (int k = 0; k < t->nedges; k++) {
		sum += links[k].way;
		if (k + 1 == t->nedges || by_ends(&links[k], &links[k + 1]) != 0) {
			t->one_way |= sum != 0;
			sum = 0;
		}
	}
	free(links);
	return true;
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
	if (!note_one_way(t)) {
		free(t);
		return NULL;
	}
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

struct topology *topo_graph_new_dist(const struct topo_edge *edges, size_t n, bool weighted)
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
