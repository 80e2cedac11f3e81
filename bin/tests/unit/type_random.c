/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_random.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES_MAX = 400 };

static uint32_t seed;

void seed_is(uint32_t first)
{
	seed = first;
}

int pick(int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (uint32_t)n);
}

int between(int lo, int hi)
{
	return lo + pick(hi - lo + 1);
}

struct double_int {
	double value;
	int index;
};

static struct made make_basic(void)
{
	struct made m = {0};

	switch (pick(6)) {
	case 0:
		m.handle = MPI_CHAR;
		m.map = map_basic(1, 1);
		break;
	case 1:
		m.handle = MPI_SHORT;
		m.map = map_basic(2, _Alignof(short));
		break;
	case 2:
		m.handle = MPI_INT;
		m.map = map_basic(4, _Alignof(int));
		break;
	case 3:
		m.handle = MPI_DOUBLE;
		m.map = map_basic(8, _Alignof(double));
		break;
	case 4:
		m.handle = MPI_LONG_DOUBLE;
		m.map = map_basic(sizeof(long double), _Alignof(long double));
		break;
	default:
		m.handle = MPI_DOUBLE_INT;
		m.map = map_pair(offsetof(struct double_int, index), sizeof(double), sizeof(int),
			_Alignof(struct double_int));
	}
	snprintf(m.text, sizeof(m.text), "0x%x", (unsigned)(uintptr_t)m.handle);
	return m;
}

void must(int rc, const char *what)
{
	ck_assert_msg(rc == MPI_SUCCESS, "%s gave %d", what, rc);
}

void drop(struct made *m)
{
	if ((uintptr_t)m->handle >= 4096)
		must(MPI_Type_free(&m->handle), "MPI_Type_free");
	map_free(&m->map);
}

static struct made make_contiguous(struct made *old)
{
	int count = between(0, 4);
	struct made m = {0};

	must(MPI_Type_contiguous(count, old->handle, &m.handle), "MPI_Type_contiguous");
	map_append(&m.map, &old->map, (size_t)count, 0, map_extent(&old->map));
	snprintf(m.text, sizeof(m.text), "contiguous(%d, %.200s)", count, old->text);
	return m;
}

/* vector or hvector */
static struct made make_vector(struct made *old, bool bytes)
{
	int count = between(0, 4), len = between(0, 3), stride = between(-5, 5);
	ptrdiff_t extent = map_extent(&old->map), step = bytes ? 3 * stride : stride * extent;
	struct map block = {0};
	struct made m = {0};

	map_append(&block, &old->map, (size_t)len, 0, extent);
	map_append(&m.map, &block, (size_t)count, 0, step);
	if (bytes)
		must(MPI_Type_create_hvector(count, len, 3 * stride, old->handle, &m.handle),
			"MPI_Type_create_hvector");
	else
		must(MPI_Type_vector(count, len, stride, old->handle, &m.handle),
			"MPI_Type_vector");
	snprintf(m.text, sizeof(m.text), "%svector(%d, %d, %d, %.200s)", bytes ? "h" : "", count,
		len, bytes ? 3 * stride : stride, old->text);
	map_free(&block);
	return m;
}

static struct made make_struct(int depth)
{
	enum { BLOCKS_MAX = 4 };
	int count = between(0, BLOCKS_MAX), lens[BLOCKS_MAX], used = 0;
	MPI_Aint at[BLOCKS_MAX], end = 0;
	MPI_Datatype types[BLOCKS_MAX];
	struct made m = {0}, part[BLOCKS_MAX];

	used = snprintf(m.text, sizeof(m.text), "struct(");
	for (int i = 0; i < count; i++) {
		part[i] = make(depth - 1);
		lens[i] = between(0, 3);
		at[i] = pick(2) ? end : between(-40, 80);
		types[i] = part[i].handle;
		end = at[i] + lens[i] * map_extent(&part[i].map);
		map_append(&m.map, &part[i].map, (size_t)lens[i], at[i], map_extent(&part[i].map));
		if (used < 400)
			used += snprintf(m.text + used, sizeof(m.text) - (size_t)used,
				"%d at %ld %.60s, ", lens[i], (long)at[i], part[i].text);
	}
	map_pad(&m.map);
	must(MPI_Type_create_struct(count, lens, at, types, &m.handle), "MPI_Type_create_struct");
	for (int i = 0; i < count; i++)
		drop(&part[i]);
	return m;
}

/* indexed, hindexed and the two with blocks of one length */
static struct made make_indexed(struct made *old)
{
	enum { BLOCKS_MAX = 5 };
	int count = between(0, BLOCKS_MAX), len = between(0, 3), at[BLOCKS_MAX] = {0};
	int lens[BLOCKS_MAX] = {0}, kind = pick(4);
	ptrdiff_t extent = map_extent(&old->map);
	MPI_Aint bytes[BLOCKS_MAX] = {0};
	struct made m = {0};

	for (int i = 0; i < count; i++) {
		lens[i] = kind < 2 ? between(0, 3) : len;
		at[i] = between(-3, 12);
		bytes[i] = between(-30, 90);
		map_append(&m.map, &old->map, (size_t)lens[i], kind % 2 ? bytes[i] : at[i] * extent,
			extent);
	}
	if (kind == 0)
		must(MPI_Type_indexed(count, lens, at, old->handle, &m.handle), "MPI_Type_indexed");
	else if (kind == 1)
		must(MPI_Type_create_hindexed(count, lens, bytes, old->handle, &m.handle),
			"MPI_Type_create_hindexed");
	else if (kind == 2)
		must(MPI_Type_create_indexed_block(count, len, at, old->handle, &m.handle),
			"MPI_Type_create_indexed_block");
	else
		must(MPI_Type_create_hindexed_block(count, len, bytes, old->handle, &m.handle),
			"MPI_Type_create_hindexed_block");
	snprintf(
		m.text, sizeof(m.text), "indexed%d(%d, %d.., %.200s)", kind, count, len, old->text);
	return m;
}

enum { DIMS_MAX = 3 };

/* One dimension of an array, and who of its processes has an element (MPI 5.0 section 5.1.4). */
struct dim {
	int size, subsize, start;
	int distribution, darg, procs, mine;
};

static bool has(const struct dim *d, bool darray, int i)
{
	int block = d->darg;

	if (!darray)
		return i >= d->start && i < d->start + d->subsize;
	if (d->distribution == MPI_DISTRIBUTE_NONE)
		return true;
	if (block == MPI_DISTRIBUTE_DFLT_DARG)
		block = d->distribution == MPI_DISTRIBUTE_CYCLIC
				? 1
				: (d->size + d->procs - 1) / d->procs;
	return i / block % d->procs == d->mine;
}

/* All elements in the order of memory; those that the process has are in the map. */
static void map_array(struct made *m, const struct made *old, const struct dim *dims, int n,
	bool darray, bool c_order)
{
	ptrdiff_t extent = map_extent(&old->map);
	int total = 1;

	for (int i = 0; i < n; i++)
		total *= dims[i].size;
	for (int e = 0; e < total; e++) {
		bool mine = true;

		for (int i = 0, left = e; i < n; i++) {
			const struct dim *d = &dims[c_order ? n - 1 - i : i];

			mine = mine && has(d, darray, left % d->size);
			left /= d->size;
		}
		if (mine)
			map_append(&m->map, &old->map, 1, e * extent, extent);
	}
	map_resize(&m->map, 0, total * extent);
}

static void pick_distribution(struct dim *d)
{
	static const int ways[] = {
		MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};

	d->distribution = ways[pick(3)];
	d->procs = d->distribution == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3);
	d->mine = pick(d->procs);
	d->darg = MPI_DISTRIBUTE_DFLT_DARG;
	if (d->distribution == MPI_DISTRIBUTE_CYCLIC && pick(2))
		d->darg = between(1, 4);
	if (d->distribution == MPI_DISTRIBUTE_BLOCK && pick(2))
		d->darg = (d->size + d->procs - 1) / d->procs + pick(3);
}

static struct made make_array(struct made *old, bool darray)
{
	int n = between(1, DIMS_MAX), order = pick(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
	int size[DIMS_MAX], sub[DIMS_MAX], start[DIMS_MAX], ways[DIMS_MAX], dargs[DIMS_MAX];
	int procs[DIMS_MAX], all = 1, rank = 0;
	struct dim dims[DIMS_MAX];
	struct made m = {0};

	for (int i = 0; i < n; i++) {
		struct dim *d = &dims[i];

		d->size = size[i] = between(1, n == 1 ? 12 : 4);
		d->subsize = sub[i] = between(1, d->size);
		d->start = start[i] = pick(d->size - d->subsize + 1);
		pick_distribution(d);
		ways[i] = d->distribution;
		dargs[i] = d->darg;
		procs[i] = d->procs;
		all *= d->procs;
		rank = rank * d->procs + d->mine;
	}
	map_array(&m, old, dims, n, darray, order == MPI_ORDER_C);
	if (darray)
		must(MPI_Type_create_darray(
			     all, rank, n, size, ways, dargs, procs, order, old->handle, &m.handle),
			"MPI_Type_create_darray");
	else
		must(MPI_Type_create_subarray(n, size, sub, start, order, old->handle, &m.handle),
			"MPI_Type_create_subarray");
	snprintf(m.text, sizeof(m.text), "%s(%d dims, order %d, sizes %d.., rank %d of %d, %.200s)",
		darray ? "darray" : "subarray", n, order, size[0], rank, all, old->text);
	return m;
}

static struct made make_resized(struct made *old)
{
	MPI_Aint lb = between(-16, 16), extent = between(-8, 64);
	struct made m = {0};

	must(MPI_Type_create_resized(old->handle, lb, extent, &m.handle),
		"MPI_Type_create_resized");
	map_append(&m.map, &old->map, 1, 0, 0);
	map_resize(&m.map, lb, extent);
	snprintf(m.text, sizeof(m.text), "resized(%ld, %ld, %.200s)", (long)lb, (long)extent,
		old->text);
	return m;
}

static struct made make_dup(struct made *old)
{
	struct made m = {0};

	must(MPI_Type_dup(old->handle, &m.handle), "MPI_Type_dup");
	map_append(&m.map, &old->map, 1, 0, 0);
	snprintf(m.text, sizeof(m.text), "dup(%.200s)", old->text);
	return m;
}

struct made make(int depth)
{
	struct made old, m;

	if (depth == 0 || pick(6) == 0)
		return make_basic();
	if (pick(3) == 0)
		return make_struct(depth);
	old = make(depth - 1);
	if (old.map.n > ENTRIES_MAX)
		return old;
	switch (pick(8)) {
	case 5:
		m = make_indexed(&old);
		break;
	case 6:
		m = make_array(&old, false);
		break;
	case 7:
		m = make_array(&old, true);
		break;
	case 0:
		m = make_contiguous(&old);
		break;
	case 1:
		m = make_vector(&old, false);
		break;
	case 2:
		m = make_vector(&old, true);
		break;
	case 3:
		m = make_resized(&old);
		break;
	default:
		m = make_dup(&old);
	}
	drop(&old); /* the new type must live without it */
	return m;
}
