/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage of tests of point-to-point communication that stand where the engine and the transport
 * are: they make the transport's upcalls, and note what is asked of it. This is rank 0 of a few.
 */
#ifndef FTMPI_TESTS_P2P_STAGE_H
#define FTMPI_TESTS_P2P_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/comm/comm.h"
#include "mpi/p2p/envelope.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/p2p_probe.h"
#include "mpi/p2p/request.h"
#include "transport/transport.h"

enum { STAGE_SIZE = 4, STAGE_INTS = 4, STAGE_BYTES = STAGE_INTS * (int)sizeof(int) };

extern bool stage_launched; /* by a launcher; before stage_begin */

/* How often words were forgotten: of the coordination, of windows. */
extern int stage_unplaced[2];

void stage_begin(void);
void stage_end(void);

/* ---- messages that come, of STAGE_BYTES ---- */

/* One that the transport keeps. */
struct kept {
	struct tp_unexpected public;
	bool here;	       /* as a whole; the test sets it */
	bool dropped;	       /* only where stage_may_drop */
	bool taken;	       /* claimed before it was matched */
	struct tp_place place; /* it was claimed */
	char bytes[STAGE_BYTES];
};

extern bool stage_may_drop;

/* Synchronous ones. What the one that comes just now is called at its sender; the last one that was
 * said to be matched, and how many were; of how many it was asked again whether their senders can
 * have them back. */
extern uint64_t stage_coming, stage_matched;
extern int stage_matches, stage_again;

/* The transport that drops them; the engine has none. */
extern struct tp *const stage_tp;

struct tp_envelope stage_envelope(uint64_t context, int tag, int source);
struct tp_envelope stage_in_world(int peer, int tag);

/* One that comes: the cookie that it meets. */
void *stage_comes(int peer, int tag);

/* One that no receive waits for, only announced. */
void stage_keep(struct kept *k, int peer, int tag);
void stage_keep_as(struct kept *k, int peer, const struct tp_envelope *e);

void stage_unmatch(void *cookie);

/* One comes, is whole, and was for r. */
void stage_is_for(struct request *r, int peer, int tag);

/* ---- receives ---- */

struct p2p_message stage_message_of(int rank, int tag, void *buf, struct type *t, MPI_Count count);

/* Of STAGE_BYTES; the other into a buffer that nobody reads. */
struct request *stage_receive_in(int source, int tag, void *buf);
struct request *stage_receive(int source, int tag);

struct match_msg *stage_probe(int source, int tag);

/* MPI_Mprobe finds one; it is received. */
struct message *stage_find(int source, int tag);
struct request *stage_receive_found(struct message *found, void *buf);

#endif
