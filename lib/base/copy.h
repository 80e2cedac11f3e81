/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies that are put aside. */
#ifndef FTMPI_BASE_COPY_H
#define FTMPI_BASE_COPY_H

#include <stddef.h>

/* As memcpy, to memory that another thread read last and will read next: it is not fetched before
 * it is written, and what the caller has in its caches stays there. to is a multiple of 16. */
void copy_aside(void *to, const void *from, size_t len);

#endif
