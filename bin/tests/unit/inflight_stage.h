/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage of inflight.c: the test is the protocol (coord_fate), the transport (pull) and the
 * program, which receives.
 */
#ifndef FTMPI_TESTS_INFLIGHT_STAGE_H
#define FTMPI_TESTS_INFLIGHT_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/p2p/inflight.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/request.h"
#include "mpi/p2p/stored.h"

enum { STAGE_PEERS = 2, STAGE_LINES = 3, STAGE_MESSAGES = 16 };

/* What the protocol says, by line and index of the message. */
extern enum coord_fate fates[STAGE_LINES][STAGE_MESSAGES];

/* The lines, and how often each was ready. */
extern struct inflight_line line[STAGE_LINES];
extern int readies[STAGE_LINES];

/* By index: what waits for a receive, and what was taken over of that. */
extern struct match_msg waiting[STAGE_MESSAGES];
extern struct stored *pulled[STAGE_MESSAGES];

/* The receives of stage_matched. */
extern struct request receives[STAGE_MESSAGES];

extern int pulls, copies; /* how many */
extern bool no_memory;	  /* for either */
extern uint64_t sequence;
extern uint64_t state;	/* bytes of the next line */
extern uint64_t length; /* what a copy says it has; 0: the truth */

/* By index: what a synchronous one is called at its sender. */
extern uint64_t syncs[STAGE_MESSAGES];

void stage_setup(void);

/* A line, from its capture on. */
void stage_begin(uint32_t number);
void stage_end(uint32_t number);

/* A message that nobody receives yet; a receive of one that arrived with this sequence number. */
struct match_msg *stage_comes(uint64_t index);
struct request *stage_matched(uint64_t index, uint64_t arrived, bool done);

/* The payload of a message that was pulled is here. */
void stage_fill(uint64_t index);

/* What a line holds: the tags of its messages, "" for none. */
const char *stage_holds(uint32_t number);

#endif
