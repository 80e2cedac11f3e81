/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a rank and its keeper prove to each other that they belong to the job, without sockets: as
 * lib/transport/handshake.h does it, with a hello of its own. Both nonces are fresh, so nothing
 * recorded earlier is of use.
 */
#ifndef FTMPI_KEEPER_KEEPER_HANDSHAKE_H
#define FTMPI_KEEPER_KEEPER_HANDSHAKE_H

#include <stdint.h>

#include "base/auth.h"
#include "keeper/keeper_wire.h"

/* What both know. */
struct keeper_job {
	uint8_t session[SESSION_BYTES];
	uint8_t secret[AUTH_KEY_BYTES];
	uint32_t ranks;
};

struct keeper_handshake {
	struct keeper_hello hello;
	uint8_t nonce[AUTH_NONCE_BYTES]; /* the keeper's */
};

/* ---- of a rank; `who` has wants, rank, incarnation and after ---- */

void keeper_handshake_hello(
	struct keeper_handshake *t, const struct keeper_job *job, const struct keeper_hello *who);

/* 0, FT_EPROTO or FT_EAUTH; on success *out is the answer. */
int keeper_handshake_take_challenge(struct keeper_handshake *t, const struct keeper_job *job,
	const struct keeper_challenge *in, struct keeper_proof *out);

/* ---- of the keeper ---- */

/* 0, FT_EPROTO (not our protocol or version, impossible numbers) or FT_EAUTH (another session).
 * `t` then holds the hello, which nobody has proved yet. */
int keeper_handshake_take_hello(
	struct keeper_handshake *t, const struct keeper_job *job, const struct keeper_hello *hello);
void keeper_handshake_challenge(
	struct keeper_handshake *t, const struct keeper_job *job, struct keeper_challenge *out);

/* 0 or FT_EAUTH. */
int keeper_handshake_take_proof(const struct keeper_handshake *t, const struct keeper_job *job,
	const struct keeper_proof *in);

#endif
