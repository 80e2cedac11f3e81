/* SPDX-License-Identifier: BSD-3-Clause */
/* graphs: distributed graph topologies. */
#include "graphs.h"

/* ---- each says its own edges ---- */

/* Rank r sends to r + 1 and, twice, to itself; the last rank of several has no edges at all. */
struct ring {
	int nin, nout, sources[3], destinations[3], weights[3];
};

static struct ring ring_here(void)
{
	int n = prog.size > 2 ? prog.size - 1 : prog.size, me = prog.rank;
	struct ring r = {.nin = 3,
		.nout = 3,
		.sources = {me, (me + n - 1) % n, me},
		.destinations = {(me + 1) % n, me, me},
		.weights = {me, 7, 1 << 30}};

	if (me == n)
		r.nin = r.nout = 0;
	return r;
}

static void is_ring(MPI_Comm comm, const struct ring *r, int weighted)
{
	int nin = -1, nout = -1, flag = -1, in[3] = {-1, -1, -1}, out[3], in_w[3] = {-5, -5, -5},
	    out_w[3] = {-5, -5, -5}, none[3] = {-5, -5, -5};

	graphs_topology(comm, MPI_DIST_GRAPH);
	IS(MPI_Dist_graph_neighbors_count(comm, &nin, &nout, &flag), MPI_SUCCESS);
	IS(nin, r->nin);
	IS(nout, r->nout);
	IS(flag, weighted);
	IS(MPI_Dist_graph_neighbors(comm, nin, in, in_w, nout, out, out_w), MPI_SUCCESS);
	graphs_same(in, r->sources, nin, "sources");
	graphs_same(out, r->destinations, nout, "destinations");
	graphs_same(in_w, weighted ? r->weights : none, nin, "sourceweights");
	graphs_same(out_w, weighted ? r->weights : none, nout, "destweights");
	/* fewer than there are; weights that nobody wants */
	in[1] = in_w[1] = -5;
	IS(MPI_Dist_graph_neighbors(comm, 1, in, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED),
		MPI_SUCCESS);
	graphs_same(in, r->sources, nin > 0 ? 1 : 0, "the first source");
	IS(in[1], -5);
	IS(in_w[1], -5);
	FAILS(MPI_Dist_graph_neighbors(comm, -1, in, in_w, 0, out, out_w), MPI_ERR_ARG);
	FAILS(MPI_Graphdims_get(comm, &nin, &nout), MPI_ERR_TOPOLOGY);
}

static void ring(int weighted)
{
	struct ring r = ring_here();
	MPI_Comm comm, copy;
	const int *w = !weighted ? MPI_UNWEIGHTED : r.nin > 0 ? r.weights : MPI_WEIGHTS_EMPTY;

	IS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, r.nin, r.sources, w, r.nout,
		   r.destinations, w, MPI_INFO_NULL, 1, &comm),
		MPI_SUCCESS);
	is_ring(comm, &r, weighted);
	IS(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	is_ring(copy, &r, weighted);
	IS(MPI_Comm_free(&copy), MPI_SUCCESS);
}

/* One rank says something wrong; all others are told. `mine` is what the culprit gets. */
static void one_is_wrong(int rc, int culprit, int mine)
{
	FAILS(rc, prog.rank == culprit ? mine : MPI_ERR_ARG);
}

static int adjacent(const struct ring *r, const int *in_w, const int *out_w)
{
	MPI_Comm comm = MPI_COMM_NULL;
	int rc = MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, r->nin, r->sources, in_w, r->nout,
		r->destinations, out_w, MPI_INFO_NULL, 0, &comm);

	if (rc == MPI_SUCCESS)
		MPI_Comm_free(&comm);
	else
		IS(comm, MPI_COMM_NULL);
	return rc;
}

static void wrong_rings(void)
{
	int culprit = 0, me = prog.rank == culprit;
	struct ring good = ring_here(), r = good;

	r.destinations[0] = me ? prog.size : r.destinations[0];
	one_is_wrong(adjacent(&r, r.weights, r.weights), culprit, MPI_ERR_RANK);
	r = good;
	r.weights[1] = me ? -1 : 7;
	one_is_wrong(adjacent(&r, r.weights, r.weights), culprit, MPI_ERR_ARG);
	r = good;
	r.nin = me ? -1 : r.nin;
	one_is_wrong(adjacent(&r, r.weights, r.weights), culprit, MPI_ERR_ARG);
	r = good;
	one_is_wrong(adjacent(&r, me ? NULL : r.weights, r.weights), culprit, MPI_ERR_ARG);
	one_is_wrong(
		adjacent(&r, me ? MPI_WEIGHTS_EMPTY : r.weights, r.weights), culprit, MPI_ERR_ARG);
	one_is_wrong(
		adjacent(&r, me ? MPI_UNWEIGHTED : r.weights, r.weights), culprit, MPI_ERR_ARG);
	/* all or none have weights */
	if (prog.size > 2) {
		const int *w = me ? MPI_UNWEIGHTED : good.weights;

		one_is_wrong(adjacent(&good, w, w), culprit, MPI_ERR_ARG);
	}
	/* and then everything still works */
	IS(adjacent(&good, good.weights, good.weights), MPI_SUCCESS);
}

/* A graph with an edge that its other end does not have tells its neighbours as they were given,
 * but is none for operations among them, on any rank; nor are its copies. */
static void lopsided_ring(void)
{
	struct ring r = ring_here();
	MPI_Comm comm, copy;
	MPI_Request request = MPI_REQUEST_NULL;
	int in[3] = {0}, out[3] = {0};

	r.nout = prog.rank == 0 ? 2 : r.nout;
	IS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, r.nin, r.sources, MPI_UNWEIGHTED, r.nout,
		   r.destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
		MPI_SUCCESS);
	is_ring(comm, &r, 0);
	IS(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
	FAILS(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, copy), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request),
		MPI_ERR_TOPOLOGY);
	IS(MPI_Barrier(comm), MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	IS(MPI_Comm_free(&copy), MPI_SUCCESS);
}

void graphs_of_neighbors(void)
{
	ring(0);
	ring(1);
	wrong_rings();
	lopsided_ring();
}

/* ---- each says some edges of anyone ---- */

/* All edges of the graph: u -> v for u * v % 3 == 1, and each twice where u == v. */
static int multiplicity(int u, int v)
{
	return u * v % 3 != 1 ? 0 : u == v ? 2 : 1;
}

static int weight(int u, int v)
{
	return 100 * u + v;
}

static void check_side(const int *ranks, const int *weights, int n, int out, int weighted)
{
	int seen[64] = {0};

	for (int i = 0; i < n; i++) {
		int u = out ? prog.rank : ranks[i], v = out ? ranks[i] : prog.rank;

		IS(ranks[i] >= 0 && ranks[i] < prog.size, 1);
		seen[ranks[i]]++;
		IS(weights[i], weighted ? weight(u, v) : -5);
	}
	for (int i = 0; i < prog.size; i++)
		IS(seen[i], out ? multiplicity(prog.rank, i) : multiplicity(i, prog.rank));
}

/* Rank r tells of the edges that begin at r + shift; or, shift < 0, rank 0 tells all. */
static void scattered(int shift, int weighted)
{
	int n = 0, edges = 0, sources[64], degrees[64], destinations[8192], weights[8192];
	int in[128], out[128], in_w[128], out_w[128], nin, nout, flag;
	MPI_Comm comm;

	for (int u = 0; u < prog.size; u++) {
		if (shift < 0 ? prog.rank != 0 : u != (prog.rank + shift) % prog.size)
			continue;
		sources[n] = u;
		degrees[n] = 0;
		for (int v = 0; v < prog.size; v++) {
			for (int i = 0; i < multiplicity(u, v); i++) {
				destinations[edges] = v;
				weights[edges++] = weight(u, v);
				degrees[n]++;
			}
		}
		n++;
	}
	IS(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations,
		   !weighted	? MPI_UNWEIGHTED
		   : edges == 0 ? MPI_WEIGHTS_EMPTY
				: weights,
		   MPI_INFO_NULL, 0, &comm),
		MPI_SUCCESS);
	IS(MPI_Dist_graph_neighbors_count(comm, &nin, &nout, &flag), MPI_SUCCESS);
	IS(flag, weighted);
	for (int i = 0; i < 128; i++)
		in_w[i] = out_w[i] = -5;
	IS(MPI_Dist_graph_neighbors(comm, nin, in, in_w, nout, out, out_w), MPI_SUCCESS);
	check_side(in, in_w, nin, 0, weighted);
	check_side(out, out_w, nout, 1, weighted);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void wrong_scattered(void)
{
	int me = prog.rank == prog.size - 1, source = 0, degree = 1, to = 0, w = 1;
	MPI_Comm comm;

	source = me ? -1 : 0;
	one_is_wrong(MPI_Dist_graph_create(
			     MPI_COMM_WORLD, 1, &source, &degree, &to, &w, MPI_INFO_NULL, 0, &comm),
		prog.size - 1, MPI_ERR_RANK);
	source = 0;
	to = me ? prog.size : 0;
	one_is_wrong(MPI_Dist_graph_create(
			     MPI_COMM_WORLD, 1, &source, &degree, &to, &w, MPI_INFO_NULL, 0, &comm),
		prog.size - 1, MPI_ERR_RANK);
	to = 0;
	degree = me ? -1 : 1;
	one_is_wrong(MPI_Dist_graph_create(
			     MPI_COMM_WORLD, 1, &source, &degree, &to, &w, MPI_INFO_NULL, 0, &comm),
		prog.size - 1, MPI_ERR_ARG);
	degree = 1;
	one_is_wrong(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, me ? NULL : &to, &w,
			     MPI_INFO_NULL, 0, &comm),
		prog.size - 1, MPI_ERR_ARG);
}

void graphs_of_anyone(void)
{
	for (int shift = -1; shift < 3; shift++) {
		scattered(shift, 0);
		scattered(shift, 1);
	}
	wrong_scattered();
}
