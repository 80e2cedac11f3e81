/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point: its start and end, its channels, and what others may ask about it. */
#ifndef FTMPI_MPI_P2P_STATE_H
#define FTMPI_MPI_P2P_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/comm/comm.h"
#include "transport/transport.h"

struct match_msg;
struct request;
struct stored;

struct envelope;
struct object;
struct buffer;

/* Messages of the library's own, which no receive is posted for: their context tells them
 * (comm_is_coord_control, comm_is_window), and what the transport says of them goes on to these. */
struct p2p_channel {
	struct tp_place (*place)(int peer, const struct envelope *e, uint64_t length);
	void (*received)(struct object *head, int rc);
	void (*sent)(struct object *head);

	/* What place gave a place will not be received: it is forgotten, and not answered. */
	void (*unplace)(struct object *head);
};

struct p2p_job {
	int size;
	size_t eager_limit; /* the transport's */
	/* There is a launcher, which acts on lost ranks: what waits for one waits on. Without one
	 * the requests fail with MPI_ERR_PROC_ABORTED. */
	bool launched;
	bool timed; /* it is noted when operations begin and messages come */
	void (*lost)(int peer, const char *why); /* tells the launcher or the user */

	/* The buffer for MPI_Bsend of the session with this number; NULL: it has none. */
	struct buffer *(*session_buffer)(uint64_t session);

	const struct p2p_channel *coordination, *windows;
};

/* 0 or FT_ENOMEM */
int p2p_init(const struct p2p_job *job);
void p2p_fini(void);

extern const struct tp_upcalls p2p_upcalls;

/* The matching lists. */
struct match *p2p_matching(void);

/* Is somebody gone, and no launcher there to act? */
bool p2p_gone(void);

/* Nobody is, since the other ranks are there again: in a process that woke up, with tp_begin_anew.
 */
void p2p_peers_anew(void);

/* A message that is whole has come from elsewhere than the transport: give it to a receive, or keep
 * it. It is p2p's from here on. */
void p2p_arrive(struct stored *m);

struct p2p_found {
	int source, tag;
	uint64_t bytes;
};

/* Has a message come that a receive with these arguments would get? It stays where it is. */
struct match_msg *p2p_probe(struct comm *c, int source, int tag, struct p2p_found *out);

/* Is this one that a probe with these arguments may find? */
bool p2p_probed(
	struct comm *c, int source, int tag, const struct match_msg *msg, struct p2p_found *out);

/* A message that is out of the lists goes to a receive that is. */
void p2p_give(struct request *r, struct match_msg *msg);

uint64_t p2p_length(const struct match_msg *msg);

/* Sequence numbers, of messages that come and of matches: the last one; the next one. */
uint64_t p2p_sequence(void);
uint64_t p2p_next_sequence(void);

#endif
