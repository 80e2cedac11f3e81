/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes over a connection between a rank and its keeper; doc/wire.md tells it in words. All
 * integers are little-endian. First the handshake, then frames: a header, and for TELL and RECORDS
 * `count` records. A record is an outcome of the rank (lib/coord/outcomes.h), which the keeper does
 * not look into. Those of a rank have numbers, from 1 on.
 */
#ifndef FTMPI_KEEPER_KEEPER_WIRE_H
#define FTMPI_KEEPER_KEEPER_WIRE_H

#include <assert.h>
#include <stdint.h>

#include "base/session.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire structs are laid out for little-endian machines"
#endif

enum {
	KEEPER_MAGIC = 0x504b4d46, /* "FMKP" */
	KEEPER_VERSION = 1,
	KEEPER_RECORD_BYTES = 16,
	/* So many records of a rank may be told and not acknowledged; also the most in a frame. So
	 * the keeper always reads its connections: a FORGET never stands behind records for which
	 * there is no room before it. */
	KEEPER_WINDOW = 4096,
	KEEPER_RANKS_MAX = 65536,
};

/* The largest number of a record that is believed. */
#define KEEPER_NUMBER_MAX ((uint64_t)1 << 60)

/* What a rank wants of the connection. */
enum keeper_wants {
	KEEPER_BEGIN = 1, /* this incarnation was not answered in full: the records after `after` */
	KEEPER_GO_ON = 2, /* it was: a connection broke, or the keeper was started again */
};

/* rank -> keeper */
struct keeper_hello {
	uint32_t magic;
	uint16_t version;
	uint16_t wants;
	uint8_t session[SESSION_BYTES];
	uint32_t rank;
	uint32_t incarnation; /* from 1 on */
	uint64_t after;	      /* BEGIN: its checkpoint covers the records up to this one */
	uint8_t nonce[24];
};
static_assert(sizeof(struct keeper_hello) == 64, "no padding");

/* keeper -> rank: mac over "accept" and everything said so far */
struct keeper_challenge {
	uint32_t magic;
	uint8_t nonce[24];
	uint8_t mac[32];
};
static_assert(sizeof(struct keeper_challenge) == 60, "no padding");

/* rank -> keeper: mac over "connect" and everything said so far. Frames follow. */
struct keeper_proof {
	uint8_t mac[32];
};
static_assert(sizeof(struct keeper_proof) == 32, "no padding");

enum keeper_kind {
	KEEPER_TELL = 1,    /* rank: `count` records from `number` on */
	KEEPER_FORGET = 2,  /* rank: a checkpoint covers the records up to `number` */
	KEEPER_FEED = 3,    /* rank, when the keeper has lost records: a checkpoint covers those up
			       to `number`, and what the keeper has acknowledged is there again when
			       those up to `other` are */
	KEEPER_STATE = 4,   /* keeper, first on a connection: records up to `number` are forgotten,
			       those up to `other` are durable */
	KEEPER_RECORDS = 5, /* keeper, to BEGIN: `count` records from `number` on */
	KEEPER_ACK = 6,	    /* keeper: the records up to `number` are durable */
	KEEPER_REFUSED = 7, /* keeper: `flags` is a keeper_refusal; `number` and `other` say more.
			       The last frame. */
	KEEPER_KIND_END
};

/* In `flags` of STATE. */
enum { KEEPER_STATE_LOST = 1 }; /* records that were acknowledged are not here: FEED is wanted */

struct keeper_frame {
	uint8_t kind, flags;
	uint8_t zero[2];
	uint32_t count; /* TELL, RECORDS: 1 to KEEPER_WINDOW; else 0 */
	uint64_t number, other;
};
static_assert(sizeof(struct keeper_frame) == 24, "no padding");

/* Why a keeper has nothing more to do with a connection: name, code, and for people. */
#define KEEPER_REFUSALS(X)                                                                         \
	X(FENCED, 1, "a newer incarnation of this rank has been answered")                         \
	X(GONE, 2, "outcomes that it needs are forgotten: its checkpoint is not its latest one")   \
	X(LOST, 3, "its log was lost while it was away")                                           \
	X(GAP, 4, "it left out outcomes")                                                          \
	X(DIFFERENT, 5, "it told an outcome once more, and another one")                           \
	X(BEYOND, 6, "it forgot outcomes that it never told")                                      \
	X(TOO_MANY, 7, "it told more than may wait for an acknowledgement")                        \
	X(UNFED, 8, "its log was lost, and it did not say where it begins again")                  \
	X(FRAME, 9, "it sent a frame that makes no sense")

enum keeper_refusal {
	KEEPER_TAKEN = 0, /* it is not refused */
#define X(name, code, text) KEEPER_##name = code,
	KEEPER_REFUSALS(X)
#undef X
};

/* Why a rank was refused, as a part of a sentence. */
static inline const char *keeper_refusal_text(unsigned why)
{
	switch (why) {
#define X(name, code, text)                                                                        \
	case code:                                                                                 \
		return text;
		KEEPER_REFUSALS(X)
#undef X
	}
	return "for a reason that is not known";
}

#endif
