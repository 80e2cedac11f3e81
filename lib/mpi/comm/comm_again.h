/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators across a recovery line. Messages of the line name contexts, so a communicator that
 * the program makes again after a restore has to get the context that it had. Those that were made
 * before the restore have: they are made as in the first run. Of those that were made later the
 * line knows the processes: a rank that makes a communicator of the same processes, in the same
 * order, gets the first of these that is left. So all its members choose alike, and nobody has to
 * ask. What is not made again before the next line is forgotten. Under the engine lock.
 */
#ifndef FTMPI_MPI_COMM_AGAIN_H
#define FTMPI_MPI_COMM_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm.h"

/* The contents of CKPT_COMMUNICATORS: *out is malloc'ed. false: no memory. */
bool comm_again_capture(uint8_t **out, size_t *len);

/* What section_communicators_valid accepted is to be made again. false: no memory. */
bool comm_again_take(const uint8_t *bytes, size_t len);

/* Something is made of these: if it is one of the line, with the contexts that it had. */
void comm_again(struct comm_sides *s);

/* Has the program a communicator that it made when there had been so many (comm_made_ever)? */
bool comm_again_is_there_after(uint64_t made);

void comm_again_fini(void);

#endif
