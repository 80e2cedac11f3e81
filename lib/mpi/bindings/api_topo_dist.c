/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed graphs (MPI 5.0 sections 8.5.4 and 8.5.8). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi/comm/hints.h"
#include "mpi/comm/info.h"
#include "mpi/construct/topo_dist.h"
#include "topo_calls.h"

static int check_degree(int degree, const char *what)
{
	return degree < 0 ? fail_with(MPI_ERR_ARG, "%s is %d", what, degree) : MPI_SUCCESS;
}

static int check_rank(const struct comm *c, int rank, const char *what, int i)
{
	if (rank >= 0 && rank < c->size)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RANK, "%s[%d] is %d, which is no rank of communicator %s of %d",
		what, i, rank, comm_label(c), c->size);
}

/* A graph without weights is one whose weights are all 0, and a note that they are none. */
static int weight_of(const int *weights, int i, int *weight)
{
	*weight = weights == MPI_UNWEIGHTED ? 0 : weights[i];
	return *weight >= 0 ? MPI_SUCCESS
			    : fail_with(MPI_ERR_ARG, "weight %d is %d, less than 0", i, *weight);
}

static int check_weights(int n, const int *weights, const char *what)
{
	if (n > 0 && (!weights || weights == MPI_WEIGHTS_EMPTY))
		return fail_with(MPI_ERR_ARG, "%s has no entries, and there are %d edges", what, n);
	return MPI_SUCCESS;
}

static int edges_new(struct topo_dist *said, size_t n)
{
	if (n > INT_MAX)
		return fail_with(MPI_ERR_ARG, "there are %zu edges, more than an int can count", n);
	said->edges = calloc(n + 1, sizeof *said->edges);
	said->at = calloc(n + 1, sizeof *said->at);
	return said->edges && said->at ? MPI_SUCCESS
				       : fail_with(MPI_ERR_NO_MEM, "no memory for %zu edges", n);
}

/* ---- every process says all of its edges ---- */

/* The edges one way, as given. */
struct way {
	int degree;
	const int *others, *weights;
	bool out;
};

static const char *way_name(const struct way *w)
{
	return w->out ? "destinations" : "sources";
}

static int check_way(const struct way *w)
{
	int rc = check_degree(w->degree, w->out ? "outdegree" : "indegree");

	if (rc == MPI_SUCCESS)
		rc = topo_check_array(w->degree, w->others, way_name(w));
	if (rc == MPI_SUCCESS)
		rc = check_weights(w->degree, w->weights, w->out ? "destweights" : "sourceweights");
	return rc;
}

static int add_way(const struct comm *c, const struct way *w, struct topo_dist *said)
{
	int rc = MPI_SUCCESS;

	for (int i = 0; i < w->degree && rc == MPI_SUCCESS; i++) {
		struct topo_edge *e = &said->edges[said->n];

		e->other = w->others[i];
		e->out = w->out;
		rc = check_rank(c, e->other, way_name(w), i);
		if (rc == MPI_SUCCESS)
			rc = weight_of(w->weights, i, &e->weight);
		said->n++;
	}
	return rc;
}

static int say_adjacent(
	const struct comm *c, const struct way *in, const struct way *out, struct topo_dist *said)
{
	bool in_weights = in->weights != MPI_UNWEIGHTED,
	     out_weights = out->weights != MPI_UNWEIGHTED;
	int rc = check_way(in);

	if (rc == MPI_SUCCESS)
		rc = check_way(out);
	if (rc == MPI_SUCCESS && in->degree > 0 && out->degree > 0 && in_weights != out_weights)
		rc = fail_with(MPI_ERR_ARG, "only one of sourceweights and destweights is "
					    "MPI_UNWEIGHTED");
	if (rc == MPI_SUCCESS)
		rc = edges_new(said, (size_t)in->degree + (size_t)out->degree);
	if (rc == MPI_SUCCESS)
		rc = add_way(c, in, said);
	if (rc == MPI_SUCCESS)
		rc = add_way(c, out, said);
	said->weighted = in->degree > 0	   ? in_weights
			 : out->degree > 0 ? out_weights
					   : in_weights && out_weights;
	return rc;
}

/* ---- each says some ---- */

struct some {
	int n;
	const int *sources, *degrees, *destinations, *weights;
};

static int check_some(const struct comm *c, const struct some *g, size_t *edges)
{
	int rc = check_degree(g->n, "n");

	*edges = 0;
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(g->n, g->sources, "sources");
	if (rc == MPI_SUCCESS)
		rc = topo_check_array(g->n, g->degrees, "degrees");
	for (int i = 0; i < g->n && rc == MPI_SUCCESS; i++) {
		rc = check_rank(c, g->sources[i], "sources", i);
		if (rc == MPI_SUCCESS && g->degrees[i] < 0)
			rc = fail_with(MPI_ERR_ARG, "degrees[%d] is %d", i, g->degrees[i]);
		if (rc == MPI_SUCCESS)
			*edges += (size_t)g->degrees[i];
	}
	if (rc == MPI_SUCCESS && *edges > INT_MAX / 2)
		rc = fail_with(
			MPI_ERR_ARG, "there are %zu edges, more than can be counted", *edges);
	if (rc == MPI_SUCCESS)
		rc = topo_check_array((int)*edges, g->destinations, "destinations");
	return rc ? rc : check_weights((int)*edges, g->weights, "weights");
}

/* The k-th edge, which begins at `from`: an entry for each of its ends. */
static int add_edge(
	const struct comm *c, const struct some *g, int from, int k, struct topo_dist *said)
{
	int to = g->destinations[k], weight = 0, rc = check_rank(c, to, "destinations", k);

	if (rc == MPI_SUCCESS)
		rc = weight_of(g->weights, k, &weight);
	if (rc != MPI_SUCCESS)
		return rc;
	said->at[said->n] = from;
	said->edges[said->n++] = (struct topo_edge){to, weight, true};
	said->at[said->n] = to;
	said->edges[said->n++] = (struct topo_edge){from, weight, false};
	return MPI_SUCCESS;
}

static int say_some(const struct comm *c, const struct some *g, struct topo_dist *said)
{
	size_t edges;
	int rc = check_some(c, g, &edges), k = 0;

	if (rc == MPI_SUCCESS)
		rc = edges_new(said, 2 * edges);
	for (int i = 0; i < g->n && rc == MPI_SUCCESS; i++) {
		for (int end = k + g->degrees[i]; k < end && rc == MPI_SUCCESS; k++)
			rc = add_edge(c, g, g->sources[i], k, said);
	}
	said->weighted = g->weights != MPI_UNWEIGHTED;
	return rc;
}

/* ---- the calls ---- */

typedef int maker(struct comm *c, const struct topo_dist *said, struct comm **out);

/* The new communicator's place and its hints. */
struct result {
	MPI_Comm *handle;
	struct info *hints;
};

/* said->checked says whether to go on; if not, the others still are told. */
static int create(struct comm *c, struct topo_dist *said, maker *make, struct result *result)
{
	struct comm *made = NULL;
	int rc;

	if (said->checked != MPI_SUCCESS)
		said->n = 0;
	rc = make(c, said, &made);
	free(said->edges);
	free(said->at);
	if (rc == MPI_SUCCESS) {
		made->hints = result->hints;
		*result->handle = made->handle;
	} else {
		info_free(result->hints);
	}
	return rc;
}

static int check_result(MPI_Info info, struct result *result)
{
	int rc = check_pointer(result->handle, "comm_dist_graph");

	return rc ? rc : hints_set(&result->hints, hints_of_comm, info);
}

#pragma weak MPI_Dist_graph_create_adjacent = PMPI_Dist_graph_create_adjacent
int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
	const int sourceweights[], int outdegree, const int destinations[], const int destweights[],
	MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
	struct way in = {indegree, sources, sourceweights, false};
	struct way out = {outdegree, destinations, destweights, true};
	struct result result = {comm_dist_graph, NULL};
	struct topo_dist said = {0};
	struct comm *c = NULL;

	(void)reorder; /* ranks stay as they are, which the standard allows */
	api_enter("MPI_Dist_graph_create_adjacent");
	check_no_comm_yet(comm_dist_graph);
	int rc = topo_lookup_plain(comm_old, &c);
	if (rc != MPI_SUCCESS)
		return api_leave(c, rc);
	said.checked = check_result(info, &result);
	if (said.checked == MPI_SUCCESS)
		said.checked = say_adjacent(c, &in, &out, &said);
	return api_leave(c, create(c, &said, topo_dist_adjacent, &result));
}

#pragma weak MPI_Dist_graph_create = PMPI_Dist_graph_create
int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
	const int destinations[], const int weights[], MPI_Info info, int reorder,
	MPI_Comm *comm_dist_graph)
{
	struct some some = {n, sources, degrees, destinations, weights};
	struct result result = {comm_dist_graph, NULL};
	struct topo_dist said = {0};
	struct comm *c = NULL;

	(void)reorder;
	api_enter("MPI_Dist_graph_create");
	check_no_comm_yet(comm_dist_graph);
	int rc = topo_lookup_plain(comm_old, &c);
	if (rc != MPI_SUCCESS)
		return api_leave(c, rc);
	said.checked = check_result(info, &result);
	if (said.checked == MPI_SUCCESS)
		said.checked = say_some(c, &some, &said);
	return api_leave(c, create(c, &said, topo_dist_scattered, &result));
}

#pragma weak MPI_Dist_graph_neighbors_count = PMPI_Dist_graph_neighbors_count
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
	struct comm *c = NULL;

	api_enter("MPI_Dist_graph_neighbors_count");
	int rc = topo_lookup(comm, MPI_DIST_GRAPH, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(indegree, "indegree");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(outdegree, "outdegree");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(weighted, "weighted");
	if (rc == MPI_SUCCESS) {
		*indegree = c->topo->around.nsources;
		*outdegree = c->topo->around.ndestinations;
		*weighted = c->topo->weighted;
	}
	return api_leave(c, rc);
}

/* As many as there is room for, of the n there are (MPI 5.0 section 8.5.8). */
struct list {
	int room, n;
	const int *ranks, *weights; /* the topology's */
};

static int give(const struct list *l, bool weighted, int *ranks, int *weights)
{
	int n = l->room < l->n ? l->room : l->n;
	int rc = check_degree(l->room, "the room for neighbors");

	if (rc == MPI_SUCCESS)
		rc = topo_check_array(n, ranks, "the array for neighbors");
	weighted = weighted && weights != MPI_UNWEIGHTED;
	if (rc == MPI_SUCCESS && weighted && n > 0)
		rc = check_weights(n, weights, "the array for weights");
	if (rc != MPI_SUCCESS || n == 0)
		return rc;
	memcpy(ranks, l->ranks, (size_t)n * sizeof(int));
	if (weighted)
		memcpy(weights, l->weights, (size_t)n * sizeof(int));
	return MPI_SUCCESS;
}

#pragma weak MPI_Dist_graph_neighbors = PMPI_Dist_graph_neighbors
int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
	int maxoutdegree, int destinations[], int destweights[])
{
	struct comm *c = NULL;

	api_enter("MPI_Dist_graph_neighbors");
	int rc = topo_lookup(comm, MPI_DIST_GRAPH, &c);
	if (rc == MPI_SUCCESS) {
		const struct topology *t = c->topo;
		struct list in = {
			maxindegree, t->around.nsources, t->around.sources, t->source_weights};
		struct list out = {maxoutdegree, t->around.ndestinations, t->around.destinations,
			t->destination_weights};

		rc = give(&in, t->weighted, sources, sourceweights);
		if (rc == MPI_SUCCESS)
			rc = give(&out, t->weighted, destinations, destweights);
	}
	return api_leave(c, rc);
}
