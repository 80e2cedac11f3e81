/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probing (p2p_probe), and messages that the program has found and will receive later (MPI_Mprobe,
 * MPI 5.0 section 3.8.2). Such a message is out of the lists: no receive and no probe finds it, and
 * its sender cannot take it back. It stays where it was, with the transport or in our memory, so a
 * long one costs no copy. For a recovery line it is in transit; the handle is gone after a restore,
 * the message is not. All need the engine lock.
 */
#ifndef FTMPI_MPI_P2P_PROBE_H
#define FTMPI_MPI_P2P_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"
#include "p2p_state.h"

struct p2p_message;
struct request;

/* What a handle of MPI_Mprobe stands for; p2p_probe.c's. */
struct message {
	struct object head;
	struct comm *comm;     /* held */
	struct match_msg *msg; /* NULL: thrown away when a line was restored */
	int source;	       /* its sender's rank in comm */
	uint64_t order;	       /* of its receive (match.h) */
};

/*
 * In a checkpoint of data (doc/msglog.md) the program may have found a message that it did not
 * receive, or a receive may have got one. The first is found again, by nothing but MPI_Mprobe and
 * MPI_Improbe; the second goes to that receive, when it is posted again. Until then a bit of its
 * context sets it apart from other messages. Ranks of the world are below 2^24, so no context of a
 * communicator has these bits; partitioned messages, which may, have the one above, too
 * (p2p_part.h).
 */
#define P2P_FOUND_BEFORE ((uint64_t)1 << 61)
#define P2P_GOT_BEFORE ((uint64_t)1 << 60)

static inline bool p2p_is_found_before(uint64_t context)
{
	return context >> 60 == 2;
}

static inline bool p2p_is_got_before(uint64_t context)
{
	return context >> 60 == 1;
}

/* As p2p_probe, among these. */
struct match_msg *p2p_probe_found_before(
	struct comm *c, int source, int tag, struct p2p_found *out);

/* A message that a probe has found, of this rank of c, is out of the lists. MPI_ERR_NO_MEM. */
int message_take(struct comm *c, struct match_msg *msg, int source, MPI_Message *out);

/* MPI_SUCCESS and *out, NULL for MPI_MESSAGE_NO_PROC; or MPI_ERR_REQUEST with fail_with said. */
int message_lookup(MPI_Message handle, struct message **out);

struct comm *message_comm(const struct message *m);

/* Start to receive it as m says, whose comm is its; it is gone (NULL: nobody's message).
 * MPI_ERR_NO_MEM: it is still there. */
int message_receive(struct message *found, const struct p2p_message *m, struct request **out);

/* It lies elsewhere now; NULL: it was thrown away. */
static inline void message_moved(struct message *m, struct match_msg *msg)
{
	m->msg = msg;
}

/* At finalize, before communicators are freed: nobody will receive them. */
void message_forget_all(void);

#endif
