/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole copies of parts, between where the program has its data and packed bytes. Nothing is
 * counted and nothing checked on the way.
 */
#ifndef FTMPI_MPI_TYPE_WALK_H
#define FTMPI_MPI_TYPE_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

enum direction { GATHER, SCATTER };

/* The buffer may be MPI_BOTTOM, from which C does not allow pointer arithmetic. */
static inline char *type_address(const void *base, ptrdiff_t offset)
{
	return (char *)((uintptr_t)base + (uintptr_t)offset);
}

/* The first `copies` of p, where offset 0 is at user, and the parts from p up to end. They return
 * the end of the packed bytes. */
char *type_walk_copies(
	const struct part *p, size_t copies, char *user, char *packed, enum direction d);
char *type_walk_parts(
	const struct part *p, const struct part *end, char *user, char *packed, enum direction d);

#endif
