/* SPDX-License-Identifier: BSD-3-Clause */
#include "mixed_calls.h"

#include <stdbool.h>
#include <stdlib.h>

static int rank_of(const struct mixed_call *c, int member)
{
	if (c->which == MIXED_HALF)
		return 2 * member + c->m->prog->rank % 2;
	if (c->which == MIXED_TRIPLE)
		return c->m->prog->rank / 3 * 3 + member;
	return member;
}

/* Words `first` .. of what `from` has for `to`; what it has for everybody goes to itself. Returns
 * their end. */
static uint64_t *block(
	const struct mixed_call *c, int from, int to, int first, int n, uint64_t *out)
{
	uint64_t pair = (uint64_t)rank_of(c, from) * 4096 + (uint64_t)rank_of(c, to);
	uint64_t key = mixed_random(c->m, MIXED_COLL, c->step, 1 + pair);
	for (int i = first; i < first + n; i++)
		*out++ = (key ^ (uint64_t)i) * UINT64_C(0x9fb21c651e98df25);
	return out;
}

static uint64_t *own(const struct mixed_call *c, int n)
{
	uint64_t *words = prog_alloc(c->m->prog, (size_t)n * sizeof(*words));
	block(c, c->self, c->self, 0, n, words);
	return words;
}

/* Of members 0 .. last, words first .. */
static uint64_t *folded(const struct mixed_call *c, int last, int first, int n, uint64_t *out)
{
	uint64_t *next = prog_alloc(c->m->prog, (size_t)n * sizeof(*next));
	block(c, 0, 0, first, n, out);
	for (int r = 1; r <= last; r++) {
		block(c, r, r, first, n, next);
		for (int i = 0; i < n; i++)
			out[i] = c->fold(out[i], next[i]);
	}
	free(next);
	return out + n;
}

static int total(const struct mixed_call *c)
{
	return c->displs[c->size - 1] + c->counts[c->size - 1];
}

/* ---- what each gives this rank ---- */

static uint64_t *want_nothing(const struct mixed_call *c, uint64_t *out)
{
	(void)c;
	return out;
}

static uint64_t *want_bcast(const struct mixed_call *c, uint64_t *out)
{
	return block(c, c->root, c->root, 0, c->n, out);
}

static uint64_t *want_allgather(const struct mixed_call *c, uint64_t *out)
{
	for (int r = 0; r < c->size; r++)
		out = block(c, r, r, 0, c->n, out);
	return out;
}

static uint64_t *want_allgatherv(const struct mixed_call *c, uint64_t *out)
{
	for (int r = 0; r < c->size; r++)
		out = block(c, r, r, 0, c->counts[r], out);
	return out;
}

static uint64_t *want_gather(const struct mixed_call *c, uint64_t *out)
{
	return c->self == c->root ? want_allgather(c, out) : out;
}

static uint64_t *want_gatherv(const struct mixed_call *c, uint64_t *out)
{
	return c->self == c->root ? want_allgatherv(c, out) : out;
}

static uint64_t *want_scatter(const struct mixed_call *c, uint64_t *out)
{
	return block(c, c->root, c->self, 0, c->n, out);
}

static uint64_t *want_scatterv(const struct mixed_call *c, uint64_t *out)
{
	return block(c, c->root, c->self, 0, c->counts[c->self], out);
}

static uint64_t *want_alltoall(const struct mixed_call *c, uint64_t *out)
{
	for (int r = 0; r < c->size; r++)
		out = block(c, r, c->self, 0, c->n, out);
	return out;
}

/* A block is as long as its receiver says. */
static uint64_t *want_alltoallv(const struct mixed_call *c, uint64_t *out)
{
	for (int r = 0; r < c->size; r++)
		out = block(c, r, c->self, 0, c->counts[c->self], out);
	return out;
}

static uint64_t *want_allreduce(const struct mixed_call *c, uint64_t *out)
{
	return folded(c, c->size - 1, 0, c->n, out);
}

static uint64_t *want_reduce(const struct mixed_call *c, uint64_t *out)
{
	return c->self == c->root ? want_allreduce(c, out) : out;
}

static uint64_t *want_scan(const struct mixed_call *c, uint64_t *out)
{
	return folded(c, c->self, 0, c->n, out);
}

static uint64_t *want_exscan(const struct mixed_call *c, uint64_t *out)
{
	return c->self > 0 ? folded(c, c->self - 1, 0, c->n, out) : out;
}

static uint64_t *want_reduce_scatter_block(const struct mixed_call *c, uint64_t *out)
{
	return folded(c, c->size - 1, c->self * c->n, c->n, out);
}

static uint64_t *want_reduce_scatter(const struct mixed_call *c, uint64_t *out)
{
	return folded(c, c->size - 1, c->displs[c->self], c->counts[c->self], out);
}

/* ---- the calls ---- */

static void do_barrier(const struct mixed_call *c, uint64_t *out)
{
	(void)out;
	MPI_Barrier(c->comm);
}

static void do_bcast(const struct mixed_call *c, uint64_t *out)
{
	if (c->self == c->root)
		want_bcast(c, out);
	MPI_Bcast(out, c->n, MPI_UINT64_T, c->root, c->comm);
}

static void do_gather(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Gather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm);
	free(in);
}

static void do_gatherv(const struct mixed_call *c, uint64_t *out)
{
	int n = c->counts[c->self];
	uint64_t *in = own(c, n);
	MPI_Gatherv(in, n, MPI_UINT64_T, out, c->counts, c->displs, MPI_UINT64_T, c->root, c->comm);
	free(in);
}

/* What self has for each member; uneven: of the length that the member says. */
static uint64_t *for_each(const struct mixed_call *c, bool uneven)
{
	uint64_t *in = prog_alloc(c->m->prog, (size_t)total(c) * sizeof(*in)), *end = in;
	for (int r = 0; r < c->size; r++)
		end = block(c, c->self, r, 0, uneven ? c->counts[r] : c->n, end);
	return in;
}

static void do_scatter(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = c->self == c->root ? for_each(c, false) : NULL;
	MPI_Scatter(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm);
	free(in);
}

static void do_scatterv(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = c->self == c->root ? for_each(c, true) : NULL;
	MPI_Scatterv(in, c->counts, c->displs, MPI_UINT64_T, out, c->counts[c->self], MPI_UINT64_T,
		c->root, c->comm);
	free(in);
}

static void do_allgather(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Allgather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm);
	free(in);
}

static void do_allgatherv(const struct mixed_call *c, uint64_t *out)
{
	int n = c->counts[c->self];
	uint64_t *in = own(c, n);
	MPI_Allgatherv(in, n, MPI_UINT64_T, out, c->counts, c->displs, MPI_UINT64_T, c->comm);
	free(in);
}

static void do_alltoall(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = for_each(c, false);
	MPI_Alltoall(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm);
	free(in);
}

static void do_alltoallv(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = for_each(c, true);
	int *counts = prog_alloc(c->m->prog, 2 * (size_t)c->size * sizeof(int));
	for (int r = 0; r < c->size; r++) {
		counts[r] = c->counts[c->self];
		counts[c->size + r] = r * c->counts[c->self];
	}
	MPI_Alltoallv(in, c->counts, c->displs, MPI_UINT64_T, out, counts, counts + c->size,
		MPI_UINT64_T, c->comm);
	free(counts);
	free(in);
}

static void do_reduce(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Reduce(in, out, c->n, MPI_UINT64_T, c->op, c->root, c->comm);
	free(in);
}

static void do_allreduce(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Allreduce(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
	free(in);
}

static void do_scan(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Scan(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
	free(in);
}

static void do_exscan(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n);
	MPI_Exscan(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
	free(in);
}

static void do_reduce_scatter_block(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, c->n * c->size);
	MPI_Reduce_scatter_block(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
	free(in);
}

static void do_reduce_scatter(const struct mixed_call *c, uint64_t *out)
{
	uint64_t *in = own(c, total(c));
	MPI_Reduce_scatter(in, out, c->counts, MPI_UINT64_T, c->op, c->comm);
	free(in);
}

const struct mixed_kind mixed_kinds[] = {
	{"Barrier", do_barrier, want_nothing},
	{"Bcast", do_bcast, want_bcast},
	{"Gather", do_gather, want_gather},
	{"Gatherv", do_gatherv, want_gatherv},
	{"Scatter", do_scatter, want_scatter},
	{"Scatterv", do_scatterv, want_scatterv},
	{"Allgather", do_allgather, want_allgather},
	{"Allgatherv", do_allgatherv, want_allgatherv},
	{"Alltoall", do_alltoall, want_alltoall},
	{"Alltoallv", do_alltoallv, want_alltoallv},
	{"Reduce", do_reduce, want_reduce},
	{"Allreduce", do_allreduce, want_allreduce},
	{"Scan", do_scan, want_scan},
	{"Exscan", do_exscan, want_exscan},
	{"Reduce_scatter_block", do_reduce_scatter_block, want_reduce_scatter_block},
	{"Reduce_scatter", do_reduce_scatter, want_reduce_scatter},
};

const int mixed_kind_count = sizeof(mixed_kinds) / sizeof(mixed_kinds[0]);
