/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "external32" (MPI 5.0 section 14.5.2): big-endian, two's complement, IEEE numbers, of fixed sizes
 * that differ from this machine's for some types. A number that is longer here loses its upper
 * bytes, as that section says.
 */
#ifndef FTMPI_MPI_TYPE_EXTERNAL_H
#define FTMPI_MPI_TYPE_EXTERNAL_H

#include <stddef.h>

#include "type.h"

/* Between count * t->size packed bytes, as type_pack makes them, and count * t->external bytes.
 * MPI_ERR_NO_MEM with fail_with said. */
int type_external_write(const struct type *t, size_t count, const void *packed, void *external);
int type_external_read(const struct type *t, size_t count, const void *external, void *packed);

#endif
