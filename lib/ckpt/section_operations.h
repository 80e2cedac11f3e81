/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_OPERATIONS: u32 count, then for each collective operation that is open, or
 * persistent: u64 context, u32 tag of its messages, u32 their tag in the local group (0: no
 * intercommunicator), u32 flags, u32 rounds that are over, u32 error
 * class so far, u64 sum of its plan, u64 length, the bytes: what these rounds have written.
 * Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_OPERATIONS_H
#define FTMPI_CKPT_SECTION_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* An operation that was begun without waiting: in the tag of its messages. */
enum { SECTION_OPERATION_TAG = 1 << 29 };

enum { SECTION_OPERATIONS_HEAD = 4, SECTION_OPERATIONS_ENTRY = 44 };

enum { SECTION_OPERATION_PERSISTENT = 1, SECTION_OPERATION_ACTIVE = 2 };

struct section_operation {
	uint64_t context;
	uint32_t tag, local_tag, flags, rounds, error;
	uint64_t plan, length;
};

/* All but the bytes. */
void section_operations_write(struct writer *w, const struct section_operation *e);

/* *bytes: where they lie. false: it is cut off, or makes no sense. */
bool section_operations_read(struct cursor *c, struct section_operation *e, const uint8_t **bytes);

/* Is this such a section? */
bool section_operations_valid(const uint8_t *bytes, size_t len);

#endif
