/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of (context, number of the next collective operation) as the bytes of a recovery line:
 * u32 count, then u64 context, u32 number each. Pure. */
#ifndef FTMPI_MPI_COMM_NUMBERS_H
#define FTMPI_MPI_COMM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct comm_numbers {
	uint8_t *bytes; /* malloc'ed; NULL: empty */
	size_t len;
	bool bad; /* out of memory */
};

void comm_numbers_write(struct comm_numbers *n, uint64_t context, uint32_t number);

/* Copy of bytes that came from elsewhere. false: they make no sense, or no memory. */
bool comm_numbers_take(struct comm_numbers *n, const uint8_t *bytes, size_t len);

/* Sets *number if the context is in the table. */
void comm_numbers_find(const struct comm_numbers *n, uint64_t context, uint32_t *number);

#endif
