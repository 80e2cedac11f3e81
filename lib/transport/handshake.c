/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/handshake.h"

#include <string.h>

#include "base/error.h"

static void mac_of(const struct handshake *t, const struct handshake_job *job, enum auth_side side,
	uint8_t out[AUTH_MAC_BYTES])
{
	auth_handshake_mac(job->secret, side, &t->hello, sizeof t->hello, t->nonce, out);
}

void handshake_hello(
	struct handshake *t, const struct handshake_job *job, const struct handshake_peer *to)
{
	memset(t, 0, sizeof *t);
	t->hello = (struct wire_hello){.magic = WIRE_MAGIC,
		.version = WIRE_VERSION,
		.times = to->times,
		.epoch = job->epoch,
		.from = job->self,
		.to = to->rank,
		.from_incarnation = job->incarnation,
		.to_incarnation = to->incarnation};
	memcpy(t->hello.session, job->session, sizeof job->session);
	auth_random(t->hello.nonce, sizeof t->hello.nonce);
}

int handshake_take_hello(
	struct handshake *t, const struct handshake_job *job, const struct wire_hello *hello)
{
	if (hello->magic != WIRE_MAGIC || hello->version != WIRE_VERSION)
		return FT_EPROTO;
	if (memcmp(hello->session, job->session, sizeof job->session) != 0)
		return FT_EAUTH;
	if (hello->to != job->self || hello->from >= job->size || hello->from == job->self)
		return FT_EPROTO;
	if (hello->epoch != job->epoch || hello->to_incarnation != job->incarnation)
		return FT_ESTALE;
	memset(t, 0, sizeof *t);
	t->hello = *hello;
	return 0;
}

void handshake_challenge(
	struct handshake *t, const struct handshake_job *job, struct wire_challenge *out)
{
	auth_random(t->nonce, sizeof t->nonce);
	out->magic = WIRE_MAGIC;
	memcpy(out->nonce, t->nonce, sizeof out->nonce);
	mac_of(t, job, AUTH_ACCEPT, out->mac);
}

int handshake_take_challenge(struct handshake *t, const struct handshake_job *job,
	const struct wire_challenge *in, struct wire_proof *out)
{
	uint8_t want[AUTH_MAC_BYTES];

	if (in->magic != WIRE_MAGIC)
		return FT_EPROTO;
	memcpy(t->nonce, in->nonce, sizeof t->nonce);
	mac_of(t, job, AUTH_ACCEPT, want);
	if (!auth_equal(want, in->mac))
		return FT_EAUTH;
	mac_of(t, job, AUTH_CONNECT, out->mac);
	return 0;
}

int handshake_take_proof(
	const struct handshake *t, const struct handshake_job *job, const struct wire_proof *in)
{
	uint8_t want[AUTH_MAC_BYTES];

	mac_of(t, job, AUTH_CONNECT, want);
	return auth_equal(want, in->mac) ? 0 : FT_EAUTH;
}
