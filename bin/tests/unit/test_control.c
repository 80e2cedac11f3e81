/* SPDX-License-Identifier: BSD-3-Clause */
/* The START message: what a launcher may say, and what is not believed. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "mpi/launch.h"
#include "unit.h"

static uint8_t body[4096];

struct start {
	uint32_t rank, size, listed, cores, node;
	const char *address;
};

static size_t encode(const struct start *s)
{
	uint8_t session[16] = {1}, secret[32] = {2};
	struct writer w = writer_over(body, sizeof body);

	writer_bytes(&w, session, sizeof session);
	writer_u32(&w, 5);
	writer_u32(&w, s->rank);
	writer_u32(&w, s->size);
	writer_bytes(&w, secret, sizeof secret);
	writer_u32(&w, 0);
	writer_u32(&w, 1);
	writer_u32(&w, 0);
	writer_string(&w, "/tmp");
	writer_string(&w, "session");
	writer_u32(&w, 2);
	writer_string(&w, "keep=3");
	writer_string(&w, "restore=last");
	for (uint32_t i = 0; i < s->listed; i++) {
		writer_string(&w, "node1");
		writer_string(&w, s->address);
		writer_u16(&w, (uint16_t)(1000 + i));
		writer_u16(&w, 0);
		writer_u32(&w, s->node);
		writer_u32(&w, s->cores);
	}
	ck_assert(!w.bad);
	return (size_t)(w.at - body);
}

static const struct start good = {1, 3, 3, 2, 0, "10.0.0.1"};

START_TEST(a_good_one_is_understood)
{
	struct launch l = {0};
	struct sockaddr_in *a;
	size_t len = encode(&good);

	ck_assert_int_eq(control_decode_start(&l, body, len), 0);
	ck_assert_int_eq(l.rank, 1);
	ck_assert_int_eq(l.size, 3);
	ck_assert_uint_eq(l.epoch, 5);
	ck_assert_uint_eq(l.secret[0], 2);
	ck_assert_str_eq(l.hosts[2], "node1");
	ck_assert_uint_eq(l.settings.keep, 3);
	ck_assert_str_eq(l.settings.restore, "last");
	a = (struct sockaddr_in *)&l.addresses[2].addr;
	ck_assert_int_eq(ntohs(a->sin_port), 1002);
	ck_assert_uint_eq(ntohl(a->sin_addr.s_addr), 0x0a000001);
	launch_free(&l);
}
END_TEST

START_TEST(ipv6_is_understood)
{
	struct launch l = {0};
	struct start s = good;

	s.address = "fd00::2";
	ck_assert_int_eq(control_decode_start(&l, body, encode(&s)), 0);
	ck_assert_int_eq(l.addresses[0].addr.ss_family, AF_INET6);
	launch_free(&l);
}
END_TEST

START_TEST(every_cut_is_refused)
{
	size_t len = encode(&good);
	struct launch l = {0};

	for (size_t cut = 0; cut < len; cut++) {
		ck_assert_int_eq(control_decode_start(&l, body, cut), FT_EPROTO);
		ck_assert_ptr_null(l.addresses);
	}
	ck_assert_int_eq(control_decode_start(&l, body, len + 1), FT_EPROTO);
}
END_TEST

START_TEST(impossible_values_are_refused)
{
	static const struct start bad[] = {
		{3, 3, 3, 2, 0, "10.0.0.1"},
		{0, 0, 0, 2, 0, "10.0.0.1"},
		{0, 0xffffffff, 3, 2, 0, "10.0.0.1"},
		{1, 3, 3, 0, 0, "10.0.0.1"},
		{1, 3, 3, 2, 3, "10.0.0.1"},
		{1, 3, 3, 2, 0, "localhost"},
		{1, 3, 4, 2, 0, "10.0.0.1"},
	};
	struct launch l = {0};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(control_decode_start(&l, body, encode(&bad[i])) == FT_EPROTO,
			"case %zu", i);
}
END_TEST

UNIT_MAIN("control", tcase_add_test(tc, a_good_one_is_understood);
	  tcase_add_test(tc, ipv6_is_understood); tcase_add_test(tc, every_cut_is_refused);
	  tcase_add_test(tc, impossible_values_are_refused);)
