/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outcomes of one rank under message logging (M2, M3, M8): what the rank saw and its own history
 * does not determine. They are numbered from 1. While the rank runs again, those that the event
 * logger has happen again; then it is live, and each new one is added.
 *
 * Choices (probes, tests, wait-any) happen at certain places of the program: those of before are
 * followed, one after the other. What a receive from any source gets is an outcome, too, at no
 * certain place, as messages are matched when they come: each receive that is posted has a number,
 * and an outcome names it. So have receives that are cancelled; that is a choice as well. That a
 * checkpoint ended a send happens between two choices; a rank that runs again from before that
 * checkpoint ends the send when it has made the first of them.
 *
 * Outcomes are durable in one of two ways: a checkpoint of the rank covers them, or the event
 * logger has acknowledged them. Those that no checkpoint covers are kept here, too, so that an
 * event logger that was started again can be told all of them. Pure.
 */
#ifndef FTMPI_COORD_OUTCOMES_H
#define FTMPI_COORD_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/expected_receives.h"

enum outcome_kind {
	OUTCOME_NO = 1, /* `value` probes or tests in a row, which said no (M3) */
	OUTCOME_YES,	/* a test said yes */
	OUTCOME_FOUND,	/* a probe found message `value` of peer */
	OUTCOME_INDEX,	/* a wait-any named request `value` */
	OUTCOME_COUNT, /* a wait-some or test-some named `value` requests; an index for each follows
			*/
	OUTCOME_CANCELLED, /* `receive` was cancelled, and got nothing */
	OUTCOME_MATCH,	   /* `receive`, from any source, got message `value` of peer: no choice */
	OUTCOME_TOO_LATE,  /* `receive` was not cancelled, as it had its message */
	OUTCOME_SEND_OVER, /* a checkpoint ended the synchronous send of message `value` to peer,
			    * whether it had met its receive or not: no choice */
	OUTCOME_KINDS
};

/* What is 0 has no meaning for its kind. */
struct outcome {
	enum outcome_kind kind;
	uint32_t peer;	  /* up to OUTCOME_PEER_MOST */
	uint64_t value;	  /* these up to OUTCOME_NUMBER_MOST */
	uint64_t receive; /* its number */
};

enum { OUTCOME_BYTES = 16, OUTCOME_PEER_MOST = (1 << 24) - 1 };
#define OUTCOME_NUMBER_MOST ((UINT64_C(1) << 48) - 1)

struct ended_send {
	uint32_t peer;
	uint64_t message;
};

struct outcomes {
	struct outcome *v; /* v[0] is number covered + 1 */
	size_t n, room;
	size_t next;	  /* v[next] is the next choice of before; n: there is none */
	uint64_t covered; /* a durable checkpoint of this rank holds what they led to */
	uint64_t told;	  /* up to this one they were given to the event logger */
	uint64_t safe;	  /* it has acknowledged them, or they are covered */
	uint64_t noes;	  /* in a row: live, not numbered yet; in a replay, of v[next] */
	uint64_t posted;  /* receives have numbers up to this one */
	uint64_t matched; /* the highest of a receive that was matched before v[next] */
	struct expected_receives expected;
	/* of before: sends that are over by now, and that outcomes_send_over was not asked for */
	struct ended_send *ended;
	size_t nended;
};

void outcomes_free(struct outcomes *o);

/* How many there are: the rank's state may depend on each of them. */
uint64_t outcomes_last(const struct outcomes *o);

/* To v, of outcomes_last: those that no checkpoint covers and that are part of the rank's history;
 * these are all, unless it runs again: then of a run of noes as many as it has been told again. How
 * many. */
size_t outcomes_copy_happened(const struct outcomes *o, struct outcome *v);

/* All of before have happened again. A cancellation that was not expected waits for that: until
 * then messages are to come that receives had. */
bool outcomes_is_live(const struct outcomes *o);

/* May a checkpoint cover them? All of before have happened again, and no send that another
 * checkpoint ended is still to begin: what covers that outcome would not have it. */
bool outcomes_may_cover(const struct outcomes *o);

/* ---- the program's choices ---- */

/* The choice that has to be made next; NULL: what happens is added. */
const struct outcome *outcomes_expected(const struct outcomes *o);

/* A rank that runs again sends a message, or reserves its number: was it in the midst of noes? Then
 * its program asks for less than before, as a message closes a run of noes. */
bool outcomes_is_within_noes(const struct outcomes *o);

/* Has a receive that was not posted again got its message before what is expected next? Then the
 * program asks for less than before: a choice comes behind all receives that were matched before
 * it. */
bool outcomes_lacks_receive(const struct outcomes *o);

/* What was expected has happened; of OUTCOME_NO: once more. */
void outcomes_follow(struct outcomes *o);

/* No choice was expected. OUTCOME_NO: one; those in a row become one outcome when something else
 * happens. false: no memory, or a number is above its bound; nothing was added. */
bool outcomes_add(struct outcomes *o, const struct outcome *what);

/* A message is sent, or a checkpoint taken: what was said no before has a number now. */
void outcomes_close(struct outcomes *o);

/* Has OUTCOME_SEND_OVER of this send happened again? True once. Asked when the send begins, and,
 * where outcomes_follow has left some (nended), of those that are open. */
bool outcomes_send_over(struct outcomes *o, uint32_t peer, uint64_t message);

/* ---- receives ---- */

/* The program posts one, from any source or not: its number. */
uint64_t outcomes_post(struct outcomes *o);

/* One from any source gets this message, as it was told to, or as nothing was known of it. false:
 * no memory, a number above its bound, or it was told otherwise; nothing was done. */
bool outcomes_match(struct outcomes *o, uint64_t receive, uint32_t peer, uint64_t message);

/* ---- the event logger ---- */

/* How many outcomes from number *first on it has not been told yet; they are told now. */
size_t outcomes_tell(struct outcomes *o, uint64_t *first, const struct outcome **v);

/* It has all up to this number durably. false: it never was told that many. */
bool outcomes_acknowledged(struct outcomes *o, uint64_t number);

/* It was started again and knows nothing. */
void outcomes_untold(struct outcomes *o);

/* ---- checkpoints ---- */

/* A checkpoint that was taken when these were all, and had happened, is durable. */
void outcomes_cover(struct outcomes *o, uint64_t last);

/* In place of all: the checkpoint that is restored covers so many, and so many receives had been
 * posted; the event logger has these n after it. false: no memory, or two of them are of one
 * receive. */
bool outcomes_begin(
	struct outcomes *o, uint64_t covered, uint64_t posted, const struct outcome *v, size_t n);

/* ---- bytes: u8 kind, u24 peer, u48 value, u48 receive ---- */

void outcomes_encode(const struct outcome *v, size_t n, uint8_t *bytes);

/* Into v[len / OUTCOME_BYTES], for a job of `size` ranks. false: these are no outcomes. */
bool outcomes_decode(struct outcome *v, const uint8_t *bytes, size_t len, int size);

#endif
