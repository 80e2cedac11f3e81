/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message logging in point-to-point communication (doc/msglog.md): each message of the program, and
 * of its collective operations, is kept in its sender's log and has a number of its pair; what the
 * program sees and its history does not determine is an outcome. lib/coord/msglog.h decides; here
 * messages are given to the transport, and met by receives, as that says. All need the engine lock.
 *
 * An envelope's stamp is the low half of the message's number. A message to this rank itself is in
 * no log, and has a number, too, as a receive from any source may get it.
 */
#ifndef FTMPI_MPI_P2P_LOG_H
#define FTMPI_MPI_P2P_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/outcomes.h"
#include "p2p_state.h"

struct match_msg;
struct p2p_message;
struct request;

struct msglog;

/* NULL: messages are not logged. */
extern struct msglog *p2p_msglog __attribute__((visibility("hidden")));

static inline bool p2p_log_is_used(void)
{
	return __builtin_expect(p2p_msglog != NULL, false);
}

/* The event logger. It is to have the outcomes up to this number, which exist; and it may forget
 * those up to this one. */
struct p2p_log_keeper {
	void (*tell)(uint64_t last);
	void (*forget)(uint64_t number);
};

/* How large the log may become (-log-limit); bytes 0: there is no limit. */
struct p2p_log_limit {
	uint64_t bytes;
	unsigned patience_ms; /* a send that finds it full waits for a checkpoint so long, at most;
				 0: it does not wait */
	/* The log takes so much, and most of it, that much, are messages to this peer. */
	void (*tell)(uint64_t bytes, int peer, uint64_t of_peer);
};

void p2p_log_limit_start(const struct p2p_log_limit *limit);

/* From now on messages are logged, before any is sent. v: what the event logger (keeper: stays) has
 * of this rank's outcomes. verify: whether what is sent again is the same (-verify-replay). 0 or
 * FT_ENOMEM. */
int p2p_log_start(int self, int size, const struct p2p_log_keeper *keeper, const struct outcome *v,
	size_t n, bool verify);
void p2p_log_fini(void);

/* All ranks have come to the end: what a peer lacks, or says, means nothing any more. */
void p2p_log_leave(void);

/* Say to every rank what this one, which came back, has of it: the others send what it lacks. */
void p2p_log_say_all(void);

/* The event logger has outcomes durably up to this number; it has lost what it had. */
void p2p_log_acknowledged(uint64_t number);
void p2p_log_untold(void);

/* Outcomes `first` to first + count - 1, as bytes; zeros for those that a checkpoint covers. */
void p2p_log_encode(uint64_t first, uint32_t count, uint8_t *bytes);

/* ---- checkpoints of this rank (doc/msglog.md, M5) ---- */

/* An image of the process is taken now, before the lock is let go. false: it cannot be, as outcomes
 * of before are left, or another one is written. */
bool p2p_log_take(void);

/* May one be taken, as far as outcomes of before go? */
bool p2p_log_may_cover(void);

/* Is one taken, and not known to be durable or not? */
bool p2p_log_is_taken(void);

/* That one is durable; or (false) there is none. */
void p2p_log_saved(bool durable);

/* How many outcomes it covers: in the image, too. */
uint64_t p2p_log_taken(void);

/* Those of data. In a new process, before any message is sent: it runs its prefix again, up to the
 * restore point of the checkpoint with these bytes (p2p_log_save; they stay); v: what the event
 * logger has after it. false: no memory, or these are no such bytes. */
bool p2p_log_begin_prefix(const uint8_t *state, size_t len, const struct outcome *v, size_t n);

/* The program has come to its restore point for the first time. NULL; or why there can be no
 * checkpoints. */
const char *p2p_log_restore_point(void);

/* Is there a receive of the program without a message, also one of before that waits for its own?
 */
bool p2p_log_has_posted(void);

/* ... one that was posted behind the restore point, is cancelled, and not completed by the program?
 */
bool p2p_log_has_cancelled(void);

/* Synchronous sends that are open are over, for this program and for the one that goes on from the
 * checkpoint, which does not have them; before p2p_log_capture. */
void p2p_log_end_sends(void);

/* Wait until no receive has a message whose contents are on their way. */
void p2p_log_await_contents(void);

/* A checkpoint is taken, in the order of these, before the lock is let go: what was not received
 * yet (CKPT_LOGGED), and the rest (CKPT_MSGLOG); *out is malloc'ed. No memory: false, and none is
 * taken. Under p2p_log_take's conditions, and after p2p_log_await_contents. */
bool p2p_log_capture(uint8_t **out, size_t *len);
bool p2p_log_save(uint8_t **out, size_t *len);

/* At the restore point, in this order: messages of the prefix, and what else was logged, are gone
 * for what the checkpoint has; what it had not received (a section that is valid) is there again,
 * false: no memory; and all pairs begin anew. */
void p2p_log_go_back(void);
bool p2p_log_inject(const uint8_t *bytes, size_t len);
void p2p_log_begin_pairs_anew(void);

/* In a process that woke up from it, behind tp_begin_anew: no peer is connected, and the event
 * logger has these outcomes after it. 0 or FT_ENOMEM. */
int p2p_log_woke(const struct outcome *v, size_t n);

/* The least limit of eager messages: what ranks say to each other of the log is not announced for
 * its length, so no shorter one overtakes a hello, which is the first on its connection. */
enum { P2P_LOG_EAGER_LEAST = 64 };

/* The hellos and covers of two ranks. */
extern const struct p2p_channel p2p_log_channel;

/* The number of a message that a nonblocking collective operation will send to this rank of the
 * world. Waits while there are MSGLOG_RESERVED_MOST. 0, with fail_with said: no memory. */
uint64_t p2p_log_reserve(int peer);

/* It was not sent yet. */
bool p2p_log_is_reserved(int peer, uint64_t number);

/* Is it a synchronous send to another rank? It is in the log, and cannot be taken back. */
bool p2p_log_keeps(const struct request *r);

/* Is what a test says of it determined? A send to another rank is done as it begins, and what the
 * program knows to be done stays so. */
bool p2p_log_is_determined(const struct request *r);

/* ---- choices ---- */

/* The outcome of before that has to happen next; NULL: none, what happens is noted. p2p_log_strange
 * where the program did not come here before without a receive that it has not posted. */
const struct outcome *p2p_log_expected(void);

/* It has happened. */
void p2p_log_followed(void);

/* No outcome was expected, and this has happened. */
void p2p_log_happened(const struct outcome *what);

/* All of before have happened again. For engine_wait. */
bool p2p_log_is_live(void *arg, int *expect);

/* The program asks for something else than before: this process ends with a sentence. */
_Noreturn void p2p_log_strange(void);

/* The program waits for this request: p2p_log_strange if it can only wait in vain. */
void p2p_log_awaits(const struct request *r);

/* It has come to where all choices of before were made: p2p_log_strange if they are not. */
void p2p_log_is_through(void);

/* The message with this number of this peer, if it waits for a receive. */
struct match_msg *p2p_log_find(int peer, uint64_t number);

/* It has come, and waits no more. */
bool p2p_log_is_gone(int peer, uint64_t number);

/* ---- what it was told (p2p_log_told.c) ---- */

/* Of a probe. */
struct p2p_log_question {
	uint64_t context;
	int source, tag;
};

/* By an outcome: this request is done; a probe has found this message. */
void p2p_log_told_done(struct request *r);
void p2p_log_told_found(const struct p2p_log_question *q, int peer, uint64_t number);

/* What the latest probe has found, if it was this one, and the message still waits; else NULL. */
struct match_msg *p2p_log_found_last(const struct p2p_log_question *q);

/* The program is at its restore point: from now on each answer is an outcome. */
void p2p_log_told_no_more(void);

#endif
