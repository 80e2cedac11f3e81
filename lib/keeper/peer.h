/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection to a rank that has proved itself, as the keeper has it, without sockets: bytes go in
 * (keeper_peer_room, keeper_peer_came) and come out (keeper_peer_out, keeper_peer_sent). What the
 * rank says goes to its log; what is to be said is asked for again after each commit.
 */
#ifndef FTMPI_KEEPER_PEER_H
#define FTMPI_KEEPER_PEER_H

#include "keeper/events.h"
#include "keeper/frames.h"

enum keeper_peer_state {
	PEER_OPENING, /* its incarnation is not durable yet, and STATE was not said */
	PEER_GIVING,  /* it gets the records that it asked for */
	PEER_LIVE,
	PEER_REFUSED, /* nothing of it is taken any more */
	PEER_STATES
};

struct keeper_peer {
	struct events *events;
	struct keeper_hello hello;
	enum keeper_peer_state state;
	uint64_t next, end;    /* GIVING: the next record, and the last one */
	uint64_t acknowledged; /* what it was told to be durable */
	struct keeper_frame refusal;
	bool refusal_said;
	struct frames in;
	size_t out_at, out_len;
	uint8_t out[sizeof(struct keeper_frame) + EVENTS_BLOCK * KEEPER_RECORD_BYTES];
};

/* `hello` was proved. Nothing is answered before what events_open changed is durable. */
void keeper_peer_open(
	struct keeper_peer *p, struct events *events, const struct keeper_hello *hello);

/* No room: nothing is to be read now. */
uint8_t *keeper_peer_room(struct keeper_peer *p, size_t *room);

/* 0; FT_ENOMEM: the connection has to be closed, and the rank tells all again. */
int keeper_peer_came(struct keeper_peer *p, size_t n);

/* What is to be sent next; NULL: nothing, until something comes or becomes durable. */
const uint8_t *keeper_peer_out(struct keeper_peer *p, size_t *n);
void keeper_peer_sent(struct keeper_peer *p, size_t n);

/* It is told why, as soon as it reads; no more is taken of it. */
void keeper_peer_refuse(struct keeper_peer *p, enum keeper_refusal why);

/* It was told why it is refused: the connection can be closed. */
bool keeper_peer_over(const struct keeper_peer *p);

#endif
