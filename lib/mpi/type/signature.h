/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The basic types a datatype is made of, in type-map order: what packed bytes mean. Found by going
 * down the types it was made of (type_contents.h): all constructors but MPI_Type_create_struct
 * repeat one type, so their parts follow from sizes alone.
 */
#ifndef FTMPI_MPI_SIGNATURE_H
#define FTMPI_MPI_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "type.h"

/* Basic elements in the first `bytes` of packed data; (size_t)-1 when they end inside one. 0 for a
 * type without data. */
size_t signature_elements(const struct type *t, size_t bytes);

/* The bytes of so many basic elements; (size_t)-1 when that is more than can be said, or when t has
 * no data and they are not 0. */
size_t signature_bytes(const struct type *t, size_t elements);

/* A run of equal basic types. */
struct signature_run {
	MPI_Datatype basic;
	size_t count;
};

/* Visit the runs of `count` elements of t, in order. MPI_ERR_NO_MEM with fail_with said. */
int signature_each(const struct type *t, size_t count,
	void (*visit)(void *arg, struct signature_run run), void *arg);

#endif
