/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The keyed handshake, without sockets: each function takes what was said and returns what to say.
 *
 *	connecting                          accepting
 *	hello (session, epoch, ranks, Na) ->
 *	                                 <- challenge (Nb, MAC("accept", hello, Nb))
 *	proof MAC("connect", hello, Nb)  ->
 *	                                 <- verdict
 *
 * Both nonces are fresh, so nothing recorded earlier is of use; the two labels keep a mac from
 *being sent back to its maker.
 */
#ifndef FTMPI_TRANSPORT_HANDSHAKE_H
#define FTMPI_TRANSPORT_HANDSHAKE_H

#include <stdint.h>

#include "base/auth.h"
#include "transport/wire.h"

/* What both sides of a job know. */
struct handshake_job {
	uint8_t session[WIRE_SESSION_BYTES];
	uint8_t secret[AUTH_KEY_BYTES];
	uint32_t epoch, self, size;
	uint32_t incarnation; /* which process of `self` this is */
};

/* Whom a hello is for, as the connecting side knows it. */
struct handshake_peer {
	uint32_t rank, incarnation;
	uint16_t times; /* connections that the pair has had */
};

struct handshake {
	struct wire_hello hello;
	uint8_t nonce[24]; /* the accepting side's */
};

void handshake_hello(
	struct handshake *t, const struct handshake_job *job, const struct handshake_peer *to);

/* 0, FT_EPROTO (not our protocol or version, impossible ranks), FT_EAUTH (another session) or
 * FT_ESTALE (another epoch, or meant for another process of this
 * rank). `t` then holds the hello, which nobody has proved yet. */
int handshake_take_hello(
	struct handshake *t, const struct handshake_job *job, const struct wire_hello *hello);
void handshake_challenge(
	struct handshake *t, const struct handshake_job *job, struct wire_challenge *out);

/* 0, FT_EPROTO or FT_EAUTH; on success *out is the answer. */
int handshake_take_challenge(struct handshake *t, const struct handshake_job *job,
	const struct wire_challenge *in, struct wire_proof *out);
int handshake_take_proof(
	const struct handshake *t, const struct handshake_job *job, const struct wire_proof *in);

#endif
