/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank and its keeper prove to each other that they belong to the job. */
#include <string.h>

#include "base/error.h"
#include "keeper/keeper_handshake.h"
#include "unit.h"

static const struct keeper_hello who = {
	.wants = KEEPER_BEGIN, .rank = 2, .incarnation = 5, .after = 77};

static struct keeper_job job_of(uint8_t session, uint8_t secret)
{
	struct keeper_job j = {.ranks = 4};

	memset(j.session, session, sizeof j.session);
	memset(j.secret, secret, sizeof j.secret);
	return j;
}

/* The first error that either side meets; *said: the proof. */
static int talk(
	const struct keeper_job *rank, const struct keeper_job *keeper, struct keeper_proof *said)
{
	struct keeper_handshake a, b;
	struct keeper_challenge challenge;
	int rc;

	keeper_handshake_hello(&a, rank, &who);
	rc = keeper_handshake_take_hello(&b, keeper, &a.hello);
	if (rc)
		return rc;
	keeper_handshake_challenge(&b, keeper, &challenge);
	rc = keeper_handshake_take_challenge(&a, rank, &challenge, said);
	return rc ? rc : keeper_handshake_take_proof(&b, keeper, said);
}

START_TEST(members_get_in)
{
	struct keeper_job one = job_of(1, 2), other;
	struct keeper_proof proof;

	ck_assert_int_eq(auth_init(), 0);
	ck_assert_int_eq(talk(&one, &one, &proof), 0);
	other = job_of(3, 2);
	ck_assert_int_eq(talk(&other, &one, &proof), FT_EAUTH);
	other = job_of(1, 3);
	ck_assert_int_eq(talk(&other, &one, &proof), FT_EAUTH);
}
END_TEST

START_TEST(impossible_numbers_are_refused)
{
	struct keeper_job one = job_of(1, 2);
	struct keeper_handshake a, b;
	struct keeper_hello hello;

	ck_assert_int_eq(auth_init(), 0);
	keeper_handshake_hello(&a, &one, &who);
	ck_assert_int_eq(keeper_handshake_take_hello(&b, &one, &a.hello), 0);
#define REFUSED(field, value)                                                                      \
	hello = a.hello;                                                                           \
	hello.field = (value);                                                                     \
	ck_assert_int_eq(keeper_handshake_take_hello(&b, &one, &hello), FT_EPROTO)
	REFUSED(magic, 0x49504d46);
	REFUSED(version, KEEPER_VERSION + 1);
	REFUSED(wants, 0);
	REFUSED(wants, 3);
	REFUSED(rank, 4);
	REFUSED(incarnation, 0);
	REFUSED(after, KEEPER_NUMBER_MAX + 1);
#undef REFUSED
}
END_TEST

/* Every byte of the hello is proved, and a recorded proof is of no use. */
START_TEST(what_was_said_is_proved)
{
	struct keeper_job one = job_of(1, 2);
	struct keeper_handshake a, b;
	struct keeper_challenge challenge;
	struct keeper_proof proof, recorded;

	ck_assert_int_eq(auth_init(), 0);
	ck_assert_int_eq(talk(&one, &one, &recorded), 0);
	keeper_handshake_hello(&a, &one, &who);
	for (size_t i = 0; i < sizeof a.hello; i++) {
		b = a;
		((uint8_t *)&b.hello)[i] ^= 1;
		keeper_handshake_challenge(&b, &one, &challenge);
		ck_assert_int_eq(
			keeper_handshake_take_challenge(&a, &one, &challenge, &proof), FT_EAUTH);
	}
	b = a;
	keeper_handshake_challenge(&b, &one, &challenge);
	ck_assert_int_eq(keeper_handshake_take_proof(&b, &one, &recorded), FT_EAUTH);
	memcpy(recorded.mac, challenge.mac, sizeof recorded.mac);
	ck_assert_int_eq(keeper_handshake_take_proof(&b, &one, &recorded), FT_EAUTH);
	challenge.magic++;
	ck_assert_int_eq(keeper_handshake_take_challenge(&a, &one, &challenge, &proof), FT_EPROTO);
}
END_TEST

/* As it was computed before the keeper had a handshake, and as programs in other languages do. */
START_TEST(the_mac_is_over_label_hello_and_nonce)
{
	struct {
		char label[8];
		uint8_t hello[60], nonce[AUTH_NONCE_BYTES];
	} said = {.label = "connect"};
	uint8_t key[AUTH_KEY_BYTES] = {9}, mac[AUTH_MAC_BYTES], want[AUTH_MAC_BYTES];

	ck_assert_int_eq(auth_init(), 0);
	auth_random(said.hello, sizeof said.hello);
	auth_random(said.nonce, sizeof said.nonce);
	auth_mac(key, &said, sizeof said, want);
	auth_handshake_mac(key, AUTH_CONNECT, said.hello, sizeof said.hello, said.nonce, mac);
	ck_assert(auth_equal(mac, want));
	auth_handshake_mac(key, AUTH_ACCEPT, said.hello, sizeof said.hello, said.nonce, mac);
	ck_assert(!auth_equal(mac, want));
}
END_TEST

UNIT_MAIN("keeper_handshake", tcase_add_test(tc, members_get_in);
	  tcase_add_test(tc, impossible_numbers_are_refused);
	  tcase_add_test(tc, what_was_said_is_proved);
	  tcase_add_test(tc, the_mac_is_over_label_hello_and_nonce);)
