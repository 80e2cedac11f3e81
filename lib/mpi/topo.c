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

static struct topology *topo_alloc(int ndims)
{
	struct topology *t = malloc(sizeof(*t) + 3 * (size_t)ndims * sizeof(int));

	if (!t)
		return NULL;
	t->ndims = ndims;
	t->dims = t->values;
	t->periods = t->values + ndims;
	t->coords = t->values + 2 * ndims;
	return t;
}

struct topology *topo_new(int ndims, const int *dims, const int *periods, int rank)
{
	struct topology *t = topo_alloc(ndims);

	if (!t)
		return NULL;
	for (int i = 0; i < ndims; i++) {
		t->dims[i] = dims[i];
		t->periods[i] = periods[i] != 0;
	}
	topo_coords(t, rank, t->coords);
	return t;
}

struct topology *topo_copy(const struct topology *t)
{
	struct topology *copy = topo_alloc(t->ndims);

	if (copy)
		memcpy(copy->values, t->values, 3 * (size_t)t->ndims * sizeof(int));
	return copy;
}

void topo_free(struct topology *t)
{
	free(t);
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
	sub = topo_alloc(n);
	if (!sub)
		return NULL;
	for (int i = 0; i < t->ndims; i++) {
		if (!remain[i])
			continue;
		sub->dims[k] = t->dims[i];
		sub->periods[k] = t->periods[i];
		sub->coords[k++] = t->coords[i];
	}
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
