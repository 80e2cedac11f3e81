/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of CKPT_COMMUNICATORS: u32 the next counter of this process, u32 count, then for each
 * communicator of the program, in the order in which they were made: u64 context, u64 context of
 * its local stages (all ones: no intercommunicator), u32 processes of its group, u32 of the remote
 * one (0: there is none), and u32 for each of both: its rank in the job. Little-endian. Pure.
 */
#ifndef FTMPI_CKPT_SECTION_COMMUNICATORS_H
#define FTMPI_CKPT_SECTION_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

enum { SECTION_COMMUNICATORS_HEAD = 8, SECTION_COMMUNICATORS_ENTRY = 24 };

struct section_communicator {
	uint64_t context, local_context;
	uint32_t n, nremote;
};

/* All but the ranks. */
void section_communicators_write(struct writer *w, const struct section_communicator *e);

/* *ranks: where they lie, 4 bytes each. false: it is cut off, or makes no sense in a job of `size`.
 */
bool section_communicators_read(
	struct cursor *c, int size, struct section_communicator *e, const uint8_t **ranks);

/* Is this such a section? */
bool section_communicators_valid(const uint8_t *bytes, size_t len, int size);

#endif
