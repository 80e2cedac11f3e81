/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching (MPI 5.0 section 3.5): receives that are posted, and unexpected messages, which no
 * receive has matched. Pure: no socket, no lock. Peers are ranks of the world.
 *
 * A receive with a named source waits in its peer's list, one for any source in a list of its own;
 * `order` says which of two candidates was posted first. An unexpected message is in its peer's
 * list and, for receives from any source, in the list of all arrivals. So what other peers have
 * sent or are asked for costs nothing when the source is named.
 */
#ifndef FTMPI_MPI_MATCH_H
#define FTMPI_MPI_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

struct match_recv {
	struct link link;
	uint64_t context;
	uint64_t order;
	int peer; /* MPI_ANY_SOURCE: any */
	int tag;  /* MPI_ANY_TAG: any */
};

struct match_msg {
	struct link link; /* of its peer */
	struct link all;
	uint64_t context;
	int peer;
	int tag;
	int source;		   /* its sender's rank in the communicator, as the sender says */
	uint32_t stamp;		   /* of its sender, for the coordination protocol */
	uint64_t index;		   /* of that, too */
	uint64_t arrived;	   /* sequence number (p2p_sequence) */
	struct stored *stored;	   /* NULL: the transport has it */
	struct inflight *inflight; /* noted for lines being made; NULL */
	struct message *handle;	   /* what MPI_Mprobe has matched it to; NULL */
	uint64_t matched;	   /* sequence number of that; 0 */
	uint64_t since;		   /* when it was put here (p2p_time) */
};

struct match {
	int peers;
	struct link *posted; /* by peer */
	struct link any;
	struct link *unexpected; /* by peer */
	struct link arrivals;
	struct link matched; /* by MPI_Mprobe: no receive will find them */
	uint64_t order;
	unsigned nposted;
};

/* 0 or -1: out of memory */
int match_init(struct match *m, int peers);
void match_fini(struct match *m);

/* A message has come: the receive that it matches, removed from the lists; or NULL. */
struct match_recv *match_arrival(struct match *m, uint64_t context, int peer, int tag);

/* No receive matches it. msg->context, peer and tag are set. */
void match_add_unexpected(struct match *m, struct match_msg *msg);

/* An unexpected message, or a matched one, leaves the lists. */
void match_remove(struct match_msg *msg);

/* An unexpected message goes to the matched ones, as the last of them. */
void match_set_matched(struct match *m, struct match_msg *msg);

/* A receive is posted (context, peer and tag are set): the message it matches, removed from the
 * lists; or NULL, and it waits. */
struct match_msg *match_post(struct match *m, struct match_recv *recv);

/* The message that match_post would give, left where it is. */
struct match_msg *match_probe(const struct match *m, uint64_t context, int peer, int tag);

/* Take a waiting receive out. */
void match_withdraw(struct match *m, struct match_recv *recv);

#endif
