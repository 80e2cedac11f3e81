/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outcomes of one rank under message logging (M2, M3, M8): what the rank saw and its own history
 * does not determine. They are numbered from 1. While the rank runs again, those that the event
 * logger has are followed, one after the other; then it is live, and each new one is added.
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

enum outcome_kind {
	OUTCOME_NO = 1,	 /* `peer` probes, tests or cancellations in a row, which said no (M3) */
	OUTCOME_YES,	 /* a test or a cancellation said yes */
	OUTCOME_FOUND,	 /* a probe found message `value` of peer */
	OUTCOME_MESSAGE, /* a receive from any source got message `value` of peer */
	OUTCOME_INDEX,	 /* a wait-any named request `value` */
	OUTCOME_COUNT, /* a wait-some or test-some named `value` requests; an index for each follows
			*/
	OUTCOME_KINDS
};

struct outcome {
	enum outcome_kind kind;
	uint32_t peer; /* or how many in a row */
	uint64_t value;
};

enum { OUTCOME_BYTES = 13 };

struct outcomes {
	struct outcome *v; /* v[0] is number covered + 1 */
	size_t n, room;
	uint64_t covered;  /* a durable checkpoint of this rank holds what they led to */
	uint64_t happened; /* up to this one they are part of the rank's history */
	uint64_t told;	   /* up to this one they were given to the event logger */
	uint64_t safe;	   /* it has acknowledged them, or they are covered */
	uint32_t noes;	   /* in a row: live, not numbered yet; in a replay, of the next one */
};

void outcomes_free(struct outcomes *o);

/* ---- the program's choices ---- */

/* What has to happen next; NULL: the rank is live, and what happens is added. */
const struct outcome *outcomes_expected(const struct outcomes *o);

/* What was expected has happened; of OUTCOME_NO: once more. */
void outcomes_follow(struct outcomes *o);

/* Live. OUTCOME_NO: one; those in a row become one outcome when something else happens. false: no
 * memory, and nothing was added. */
bool outcomes_add(struct outcomes *o, const struct outcome *what);

/* A message is sent, or a checkpoint taken: what was said no before has a number now. */
void outcomes_close(struct outcomes *o);

/* ---- the event logger ---- */

/* How many outcomes from number *first on it has not been told yet; they are told now. */
size_t outcomes_tell(struct outcomes *o, uint64_t *first, const struct outcome **v);

/* It has all up to this number durably. false: it never was told that many. */
bool outcomes_acknowledged(struct outcomes *o, uint64_t number);

/* It was started again and knows nothing. */
void outcomes_untold(struct outcomes *o);

/* ---- checkpoints ---- */

/* A checkpoint that was taken when so many had happened is durable. */
void outcomes_cover(struct outcomes *o, uint64_t happened);

/* In place of all: the checkpoint that is restored covers so many, and so many noes of the next one
 * (its `noes`, after outcomes_close); the event logger has these n after it. false: no memory, or
 * the next one is no such run of noes. */
bool outcomes_begin(
	struct outcomes *o, uint64_t covered, uint32_t noes, const struct outcome *v, size_t n);

/* ---- bytes: u8 kind, u32 peer, u64 value ---- */

void outcomes_encode(const struct outcome *v, size_t n, uint8_t *bytes);

/* Into v[len / OUTCOME_BYTES], for a job of `size` ranks. false: these are no outcomes. */
bool outcomes_decode(struct outcome *v, const uint8_t *bytes, size_t len, int size);

#endif
