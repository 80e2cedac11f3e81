/* SPDX-License-Identifier: BSD-3-Clause */
/* The keyed handshake: who gets in, and who does not. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "transport/handshake.h"
#include "unit.h"

static struct handshake_job job_of(uint32_t self)
{
	struct handshake_job j = {.epoch = 3, .self = self, .size = 4};

	memset(j.session, 0x11, sizeof j.session);
	memset(j.secret, 0x22, sizeof j.secret);
	return j;
}

/* Rank 1 connects to rank 2. Returns the first error either side meets. */
static int talk(
	const struct handshake_job *one, const struct handshake_job *two, struct wire_proof *said)
{
	struct handshake a, b;
	struct wire_challenge challenge;
	struct wire_proof proof;
	int rc;

	handshake_hello(&a, one, &(struct handshake_peer){.rank = 2});
	rc = handshake_take_hello(&b, two, &a.hello);
	if (rc)
		return rc;
	handshake_challenge(&b, two, &challenge);
	rc = handshake_take_challenge(&a, one, &challenge, &proof);
	if (rc)
		return rc;
	if (said)
		*said = proof;
	return handshake_take_proof(&b, two, &proof);
}

START_TEST(members_get_in)
{
	struct handshake_job one = job_of(1), two = job_of(2);

	auth_init();
	ck_assert_int_eq(talk(&one, &two, NULL), 0);
}
END_TEST

START_TEST(strangers_do_not)
{
	struct handshake_job one = job_of(1), two = job_of(2), other;

	auth_init();
	other = one;
	other.secret[31] ^= 1;
	ck_assert_int_eq(talk(&other, &two, NULL), FT_EAUTH);
	other = one;
	other.session[0] ^= 1;
	ck_assert_int_eq(talk(&other, &two, NULL), FT_EAUTH);
	other = one;
	other.epoch--;
	ck_assert_int_eq(talk(&other, &two, NULL), FT_ESTALE);
	other = one;
	other.self = 7;
	ck_assert_int_eq(talk(&other, &two, NULL), FT_EPROTO);
	other.self = 2;
	ck_assert_int_eq(talk(&other, &two, NULL), FT_EPROTO);
	other = two;
	other.self = 3;
	ck_assert_int_eq(talk(&one, &other, NULL), FT_EPROTO);
}
END_TEST

START_TEST(a_replay_is_refused)
{
	struct handshake_job one = job_of(1), two = job_of(2);
	struct handshake a, b;
	struct wire_challenge challenge;
	struct wire_proof recorded;

	auth_init();
	ck_assert_int_eq(talk(&one, &two, &recorded), 0);
	handshake_hello(&a, &one, &(struct handshake_peer){.rank = 2});
	ck_assert_int_eq(handshake_take_hello(&b, &two, &a.hello), 0);
	handshake_challenge(&b, &two, &challenge);
	ck_assert_int_eq(handshake_take_proof(&b, &two, &recorded), FT_EAUTH);
}
END_TEST

/* Without knowing the secret, sending the acceptor's own mac back must not do. */
START_TEST(a_mac_sent_back_is_refused)
{
	struct handshake_job one = job_of(1), two = job_of(2);
	struct handshake a, b;
	struct wire_challenge challenge;
	struct wire_proof echo;

	auth_init();
	handshake_hello(&a, &one, &(struct handshake_peer){.rank = 2});
	ck_assert_int_eq(handshake_take_hello(&b, &two, &a.hello), 0);
	handshake_challenge(&b, &two, &challenge);
	memcpy(echo.mac, challenge.mac, sizeof echo.mac);
	ck_assert_int_eq(handshake_take_proof(&b, &two, &echo), FT_EAUTH);
}
END_TEST

START_TEST(garbage_is_refused)
{
	struct handshake_job two = job_of(2), one = job_of(1);
	struct handshake a, b;
	struct wire_hello hello;

	auth_init();
	handshake_hello(&a, &one, &(struct handshake_peer){.rank = 2});
	for (size_t i = 0; i < 8 + WIRE_SESSION_BYTES + 12; i++) {
		if (i == offsetof(struct wire_hello, times) ||
			i == offsetof(struct wire_hello, times) + 1)
			continue; /* any number of connections may be right */
		memcpy(&hello, &a.hello, sizeof hello);
		((uint8_t *)&hello)[i] ^= 0x80;
		ck_assert_int_ne(handshake_take_hello(&b, &two, &hello), 0);
	}
}
END_TEST

UNIT_MAIN("handshake", tcase_add_test(tc, members_get_in); tcase_add_test(tc, strangers_do_not);
	  tcase_add_test(tc, a_replay_is_refused); tcase_add_test(tc, a_mac_sent_back_is_refused);
	  tcase_add_test(tc, garbage_is_refused);)
