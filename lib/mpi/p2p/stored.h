/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that lie in the library's memory: those that a checkpoint took over from the transport,
 * those that a restored line held, and copies of what the program got while a line that has to hold
 * it is being made. Some are unexpected: in the matching lists they stand among the ones that
 * the transport keeps. Guarded by the engine lock; contents that are whole never change, so the
 * holder of a reference may read them without the lock.
 */
#ifndef FTMPI_MPI_STORED_H
#define FTMPI_MPI_STORED_H

#include <stdbool.h>
#include <stdint.h>

#include "match.h"
#include "mpi/handle/object.h"

struct request;

struct stored {
	struct object head; /* OBJECT_STORED: the transport's upcalls tell it from a request by
			     * this. References: of the matching lists or the receive that it goes
			     * to, of the transport while it fills it, of lines. */
	struct match_msg msg;
	uint64_t length;
	uint64_t sync; /* of a synchronous send that waits for the match: what it is called at its
			* sender; 0 */
	bool owed;     /* its sender is told of the match */
	bool whole;    /* the contents are here, */
	int rc;	       /* or not: 0, or why they never will be */
	struct request *receive; /* it was matched before it was whole */
	_Alignas(16) uint8_t bytes[];
};

/* Of msg, which it copies; its contents are to be filled in. One reference. NULL: no memory. */
struct stored *stored_new(const struct match_msg *msg, uint64_t length);

static inline struct stored *stored_hold(struct stored *m)
{
	m->head.refs++;
	return m;
}

void stored_release(struct stored *m);

#endif
