/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts of datatypes as bytes, for the target of a one-sided operation: it knows nothing of the
 * origin's types. Pure. A layout is the number of its parts (8 bytes) and the parts; a part is at,
 * count, stride, len and whether a layout follows, 8 bytes each, little-endian, and that layout.
 */
#ifndef FTMPI_MPI_RMA_LAYOUT_H
#define FTMPI_MPI_RMA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/type/layout.h"

/* How many bytes it takes. */
size_t rma_layout_bytes(const struct layout *l);

/* Write them. */
void rma_layout_write(const struct layout *l, uint8_t *out);

/* A layout from a message, checked: exactly len bytes, no part empty, sizes that add up, not too
 * deep. NULL when it makes no sense or there is no memory; else the caller's by one reference. */
struct layout *rma_layout_read(const uint8_t *bytes, size_t len);

/* The lowest and, behind the last, highest byte that `count` (at least 1) copies of l touch, extent
 * bytes from one to the next. False when they do not fit in 64 bits. */
bool rma_layout_bounds(
	const struct layout *l, uint64_t count, int64_t extent, int64_t *low, int64_t *high);

/* Is `within` true of every run (from low to high) of `count` copies? */
bool rma_layout_runs(const struct layout *l, uint64_t count, int64_t extent,
	bool (*within)(void *arg, int64_t low, int64_t high), void *arg);

#endif
