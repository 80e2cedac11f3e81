/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections that are cut on purpose, between ranks whose connections are mended and others. */
#include <sys/socket.h>

#include "tp_nodes.h"
#include "transport/tp.h"

enum { MS = 200 };

static _Atomic uint64_t cut_at;
static _Atomic int too_early; /* attempts to connect during the cut */

int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

static void cut(int at, int peer)
{
	lock_take(&nodes[at].lock);
	tp_cut(nodes[at].tp, peer, MS);
	lock_give(&nodes[at].lock);
}

static bool is_over(void)
{
	return clock_ns() >= cut_at + MS * 1000000ull;
}

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (cut_at && !is_over())
		too_early++;
	return __real_connect(fd, to, len);
}

static void speak(int from, int to, uint32_t number)
{
	static uint8_t in[1];

	send_to(from, to, number, "x", 1, 0);
	post(to, from, number, in, 1);
	WAIT_FOR(nodes[to].in[from][number].done);
	ck_assert_int_eq(nodes[to].in[from][number].rc, 0);
}

static void setup(void)
{
	nodes_mend();
	nodes_start();
	speak(0, 1, 1);
	cut_at = clock_ns();
}

static void nobody_is_lost(void)
{
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	ck_assert_uint_ge(counts_of(0).mended + counts_of(1).mended, 1);
}

/* Both are told, or one alone: what is sent comes, and not before the cut is over. */
START_TEST(messages_wait_for_the_end_of_a_cut)
{
	if (_i != 1)
		cut(0, 1);
	if (_i != 0)
		cut(1, 0);
	speak(0, 1, 2);
	ck_assert_msg(is_over(), "a message came through");
	speak(1, 0, 1);
	nobody_is_lost();
	nodes_stop();
}
END_TEST

/* They have never spoken before. Who sends is told, and does not try; or the other one is. */
START_TEST(no_connection_is_made_during_a_cut)
{
	cut_at = clock_ns();
	cut(_i ? 2 : 0, _i ? 0 : 2);
	speak(0, 2, 1);
	ck_assert_msg(is_over(), "a message came through");
	ck_assert(_i || too_early == 0);
	ck_assert_int_eq(nodes[0].lost + nodes[2].lost, 0);
	nodes_stop();
}
END_TEST

START_TEST(others_are_not_cut)
{
	lock_take(&nodes[0].lock);
	tp_cut(nodes[0].tp, 1, 3600000);
	lock_give(&nodes[0].lock);
	speak(0, 2, 1);
	speak(1, 2, 1);
	ck_assert_int_eq(counts_of(0).connected, 1);
	nodes_stop();
}
END_TEST

UNIT_MAIN("transport_cut", tcase_add_checked_fixture(tc, setup, NULL);
	  tcase_add_loop_test(tc, messages_wait_for_the_end_of_a_cut, 0, 3);
	  tcase_add_loop_test(tc, no_connection_is_made_during_a_cut, 0, 2);
	  tcase_add_test(tc, others_are_not_cut);)
