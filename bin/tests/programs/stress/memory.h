/* SPDX-License-Identifier: BSD-3-Clause */
/* What memory a test program has. */
#ifndef FTMPI_PROGRAMS_MEMORY_H
#define FTMPI_PROGRAMS_MEMORY_H

#include <stddef.h>

#include "prog.h"

/* Bytes of this process in physical memory. */
size_t memory_resident(const struct prog *prog);

/* Bytes of physical memory in mappings of files whose path begins so; what others have mapped, too,
 * counts for each of them by its share. */
size_t memory_shared(const struct prog *prog, const char *path);

/* Bytes of address space it has. */
size_t memory_mapped(const struct prog *prog);

/* Bytes that malloc has given out and not got back. 0 with a sanitizer, which has a malloc of its
 * own. */
size_t memory_in_use(void);

#endif
