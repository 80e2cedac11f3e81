/* SPDX-License-Identifier: BSD-3-Clause */
/* When sends leave, wait, are taken back; how many connections, frames and how much memory they
 * take. */
#include <string.h>

#include "base/error.h"
#include "tp_nodes.h"

/* Also one without a byte. */
START_TEST(a_synchronous_send_waits_for_its_receive)
{
	size_t len = _i ? 8 : 0;
	struct slot *s;

	nodes_start();
	ck_assert_int_eq(send_to(0, 1, 0, big, len, TP_SYNC), 0);
	ck_assert_int_eq(send_to(0, 1, 1, big, 8, 0), 1);
	WAIT_FOR(nodes[1].in[0][1]
			 .held); /* the later one has overtaken nothing: the first is there */
	ck_assert_ptr_nonnull(nodes[1].in[0][0].held);
	ck_assert_int_eq(nodes[0].sent, 0);
	s = post(1, 0, 0, got, len);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	nodes_stop();
}
END_TEST

/* What cannot leave at once does not leave, also not later, and takes no number of those that do.
 */
START_TEST(now_or_not_at_all)
{
	uint32_t number = 2;

	nodes_start();
	for (int to = 0; to < 2; to++) {
		ck_assert_int_eq(send_to(0, to, 0, big, EAGER, TP_NOW), 1);
		ck_assert_int_eq(send_to(0, to, 1, big, EAGER + 1, TP_NOW), FT_EAGAIN);
		ck_assert_int_eq(send_to(0, to, 1, big, 8, TP_NOW), 1);
		WAIT_FOR(nodes[to].in[0][1].held);
		ck_assert_uint_eq(nodes[to].in[0][1].held->length, 8);
	}
	while (send_to(0, 1, number, big, 1000, TP_NOW) == 1)
		number++;
	ck_assert_int_eq(send_to(0, 1, number, big, 1000, TP_NOW), FT_EAGAIN);
	ck_assert_int_eq(send_to(0, 1, number, big, 1000, 0), 0);
	WAIT_FOR(nodes[1].in[0][number].held);
	ck_assert_int_eq(nodes[0].sent, 0);
	nodes_stop();
}
END_TEST

static void withdraw(int from, int to)
{
	lock_take(&nodes[from].lock);
	tp_withdraw(nodes[from].tp, to, &(struct tp_envelope){{0}}, &nodes[from]);
	lock_give(&nodes[from].lock);
}

START_TEST(a_waiting_send_can_be_taken_back)
{
	nodes_start();
	for (int to = 0; to < 2; to++) {
		struct slot *s = &nodes[to].in[0][0];

		nodes[0].sent = nodes[0].sent_rc = 0;
		ck_assert_int_eq(send_to(0, to, 0, big, 100000, 0), 0);
		WAIT_FOR(s->held);
		withdraw(0, to);
		WAIT_FOR(nodes[0].sent == 1);
		ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
		ck_assert_ptr_null(s->held);
	}
	nodes_stop();
}
END_TEST

START_TEST(a_send_that_is_wanted_cannot)
{
	struct slot *s;

	nodes_start();
	s = post(1, 0, 0, got, 100000);
	fill(big, 100000, 3);
	ck_assert_int_eq(send_to(0, 1, 0, big, 100000, 0), 0);
	withdraw(0, 1);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	ck_assert_int_eq(memcmp(got, big, 100000), 0);
	nodes_stop();
}
END_TEST

/* Who spoke last is looked at first, but not alone. */
START_TEST(one_that_never_stops_keeps_nobody_waiting)
{
	nodes_start();
	for (uint32_t i = 0; !nodes[0].in[2][0].held; i = (i + 1) % SLOTS) {
		nodes[0].in[1][i] = (struct slot){0};
		post(0, 1, i, got, 8);
		ck_assert_int_ge(send_to(1, 0, i, big, 8, 0), 0);
		WAIT_FOR(nodes[0].in[1][i].done);
		if (i == 50)
			ck_assert_int_ge(send_to(2, 0, 0, big, 8, 0), 0);
	}
	nodes_stop();
}
END_TEST

/* Both begin at once, many times over: one connection each pair, nothing lost. */
START_TEST(simultaneous_open)
{
	struct tp_counts c;

	nodes_start();
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			if (a != b) {
				post(b, a, 0, &nodes[b], 0);
				send_to(a, b, 0, NULL, 0, 0);
			}
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			if (a != b)
				WAIT_FOR(nodes[b].in[a][0].done);
	for (int a = 0; a < N; a++) {
		c = counts_of(a);
		ck_assert_int_eq(c.connected, N - 1);
	}
	nodes_stop();
}
END_TEST

/* What nobody asks for stays at the sender beyond the bound, and all of it can be had in the end.
 */
START_TEST(unexpected_memory_is_bounded)
{
	struct tp_counts c;

	nodes_start();
	fill(big, SLOTS, 1);
	for (uint32_t i = 0; i < SLOTS; i++)
		ck_assert_int_ge(send_to(0, 1, i, big, 1000, 0), 0);
	WAIT_FOR(nodes[1].in[0][SLOTS - 1].held);
	c = counts_of(1);
	ck_assert_uint_gt(c.unexpected_bytes, 0);
	ck_assert_uint_le(c.unexpected_bytes, UNEXPECTED);
	for (uint32_t i = SLOTS; i-- > 0;) {
		struct slot *s = post(1, 0, i, got, 1000);

		WAIT_FOR(s->done);
		ck_assert_int_eq(memcmp(got, big, 1000), 0);
	}
	c = counts_of(1);
	ck_assert_uint_eq(c.unexpected_bytes, 0);
	/* the credit has come back: eager again */
	ck_assert_int_ge(send_to(0, 2, 0, NULL, 0, 0), 0);
	nodes_stop();
}
END_TEST

/* Small messages that follow each other share writes. */
START_TEST(small_messages_are_gathered)
{
	struct tp_counts before, after;

	nodes_start();
	post(1, 0, 0, NULL, 0);
	send_to(0, 1, 0, NULL, 0, 0);
	WAIT_FOR(nodes[1].in[0][0].done && is_settled(0, 1));
	before = counts_of(0);
	for (uint32_t i = 1; i <= 64; i++) {
		post(1, 0, i, got, 8);
		send_to(0, 1, i, big, 8, 0);
	}
	WAIT_FOR(nodes[1].in[0][64].done);
	after = counts_of(0);
	ck_assert_uint_eq(after.frames_out - before.frames_out, 64);
	ck_assert_uint_le(after.sends - before.sends, 3);
	nodes_stop();
}
END_TEST

NODES_MAIN("transport", tcase_add_loop_test(tc, a_synchronous_send_waits_for_its_receive, 0, 2);
	   tcase_add_test(tc, now_or_not_at_all);
	   tcase_add_test(tc, a_waiting_send_can_be_taken_back);
	   tcase_add_test(tc, a_send_that_is_wanted_cannot);
	   tcase_add_loop_test(tc, simultaneous_open, 0, 10);
	   tcase_add_test(tc, one_that_never_stops_keeps_nobody_waiting);
	   tcase_add_test(tc, unexpected_memory_is_bounded);
	   tcase_add_test(tc, small_messages_are_gathered);)
