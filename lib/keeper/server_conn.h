/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files of the server share: server.c has files and commits, server_conn.c
 * connections. */
#ifndef FTMPI_KEEPER_SERVER_CONN_H
#define FTMPI_KEEPER_SERVER_CONN_H

#include <event2/event.h>

#include "base/address.h"
#include "base/admission.h"
#include "keeper/event_file.h"
#include "keeper/peer.h"
#include "keeper/server.h"

enum {
	HANDSHAKE_MS = 5000,
	RETRY_MS = 1000,
	DESCRIPTORS_MS = 50,
	UNAUTHENTICATED_MAX = 128,
	UNAUTHENTICATED_SHARE = 8, /* and one of so many descriptors */
};

/* Those that are not open are limited, each kind for itself. */
enum keeper_conn_state { CONN_HELLO, CONN_PROOF, CONN_ENDING, CONN_OPEN, CONN_LIMITED = CONN_OPEN };

struct keeper_conn {
	struct link link; /* of admission, or of those that are open */
	struct keeper_server *server;
	enum keeper_conn_state state;
	int fd;
	struct event *read, *write;
	struct net_address from;
	uint64_t deadline; /* not of an open one */
	struct keeper_handshake handshake;
	size_t have;
	uint8_t in[sizeof(struct keeper_hello)];
	struct keeper_peer *peer; /* NULL: it has not proved itself */
};

struct keeper_server {
	struct event_base *base;
	struct keeper_job job;
	struct events events;
	struct event_folder folder;
	struct event_file *files; /* by rank */
	bool *waits;		  /* by rank: its file could not be written, and is tried later */
	struct event *retry;
	bool failing, limited; /* that was said */
	void (*on_limit)(void);
	bool wrote; /* something became durable in this turn */

	int listen_fd;
	struct event *listener, *resume;
	struct admission limited_conns[CONN_LIMITED];
	struct refusals refusals;
	struct keeper_conn **of_rank; /* the open one of each rank, or NULL */
	struct link open;
};

static inline struct timeval ms_from_now(uint64_t ms)
{
	return (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
}

/* 0 or FT_ENOMEM; keeper_conns_close in any case. */
int keeper_conns_open(struct keeper_server *s);
void keeper_conns_close(struct keeper_server *s);

/* What is to be said on open connections is said. */
void keeper_conns_answer(struct keeper_server *s);

#endif
