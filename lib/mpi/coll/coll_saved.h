/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_OPERATIONS: u32 count, then for each collective operation that is open, or
 * persistent: u64 context, u32 tag of its messages, u32 their tag in the local group (0: no
 * intercommunicator), u32 flags, u32 rounds that are over, u32 error
 * class so far, u64 sum of its plan, u64 length, the bytes: what these rounds have written.
 * Little-endian. Pure.
 */
#ifndef FTMPI_MPI_COLL_SAVED_H
#define FTMPI_MPI_COLL_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/* An operation that was begun without waiting: in the tag of its messages. */
enum { COLL_OPEN = 1 << 29 };

enum { COLL_SAVED_HEAD = 4, COLL_SAVED_ENTRY = 44 };

enum { COLL_SAVED_PERSISTENT = 1, COLL_SAVED_ACTIVE = 2 };

struct coll_saved_entry {
	uint64_t context;
	uint32_t tag, local_tag, flags, rounds, error;
	uint64_t plan, length;
};

/* All but the bytes. */
void coll_saved_write(struct writer *w, const struct coll_saved_entry *e);

/* *bytes: where they lie. false: it is cut off, or makes no sense. */
bool coll_saved_read(struct cursor *c, struct coll_saved_entry *e, const uint8_t **bytes);

/* Is this such a section? */
bool coll_saved_valid(const uint8_t *bytes, size_t len);

#endif
