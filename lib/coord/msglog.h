/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message logging (doc/msglog.md, M1 to M10): any rank may fail at any moment, and comes back alone
 * from a checkpoint that it took alone; nobody else goes back. Each sender keeps its messages until
 * a checkpoint of the receiver holds them; what a rank sees and its history does not determine is
 * an outcome, and an event logger has it before any later message leaves the rank.
 *
 * One rank's part, pure: events go in, and msglog_next says what is to be done. Nothing here waits.
 * The caller holds the lock that guards messages. Messages of a pair of ranks have numbers from 1
 * on; a rank's outcomes have, too.
 *
 * Memory: what the log holds (msglog_bytes), an outcome for each since the latest
 * durable checkpoint, and a number for each message whose contents are on their way.
 */
#ifndef FTMPI_COORD_MSGLOG_H
#define FTMPI_COORD_MSGLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/arrival_order.h"
#include "coord/outcomes.h"
#include "coord/sender_log.h"

/* No limit: the peer takes whatever is sent. */
#define MSGLOG_ALL UINT64_MAX

/* Numbers that the program's nonblocking collective operations may have, not sent yet, to one peer.
 */
#define MSGLOG_RESERVED_MOST ARRIVAL_SKIPPED_MOST

struct reserved {
	uint64_t number, need; /* as of a logged_message */
};

struct msglog_pair {
	uint64_t sent;	  /* the numbers that were given to messages for the peer */
	uint64_t has;	  /* the peer has them up to here, as it said when it connected */
	uint64_t limit;	  /* the peer runs its prefix, and takes no more than that (M10) */
	uint64_t keep;	  /* what the peer said: its prefix needs them up to here, */
	uint64_t held;	  /* and its checkpoint holds them up to here */
	uint64_t taken;	  /* what the checkpoint that is being written has of the peer's */
	uint64_t covered; /* and the latest durable one: this rank holds them */
	bool up;
	bool queued;		   /* in msglog.queue */
	bool cover_due;		   /* the peer has not been told of `covered` */
	struct reserved *reserved; /* numbers of `sent` whose messages are not sent yet */
	size_t nreserved, reserved_room;
	struct sender_log log;
	struct logged_message *next; /* of the log, the first that has not left */
	struct arrival_order arrived;
};

/* How far this rank's prefix went: what it did before its restore point (M10). */
struct msglog_prefix {
	bool known;
	uint64_t *begun; /* by peer; what had begun to arrive: it may have received the latest of
			  * them, while contents of another were still to come */
	struct outcome *v;
	size_t n;
};

struct msglog {
	int self, size;
	struct msglog_pair *pairs;
	struct outcomes outcomes; /* expectations, outcomes_follow, receives: the caller's, too */
	struct msglog_prefix prefix;
	bool running_prefix; /* it runs it again; what it did after that comes with the checkpoint
			      */
	bool taking;	     /* a checkpoint is being written */
	bool forget_due;
	uint64_t taken; /* its outcomes */
	int *queue;	/* peers that may have something that can leave: a ring */
	int queue_at, queued;
	int cover_at; /* peers from here on may have to be told of a checkpoint */
};

/* What a rank says when it and a peer connect (M7). */
struct msglog_hello {
	uint64_t has;	  /* of the peer's messages, with contents, without a gap */
	uint64_t limit;	  /* MSGLOG_ALL, or: it runs its prefix and takes up to `keep` */
	uint64_t keep;	  /* up to here its prefix needs them: the peer's log keeps them */
	uint64_t covered; /* its checkpoint holds them */
};

enum msglog_what {
	MSGLOG_TELL,   /* give the event logger the n outcomes from number `number` on */
	MSGLOG_SEND,   /* give `message` to the transport, for peer */
	MSGLOG_COVER,  /* tell peer, whose msglog_covered gets it: keep, number */
	MSGLOG_FORGET, /* the event logger may forget outcomes up to `number` */
};

struct msglog_action {
	enum msglog_what what;
	int peer;
	uint64_t number, keep;
	const struct outcome *outcomes; /* until the next event */
	size_t n;
	/* until the peer is lost, or says that it has it */
	struct logged_message *message;
};

/* false: no memory. */
bool msglog_init(struct msglog *m, int self, int size);
void msglog_fini(struct msglog *m);

/* What is to be done next. false: nothing. Asked after every event until there is nothing, so that
 * outcomes are told before a checkpoint that covers them is durable. */
bool msglog_next(struct msglog *m, struct msglog_action *a);

/* ---- messages ---- */

/* The program, or a collective operation, sends this (sender_log_message; given away): it has the
 * number pairs[peer].sent. true: it leaves now, as MSGLOG_SEND would say; else MSGLOG_SEND comes
 * when it may leave, or the peer has it already, and it may be gone. */
bool msglog_sent(struct msglog *m, int peer, struct logged_message *message);

/* The program begins a nonblocking collective operation, which sends the peer n messages when it
 * gets on, at no certain place of the program: they have numbers now, from the one that is returned
 * on. 0: no memory, or more than MSGLOG_RESERVED_MOST are not sent yet; nothing was done. n > 0,
 * and peer is another rank. */
uint64_t msglog_reserve(struct msglog *m, int peer, uint64_t n);

/* It is one of these numbers, and not sent yet. */
bool msglog_is_reserved(const struct msglog_pair *p, uint64_t number);

/* Such a message is sent. As msglog_sent. */
bool msglog_sent_reserved(
	struct msglog *m, int peer, uint64_t number, struct logged_message *message);

/* A message to itself, which no log has. Its number. */
uint64_t msglog_sent_to_self(struct msglog *m);

/* It begins to arrive. */
enum arrival msglog_arrives(struct msglog *m, int peer, uint64_t number);

/* Its contents are here. false: it did not begin, or they were. */
bool msglog_arrived(struct msglog *m, int peer, uint64_t number);

/* ---- outcomes ---- */

/* What happened was not determined, and nothing was expected. false: no memory. */
bool msglog_outcome(struct msglog *m, const struct outcome *what);

/* The event logger has them durably up to this number. false: it was not told so many. */
bool msglog_acknowledged(struct msglog *m, uint64_t number);

/* The event logger was started again, and knows nothing: it is told all that no checkpoint covers,
 * and messages wait for that. */
void msglog_untold(struct msglog *m);

/* ---- peers ---- */

/* To be sent as it is. */
struct msglog_hello msglog_hello(struct msglog *m, int peer);

/* The peer, or another incarnation of it, is connected and has said this. false: it makes no sense,
 * or the peer lacks what the log has not. Nothing was done. */
bool msglog_connected(struct msglog *m, int peer, const struct msglog_hello *said);

/* The connection is broken, or the peer is. What it lacks is sent when it is connected again. */
void msglog_lost(struct msglog *m, int peer);

/* The peer's MSGLOG_COVER. It may cover messages that this rank has not sent again yet. */
void msglog_covered(struct msglog *m, int peer, uint64_t keep, uint64_t covered);

/* What the log takes. */
uint64_t msglog_bytes(const struct msglog *m);

/* ---- checkpoints ---- */

/* The program has come to its restore point for the first time: what it did until now is its
 * prefix. No receive is posted and has no message. false: no memory. Without prefix
 * (images) this is never called. */
bool msglog_restore_point(struct msglog *m);

/* A checkpoint is taken now. Not while another is written, nor while outcomes of before are left
 * (outcomes_may_cover). An image of the process, taken before the next event, has all that is here.
 */
void msglog_take(struct msglog *m);

/* The same, and this rank's counters, log and prefix, for its checkpoint: *bytes malloc'ed. false:
 * no memory, and none is taken. */
bool msglog_save(struct msglog *m, uint8_t **bytes, size_t *len);

/* The checkpoint is durable; or (false) there is none. */
void msglog_saved(struct msglog *m, bool durable);

/* ---- this rank comes back ---- */

/* In the process that woke up from an image: the event logger has these outcomes after it, and no
 * peer is connected. false: no memory; nothing was done. */
bool msglog_woke(struct msglog *m, const struct outcome *v, size_t n);

/* From the checkpoint with these bytes; the event logger has these outcomes after it. All that was
 * is gone, and no peer is connected. false: no memory, or these are no such bytes; nothing was
 * done. */
bool msglog_load(
	struct msglog *m, const uint8_t *bytes, size_t len, const struct outcome *v, size_t n);

/* With data checkpoints, in a new process: up to the restore point the program runs its prefix
 * again; there msglog_load is called, and all peers are connected anew. */
bool msglog_load_prefix(struct msglog *m, const uint8_t *bytes, size_t len);

/* How many outcomes such bytes cover, how many receives had been posted, and whether there is a
 * prefix; they are valid. */
uint64_t msglog_saved_outcomes(const uint8_t *bytes, size_t len);
uint64_t msglog_saved_posted(const uint8_t *bytes, size_t len);
bool msglog_saved_has_prefix(const uint8_t *bytes, size_t len);

/* Without a checkpoint, from the beginning. */
bool msglog_load_outcomes(struct msglog *m, const struct outcome *v, size_t n);

/* Whether these are the bytes of rank `self` of a job of `size`. false when memory is short, too.
 */
bool msglog_valid(const uint8_t *bytes, size_t len, int self, int size);

#endif
