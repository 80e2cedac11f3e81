/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching (MPI 5.0 section 3.5): receives that are posted, and unexpected messages, which no
 * receive has matched. Pure: no socket, no lock. Peers are ranks of the world.
 *
 * A receive with a named source waits in its peer's list, one for any source in a list of its own;
 * `order` says which of two candidates was posted first. An unexpected message is in its peer's
 * list and, for receives from any source, in the list of all arrivals. So what other peers have
 * sent or are asked for costs nothing when the source is named.
 *
 * A list in which a search goes far gets an index (match_index.h): by context and tag, receives for
 * any tag as another tag, messages also by their context alone and, where they are looked up by
 * number (message logging), by that. So the work for a message does not grow with the number of
 * receives that are posted, nor with that of messages that wait. Indexes take 64 bytes a receive,
 * up to 256 a message, or 320 with numbers, and their tables.
 */
#ifndef FTMPI_MPI_MATCH_H
#define FTMPI_MPI_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "match_index.h"

struct match_recv {
	struct match_place place;
	uint64_t context;
	uint64_t order;
	int peer; /* MPI_ANY_SOURCE: any */
	int tag;  /* MPI_ANY_TAG: any */
};

struct match_msg {
	struct match_place place; /* of its peer */
	struct match_place all;
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
	struct match_list *posted; /* by peer */
	struct match_list any;
	struct match_list *unexpected; /* by peer */
	struct match_list arrivals;
	struct link matched; /* by MPI_Mprobe: no receive will find them */
	struct match_hooks hooks;
	bool numbered; /* match_numbered is called: set before any message comes */
	uint64_t order;
	unsigned nposted;
};

/* 0 or -1: out of memory */
int match_init(struct match *m, int peers);
void match_fini(struct match *m);

/* A message has come: the receive that it matches, removed from the lists; or NULL. */
struct match_recv *match_arrival(struct match *m, uint64_t context, int peer, int tag);

/* No receive matches it. msg->context, peer and tag are set, its places are zero or as
 * match_place_init leaves them; so are those of a receive. */
void match_add_unexpected(struct match *m, struct match_msg *msg);

/* An unexpected message, or a matched one, leaves the lists. */
void match_remove(struct match *m, struct match_msg *msg);

/* The same, and one of the same context, peer and tag, which is in no list, takes its places. */
void match_replace(struct match_msg *msg, struct match_msg *by);

/* An unexpected message goes to the matched ones, as the last of them. Returns what is the order of
 * the receive that will get it. */
uint64_t match_set_matched(struct match *m, struct match_msg *msg);

/* A receive is posted (context, peer and tag are set, its order is set here): the message it
 * matches, removed from the lists; or NULL, and it waits. */
struct match_msg *match_post(struct match *m, struct match_recv *recv);

/* The message that match_post would give, left where it is. */
struct match_msg *match_probe(struct match *m, uint64_t context, int peer, int tag);

/* The unexpected message of this peer with this number (msg->index), left where it is. No two have
 * the same. */
struct match_msg *match_numbered(struct match *m, int peer, uint64_t number);

/* Take a waiting receive out. */
void match_withdraw(struct match *m, struct match_recv *recv);

/* A receive that had met its message waits for it again, among the others where its order says.
 * Messages that wait are not looked at: what it had met came before them. Hardly ever done: its
 * list loses its index until a search makes another, and is gone through from its beginning. */
void match_repost(struct match *m, struct match_recv *recv);

#endif
