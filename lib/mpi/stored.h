/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that lie in the library's memory and wait for a receive: those that a checkpoint took
 * over from the transport, and those that a restored line held. In the matching lists they stand
 * among the ones that the transport keeps. Guarded by the engine lock.
 */
#ifndef FTMPI_MPI_STORED_H
#define FTMPI_MPI_STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "match.h"
#include "object.h"

struct stored {
	struct object
		head; /* OBJECT_STORED: the transport's upcall tells it from a request by this */
	struct match_msg msg;
	uint64_t length;
	bool whole; /* the contents are here */
	_Alignas(16) uint8_t bytes[];
};

/* Of msg, which it copies; its contents are to be filled in. NULL: out of memory. */
struct stored *stored_new(const struct match_msg *msg, uint64_t length);
void stored_free(struct stored *m);

#endif
