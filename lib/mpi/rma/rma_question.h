/* SPDX-License-Identifier: BSD-3-Clause */
/* What the target's files (rma_target.c, rma_understand.c, rma_turns.c) share. */
#ifndef FTMPI_MPI_RMA_QUESTION_H
#define FTMPI_MPI_RMA_QUESTION_H

#include "rma.h"

/* An operation that an origin asks for, decoded. */
struct rma_question {
	struct win *w;
	int origin;
	const struct rma_message *message;
	const uint8_t *data;
	size_t data_len;
	struct type type; /* of the data here */
	struct rma_area area;
	struct op *op;
	struct type *basic;
};

/* ---- rma_understand.c: messages are checked, and one that makes no sense ends the job ---- */

/* Bytes in one piece; a layout, which is the question's to release. false: they are not in the
 * window. */
bool rma_understand_run(struct rma_question *q);
bool rma_understand_layout(struct rma_question *q);

/* The operator and the elements it is for. */
void rma_understand_op(struct rma_question *q);

/* The data has this length. */
void rma_understand_length(const struct rma_question *q, uint64_t bytes);

/* ---- rma_turns.c: the window's lock ---- */

/* First come, first served: a stream of shared locks does not keep an exclusive one waiting. */
void rma_turns_queue(struct win *w, int origin, bool exclusive);
void rma_turns_end(struct win *w, int origin);

#endif
