/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections on their way to being attached: listening, connecting, the handshake. All of it runs
 * on the loop's thread; the engine lock is taken only to look at a peer's state and to attach.
 *
 * Timers (all here):
 *	HANDSHAKE_MS  a connection that has not finished the handshake by then is closed; but in a
 *		      launched job a rank that is silent is waited for: it may not have called
 *		      MPI_Init yet, or may have been stopped, and its launcher sees when it ends
 *	RETRY_MS..    pause before the next attempt, doubled up to RETRY_MAX_MS
 *	DESCRIPTORS_MS pause before accepting goes on when the process has run out of descriptors
 *	SHORTAGE_MS   after which the user is told that there are none, or no memory
 *	GREETED_MS    before that nobody who said hello gives way to a newcomer for want of them
 *	REFUSALS_MS   in which at most REFUSALS_LINES refusals are logged one by one
 *		      (base/admission.h)
 *	REFUSED_MS    so long a peer whose connection broke may refuse another one, as a firewall
 *		      that is loaded again does; for others a refusal is final in a launched job
 *	AWAIT_MS      a peer that said BUSY and has not come by then is tried again
 *	PATIENCE_MS   after which a person who started the ranks by hand is told what is waited for
 *	connect_ms    (the user's) after which a peer is lost. Waits are added up, not read off a
 *		      clock, so that a process that was stopped tries again before it judges
 *
 * Simultaneous open: the attempt of the lower rank wins, once it has come to the higher one; until
 * then perhaps only the other direction can be opened. The higher rank's is answered BUSY when it
 * meets a lower rank that is connecting so, and given up when the lower rank's arrives.
 */
#ifndef FTMPI_TRANSPORT_CONN_H
#define FTMPI_TRANSPORT_CONN_H

#include <event2/event.h>

#include "base/admission.h"
#include "transport/tp.h"

enum {
	HANDSHAKE_MS = 5000,
	RETRY_MS = 10,
	RETRY_MAX_MS = 500,
	AWAIT_MS = 5000,
	REFUSED_MS = 2000,
	PATIENCE_MS = 3000,
	DESCRIPTORS_MS = 50,
	SHORTAGE_MS = 1000,
	GREETED_MS = 1000,
	UNAUTHENTICATED_MAX = 128, /* of each stage, */
	UNAUTHENTICATED_SHARE = 8, /* and one of so many descriptors: both have a quarter */
};

/* Our wish to reach a peer, while it lasts. */
struct attempt {
	struct loop_task task;
	struct tp_conns *cs;
	int peer;
	bool posted;	  /* the task is on its way; under the lock */
	bool may_be_gone; /* both have said BYE */
	struct handshake_peer to;
	struct net_address address;
	struct event *timer;
	struct conn *conn; /* at most one at a time */

	/* It came to nothing this time; err is an errno. The attempt may be over then. */
	void (*failed)(struct attempt *a, int err);
	uint64_t patience;
	unsigned pause_ms, waited_ms;
	unsigned refused_ms; /* in which it was refused and nothing else */
};

/* OPENING to VERDICT are of connections that we make, HELLO and PROOF of those that we accept. */
enum conn_state { CONN_OPENING, CONN_CHALLENGE, CONN_VERDICT, CONN_HELLO, CONN_PROOF, CONN_STATES };

struct conn {
	struct link link;
	struct tp_conns *cs;
	struct attempt *attempt; /* NULL: accepted, unauthenticated until it has proved itself */
	struct admission *admission; /* of an unauthenticated one; NULL: ours */
	struct net_address from;     /* where an accepted one comes from */
	struct event *event;
	int fd;
	enum conn_state state;
	uint64_t deadline;
	struct handshake handshake;
	uint32_t ups; /* HELLO: connections that the peer had had when it said so */
	size_t have;
	uint8_t in[sizeof(struct wire_hello)]; /* the longest */
};

/* unauthenticated.c. Connections with a hello of this job, and those without, do not compete. */
enum unauthenticated_stage {
	UNAUTHENTICATED_SILENT,
	UNAUTHENTICATED_GREETED,
	UNAUTHENTICATED_STAGES
};

struct unauthenticated {
	struct admission of[UNAUTHENTICATED_STAGES];
	struct refusals refusals;
	struct event *complain; /* at the end of REFUSALS_MS */
};

struct tp_conns {
	struct tp *tp;
	struct loop *loop;
	int listen_fd;
	struct event *listener;
	struct event *resume; /* listening, after a pause */
	int reserve;	      /* a descriptor to turn somebody away with */
	uint64_t shortage;    /* since when there is none for a peer, or no memory; 0: there is */
	uint64_t shortage_noted; /* the last time */
	bool shortage_logged;
	struct link ours; /* connections that we make */
	struct unauthenticated unauthenticated;
	unsigned connect_ms;
	bool refused_is_final;
	struct attempt **attempts; /* by peer, NULL until it is first tried */
};

/* The peer is the process that it was when it was tried to reach, and where it was, and so is what
 * was said. */
static inline bool attempt_is_for(const struct attempt *a, const struct tp_peer *p)
{
	const struct net_address *at = &a->cs->tp->addresses[p->id];

	return p->incarnation == a->to.incarnation && p->mend.times == a->to.times &&
	       at->len == a->address.len && memcmp(&at->addr, &a->address.addr, at->len) == 0;
}

static inline struct timeval ms_from_now(unsigned ms)
{
	return (struct timeval){ms / 1000, (ms % 1000) * 1000};
}

/* conn.c: takes fd over, also when it fails (NULL). */
struct conn *conn_ours(struct attempt *a, int fd);

/* Takes fd over, and reads at once what was sent already: a peer that waited its turn has sent
 * hello and is no longer one of those that give way to the next. False: no memory, fd is closed. */
bool conn_accepted(struct tp_conns *cs, int fd, const struct net_address *from);

/* shortage.c: a connection could not be let in, or a handshake not go on, for want of this. */
void shortage_note(struct tp_conns *cs, const char *of);

/* conn_release.c: frees it; the descriptor is the caller's. -1: it was forgotten. */
int conn_release(struct conn *c);

/* The same, and closes it. */
void conn_close(struct conn *c);

/* unauthenticated.c: 0 or FT_ENOMEM. */
int unauthenticated_open(struct tp_conns *cs);

/* Closes them all, and logs the refusals that were only counted. The loop's thread is not there. */
void unauthenticated_close(struct tp_conns *cs);

/* It joins those of its state. When they are too many the oldest of them has to go. */
void unauthenticated_enter(struct conn *c);

/* Closes and frees it. */
void unauthenticated_turn_away(struct conn *c, const char *why);

/* One descriptor less is in use; false: no unauthenticated connection can be spared. */
bool unauthenticated_drop_oldest(struct tp_conns *cs);
bool unauthenticated_any(const struct tp_conns *cs);

/* Closes fd, on which `from` was accepted only to be told that there is no room. */
void unauthenticated_refuse(struct tp_conns *cs, int fd, const struct net_address *from);

#endif
