/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes in pieces of `step` each, with a gap as long behind every one. */
#ifndef FTMPI_TESTS_CUT_H
#define FTMPI_TESTS_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

struct cut {
	struct tp_iov_cursor head;
	uint8_t *base;
	size_t step, at, len; /* passed so far, and all */
};

struct tp_iov_cursor *cut_begin(struct cut *c, void *base, size_t len, size_t step);

/* Byte i of the payload. */
uint8_t *cut_byte(const struct cut *c, size_t i);

#endif
