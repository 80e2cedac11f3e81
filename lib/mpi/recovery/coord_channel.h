/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the coordination protocols of two ranks say to each other: messages of a context of their
 * own, which no receive is posted for and no line holds. Heard in the order in which they were
 * said, though a long one (rendezvous) may be whole after a short one that was said later. All need
 * the engine lock.
 */
#ifndef FTMPI_MPI_COORD_TALK_H
#define FTMPI_MPI_COORD_TALK_H

#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"
#include "mpi/p2p/p2p_state.h"
#include "transport/transport.h"

/* 0 or FT_ENOMEM */
int talk_init(struct coord *c, int peers);
void talk_fini(void);

/* Copied. Words for a rank that is gone are dropped. Without memory the process ends. */
void talk_say(int peer, const uint8_t *bytes, size_t len);

/* What was said since talk_init. */
struct talk_said {
	uint64_t messages, bytes;
	int peers; /* that were told anything */
};
struct talk_said talk_said(void);

/* What the transport says of them. */
extern const struct p2p_channel talk_channel;

#endif
