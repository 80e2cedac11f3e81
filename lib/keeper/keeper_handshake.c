/* SPDX-License-Identifier: BSD-3-Clause */
#include "keeper/keeper_handshake.h"

#include <string.h>

#include "base/error.h"

static void mac_of(const struct keeper_handshake *t, const struct keeper_job *job,
	enum auth_side side, uint8_t out[AUTH_MAC_BYTES])
{
	auth_handshake_mac(job->secret, side, &t->hello, sizeof t->hello, t->nonce, out);
}

void keeper_handshake_hello(
	struct keeper_handshake *t, const struct keeper_job *job, const struct keeper_hello *who)
{
	memset(t, 0, sizeof *t);
	t->hello = *who;
	t->hello.magic = KEEPER_MAGIC;
	t->hello.version = KEEPER_VERSION;
	memcpy(t->hello.session, job->session, sizeof t->hello.session);
	auth_random(t->hello.nonce, sizeof t->hello.nonce);
}

int keeper_handshake_take_challenge(struct keeper_handshake *t, const struct keeper_job *job,
	const struct keeper_challenge *in, struct keeper_proof *out)
{
	uint8_t want[AUTH_MAC_BYTES];

	if (in->magic != KEEPER_MAGIC)
		return FT_EPROTO;
	memcpy(t->nonce, in->nonce, sizeof t->nonce);
	mac_of(t, job, AUTH_ACCEPT, want);
	if (!auth_equal(want, in->mac))
		return FT_EAUTH;
	mac_of(t, job, AUTH_CONNECT, out->mac);
	return 0;
}

int keeper_handshake_take_hello(
	struct keeper_handshake *t, const struct keeper_job *job, const struct keeper_hello *hello)
{
	if (hello->magic != KEEPER_MAGIC || hello->version != KEEPER_VERSION)
		return FT_EPROTO;
	if (memcmp(hello->session, job->session, sizeof job->session) != 0)
		return FT_EAUTH;
	if (hello->rank >= job->ranks || hello->incarnation == 0 ||
		hello->after > KEEPER_NUMBER_MAX ||
		(hello->wants != KEEPER_BEGIN && hello->wants != KEEPER_GO_ON))
		return FT_EPROTO;
	memset(t, 0, sizeof *t);
	t->hello = *hello;
	return 0;
}

void keeper_handshake_challenge(
	struct keeper_handshake *t, const struct keeper_job *job, struct keeper_challenge *out)
{
	auth_random(t->nonce, sizeof t->nonce);
	out->magic = KEEPER_MAGIC;
	memcpy(out->nonce, t->nonce, sizeof out->nonce);
	mac_of(t, job, AUTH_ACCEPT, out->mac);
}

int keeper_handshake_take_proof(const struct keeper_handshake *t, const struct keeper_job *job,
	const struct keeper_proof *in)
{
	uint8_t want[AUTH_MAC_BYTES];

	mac_of(t, job, AUTH_CONNECT, want);
	return auth_equal(want, in->mac) ? 0 : FT_EAUTH;
}
