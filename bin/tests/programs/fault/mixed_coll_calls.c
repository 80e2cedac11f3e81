/* SPDX-License-Identifier: BSD-3-Clause */
#include "mixed_coll_calls.h"

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

static int total(const struct mixed_call *c)
{
	return c->displs[c->size - 1] + c->counts[c->size - 1];
}

/* ---- what this rank gives ---- */

static uint64_t *own(const struct mixed_call *c, int *n, int words)
{
	uint64_t *in = prog_alloc(c->m->prog, (size_t)words * sizeof(*in));
	block(c, c->self, c->self, 0, words, in);
	*n = words;
	return in;
}

static uint64_t *in_nothing(const struct mixed_call *c, int *n)
{
	(void)c;
	*n = 0;
	return NULL;
}

static uint64_t *in_even(const struct mixed_call *c, int *n)
{
	return own(c, n, c->n);
}

static uint64_t *in_uneven(const struct mixed_call *c, int *n)
{
	return own(c, n, c->counts[c->self]);
}

static uint64_t *in_blocks(const struct mixed_call *c, int *n)
{
	return own(c, n, c->n * c->size);
}

static uint64_t *in_all(const struct mixed_call *c, int *n)
{
	return own(c, n, total(c));
}

static uint64_t *in_root(const struct mixed_call *c, int *n)
{
	return c->self == c->root ? in_even(c, n) : in_nothing(c, n);
}

/* What self has for each member; uneven: of the length that the member says. */
static uint64_t *for_each(const struct mixed_call *c, int *n, bool uneven)
{
	uint64_t *in = prog_alloc(c->m->prog, (size_t)total(c) * sizeof(*in)), *end = in;
	for (int r = 0; r < c->size; r++)
		end = block(c, c->self, r, 0, uneven ? c->counts[r] : c->n, end);
	*n = (int)(end - in);
	return in;
}

static uint64_t *in_for_each(const struct mixed_call *c, int *n)
{
	return for_each(c, n, false);
}

static uint64_t *in_for_each_uneven(const struct mixed_call *c, int *n)
{
	return for_each(c, n, true);
}

static uint64_t *in_scatter(const struct mixed_call *c, int *n)
{
	return c->self == c->root ? for_each(c, n, false) : in_nothing(c, n);
}

static uint64_t *in_scatterv(const struct mixed_call *c, int *n)
{
	return c->self == c->root ? for_each(c, n, true) : in_nothing(c, n);
}

/* ---- the calls ---- */

static void do_barrier(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	(void)in;
	(void)out;
	MPI_Barrier(c->comm);
}

static void do_bcast(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	(void)in;
	MPI_Bcast(out, c->n, MPI_UINT64_T, c->root, c->comm);
}

static void do_gather(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Gather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm);
}

static void do_gatherv(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Gatherv(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs, MPI_UINT64_T,
		c->root, c->comm);
}

static void do_scatter(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Scatter(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->root, c->comm);
}

static void do_scatterv(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Scatterv(in, c->counts, c->displs, MPI_UINT64_T, out, c->counts[c->self], MPI_UINT64_T,
		c->root, c->comm);
}

static void do_allgather(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Allgather(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm);
}

static void do_allgatherv(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Allgatherv(in, c->counts[c->self], MPI_UINT64_T, out, c->counts, c->displs,
		MPI_UINT64_T, c->comm);
}

static void do_alltoall(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Alltoall(in, c->n, MPI_UINT64_T, out, c->n, MPI_UINT64_T, c->comm);
}

static void do_alltoallv(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Alltoallv(in, c->counts, c->displs, MPI_UINT64_T, out, c->heard, c->places,
		MPI_UINT64_T, c->comm);
}

static void do_reduce(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Reduce(in, out, c->n, MPI_UINT64_T, c->op, c->root, c->comm);
}

static void do_allreduce(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Allreduce(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
}

static void do_scan(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Scan(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
}

static void do_exscan(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Exscan(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
}

static void do_reduce_scatter_block(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Reduce_scatter_block(in, out, c->n, MPI_UINT64_T, c->op, c->comm);
}

static void do_reduce_scatter(const struct mixed_call *c, const uint64_t *in, uint64_t *out)
{
	MPI_Reduce_scatter(in, out, c->counts, MPI_UINT64_T, c->op, c->comm);
}

const struct mixed_kind mixed_kinds[] = {
	{"Barrier", in_nothing, do_barrier, want_nothing, false, false},
	{"Bcast", in_root, do_bcast, want_bcast, false, true},
	{"Gather", in_even, do_gather, want_gather, false, false},
	{"Gatherv", in_uneven, do_gatherv, want_gatherv, false, false},
	{"Scatter", in_scatter, do_scatter, want_scatter, false, false},
	{"Scatterv", in_scatterv, do_scatterv, want_scatterv, false, false},
	{"Allgather", in_even, do_allgather, want_allgather, false, false},
	{"Allgatherv", in_uneven, do_allgatherv, want_allgatherv, false, false},
	{"Alltoall", in_for_each, do_alltoall, want_alltoall, true, false},
	{"Alltoallv", in_for_each_uneven, do_alltoallv, want_alltoallv, false, false},
	{"Reduce", in_even, do_reduce, want_reduce, false, false},
	{"Allreduce", in_even, do_allreduce, want_allreduce, true, false},
	{"Scan", in_even, do_scan, want_scan, true, false},
	{"Exscan", in_even, do_exscan, want_exscan, true, false},
	{"Reduce_scatter_block", in_blocks, do_reduce_scatter_block, want_reduce_scatter_block,
		true, false},
	{"Reduce_scatter", in_all, do_reduce_scatter, want_reduce_scatter, true, false},
};

const int mixed_kind_count = sizeof(mixed_kinds) / sizeof(mixed_kinds[0]);
