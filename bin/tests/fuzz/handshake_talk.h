/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversations of the handshake target. */
#ifndef FTMPI_TESTS_FUZZ_HANDSHAKE_TALK_H
#define FTMPI_TESTS_FUZZ_HANDSHAKE_TALK_H

#include "base/lock.h"
#include "handshake.h"
#include "transport/tp.h"

enum { TALKS = 6, LOG_BYTES = 512, STEPS = 60, PASSES = 5 };
enum { HELLO = sizeof(struct wire_hello), CHALLENGE = sizeof(struct wire_challenge) };
enum { PROOF = sizeof(struct wire_proof), VERDICT = sizeof(struct wire_verdict) };

struct log {
	size_t len;
	uint8_t bytes[LOG_BYTES];
};

struct talk {
	int fd;	   /* -1: not there */
	bool ours; /* the member connected to us, who are this rank */
	bool over;
	uint32_t rank;
	struct log said, heard;
};

struct scene {
	struct tp *tp;
	struct loop *loop;
	struct lock lock;
	int listeners[RANKS];
	struct net_address addresses[RANKS];
	struct talk talks[TALKS];
	bool proved[RANKS];
	unsigned messages[RANKS];
};

extern struct scene h;

/* Said in the same breath as the last word. */
static const struct wire_frame first_frame = {.kind = WIRE_EAGER, .epoch = EPOCH, .seq = 1};

/* handshake_judge.c: one of them has spoken; `before` was the state of all peers */
void handshake_judge(struct talk *t, const enum tp_peer_state *before);
enum tp_peer_state state_of(uint32_t rank);

#endif
