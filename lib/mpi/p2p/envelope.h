/* SPDX-License-Identifier: BSD-3-Clause */
/* The 20 bytes of a message header that are lib/mpi's: little-endian, in this order. */
#ifndef FTMPI_MPI_ENVELOPE_H
#define FTMPI_MPI_ENVELOPE_H

#include <stdint.h>
#include <string.h>

#include "transport/transport.h"

struct envelope {
	uint64_t context; /* of the communicator, low bit: plane */
	int32_t tag;
	int32_t source; /* the sender's rank in the communicator */
	uint32_t stamp; /* of the coordination protocol; else 0 */
};

static inline struct tp_envelope envelope_pack(const struct envelope *e)
{
	struct tp_envelope t;

	memcpy(t.bytes, &e->context, 8);
	memcpy(t.bytes + 8, &e->tag, 4);
	memcpy(t.bytes + 12, &e->source, 4);
	memcpy(t.bytes + 16, &e->stamp, 4);
	return t;
}

static inline struct envelope envelope_unpack(const struct tp_envelope *t)
{
	struct envelope e;

	memcpy(&e.context, t->bytes, 8);
	memcpy(&e.tag, t->bytes + 8, 4);
	memcpy(&e.source, t->bytes + 12, 4);
	memcpy(&e.stamp, t->bytes + 16, 4);
	return e;
}

#endif
