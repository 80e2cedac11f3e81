/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"

int topo_places(int ndims, const int *dims)
{
	long long n = 1;

	for (int i = 0; i < ndims; i++) {
		if (dims[i] < 1)
			return -1;
		n *= dims[i];
		if (n > INT_MAX)
			return -1;
	}
	return (int)n;
}

struct topology *topo_copy(struct topology *t)
{
	t->refs++;
	return t;
}

void topo_free(struct topology *t)
{
	if (t && --t->refs == 0)
		free(t);
}

/* three numbers for each dimension, and the neighbours on both sides of this process */
static struct topology *grid_alloc(int ndims)
{
	struct topology *t = calloc(1, sizeof(*t) + 5 * (size_t)ndims * sizeof(int));

	if (!t)
		return NULL;
	t->kind = MPI_CART;
	t->refs = 1;
	t->ndims = ndims;
	t->dims = t->values;
	t->periods = t->values + ndims;
	t->coords = t->values + 2 * (size_t)ndims;
	return t;
}

/* Both lists are the same: in each dimension the one below, then the one above (MPI 5.0 section
 * 8.6). */
static void look_around(struct topology *t)
{
	int *around = t->values + 3 * (size_t)t->ndims, bad = 0,
	    rank = topo_rank(t, t->coords, &bad);

	for (int i = 0; i < t->ndims; i++)
		topo_shift(t, rank, i, 1, &around[2 * i], &around[2 * i + 1]);
	t->around = (struct sched_around){2 * t->ndims, 2 * t->ndims, around, around, true};
}

struct topology *topo_new(int ndims, const int *dims, const int *periods, int rank)
{
	struct topology *t = grid_alloc(ndims);

	if (!t)
		return NULL;
	for (int i = 0; i < ndims; i++) {
		t->dims[i] = dims[i];
		t->periods[i] = periods[i] != 0;
	}
	topo_coords(t, rank, t->coords);
	look_around(t);
	return t;
}

void topo_coords(const struct topology *t, int rank, int *coords)
{
	for (int i = t->ndims; i-- > 0;) {
		coords[i] = rank % t->dims[i];
		rank /= t->dims[i];
	}
}

/* The coordinate brought into 0 ... size - 1. */
static int wrap(long long coord, int size)
{
	long long c = coord % size;

	return (int)(c < 0 ? c + size : c);
}

int topo_rank(const struct topology *t, const int *coords, int *bad)
{
	int rank = 0;

	for (int i = 0; i < t->ndims; i++) {
		bool inside = coords[i] >= 0 && coords[i] < t->dims[i];

		if (!inside && !t->periods[i]) {
			*bad = i;
			return -1;
		}
		rank = rank * t->dims[i] + wrap(coords[i], t->dims[i]);
	}
	return rank;
}

/* The rank `disp` steps along a dimension from `rank`, or MPI_PROC_NULL. */
static int neighbour(const struct topology *t, int rank, int direction, long long disp)
{
	int size = t->dims[direction], stride = 1, here;
	long long there;

	for (int i = direction + 1; i < t->ndims; i++)
		stride *= t->dims[i];
	here = rank / stride % size;
	there = here + disp;
	if ((there < 0 || there >= size) && !t->periods[direction])
		return MPI_PROC_NULL;
	return rank + (wrap(there, size) - here) * stride;
}

void topo_shift(const struct topology *t, int rank, int direction, int disp, int *source, int *dest)
{
	*source = neighbour(t, rank, direction, -(long long)disp);
	*dest = neighbour(t, rank, direction, disp);
}

struct topology *topo_sub(const struct topology *t, const int *remain)
{
	struct topology *sub;
	int n = 0, k = 0;

	for (int i = 0; i < t->ndims; i++)
		n += remain[i] != 0;
	sub = grid_alloc(n);
	if (!sub)
		return NULL;
	for (int i = 0; i < t->ndims; i++) {
		if (!remain[i])
			continue;
		sub->dims[k] = t->dims[i];
		sub->periods[k] = t->periods[i];
		sub->coords[k++] = t->coords[i];
	}
	look_around(sub);
	return sub;
}

void topo_sub_place(const struct topology *t, const int *remain, int *color, int *rank)
{
	*color = *rank = 0;
	for (int i = 0; i < t->ndims; i++) {
		int *which = remain[i] ? rank : color;

		*which = *which * t->dims[i] + t->coords[i];
	}
}
