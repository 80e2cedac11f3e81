/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pace of peers that share memory: a message that nobody has asked for waits where it lies as
 * long as others are wanted, and a sender may be told that the ring is full instead of having its
 * message queued.
 */
#include <string.h>

#include "base/error.h"
#include "tp_nodes.h"
#include "transport/tp.h"

static void look_alone(int at, int expect)
{
	lock_take(&nodes[at].lock);
	tp_look(nodes[at].tp, expect);
	lock_give(&nodes[at].lock);
}

static bool writes_to_ring(int from, int to)
{
	bool yes;

	lock_take(&nodes[from].lock);
	yes = nodes[from].tp->peers[to].out_ring != NULL;
	lock_give(&nodes[from].lock);
	return yes;
}

/* Every so many looks, all peers are looked at whoever is expected: that look reads a ring a second
 * time, and keeps the first message there although nobody has asked for it. It is far away now. */
static void begin_to_count_looks(int at)
{
	lock_take(&nodes[at].lock);
	nodes[at].tp->turn = 0;
	lock_give(&nodes[at].lock);
}

/* Both share memory afterwards, and all that they had to say is read. */
static void meet(int a, int b)
{
	post(b, a, SLOTS - 1, NULL, 0);
	ck_assert_int_ge(send_to(a, b, SLOTS - 1, NULL, 0, 0), 0);
	WAIT_FOR(nodes[b].in[a][SLOTS - 1].done);
	WAIT_FOR(is_settled(a, 1) && is_settled(b, 1));
	begin_to_count_looks(b);
}

START_TEST(what_nobody_asks_for_is_left)
{
	enum { LAST = 20 };
	struct slot *in = nodes[1].in[0];

	nodes_share_memory();
	nodes_start();
	meet(0, 1);
	for (uint32_t i = 0; i <= LAST; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	for (uint32_t i = 0; i < LAST; i++) {
		post(1, 0, i, got, 8);
		look_alone(1, i % 2 ? 0 : TP_EVERYBODY);
		ck_assert(in[i].done);
		ck_assert_ptr_null(in[i + 1].held);
	}
	/* with nothing that is wanted before it, it is kept */
	look_alone(1, TP_EVERYBODY);
	ck_assert_ptr_nonnull(in[LAST].held);
	nodes_stop();
}
END_TEST

/* Words of the library are read while there are any, whether the program waits for something or
 * not: nobody else looks for them. */
START_TEST(words_of_the_library_do_not_wait)
{
	nodes_share_memory();
	nodes_start();
	meet(0, 1);
	for (uint32_t i = 0; i < 20; i++) {
		nodes[1].in[0][i].of_library = true;
		post(1, 0, i, got, 8);
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	}
	look_alone(1, TP_EVERYBODY);
	for (uint32_t i = 0; i < 20; i++)
		ck_assert(nodes[1].in[0][i].done);
	nodes_stop();
}
END_TEST

START_TEST(what_was_counted_is_not_left)
{
	struct slot *in = nodes[1].in[0];

	nodes_share_memory();
	nodes_start();
	meet(0, 1);
	in[1].counted = true;
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	post(1, 0, 0, got, 8);
	post(1, 0, SLOTS - 2, NULL, 0); /* so that the look goes on */
	look_alone(1, 0);
	ck_assert(in[0].done);
	ck_assert_ptr_nonnull(in[1].held);
	ck_assert_ptr_null(in[2].held);
	nodes_stop();
}
END_TEST

/* The bit of a peer is taken for nothing while its ring is not in use yet: the look that goes over
 * to the ring, and leaves something there, sets it again. */
START_TEST(what_lies_there_from_the_beginning_is_found)
{
	enum { LAST = 5 };
	struct slot *in = nodes[1].in[0];

	nodes_share_memory();
	nodes_start();
	post(1, 0, SLOTS - 1, NULL, 0);
	ck_assert_int_ge(send_to(0, 1, SLOTS - 1, NULL, 0, 0), 0);
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; !writes_to_ring(0, 1);) {
		ck_assert(clock_ns() < until);
		look_alone(0, TP_EVERYBODY);
		if (!writes_to_ring(0, 1))
			look_alone(1, TP_EVERYBODY);
	}
	for (uint32_t i = 0; i <= LAST; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	post(1, 0, 0, got, 8);
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; !in[LAST].held;) {
		ck_assert(clock_ns() < until);
		look_alone(1, TP_EVERYBODY);
	}
	ck_assert(in[0].done);
	nodes_stop();
}
END_TEST

/* What lies behind it may be what the next look is for. */
START_TEST(one_that_is_wanted_later_is_not_kept_from_its_receive)
{
	struct slot *in = nodes[1].in[0];

	nodes_share_memory();
	nodes_start();
	meet(0, 1);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	for (uint32_t i = 99; i > 0; i -= 3) {
		post(1, 0, i, got, 8);
		for (int looks = 0; !in[i].done; looks++) {
			ck_assert_int_lt(looks, 100);
			look_alone(1, 0);
		}
	}
	for (uint32_t i = 0; i < 100; i++)
		ck_assert(in[i].done || i % 3 != 0 || i == 0);
	nodes_stop();
}
END_TEST

static int send_unqueued(uint32_t number)
{
	struct tp_envelope e = {{0}};
	int rc;

	memcpy(e.bytes, &number, sizeof number);
	lock_take(&nodes[0].lock);
	rc = tp_send(nodes[0].tp, 1, &e, big, 64, TP_NOW | TP_UNQUEUED, NULL);
	lock_give(&nodes[0].lock);
	return rc;
}

static bool may_send(void)
{
	bool may;

	lock_take(&nodes[0].lock);
	may = tp_may_send(nodes[0].tp, 1);
	lock_give(&nodes[0].lock);
	return may;
}

START_TEST(a_full_ring_is_told)
{
	uint32_t sent = 0;

	nodes_share_memory();
	nodes_start();
	meet(0, 1);
	while (send_unqueued(sent) == 1)
		sent++;
	ck_assert_int_lt(sent, SLOTS - 2);
	ck_assert_int_eq(send_unqueued(sent), FT_EAGAIN);
	ck_assert(!may_send());
	/* without the flag it is queued, and the others go behind it */
	ck_assert_int_eq(send_to(0, 1, sent++, big, 64, 0), 1);
	ck_assert(may_send());
	ck_assert_int_eq(send_unqueued(sent++), 1);
	for (uint32_t i = 0; i < sent; i++) {
		post(1, 0, i, got, 64);
		WAIT_FOR(nodes[1].in[0][i].done);
	}
	ck_assert(may_send());
	nodes_stop();
}
END_TEST

UNIT_MAIN("transport_ring", tcase_add_test(tc, what_nobody_asks_for_is_left);
	  tcase_add_test(tc, what_was_counted_is_not_left);
	  tcase_add_test(tc, words_of_the_library_do_not_wait);
	  tcase_add_test(tc, what_lies_there_from_the_beginning_is_found);
	  tcase_add_test(tc, one_that_is_wanted_later_is_not_kept_from_its_receive);
	  tcase_add_test(tc, a_full_ring_is_told);)
