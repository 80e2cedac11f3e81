/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point: start and end, for init.c; probing, for the calls. */
#ifndef FTMPI_MPI_P2P_STATE_H
#define FTMPI_MPI_P2P_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/comm/comm.h"
#include "transport/transport.h"

struct match_msg;
struct request;
struct stored;

struct p2p_job {
	int size;
	size_t eager_limit; /* the transport's */
	/* There is a launcher, which acts on lost ranks: what waits for one waits on. Without one
	 * the requests fail with MPI_ERR_PROC_ABORTED. */
	bool launched;
	void (*lost)(int peer, const char *why); /* tells the launcher or the user */
};

/* 0 or FT_ENOMEM */
int p2p_init(const struct p2p_job *job);
void p2p_fini(void);

extern const struct tp_upcalls p2p_upcalls;

/* The matching lists. */
struct match *p2p_matching(void);

/* Is somebody gone, and no launcher there to act? */
bool p2p_gone(void);

/* A message that is whole has come from elsewhere than the transport: give it to a receive, or keep
 * it. It is p2p's from here on. */
void p2p_arrive(struct stored *m);

struct p2p_found {
	int source, tag;
	uint64_t bytes;
};

/* Has a message come that a receive with these arguments would get? It stays where it is. */
struct match_msg *p2p_probe(struct comm *c, int source, int tag, struct p2p_found *out);

/* A message that is out of the lists goes to a receive that is. */
void p2p_give(struct request *r, struct match_msg *msg);

uint64_t p2p_length(const struct match_msg *msg);

/* Moments: how many messages have come or met their receives so far; one more. */
uint64_t p2p_moment(void);
uint64_t p2p_next_moment(void);

#endif
