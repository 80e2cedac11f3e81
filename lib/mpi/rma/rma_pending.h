/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that a target has not answered yet. */
#ifndef FTMPI_MPI_RMA_PENDING_H
#define FTMPI_MPI_RMA_PENDING_H

#include "mpi/type/type.h"
#include "win.h"

struct request;

/* Data in some memory: `count` copies of a type, which may be one that the target has read from a
 * message. */
struct rma_area {
	void *base;
	size_t count;
	struct type *type;
};

/* Operations on one target, one after the other: `count` whose answers bring no data, or one whose
 * answer does. */
struct rma_pending {
	struct link link;
	unsigned count;
	bool brings;
	struct rma_area result; /* the type is held */
	struct request *request;
};

/* One more that brings no data, or one that brings data. Before it is sent. false: no memory. */
bool rma_pending_add(struct win_peer *peer);
bool rma_pending_add_result(
	struct win_peer *peer, const struct rma_area *result, struct request *request);

/* The newest could not be sent. */
void rma_pending_undo(struct win_peer *peer);

/* NULL: there is none. */
struct rma_pending *rma_pending_oldest(struct win_peer *peer);

/* One operation of this entry has its answer. */
void rma_pending_done(struct win_peer *peer, struct rma_pending *p);

/* The window goes. */
void rma_pending_clear(struct win_peer *peer);

#endif
