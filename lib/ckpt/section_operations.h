/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_OPERATIONS: u32 count, then for each collective operation that is open, or
 * persistent: u64 context, u32 tag of its messages, u32 their tag in the local group (0: no
 * intercommunicator), u32 flags, u32 rounds that are over, u32 error
 * class so far, u64 sum of its plan, u64 length of what these rounds have written; if it is
 * numbered, u32 count of the messages that it has not sent yet; then its bytes: the numbers of
 * these, u64 each, in the order of its steps, and what was written. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_OPERATIONS_H
#define FTMPI_CKPT_SECTION_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* An operation that was begun without waiting: in the tag of its messages. */
enum { SECTION_OPERATION_TAG = 1 << 29 };

/* The longest entry; without its bytes. */
enum { SECTION_OPERATIONS_HEAD = 4, SECTION_OPERATIONS_ENTRY = 48 };

/* Numbered: under message logging (doc/msglog.md), where they were reserved. */
enum {
	SECTION_OPERATION_PERSISTENT = 1,
	SECTION_OPERATION_ACTIVE = 2,
	SECTION_OPERATION_NUMBERED = 4
};

struct section_operation {
	uint64_t context;
	uint32_t tag, local_tag, flags, rounds, error;
	uint64_t plan, length;
	uint32_t numbers; /* 0 where it is not numbered */
};

/* Of numbers and contents. */
static inline uint64_t section_operations_bytes(const struct section_operation *e)
{
	return 8 * (uint64_t)e->numbers + e->length;
}

/* All but the bytes. */
void section_operations_write(struct writer *w, const struct section_operation *e);

/* *bytes: where they lie. false: it is cut off, or makes no sense. */
bool section_operations_read(struct cursor *c, struct section_operation *e, const uint8_t **bytes);

/* Is this such a section? */
bool section_operations_valid(const uint8_t *bytes, size_t len);

#endif
