/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication by messages, between the transport's upcalls and the two parts that a
 * rank plays in a window. Received messages are gathered and, once they are whole, handled in the
 * order in which each rank sent them, as deferred work (engine_defer) and not in the upcall, since
 * they are answered. All functions need the engine lock.
 *
 * From the floor: rma_pending.c and win.c (state), rma_message.c (sending), rma_wait.c; the
 * target's part (rma_target.c) and the origin's (rma_origin.c, rma_answer.c); rma.c, which receives
 * for both.
 */
#ifndef FTMPI_MPI_RMA_H
#define FTMPI_MPI_RMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/handle/object.h"
#include "mpi/p2p/envelope.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/type/op.h"
#include "mpi/type/type.h"
#include "rma_pending.h"
#include "rma_wire.h"
#include "transport/transport.h"
#include "win.h"

struct request;

/* ---- rma.c: receiving ---- */

/* There are windows from now on. MPI_ERR_NO_MEM. */
int rma_start(void);
void rma_fini(void);

/* What point-to-point communication hands over of them. */
extern const struct p2p_channel rma_channel;

/* ---- rma_message.c: sending ---- */

/* More than an address space has. */
#define RMA_MESSAGE_LIMIT ((uint64_t)1 << 47)

struct rma_message {
	struct object head;
	struct link link;
	int peer;   /* of a received one: the sender's rank in the world, */
	int source; /* and the rank of the window that the sender claims to be */
	uint64_t context;
	uint32_t stamp; /* of a received one: for the coordination protocol */
	bool whole;
	size_t len; /* of all that is behind this */
	_Alignas(16) struct rma_head wire;
	uint8_t bytes[];
};

/* A message to be filled in and sent. NULL: no memory. */
struct rma_message *rma_message_new(size_t layout_len, size_t data);

/* Room for one that is being received, of this length with its head. NULL: no memory. */
struct rma_message *rma_message_incoming(size_t length);

/* Where the data is. */
static inline size_t rma_message_data_at(size_t layout_len)
{
	return (layout_len + 15) & ~(size_t)15;
}

/* Send m, which is the transport's from then on, to a rank of the window. MPI_ERR_NO_MEM,
 * MPI_ERR_PROC_ABORTED. */
int rma_message_send(struct win *w, int rank, struct rma_message *m);

/* The same for a message that is a head and nothing more. */
int rma_message_send_head(struct win *w, int rank, struct rma_head head);

/* The same for the target's answers: without memory for one the job cannot go on. A lost origin is
 * no error here, since it waits for nothing. */
void rma_message_answer(struct win *w, int origin, struct rma_head head);

/* The transport gives a message back. */
void rma_message_sent(struct object *head);

/* How many bytes the transport has not given back yet. */
size_t rma_message_unsent(void);

/* A peer sent what makes no sense: the job cannot go on. */
_Noreturn void rma_message_invalid(const struct win *w, int origin, const char *what);

/* ---- rma_wait.c ---- */

/* MPI_ERR_PROC_ABORTED when a rank is gone and no launcher will act on that. */
int rma_wait(bool (*done)(void *arg), void *arg);

/* Until this target, or all, have answered everything, or (local) everything that brings data. Then
 * the first error that they answered. */
int rma_wait_target(struct win *w, int target, bool local);
int rma_wait_all(struct win *w, bool local);

/* For a recovery line: until all that this rank has begun in windows is done at its targets. Epochs
 * stay open, and what targets refuse is for the program's next call. */
void rma_wait_windows(void);

/* ---- rma_memory.c: a target's memory ---- */

/* inout = in op inout, element by element of the predefined type `basic`; in is packed. */
bool rma_memory_combine(
	const struct rma_area *inout, const void *in, struct op *op, struct type *basic);

/* ---- rma_target.c ---- */

/* Do what the message asks for; data and errors are answered at once, */
void rma_target_handle(struct win *w, int origin, const struct rma_message *m);

/* and what was merely done is answered by this. */
void rma_target_acknowledge_all(void);

/* ---- rma_origin.c ---- */

enum rma_what { RMA_DO_PUT, RMA_DO_GET, RMA_DO_ACCUMULATE, RMA_DO_GET_ACCUMULATE, RMA_DO_SWAP };

/* One operation, its arguments checked. What it does not need is NULL or zero. */
struct rma_call {
	enum rma_what what;
	struct win *w;
	int target;
	struct rma_area origin; /* read */
	struct rma_area result; /* written; of a get, too */
	const void *compare;
	MPI_Aint disp;
	size_t count;
	struct type *type; /* at the target */
	struct op *op;
	struct type *basic;
	struct request *request; /* NULL, or to be completed when there is the result */
};

/* Begin it. Complete at the origin at once, unless it has a result. May wait for others. */
int rma_origin_begin(struct rma_call *c);

/* Ask for the end of a lock. */
int rma_origin_unlock(struct win *w, int target);

/* ---- rma_answer.c ---- */

/* A target has answered. */
void rma_answer_handle(struct win *w, int target, const struct rma_message *m);

/* ---- rma_line.c: recovery lines ---- */

/* Is no epoch open on any rank? Each rank reports its own, each time or once. Collective over the
 * job. */
bool rma_line_closed_everywhere(bool each_time);

/* Why a protocol whose ranks do not wait for each other cannot make a line now, or NULL. */
const char *rma_line_objection(void);

#endif
