/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handshake's functions with messages that are right, spoiled, or any bytes. Who does not have
 * the secret must not get in, and who has it must. Random bytes are counted here, so that a run can
 * be repeated.
 */
#include "base/error.h"
#include "handshake.h"

static uint8_t drawn;

void __wrap_auth_random(void *out, size_t len);

void __wrap_auth_random(void *out, size_t len)
{
	memset(out, ++drawn, len);
}

struct handshake_job fuzz_job(uint32_t self)
{
	struct handshake_job job = {.epoch = EPOCH, .self = self, .size = RANKS};

	memset(job.session, 0x11, sizeof job.session);
	memset(job.secret, 0x22, sizeof job.secret);
	return job;
}

void handshake_mac(const char *word, const struct wire_hello *hello, const uint8_t nonce[24],
	uint8_t out[AUTH_MAC_BYTES])
{
	struct handshake_job job = fuzz_job(0);
	uint8_t said[8 + sizeof *hello + 24] = {0};

	memcpy(said, word, strlen(word));
	memcpy(said + 8, hello, sizeof *hello);
	memcpy(said + 8 + sizeof *hello, nonce, 24);
	auth_mac(job.secret, said, sizeof said, out);
}

/* how: 0 nothing, 1 a bit, 2 all of it, 3 its beginning, else nothing */
bool handshake_spoil(struct script *in, void *message, size_t len)
{
	uint8_t *bytes = message, before[128];
	const uint8_t *from;
	size_t at, n;

	FUZZ_CHECK(len <= sizeof before, "a longer message than there are");
	memcpy(before, bytes, len);
	switch (script_u8(in)) {
	case 1:
		at = script_u8(in) % len;
		bytes[at] ^= (uint8_t)(1 << script_u8(in) % 8);
		break;
	case 2:
		n = script_bytes(in, &from, len);
		memset(bytes, 0, len);
		memcpy(bytes, from, n);
		break;
	case 3:
		n = script_bytes(in, &from, script_u8(in) % len);
		memcpy(bytes, from, n);
		break;
	default:
		break;
	}
	return memcmp(before, bytes, len) != 0;
}

static bool is_member(const struct wire_hello *h)
{
	struct handshake_job job = fuzz_job(SELF);

	return h->magic == WIRE_MAGIC && h->version == WIRE_VERSION &&
	       memcmp(h->session, job.session, sizeof job.session) == 0 && h->epoch == EPOCH &&
	       h->to == SELF && h->to_incarnation == 0 && h->from < RANKS && h->from != SELF;
}

/* Somebody connects to us. */
static void accepting(struct script *in)
{
	struct handshake_job ours = fuzz_job(SELF), theirs = fuzz_job(script_u8(in) % RANKS);
	struct handshake a, b;
	struct wire_challenge challenge;
	struct wire_proof proof;
	uint8_t want[AUTH_MAC_BYTES];
	int rc;

	handshake_hello(&a, &theirs, &(struct handshake_peer){.rank = SELF});
	handshake_spoil(in, &a.hello, sizeof a.hello);
	rc = handshake_take_hello(&b, &ours, &a.hello);
	FUZZ_CHECK((rc == 0) == is_member(&a.hello), "hello: %s", ft_error_text(rc));
	if (rc)
		return;
	handshake_challenge(&b, &ours, &challenge);
	handshake_mac("accept", &a.hello, challenge.nonce, want);
	FUZZ_CHECK(memcmp(want, challenge.mac, sizeof want) == 0, "another challenge");
	/* what we said ourselves opens nothing */
	memcpy(proof.mac, challenge.mac, sizeof proof.mac);
	FUZZ_CHECK(handshake_take_proof(&b, &ours, &proof) == FT_EAUTH,
		"its own mac was taken for a proof");
	handshake_mac("connect", &a.hello, challenge.nonce, want);
	memcpy(proof.mac, want, sizeof want);
	handshake_spoil(in, &proof, sizeof proof);
	rc = handshake_take_proof(&b, &ours, &proof);
	FUZZ_CHECK((rc == 0) == (memcmp(want, proof.mac, sizeof want) == 0), "proof: %d", rc);
}

/* We connect to somebody. */
static void connecting(struct script *in)
{
	struct handshake_job ours = fuzz_job(SELF);
	struct handshake t;
	struct wire_challenge challenge = {.magic = WIRE_MAGIC};
	struct wire_proof proof;
	uint8_t want[AUTH_MAC_BYTES];
	bool right;
	int rc;

	handshake_hello(&t, &ours, &(struct handshake_peer){.rank = 2});
	memset(challenge.nonce, script_u8(in), sizeof challenge.nonce);
	handshake_mac("accept", &t.hello, challenge.nonce, challenge.mac);
	handshake_spoil(in, &challenge, sizeof challenge);
	handshake_mac("accept", &t.hello, challenge.nonce, want);
	right = challenge.magic == WIRE_MAGIC && memcmp(want, challenge.mac, sizeof want) == 0;
	rc = handshake_take_challenge(&t, &ours, &challenge, &proof);
	FUZZ_CHECK((rc == 0) == right, "challenge: %s", ft_error_text(rc));
	if (rc)
		return;
	handshake_mac("connect", &t.hello, challenge.nonce, want);
	FUZZ_CHECK(memcmp(want, proof.mac, sizeof want) == 0, "another proof");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int ready = auth_init(), fd = fuzz_lowest_fd();

	FUZZ_CHECK(ready == 0, "no libsodium");
	drawn = 0;
	switch (script_u8(&in) % 4) {
	case 0:
		accepting(&in);
		break;
	case 1:
		connecting(&in);
		break;
	default:
		handshake_talk(&in);
	}
	FUZZ_CHECK(fuzz_lowest_fd() == fd, "a descriptor was left open");
	return 0;
}
