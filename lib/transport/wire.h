/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes over a connection between two ranks; doc/wire.md tells it in words. All integers are
 * little-endian. First the handshake (four fixed-size messages), then frames: a header, and for
 * EAGER and DATA `length` bytes.
 */
#ifndef FTMPI_TRANSPORT_WIRE_H
#define FTMPI_TRANSPORT_WIRE_H

#include <assert.h>
#include <stdint.h>

#include "base/session.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire structs are laid out for little-endian machines"
#endif

enum {
	WIRE_MAGIC = 0x49504d46, /* "FMPI" */
	WIRE_VERSION = 7,
	WIRE_ENVELOPE_BYTES = 20,
	WIRE_SESSION_BYTES = SESSION_BYTES,
};

enum wire_kind {
	WIRE_EAGER = 1,	 /* a whole message: envelope, seq, length, then the payload */
	WIRE_RTS = 2,	 /* a message that waits at its sender: envelope, seq, length, id; peer_id:
			    where it lies in the sender's memory, for one that can read there, or 0 */
	WIRE_CTS = 3,	 /* send it: id is the sender's, peer_id the receiver's; length: 1: of SYNC,
			    before a receive has matched it */
	WIRE_DATA = 4,	 /* the payload that was asked for: peer_id is the receiver's, length */
	WIRE_CREDIT = 5, /* nothing but the credit that every header carries */
	WIRE_BYE = 6,	 /* no message will begin after this */
	WIRE_WITHDRAW =
		7, /* an RTS is taken back, if nobody has asked for it yet: id is the sender's */
	WIRE_WITHDRAWN = 8, /* it is gone: id is the sender's */
	WIRE_OFFER = 9,	  /* memory to be shared (memory.h): id is the sender's process, peer_id the
			     descriptors of its rings (upper half) and of its mailbox, length the
			     receiver's slot there, envelope the name of the files, seq where that
			     name lies in the sender's memory */
	WIRE_TAKEN = 10,  /* it is: the same of the other side, without rings */
	WIRE_MEMORY = 11, /* what follows in this direction lies in the memory */
	WIRE_DECLINED = 12, /* nothing will be shared */
	WIRE_PULLED = 13,   /* an announced payload was read where it lies: id and length as CTS */
	WIRE_SYNC = 14,	    /* an RTS whose sender waits until a receive has matched it */
	WIRE_MATCHED =
		15,	/* that has happened after the payload was asked for: id is the sender's */
	WIRE_OPEN = 16, /* this SYNC from before the pair began anew is not answered: id is the
			   sender's */
	WIRE_RESUME = 17, /* the first on a connection that is mended when it breaks, and no part of
			     the stream: length bytes of that have come, in seq connections of the
			     pair */
	WIRE_KIND_END
};

struct wire_frame {
	uint8_t kind;
	uint8_t zero[3];
	uint32_t epoch;
	uint64_t seq;	 /* EAGER, RTS, SYNC: number of the message in this direction of the pair,
			    from 1 */
	uint64_t length; /* EAGER, RTS, SYNC, DATA: bytes of the message */
	uint64_t id;	 /* EAGER, DATA, CREDIT where connections are mended: so many bytes of the
			    stream in the other direction have come */
	uint64_t peer_id;
	uint32_t credit; /* eager bytes (with header) that the sender of this frame has consumed */
	uint8_t envelope[WIRE_ENVELOPE_BYTES]; /* the user's, not looked into */
};
static_assert(sizeof(struct wire_frame) == 64, "one cache line");

/* Largest EAGER payload that is believed. */
enum { WIRE_EAGER_MAX = 1 << 20 };

/* connecting side -> accepting side */
struct wire_hello {
	uint32_t magic;
	uint16_t version;
	uint16_t times; /* connections of this pair that the connecting side has had */
	uint8_t session[WIRE_SESSION_BYTES];
	uint32_t epoch, from, to;
	uint32_t from_incarnation, to_incarnation; /* which process of each it is, or is
						      taken for */
	uint8_t nonce[24];
};
static_assert(sizeof(struct wire_hello) == 68, "no padding");

/* accepting side -> connecting side: mac over "accept" and everything said so far */
struct wire_challenge {
	uint32_t magic;
	uint8_t nonce[24];
	uint8_t mac[32];
};
static_assert(sizeof(struct wire_challenge) == 60, "no padding");

/* connecting side -> accepting side: mac over "connect" and everything said so far */
struct wire_proof {
	uint8_t mac[32];
};
static_assert(sizeof(struct wire_proof) == 32, "no padding");

enum wire_verdict_code {
	WIRE_WELCOME = 1, /* frames follow */
	WIRE_BUSY = 2,	  /* our own connection to you is on its way: wait for it */
	WIRE_ANEW = 3, /* the pair has begun anew here: your stream does not go on (come_back.c) */
};

/* accepting side -> connecting side */
struct wire_verdict {
	uint32_t magic, code;
};
static_assert(sizeof(struct wire_verdict) == 8, "no padding");

#endif
