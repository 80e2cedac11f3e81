/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reference for datatypes: the type map as the standard defines it, written out entry by entry
 * (MPI 5.0 section 5.1). Slow, long and without cleverness.
 */
#ifndef FTMPI_TESTS_TYPE_MAP_H
#define FTMPI_TESTS_TYPE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"

struct map_entry {
	ptrdiff_t at;
	size_t size, align; /* size 0: a bound, not data */
	int bound;	    /* -1 lower, 1 upper */
};

struct map {
	struct map_entry *entries;
	size_t n;
	ptrdiff_t pad; /* at the end, for alignment */
};

struct map map_basic(size_t size, size_t align);
struct map map_pair(ptrdiff_t second, size_t size1, size_t size2, size_t align);

/* Append count copies of m, stride bytes apart from byte at on, to *all. */
void map_append(struct map *all, const struct map *m, size_t count, ptrdiff_t at, ptrdiff_t stride);

/* Round the extent up as MPI_Type_create_struct does. */
void map_pad(struct map *m);
void map_resize(struct map *m, ptrdiff_t lb, ptrdiff_t extent);
void map_free(struct map *m);

size_t map_size(const struct map *m);
ptrdiff_t map_lb(const struct map *m);
ptrdiff_t map_extent(const struct map *m);
ptrdiff_t map_true_lb(const struct map *m);
ptrdiff_t map_true_extent(const struct map *m);

/* Byte i of the data of `count` elements lies at out[i] from the buffer's address. out has room for
 * count * map_size. */
void map_bytes(const struct map *m, size_t count, ptrdiff_t *out);

#endif
