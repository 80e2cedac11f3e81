/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes over a connection for heartbeats, little-endian; doc/heartbeat.md has the tables. The
 * side that accepts says a nonce, once; the other side beats. Every beat proves itself: its mac is
 * keyed with the job's secret and covers the session, the nonce and the beat, so one that was
 * recorded is of no use on another connection, and on its own its number has been there.
 */
#ifndef FTMPI_HEARTBEAT_RECORD_H
#define FTMPI_HEARTBEAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auth.h"
#include "base/session.h"

enum {
	RECORD_MAGIC = 0x42484d46, /* "FMHB" */
	RECORD_VERSION = 1,
	RECORD_LEAVING = 1, /* flag: the last beat, MPI_Finalize is over */
	RECORD_SESSION_BYTES = SESSION_BYTES,
	RECORD_CHALLENGE_BYTES = 4 + AUTH_NONCE_BYTES,
	RECORD_MAC_BYTES = 16,
	RECORD_BYTES = 48,
};

struct record {
	uint32_t epoch, from, to;
	uint64_t seq; /* of this connection, from 1, growing */
	uint32_t progress;
	bool leaving;
};

struct record_key {
	uint8_t secret[AUTH_KEY_BYTES];
	uint8_t session[RECORD_SESSION_BYTES];
};

void record_challenge(const uint8_t nonce[AUTH_NONCE_BYTES], uint8_t out[RECORD_CHALLENGE_BYTES]);

/* 0 or FT_EPROTO */
int record_take_challenge(
	const uint8_t in[RECORD_CHALLENGE_BYTES], uint8_t nonce[AUTH_NONCE_BYTES]);

void record_make(const struct record_key *key, const uint8_t nonce[AUTH_NONCE_BYTES],
	const struct record *r, uint8_t out[RECORD_BYTES]);

/* 0, FT_EPROTO (not such a record) or FT_EAUTH */
int record_take(const struct record_key *key, const uint8_t nonce[AUTH_NONCE_BYTES],
	const uint8_t in[RECORD_BYTES], struct record *r);

/* The beats of one accepted connection, which come in any pieces. */
struct record_stream {
	uint8_t nonce[AUTH_NONCE_BYTES]; /* that was said */
	uint8_t part[RECORD_BYTES];
	size_t have;
	int from; /* -1 until the first has proved itself */
	uint64_t seq;
};

/* Who reads it. */
struct record_reader {
	const struct record_key *key;
	uint32_t epoch, self;
};

/* Takes from *at. 1: *r is the next beat, and the same rank's as those before; 0: all is taken and
 * no beat is whole; FT_EPROTO, FT_EAUTH, FT_ESTALE: the connection is to be closed. */
int record_next(struct record_stream *s, const struct record_reader *reader, const uint8_t **at,
	const uint8_t *end, struct record *r);

#endif
