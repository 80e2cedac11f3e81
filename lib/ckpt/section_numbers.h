/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collective operations depend on beside their arguments, by context, as the bytes of a
 * recovery line: the number of the next operation, and what algorithms are chosen by. After a
 * restore on other hosts an operation that the line cuts is finished by some ranks and run again by
 * others: all must go by what held when the line was made. Layout: u32 count, then u64 context, u32
 * number, u32 each: 1 crowded, 2 near, or both. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_NUMBERS_H
#define FTMPI_CKPT_SECTION_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct section_numbers_bytes {
	uint8_t *bytes; /* malloc'ed; NULL: empty */
	size_t len;
	bool bad; /* out of memory */
};

struct section_number {
	uint32_t next;
	bool crowded, near;
};

void section_numbers_write(
	struct section_numbers_bytes *n, uint64_t context, struct section_number number);

/* Copy of bytes that came from elsewhere. false: they make no sense, or no memory. */
bool section_numbers_take(struct section_numbers_bytes *n, const uint8_t *bytes, size_t len);

/* true, and *number is set: the context is in the table. */
bool section_numbers_find(
	const struct section_numbers_bytes *n, uint64_t context, struct section_number *number);

#endif
