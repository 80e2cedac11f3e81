/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of arrays (MPI 5.0 sections 5.1.3 and 5.1.4): one dimension after the other, the one that
 * varies fastest first. */
#include <stdint.h>

#include "mpi/handle/fail.h"
#include "type.h"
#include "shape.h"

static int too_large(struct shape *s)
{
	shape_drop(s);
	return fail_with(MPI_ERR_ARG, "the array would be larger than the address space");
}

/* Elements start, start + 1, ... of a dimension in which they are `whole` bytes apart. */
static int take_run(struct shape *s, MPI_Aint start, MPI_Aint count, MPI_Aint whole)
{
	MPI_Aint at;
	int rc;

	if (__builtin_mul_overflow(start, whole, &at))
		return too_large(s);
	rc = shape_repeat(s, (size_t)count, whole);
	return rc == MPI_SUCCESS ? shape_move(s, at) : rc;
}

static MPI_Aint smaller(MPI_Aint a, MPI_Aint b)
{
	return a < b ? a : b;
}

static int take_block(struct shape *s, const struct type_dim *d, MPI_Aint whole)
{
	MPI_Aint start;

	/* whoever comes after the end of the array has none of it */
	if (__builtin_mul_overflow(d->block, d->coord, &start) || start >= d->size) {
		shape_drop(s);
		return MPI_SUCCESS;
	}
	return take_run(s, start, smaller(d->block, d->size - start), whole);
}

/* Blocks that begin `cycle` elements apart; the last may be cut by the array's end. */
struct cycles {
	MPI_Aint start, block, full, rest;
	MPI_Aint cycle;
};

static struct cycles cycles_of(const struct type_dim *d)
{
	struct cycles c = {.block = d->block};
	MPI_Aint mine;

	if (__builtin_mul_overflow(d->block, d->coord, &c.start) || c.start >= d->size)
		return (struct cycles){0};
	mine = d->size - c.start;
	if (__builtin_mul_overflow(d->block, d->procs, &c.cycle))
		c.cycle = PTRDIFF_MAX; /* there is no second block */
	c.full = mine / c.cycle;
	c.rest = smaller(mine % c.cycle, d->block);
	if (c.rest == d->block) {
		c.full++;
		c.rest = 0;
	}
	return c;
}

/* The part of s that is in the last block. */
static int add_rest(struct shape *all, struct shape *s, const struct cycles *c, MPI_Aint whole,
	struct part_list *list)
{
	int rc = take_run(s, c->full * c->cycle, c->rest, whole);

	return rc == MPI_SUCCESS ? shape_join(all, s, list) : rc;
}

static int take_full(struct shape *s, const struct cycles *c, MPI_Aint whole)
{
	MPI_Aint stride = 0;
	int rc;

	if (c->full > 1 && __builtin_mul_overflow(c->cycle, whole, &stride))
		return too_large(s);
	rc = shape_repeat(s, (size_t)c->block, whole);
	return rc == MPI_SUCCESS ? shape_repeat(s, (size_t)c->full, stride) : rc;
}

static int take_cyclic(struct shape *s, const struct type_dim *d, MPI_Aint whole)
{
	struct cycles c = cycles_of(d);
	struct shape all = SHAPE_NOTHING, rest = shape_copy(s);
	struct part_list list = {0};
	int rc = take_full(s, &c, whole);

	if (rc == MPI_SUCCESS)
		rc = shape_join(&all, s, &list);
	if (rc == MPI_SUCCESS)
		rc = add_rest(&all, &rest, &c, whole, &list);
	else
		shape_drop(&rest);
	if (rc == MPI_SUCCESS)
		rc = shape_gather(&all, &list);
	*s = SHAPE_NOTHING;
	if (rc != MPI_SUCCESS) {
		layout_list_clear(&list);
		return rc;
	}
	*s = all;
	return take_run(s, c.start, 1, whole);
}

static int take_sub(struct shape *s, const struct type_dim *d, MPI_Aint whole)
{
	return take_run(s, d->start, d->count, whole);
}

static int take_part(struct shape *s, const struct type_dim *d, MPI_Aint whole)
{
	switch (d->distribution) {
	case MPI_DISTRIBUTE_BLOCK:
		return take_block(s, d, whole);
	case MPI_DISTRIBUTE_CYCLIC:
		return take_cyclic(s, d, whole);
	default: /* not distributed */
		return take_run(s, 0, d->size, whole);
	}
}

static int make(struct type *old, const struct type_dim *dims, int n,
	int (*take)(struct shape *s, const struct type_dim *d, MPI_Aint whole), struct type **out)
{
	struct shape s = shape_of(old);
	MPI_Aint whole = old->extent;
	int rc = MPI_SUCCESS;

	for (int i = 0; i < n && rc == MPI_SUCCESS; i++) {
		rc = take(&s, &dims[i], whole);
		if (rc == MPI_SUCCESS && __builtin_mul_overflow(whole, dims[i].size, &whole))
			rc = too_large(&s);
	}
	if (rc == MPI_SUCCESS)
		rc = shape_bound(&s, 0, whole);
	return rc == MPI_SUCCESS ? shape_finish(&s, out) : rc;
}

int type_array_subarray(struct type *old, const struct type_dim *dims, int n, struct type **out)
{
	return make(old, dims, n, take_sub, out);
}

int type_array_darray(struct type *old, const struct type_dim *dims, int n, struct type **out)
{
	return make(old, dims, n, take_part, out);
}
