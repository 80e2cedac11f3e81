/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections on their way to being attached: listening, connecting, the handshake. All of it runs
 * on the loop's thread; the engine lock is taken only to look at a peer's state and to attach.
 *
 * Timers (all here):
 *	HANDSHAKE_MS  a connection that has not finished the handshake by then is closed
 *	RETRY_MS..    pause before the next attempt, doubled up to RETRY_MAX_MS
 *	DESCRIPTORS_MS pause before accepting goes on when the process has run out of descriptors
 *	AWAIT_MS      a peer that said BUSY and has not come by then is tried again
 *	PATIENCE_MS   after which a person who started the ranks by hand is told what is waited for
 *	connect_ms    (the user's) after which a peer is lost
 *
 * Simultaneous open: the attempt of the lower rank wins. The higher rank's is answered BUSY when it
 * meets a lower rank that is connecting, and given up when the lower rank's arrives.
 */
#ifndef FTMPI_TRANSPORT_CONN_H
#define FTMPI_TRANSPORT_CONN_H

#include <event2/event.h>

#include "transport/tp.h"

enum {
	HANDSHAKE_MS = 5000,
	RETRY_MS = 10,
	RETRY_MAX_MS = 500,
	AWAIT_MS = 5000,
	PATIENCE_MS = 3000,
	DESCRIPTORS_MS = 50,
	STRANGERS_MAX = 256, /* accepted connections that have not proved themselves */
};

/* Our wish to reach a peer, while it lasts. */
struct attempt {
	struct loop_task task;
	struct tp_conns *cs;
	int peer;
	struct event *timer;
	struct conn *conn; /* at most one at a time */
	uint64_t deadline, patience;
	unsigned pause_ms;
};

enum conn_state { CONN_OPENING, CONN_CHALLENGE, CONN_VERDICT, CONN_HELLO, CONN_PROOF, CONN_STATES };

struct conn {
	struct link link;
	struct tp_conns *cs;
	struct attempt *attempt; /* NULL: accepted */
	struct event *event;
	int fd;
	enum conn_state state;
	uint64_t deadline;
	struct hs_talk talk;
	size_t have;
	uint8_t in[64];
};

struct tp_conns {
	struct tp *tp;
	struct loop *loop;
	int listen_fd;
	struct event *listener;
	struct event *resume; /* listening, after a pause */
	struct link conns;
	int strangers;
	unsigned connect_ms;
	bool refused_is_final;
	struct attempt **attempts; /* by peer, NULL until it is first tried */
};

static inline struct timeval ms_from_now(unsigned ms)
{
	return (struct timeval){ms / 1000, (ms % 1000) * 1000};
}

/* conn.c: takes fd over, also when it fails (NULL). attempt is NULL for an accepted one. */
struct conn *conn_new(struct tp_conns *cs, int fd, enum conn_state state, struct attempt *a);

/* Frees it; the descriptor is the caller's. */
int conn_release(struct conn *c);

/* Wait for the other side's next word. */
void conn_wait(struct conn *c);

/* attempt.c: it came to nothing this time; err is an errno. */
void attempt_failed(struct attempt *a, int err);

#endif
