/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions and scans, by an operator of the library and two of the program. */
#include "coll_case.h"

#include <stdlib.h>
#include <string.h>

static struct op *affine; /* on pairs (a, b), which stand for x -> a x + b: does not commute */
static struct op *plus;	  /* on pairs: adds, and commutes */

typedef void pair_function(const int *left, int *right);

static void affine_pair(const int *left, int *right)
{
	unsigned a = (unsigned)left[0], b = (unsigned)left[1], c = (unsigned)right[0],
		 d = (unsigned)right[1];

	right[0] = (int)(c * a);
	right[1] = (int)(c * b + d);
}

static void plus_pair(const int *left, int *right)
{
	right[0] = (int)((unsigned)left[0] + (unsigned)right[0]);
	right[1] = (int)((unsigned)left[1] + (unsigned)right[1]);
}

static void on_pairs(char *in, char *inout, int len, MPI_Datatype datatype, pair_function *f)
{
	struct type *t = (struct type *)(void *)datatype;

	for (int i = 0; i < len; i++) {
		int x[2], y[2];

		type_pack(t, in + i * t->extent, 1, x);
		type_pack(t, inout + i * t->extent, 1, y);
		f(x, y);
		type_unpack(t, inout + i * t->extent, 1, y, sizeof y);
	}
}

static void affine_user(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	on_pairs(in, inout, *len, *datatype, affine_pair);
}

static void plus_user(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
	on_pairs(in, inout, *len, *datatype, plus_pair);
}

int reduction_setup(void)
{
	return op_make(affine_user, NULL, false, &affine) | op_make(plus_user, NULL, true, &plus);
}

/* Contribution of a rank: odd factors, so that no information is lost */
static void contribution(const struct coll_case *t, int rank, int n, int *ints)
{
	uint64_t first = case_draw(t, 5, (uint64_t)rank, 0);

	for (int i = 0; i < n; i++)
		ints[i] = (int)case_mix(first + (uint64_t)i) | (i % 2 == 0);
}

/* The reduction of ranks below `end`, n ints */
static int *reduced(const struct coll_case *t, int end, int n, pair_function *f)
{
	int *sum = calloc((size_t)n + 2, sizeof *sum), *next = calloc((size_t)n + 2, sizeof *next);

	contribution(t, 0, n, sum);
	for (int r = 1; r < end; r++) {
		contribution(t, r, n, next);
		for (int i = 0; i < n; i += 2)
			f(sum + i, next + i);
		int *free_one = sum;

		sum = next;
		next = free_one;
	}
	free(next);
	return sum;
}

struct vector {
	int counts[TEAM_MOST]; /* REDUCE_SCATTER: in elements */
	int total, own_first, own, ints, end;
};

static void vector_make(struct vector *v, const struct coll_case *t, int rank, int ints)
{
	*v = (struct vector){.ints = ints, .end = t->size};
	for (int i = 0; i < t->size; i++) {
		v->counts[i] = case_length(t, i, 0) / ints;
		if (i < rank)
			v->own_first += v->counts[i];
		v->total += v->counts[i];
	}
	v->own = v->counts[rank];
	if (t->kind == SCAN)
		v->end = rank + 1;
	if (t->kind == EXSCAN)
		v->end = rank;
	if (t->kind != REDUCE_SCATTER && t->kind != REDUCE_SCATTER_BLOCK) {
		v->total = v->own = t->n / ints;
		v->own_first = 0;
	}
}

static int call_reduction_c(const struct coll_case *t, struct comm *c, const void *in, void *out,
	const struct vector *v, MPI_Datatype dt, MPI_Op op)
{
	MPI_Count counts[TEAM_MOST];

	for (int i = 0; i < c->size; i++)
		counts[i] = v->counts[i];
	switch (t->kind) {
	case REDUCE:
		return MPI_Reduce_c(in, out, v->total, dt, op, t->root, c->handle);
	case ALLREDUCE:
		return MPI_Allreduce_c(in, out, v->total, dt, op, c->handle);
	case SCAN:
		return MPI_Scan_c(in, out, v->total, dt, op, c->handle);
	case EXSCAN:
		return MPI_Exscan_c(in, out, v->total, dt, op, c->handle);
	case REDUCE_SCATTER_BLOCK:
		return MPI_Reduce_scatter_block_c(in, out, v->own, dt, op, c->handle);
	default:
		return MPI_Reduce_scatter_c(in, out, counts, dt, op, c->handle);
	}
}

static int call_reduction(const struct coll_case *t, struct comm *c, const void *in, void *out,
	const struct vector *v, MPI_Datatype dt, MPI_Op op)
{
	if (case_wide(t, c))
		return call_reduction_c(t, c, in, out, v, dt, op);
	switch (t->kind) {
	case REDUCE:
		return MPI_Reduce(in, out, v->total, dt, op, t->root, c->handle);
	case ALLREDUCE:
		return MPI_Allreduce(in, out, v->total, dt, op, c->handle);
	case SCAN:
		return MPI_Scan(in, out, v->total, dt, op, c->handle);
	case EXSCAN:
		return MPI_Exscan(in, out, v->total, dt, op, c->handle);
	case REDUCE_SCATTER_BLOCK:
		return MPI_Reduce_scatter_block(in, out, v->own, dt, op, c->handle);
	default:
		return MPI_Reduce_scatter(in, out, v->counts, dt, op, c->handle);
	}
}

void case_reduction(const struct coll_case *t, struct comm *c)
{
	int pick = (int)(case_draw(t, 6, 0, 0) % 3), shape = 0;
	bool has_result = t->kind != REDUCE || c->rank == t->root;
	bool in_place = t->in_place && has_result;
	pair_function *f = pick == 1 ? affine_pair : plus_pair;
	struct vector v;
	struct side in = {0}, out = {0}, want, in_before;

	if (pick > 0)
		shape = FIRST_PAIR + (int)(case_draw(t, 7, 0, 0) % (SHAPES - FIRST_PAIR));
	vector_make(&v, t, c->rank, shapes[shape].ints);
	int ints = v.total * v.ints, *own = calloc((size_t)ints + 2, sizeof *own);

	contribution(t, c->rank, ints, own);
	in.shape = out.shape = shape;
	area_make(&in.area, shape, 0, v.total);
	area_make(&out.area, shape, 0, in_place ? v.total : v.own);
	area_put(in_place ? &out.area : &in.area, 0, v.total, own);
	free(own);
	side_copy(&want, &out);
	side_copy(&in_before, &in);
	if (has_result && v.end > 0) {
		int *sum = reduced(t, v.end, ints, f);

		area_put(&want.area, 0, v.own, sum + v.own_first * v.ints);
		free(sum);
	}
	int rc = call_reduction(t, c, in_place ? MPI_IN_PLACE : in.area.base,
		has_result ? out.area.base : NULL, &v, side_handle(&in),
		pick == 0   ? MPI_SUM
		: pick == 1 ? affine->handle
			    : plus->handle);

	team_must(rc == MPI_SUCCESS, "kind %d: class %d", t->kind, rc);
	/* in place, what lies beyond the own block of a reduce-scatter is nobody's business */
	if (in_place && v.own < v.total) {
		size_t keep = (size_t)(out.area.base - out.area.mem) +
			      (size_t)v.own * (size_t)shapes[shape].type->extent;

		out.area.bytes = want.area.bytes = keep < out.area.bytes ? keep : out.area.bytes;
	}
	area_compare(t, c->rank, &out.area, &want.area, "result");
	area_compare(t, c->rank, &in.area, &in_before.area, "contribution");
	area_free(&in.area);
	area_free(&out.area);
	area_free(&want.area);
	area_free(&in_before.area);
}
