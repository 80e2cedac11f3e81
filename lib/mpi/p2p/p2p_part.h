/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partitioned communication (MPI 5.0 chapter 4): one message, which goes when all of its partitions
 * are ready. All need the engine lock.
 *
 * Such requests match by the order in which both sides made them, not by that in which they are
 * started. So each side numbers what it makes for the same communicator, peer and tag, and the
 * number is a part of the message's context, above the world rank: bit 62 says that there is one,
 * the ten bits below it are the number modulo 1024. A restarted program that makes the same
 * requests gives them the same numbers.
 */
#ifndef FTMPI_MPI_P2P_PART_H
#define FTMPI_MPI_P2P_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "p2p.h"

struct request;

/* At finalize. */
void parts_fini(void);

/* A persistent request; m->count is that of all partitions together. MPI_ERR_NO_MEM. */
int part_init(const struct p2p_message *m, bool send, int partitions, struct request **out);

/* How many were made so far. */
uint64_t parts_made_ever(void);

/* Partitions low to high of a send are ready. MPI_ERR_REQUEST, MPI_ERR_ARG; what the send says. */
int part_ready(struct request *r, int low, int high);

/* Is this a partition that MPI_Parrived may be asked for? MPI_ERR_REQUEST, MPI_ERR_ARG. */
int part_check(struct request *r, int partition);

#endif
