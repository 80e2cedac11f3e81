/* SPDX-License-Identifier: BSD-3-Clause */
/* "1 rank", "2 ranks": printf("%u rank%s", n, plural(n)). */
#ifndef FTMPI_BASE_PLURAL_H
#define FTMPI_BASE_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
