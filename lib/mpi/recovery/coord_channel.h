/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control messages of the coordination protocols, from rank to rank: messages of a context of their
 * own, which no receive is posted for and no line holds. Handled in the order in which they were
 * sent, though a long one (rendezvous) may be whole after a short one that was sent later. All need
 * the engine lock.
 */
#ifndef FTMPI_MPI_COORD_CHANNEL_H
#define FTMPI_MPI_COORD_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"
#include "mpi/p2p/p2p_state.h"
#include "transport/transport.h"

/* 0 or FT_ENOMEM */
int coord_channel_init(struct coord *c, int peers);
void coord_channel_fini(void);

/* In a process that woke up from an image, when all pairs have begun anew: what was to be sent, and
 * what has come and was not handled, means nothing any more. */
void coord_channel_forget(void);

/* Copied; coord_finish_bytes is called here, when they are sent. Messages to a rank that is gone
 * are dropped. Without memory the process ends. */
void coord_channel_send(int peer, const uint8_t *bytes, size_t len);

/* What was sent since coord_channel_init. */
struct coord_channel_sent {
	uint64_t messages, bytes;
	int peers; /* that were sent anything */
};
struct coord_channel_sent coord_channel_sent(void);

/* What the transport says of them. */
extern const struct p2p_channel coord_channel;

#endif
