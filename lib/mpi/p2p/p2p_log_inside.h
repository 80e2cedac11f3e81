/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of message logging share with those of point-to-point. For p2p*.c alone. */
#ifndef FTMPI_MPI_P2P_LOG_INSIDE_H
#define FTMPI_MPI_P2P_LOG_INSIDE_H

#include "base/cursor.h"
#include "ckpt/section_logged.h"
#include "coord/msglog.h"
#include "p2p_inside.h"
#include "p2p_log.h"

/* ---- p2p_log_state.c ---- */

extern bool p2p_log_leaving __attribute__((visibility("hidden")));

/* While the prefix is run again: what comes behind it, which the event logger is asked about
 * meanwhile. */
struct p2p_log_behind {
	const uint8_t *state; /* the checkpoint; NULL: there is none, or it is taken */
	size_t len;
	uint64_t covered;  /* outcomes */
	struct outcome *v; /* that the event logger has after those */
	size_t n;
	bool untold;	/* it has lost them, */
	uint64_t acked; /* and has them again up to here */
};

extern struct p2p_log_behind p2p_log_behind __attribute__((visibility("hidden")));

_Noreturn void p2p_log_end(int errclass, const char *why, int peer);
_Noreturn void p2p_log_no_memory(int peer);

/* ---- p2p_log_say.c ---- */

/*
 * Control messages: u32 kind, then u64s. HELLO: has, limit, keep, covered (msglog.h), and the
 * highest number of what has begun to arrive. REPEATED: an answer to that, with that number, when
 * all up to it was sent, or asked about, again: until then a rank that computes looks at what
 * comes, as a peer that runs again waits for MET of what this one got before. MET: the number of a
 * synchronous message that has met its receive; all outcomes before that are durable. ASK: has this
 * one? A sender asks when the connection is another one than that on which the message came, as MET
 * may have been lost with that. VOUCH: number and checksum of a message that the receiver has, and
 * the call that made it, in letters (p2p_log_verify.c). COVER: keep, covered (msglog.h): a
 * checkpoint of the receiver is durable.
 */
enum log_control_kind {
	LOG_HELLO = 1,
	LOG_MET = 2,
	LOG_ASK = 3,
	LOG_VOUCH = 4,
	LOG_COVER = 5,
	LOG_REPEATED = 6
};
enum {
	LOG_HELLO_BYTES = 4 + 5 * 8,
	LOG_COVER_BYTES = 4 + 2 * 8,
	LOG_NUMBER_BYTES = 4 + 8,
	LOG_VOUCH_BYTES = 4 + 2 * 8, /* and the call */
	LOG_CALL_MOST = 40,
};

struct log_control {
	struct object head; /* OBJECT_CONTROL_RECEIVED or OBJECT_CONTROL_SENT */
	struct link link;   /* received: of its peer, while it is not whole */
	int peer;
	size_t len;
	uint8_t bytes[LOG_VOUCH_BYTES + LOG_CALL_MOST]; /* no other is longer */
};

int p2p_log_say_start(int size);
void p2p_log_say_fini(void);

bool p2p_log_has_said(int peer);
void p2p_log_say_hello(int peer);

/* To all that are connected no more: hello is to be said again. */
void p2p_log_say_forget(int size);

void p2p_log_say_cover(int peer, uint64_t keep, uint64_t covered);

/* MET, ASK or REPEATED. */
void p2p_log_say(int peer, enum log_control_kind kind, uint64_t number);

/* A control message of the caller's, which is copied. */
void p2p_log_say_as(int peer, const struct log_control *m);

/* The peer's hello: messages up to this one have begun to arrive there. */
void p2p_log_repeat(int peer, uint64_t begun);

/* A message has left, or was asked about: REPEATED is said if that is due. */
void p2p_log_say_repeated(int peer);

/* The peer's REPEATED. */
void p2p_log_was_repeated(int peer);

/* ---- p2p_log_limit.c ---- */

/* Before a message of so many bytes is logged: may wait until there is room. Then: the log takes so
 * many more. */
void p2p_log_limit_await(size_t len);
void p2p_log_limit_grown(uint64_t bytes);

/* Messages have left the log. */
void p2p_log_limit_shrunk(void);

/* ---- p2p_log_verify.c ---- */

/* 0 or FT_ENOMEM. Without it the others do nothing. */
int p2p_log_verify_start(int size);
void p2p_log_verify_fini(void);

/* For a message that leaves now, behind it, or that the peer has. */
void p2p_log_vouch(int peer, uint64_t number, const struct logged_message *l);

/* For all that the peer has. */
void p2p_log_vouch_again(int peer, uint64_t has);

/* A peer's word, behind its kind; len: of all of it. false: it makes no sense. Ends the process if
 * it is another one than before. */
bool p2p_log_take_vouch(struct cursor *c, size_t len, int peer);

/* ---- p2p_log.c ---- */

void p2p_log_begin(const struct p2p_log_keeper *keeper);
void p2p_log_drop(void);

/* In an envelope's source, and as the stamp of a message that is here: the sender waits until it
 * has met its receive. As a stamp: it had, when a checkpoint of data was taken, and the program is
 * to receive it again. */
enum { P2P_LOG_SYNC = 1 << 30, P2P_LOG_MET = 1 << 29 };

static inline bool p2p_logs(void)
{
	return p2p_log_is_used();
}

/* Do what is to be done by now. */
void p2p_log_drive(void);

/* More outcomes are durable: what waited for that is said and sent. */
void p2p_log_are_safe(void);

/* A message leaves the program, to another rank: into the log. sync: the request that is done when
 * it has met its receive; NULL. MPI_SUCCESS, or MPI_ERR_NO_MEM with fail_with said. */
int p2p_log_send(const struct p2p_message *m, int peer, struct request *sync);

/* What the transport says of one that was given to it. */
void p2p_log_sent(struct object *head);

/* A synchronous message has met its receive. */
void p2p_log_owe(int peer, uint64_t number);

/* The peer will ask. */
void p2p_log_owe_no_more(int peer);

/* ---- p2p_log_self.c ---- */

/* Begin one of the program's to this rank itself. MPI_SUCCESS, or MPI_ERR_NO_MEM with fail_with
 * said. */
int p2p_log_send_to_self(struct request *r);

/* It is cancelled, unless it has met its receive. */
void p2p_log_take_back(struct request *r);

/* ---- p2p_log_sync.c ---- */

/* 0 or FT_ENOMEM. */
int p2p_log_sync_start(int size);
void p2p_log_sync_fini(void);

/* Its message has this number, and it waits until the receiver says MET. */
void p2p_log_sync_begin(struct request *r, int peer, uint64_t number);
void p2p_log_sync_met(int peer, uint64_t number);

/* Those that wait for MET of this peer (numbered.h). */
struct match_list *p2p_log_syncs(int peer);

/* Has the program not seen it end, and may it ask? It ends, whatever its receiver says. */
bool p2p_log_sync_is_open(const struct request *r);
void p2p_log_sync_end(struct request *r);

/* Outcomes of before have ended some. */
void p2p_log_end_as_before(void);

/* ---- p2p_log_peer.c ---- */

/* The connection is gone. */
void p2p_log_lost(int peer);

/* ---- p2p_log_data.c ---- */

void p2p_log_data_fini(void);

/* Was this receive posted in the prefix? */
bool p2p_log_is_of_prefix(const struct request *r);

/* ---- p2p_log_told.c ---- */

void p2p_log_told_fini(void);

/* ---- p2p_log_posts.c ---- */

/* These are to be posted again (malloc'ed; given away). */
void p2p_log_posts_again(struct section_logged_receive *v, size_t n);

/* How many of these were not yet; the i-th. */
size_t p2p_log_posts_left(void);
const struct section_logged_receive *p2p_log_post_left(size_t i);

/* The program posts a receive, whose r->match is filled in: it has its number now. The number of
 * the message of *from that it had got; 0: it had none. */
uint64_t p2p_log_number_post(struct request *r, int *from);

/* Such a receive, and the message that it has. */
struct section_logged_receive p2p_log_post_of(const struct request *r);
void p2p_log_posts_fini(void);

/* ---- p2p_log_recv.c ---- */

int p2p_log_recv_start(int size);
void p2p_log_recv_fini(void);

/* The upcalls of the transport, for messages that are logged. */
struct tp_place p2p_log_match(int peer, const struct envelope *e, uint64_t length);
void p2p_log_keep(struct match_msg *msg);
void p2p_log_forget(struct tp_unexpected *held);

/* The receive that waits for this very message, if there is one: not any more. */
struct request *p2p_log_take_bound(const struct match_msg *msg);

/* The message of a receive did not become whole, and comes again. */
void p2p_log_unmatch(struct request *r);

/* Has this message met its receive? */
bool p2p_log_has_met(int peer, uint64_t number);

/* A receive is posted. true: it waits for a certain message, or *msg is that, out of the lists. */
bool p2p_log_post(struct request *r, struct match_msg **msg);
void p2p_log_withdraw(struct request *r);

/* A receive has met its message, whose r->stamp says whether its sender waits for that. */
void p2p_log_met(struct request *r);

/* All of it is here, or (rc) it comes again. false: that. */
bool p2p_log_received(struct request *r, int rc);

/* Its message is to come again: m stands for it. */
void p2p_log_give(struct request *r, struct stored *m);

/* What has come as a whole counts as arrived. */
void p2p_log_settle(int peer);

/* In a process that woke up: receives of which outcomes of before tell the message wait for that.
 */
void p2p_log_bind_again(void);

#endif
