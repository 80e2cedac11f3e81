/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's side of its keeper, without sockets: bytes go in (keeper_client_room,
 * keeper_client_came) and come out (keeper_client_out, keeper_client_sent), and keeper_client_next
 * says what happened. Whoever drives it connects, and connects again when the connection breaks;
 * what is to be told again is decided here.
 *
 * The records are not kept here: all after `covered` are asked for by `read` whenever they are
 * told. Memory: the buffers of one connection.
 */
#ifndef FTMPI_KEEPER_CLIENT_H
#define FTMPI_KEEPER_CLIENT_H

#include "keeper/frames.h"
#include "keeper/keeper_handshake.h"

enum keeper_client_state {
	CLIENT_CLOSED,	  /* there is no connection */
	CLIENT_CHALLENGE, /* hello is said */
	CLIENT_STATE,	  /* proof is said */
	CLIENT_GIVEN,	  /* the records of before come */
	CLIENT_LIVE,
	CLIENT_REFUSED, /* for ever */
	CLIENT_STATES
};

enum { CLIENT_PIECE = 1024 }; /* records that are told in one frame */

struct keeper_client_job {
	struct keeper_job job;
	uint32_t rank, incarnation;
	uint64_t covered; /* by the checkpoint that the rank begins from */
	/* `count` records from `first` on, each KEEPER_RECORD_BYTES */
	void (*read)(void *ctx, uint64_t first, uint32_t count, uint8_t *records);
	void *ctx;
};

struct keeper_client {
	struct keeper_client_job c;
	enum keeper_client_state state;
	struct keeper_handshake handshake;
	bool begun;	       /* it has all records of before: it goes on from now on */
	uint64_t given;	       /* those up to here have come; */
	uint64_t end;	       /* and are to come */
	uint64_t covered;      /* a durable checkpoint has what they led to */
	uint64_t said_covered; /* and the keeper was told of it */
	uint64_t last;	       /* they exist */
	uint64_t told;	       /* the keeper has them, or they are on their way to it */
	uint64_t acknowledged; /* the keeper has them durably, or they are covered */
	uint64_t promised;     /* the most that the keeper ever had durably */
	uint64_t reported;     /* of `acknowledged` */
	bool feed;	       /* the keeper has to be told that it has lost some */
	bool lost;	       /* that was not reported yet */
	struct frames in;
	size_t out_at, out_len;
	uint8_t out[sizeof(struct keeper_frame) + CLIENT_PIECE * KEEPER_RECORD_BYTES];
};

/* job->covered: what the checkpoint covers; the keeper has the records after that. */
void keeper_client_init(struct keeper_client *c, const struct keeper_client_job *job);
void keeper_client_fini(struct keeper_client *c);

/* ---- the connection ---- */

/* A new one is there; the one before, if any, is gone. */
void keeper_client_connected(struct keeper_client *c);
void keeper_client_lost(struct keeper_client *c);

/* There is always room, when keeper_client_next has said that there is nothing. */
uint8_t *keeper_client_room(struct keeper_client *c, size_t *room);
void keeper_client_came(struct keeper_client *c, size_t n);

/* What is to be sent next; NULL: nothing, for now. */
const uint8_t *keeper_client_out(struct keeper_client *c, size_t *n);
void keeper_client_sent(struct keeper_client *c, size_t n);

/* ---- what happened ---- */

enum keeper_client_what {
	CLIENT_RECORDS,	     /* these follow those before */
	CLIENT_READY,	     /* those were all, up to `number`: the rank may tell more */
	CLIENT_ACKNOWLEDGED, /* records up to `number` are durable */
	CLIENT_LOST, /* the keeper has lost records: none after `number` are durable any more. They
			are told again. */
	CLIENT_IS_REFUSED, /* `reason` (keeper_refusal), for ever */
	CLIENT_BROKE,	   /* `error`: what was at the other end is no keeper of this job, or
			      speaks nonsense; the connection is to be closed */
};

struct keeper_client_event {
	enum keeper_client_what what;
	uint64_t number;
	uint32_t count; /* of records, from `number` on, until the next call */
	const uint8_t *records;
	unsigned reason;
	int error;
};

/* false: nothing more. Asked after keeper_client_came until there is nothing. */
bool keeper_client_next(struct keeper_client *c, struct keeper_client_event *e);

/* ---- what the rank does, when it is ready ---- */

/* Records up to `last` exist. */
void keeper_client_tell(struct keeper_client *c, uint64_t last);

/* A durable checkpoint covers those up to `number`, which exist; `read` is not asked for them any
 * more. */
void keeper_client_cover(struct keeper_client *c, uint64_t number);

#endif
