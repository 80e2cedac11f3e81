/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collective operations depend on beside their arguments, by context, as the bytes of a
 * recovery line: the number of the next operation, and what algorithms are chosen by. After a
 * restore on other hosts an operation that the line cuts is finished by some ranks and run again by
 * others: all must go by what held when the line was made. Layout: u32 count, then u64 context, u32
 * number, u32 crowded (0 or 1) each. Pure.
 */
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

struct comm_number {
	uint32_t next;
	bool crowded;
};

void comm_numbers_write(struct comm_numbers *n, uint64_t context, struct comm_number number);

/* Copy of bytes that came from elsewhere. false: they make no sense, or no memory. */
bool comm_numbers_take(struct comm_numbers *n, const uint8_t *bytes, size_t len);

/* true, and *number is set: the context is in the table. */
bool comm_numbers_find(const struct comm_numbers *n, uint64_t context, struct comm_number *number);

#endif
