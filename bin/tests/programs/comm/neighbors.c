/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighbors: neighbourhood collectives on grids, graphs and distributed graphs. Every edge has a
 * number that both ends can work out; what travels along it says which edge it is. In a grid, edge
 * 2d of a rank leads down dimension d and arrives, at its end, as what comes from above (MPI 5.0
 * section 8.6).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "expect.h"
#include "prog.h"

static struct prog prog = {.name = "neighbors", .text = "neighbourhood collectives"};

enum { MOST = 128, UNTOUCHED = -77, LONGEST = 4 };

/* One process's view of its neighbourhood. */
struct hood {
	const char *what;
	MPI_Comm comm;
	int nin, nout;
	int in[MOST], out[MOST]; /* the edge of each block; -1: nobody is there */
	int source[MOST];	 /* who sends that */
};

static int length(int edge)
{
	return edge < 0 ? 2 : (edge * 7 + 3) % LONGEST;
}

static int word(int edge, int i)
{
	return edge * 16 + i;
}

/* ---- buffers: blocks of `room` ints ---- */

static int *ints(int n)
{
	int *p = prog_alloc(&prog, (size_t)n * sizeof *p);

	for (int i = 0; i < n; i++)
		p[i] = UNTOUCHED;
	return p;
}

static void wrong(const struct hood *h, const char *call, int k, int i, int got, int expected)
{
	prog_wrong(&prog, "%s, %s: number %d of block %d (edge %d) is %d, not %d", h->what, call, i,
		k, h->in[k], got, expected);
}

/* Block k holds n words of key, step ints apart, and beyond and between nothing was written. */
static void check(const struct hood *h, const char *call, const int *block, int k, int key, int n,
	int step, int room)
{
	for (int i = 0; i < room; i++) {
		int has = h->in[k] >= 0 && i % step == 0 && i / step < n;
		int expected = has ? word(key, i / step) : UNTOUCHED;

		if (block[i] != expected)
			wrong(h, call, k, i, block[i], expected);
	}
}

/* ---- the calls ---- */

static void allgather(const struct hood *h, int large)
{
	int mine[2] = {word(prog.rank, 0), word(prog.rank, 1)}, *all = ints(3 * h->nin + 3);

	if (large)
		IS(MPI_Neighbor_allgather_c(mine, 2, MPI_INT, all, 2, MPI_INT, h->comm), 0);
	else
		IS(MPI_Neighbor_allgather(mine, 2, MPI_INT, all, 2, MPI_INT, h->comm), 0);
	for (int k = 0; k < h->nin; k++)
		check(h, "allgather", all + 2 * k, k, h->source[k], 2, 1, 2);
	IS(all[2 * h->nin], UNTOUCHED);
	free(all);
}

/* Rank r gives r % 3 words; blocks lie backwards, with a gap. */
static void allgatherv(const struct hood *h, int large)
{
	int mine[2] = {word(prog.rank, 0), word(prog.rank, 1)}, n = prog.rank % 3,
	    *all = ints(LONGEST * h->nin + 1), counts[MOST], displs[MOST];
	MPI_Count counts_c[MOST];
	MPI_Aint displs_c[MOST];

	for (int k = 0; k < h->nin; k++) {
		counts_c[k] = counts[k] = h->in[k] < 0 ? 2 : h->source[k] % 3;
		displs_c[k] = displs[k] = LONGEST * (h->nin - 1 - k);
	}
	if (large)
		IS(MPI_Neighbor_allgatherv_c(
			   mine, n, MPI_INT, all, counts_c, displs_c, MPI_INT, h->comm),
			0);
	else
		IS(MPI_Neighbor_allgatherv(mine, n, MPI_INT, all, counts, displs, MPI_INT, h->comm),
			0);
	for (int k = 0; k < h->nin; k++)
		check(h, "allgatherv", all + displs[k], k, h->source[k], counts[k], 1, LONGEST);
	free(all);
}

static void alltoall(const struct hood *h, int large)
{
	int *out = ints(2 * h->nout + 1), *in = ints(2 * h->nin + 1);

	for (int k = 0; k < h->nout; k++)
		for (int i = 0; i < 2; i++)
			out[2 * k + i] = word(h->out[k], i);
	if (large)
		IS(MPI_Neighbor_alltoall_c(out, 2, MPI_INT, in, 2, MPI_INT, h->comm), 0);
	else
		IS(MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, h->comm), 0);
	for (int k = 0; k < h->nin; k++)
		check(h, "alltoall", in + 2 * k, k, h->in[k], 2, 1, 2);
	IS(in[2 * h->nin], UNTOUCHED);
	free(out);
	free(in);
}

/* Where each block begins, in ints, and how long it is. */
struct blocks {
	int counts[MOST], displs[MOST];
	MPI_Count counts_c[MOST];
	MPI_Aint displs_c[MOST], bytes[MOST];
	MPI_Datatype types[MOST];
};

/* Every other block of a w call has gaps: its ints lie two apart. */
static void place(struct blocks *b, const int *edges, int n, int first, MPI_Datatype apart)
{
	for (int k = 0; k < n; k++) {
		b->counts_c[k] = b->counts[k] = length(edges[k]);
		b->displs_c[k] = b->displs[k] = first + 2 * LONGEST * k;
		b->bytes[k] = b->displs[k] * (MPI_Aint)sizeof(int);
		b->types[k] = k % 2 ? apart : MPI_INT;
	}
}

static void fill(int *at, int edge, int step)
{
	for (int i = 0; i < length(edge); i++)
		at[step * i] = word(edge, i);
}

/* Blocks to be sent and to be received in one array. */
static void alltoallv(const struct hood *h, int large)
{
	int *field = ints(2 * LONGEST * (h->nin + h->nout) + 1);
	struct blocks out, in;

	place(&out, h->out, h->nout, 0, MPI_INT);
	place(&in, h->in, h->nin, 2 * LONGEST * h->nout, MPI_INT);
	for (int k = 0; k < h->nout; k++)
		fill(field + out.displs[k], h->out[k], 1);
	if (large)
		IS(MPI_Neighbor_alltoallv_c(field, out.counts_c, out.displs_c, MPI_INT, field,
			   in.counts_c, in.displs_c, MPI_INT, h->comm),
			0);
	else
		IS(MPI_Neighbor_alltoallv(field, out.counts, out.displs, MPI_INT, field, in.counts,
			   in.displs, MPI_INT, h->comm),
			0);
	for (int k = 0; k < h->nin; k++)
		check(h, "alltoallv", field + in.displs[k], k, h->in[k], in.counts[k], 1,
			2 * LONGEST);
	free(field);
}

static void alltoallw(const struct hood *h, int large)
{
	int *field = ints(2 * LONGEST * (h->nin + h->nout) + 1);
	struct blocks out, in;
	MPI_Datatype apart;

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
	MPI_Type_commit(&apart);
	place(&out, h->out, h->nout, 2 * LONGEST * h->nin, apart);
	place(&in, h->in, h->nin, 0, apart);
	for (int k = 0; k < h->nout; k++)
		fill(field + out.displs[k], h->out[k], k % 2 ? 2 : 1);
	if (large)
		IS(MPI_Neighbor_alltoallw_c(field, out.counts_c, out.bytes, out.types, field,
			   in.counts_c, in.bytes, in.types, h->comm),
			0);
	else
		IS(MPI_Neighbor_alltoallw(field, out.counts, out.bytes, out.types, field, in.counts,
			   in.bytes, in.types, h->comm),
			0);
	for (int k = 0; k < h->nin; k++)
		check(h, "alltoallw", field + in.displs[k], k, h->in[k], in.counts[k],
			k % 2 ? 2 : 1, 2 * LONGEST);
	MPI_Type_free(&apart);
	free(field);
}

static void all_calls(const struct hood *h)
{
	for (int large = 0; large < 2; large++) {
		allgather(h, large);
		allgatherv(h, large);
		alltoall(h, large);
		alltoallv(h, large);
		alltoallw(h, large);
	}
}

/* ---- neighbourhoods ---- */

static void on_grid(int ndims, const int *dims, const int *periods)
{
	struct hood h = {.what = "grid", .nin = 2 * ndims, .nout = 2 * ndims};
	int to[2];

	IS(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &h.comm), MPI_SUCCESS);
	if (h.comm == MPI_COMM_NULL)
		return;
	for (int d = 0; d < ndims; d++) {
		IS(MPI_Cart_shift(h.comm, d, 1, &to[0], &to[1]), MPI_SUCCESS);
		for (int up = 0; up < 2; up++) {
			int k = 2 * d + up, none = to[up] == MPI_PROC_NULL;

			h.source[k] = to[up];
			h.out[k] = none ? -1 : prog.rank * h.nout + k;
			h.in[k] = none ? -1 : to[up] * h.nout + (k ^ 1);
		}
	}
	all_calls(&h);
	IS(MPI_Comm_free(&h.comm), MPI_SUCCESS);
}

static void grids(void)
{
	for (int open = 0; open < 8; open++) {
		int periods[3] = {open & 1, open >> 1 & 1, open >> 2};

		on_grid(1, (int[]){prog.size}, periods);
		on_grid(2, (int[]){1, prog.size}, periods);
		on_grid(3, (int[]){prog.size, 1, 1}, periods);
		if (prog.size >= 2)
			on_grid(2, (int[]){2, prog.size / 2}, periods);
		if (prog.size >= 4)
			on_grid(3, (int[]){prog.size / 4, 2, 2}, periods);
	}
	on_grid(0, NULL, NULL);
}

/* Everybody has everybody else as a neighbour, twice, and itself once. */
static void on_graph(void)
{
	struct hood h = {.what = "graph"};
	int index[16], edges[512], n = 0;

	for (int u = 0; u < prog.size; u++) {
		for (int k = 0; k < 2 * prog.size; k++) {
			int v = (u + k) % prog.size, to = k / prog.size;

			if (k == prog.size)
				continue;
			if (u == prog.rank) {
				h.source[h.nin] = v;
				h.out[h.nout++] = (u * prog.size + v) * 2 + to;
				h.in[h.nin++] = (v * prog.size + u) * 2 + to;
			}
			edges[n++] = v;
		}
		index[u] = n;
	}
	IS(MPI_Graph_create(MPI_COMM_WORLD, prog.size, index, edges, 0, &h.comm), MPI_SUCCESS);
	all_calls(&h);
	IS(MPI_Comm_free(&h.comm), MPI_SUCCESS);
}

/* Nobody would answer the last node: that is seen before anything is sent. */
static void on_one_way_graph(void)
{
	int index[16], edges[16] = {0}, a = 1, b[16];
	MPI_Comm comm;

	for (int u = 0; u < prog.size; u++) {
		index[u] = u + 1;
		edges[u] = (u + 1) % prog.size;
	}
	IS(MPI_Graph_create(MPI_COMM_WORLD, prog.size, index, edges, 0, &comm), MPI_SUCCESS);
	FAILS(MPI_Neighbor_allgather(&a, 1, MPI_INT, b, 1, MPI_INT, comm),
		prog.size > 2 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* A random graph with loops and parallel edges: each end names its edges in the order of their
 * numbers, so that the n-th of a pair is the n-th at both ends. */
static void on_random(unsigned seed, int edges)
{
	struct hood h = {.what = "random graph"};
	int to[MOST];

	for (int e = 0; e < edges; e++) {
		seed = seed * 1664525u + 1013904223u;
		int u = (int)(seed >> 16) % prog.size;
		seed = seed * 1664525u + 1013904223u;
		int v = (int)(seed >> 16) % prog.size;

		if (u == prog.rank) {
			to[h.nout] = v;
			h.out[h.nout++] = e;
		}
		if (v == prog.rank) {
			h.source[h.nin] = u;
			h.in[h.nin++] = e;
		}
	}
	IS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, h.nin, h.source, MPI_UNWEIGHTED, h.nout,
		   to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &h.comm),
		MPI_SUCCESS);
	all_calls(&h);
	IS(MPI_Comm_free(&h.comm), MPI_SUCCESS);
}

/* ---- long messages, and many at a time ---- */

static void long_messages(void)
{
	enum { LONG = 100000 };
	int dims = prog.size, period = 1, down, up;
	int *out = ints(2 * LONG), *in = ints(2 * LONG);
	MPI_Comm comm;

	IS(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &period, 0, &comm), MPI_SUCCESS);
	IS(MPI_Cart_shift(comm, 0, 1, &down, &up), MPI_SUCCESS);
	for (int i = 0; i < LONG; i++) {
		out[i] = word(2 * prog.rank, i);
		out[LONG + i] = word(2 * prog.rank + 1, i);
	}
	IS(MPI_Neighbor_alltoall(out, LONG, MPI_INT, in, LONG, MPI_INT, comm), MPI_SUCCESS);
	for (int i = 0; i < LONG; i++) {
		IS(in[i], word(2 * down + 1, i));
		IS(in[LONG + i], word(2 * up, i));
	}
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
	free(out);
	free(in);
}

/* ---- what is wrong ---- */

static void wrong_calls(void)
{
	int dims = prog.size, period = 1, a[4] = {0}, b[4], counts[2] = {1, -1}, zero[2] = {0};
	MPI_Aint at[2] = {0};
	MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
	MPI_Comm comm, w = MPI_COMM_WORLD;

	IS(MPI_Cart_create(w, 1, &dims, &period, 0, &comm), MPI_SUCCESS);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	FAILS(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, w), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Neighbor_alltoallw(a, zero, at, types, b, zero, at, types, w), MPI_ERR_TOPOLOGY);
	FAILS(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
	FAILS(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_BUFFER);
	FAILS(MPI_Neighbor_alltoall(a, 1, MPI_INT, a, 1, MPI_INT, comm), MPI_ERR_BUFFER);
	FAILS(MPI_Neighbor_allgather(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
	FAILS(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);
	FAILS(MPI_Neighbor_alltoallv(a, counts, zero, MPI_INT, b, zero, zero, MPI_INT, comm),
		MPI_ERR_COUNT);
	FAILS(MPI_Neighbor_alltoallv(a, zero, zero, MPI_INT, b, zero, NULL, MPI_INT, comm),
		MPI_ERR_ARG);
	counts[1] = 1;
	FAILS(MPI_Neighbor_alltoallw(a, counts, at, types, b, counts, at, types, comm),
		MPI_ERR_TYPE);
	FAILS(MPI_Neighbor_alltoallw(a, zero, at, NULL, b, zero, at, types, comm), MPI_ERR_ARG);
	/* no type is needed for no data, and after all this operations still meet */
	IS(MPI_Neighbor_alltoallw(a, zero, at, types, b, zero, at, types, comm), MPI_SUCCESS);
	IS(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, comm), MPI_SUCCESS);
	IS(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	grids();
	on_graph();
	on_one_way_graph();
	for (unsigned seed = 1; seed <= 5; seed++)
		on_random(seed, (int)seed * 12);
	long_messages();
	wrong_calls();
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog.rank == 0)
		printf("neighbors: right, %d ranks\n", prog.size);
	MPI_Finalize();
	return 0;
}
