/* SPDX-License-Identifier: BSD-3-Clause */
/* What is sent arrives: every size, in one piece and in several, and where there is room for a
 * part. */
#include <string.h>

#include "base/error.h"
#include "cut.h"
#include "tp_nodes.h"

/* every size around the borders of the protocols, expected and unexpected, to others and to itself
 */
START_TEST(every_size_arrives)
{
	static const size_t sizes[] = {
		0, 1, 8, 64, 2048, 2049, 4095, EAGER, EAGER + 1, 16384, 100000, 1 << 20};
	uint32_t number = 0;

	nodes_start();
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (int to = 0; to < N; to++)
			for (int early = 0; early < 2; early++, number++) {
				size_t len = sizes[k];
				struct slot *s = &nodes[to].in[0][number];

				fill(big, len, number);
				memset(got, 0, len);
				if (early)
					post(to, 0, number, got, len);
				ck_assert_int_ge(send_to(0, to, number, big, len, 0), 0);
				if (!early) {
					WAIT_FOR(s->held);
					post(to, 0, number, got, len);
				}
				WAIT_FOR(s->done);
				ck_assert_int_eq(s->rc, 0);
				ck_assert_uint_eq(s->length, len);
				ck_assert_int_eq(memcmp(got, big, len), 0);
			}
	nodes_stop();
}
END_TEST

static struct tp_sent sent_to(int from, int to)
{
	struct tp_sent sent;

	lock_take(&nodes[from].lock);
	sent = tp_sent_to(nodes[from].tp, to);
	lock_give(&nodes[from].lock);
	return sent;
}

/* Once, however a message goes, and by whom it is sent alone. */
START_TEST(what_is_sent_is_counted)
{
	static const size_t sizes[] = {0, 8, EAGER, 100000};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	uint32_t number = 0;
	uint64_t bytes = 0;

	nodes_start();
	for (int k = 0; k < SIZES; k++)
		for (unsigned flags = 0; flags <= TP_SYNC; flags += TP_SYNC)
			for (int to = 0; to < 2; to++, number++) {
				struct slot *s = &nodes[to].in[0][number];

				post(to, 0, number, got, sizeof got);
				ck_assert_int_ge(send_to(0, to, number, big, sizes[k], flags), 0);
				ck_assert_int_ge(send_to(0, to, SLOTS - 1 - number, big, sizes[k],
							 TP_UNCOUNTED),
					0);
				bytes += to ? sizes[k] : 0;
				WAIT_FOR(s->done);
			}
	for (int to = 0; to < 2; to++) {
		ck_assert_uint_eq(sent_to(0, to).messages, 2 * SIZES);
		ck_assert_uint_eq(sent_to(0, to).bytes, bytes);
	}
	ck_assert_uint_eq(sent_to(0, 2).messages + sent_to(1, 0).messages, 0);
	lock_take(&nodes[0].lock);
	ck_assert_int_eq(
		tp_send(nodes[0].tp, 2, &(struct tp_envelope){0}, big, 100000, TP_NOW, NULL),
		FT_EAGAIN);
	tp_count_sent(nodes[0].tp, 2, 77);
	lock_give(&nodes[0].lock);
	ck_assert_uint_eq(sent_to(0, 2).messages, 1);
	ck_assert_uint_eq(sent_to(0, 2).bytes, 77);
	nodes_stop();
}
END_TEST

START_TEST(what_is_too_long_is_cut)
{
	nodes_start();
	for (uint32_t number = 0; number < 4; number++) {
		size_t len = number & 1 ? 100000 : 1000, room = 100;
		struct slot *s;

		fill(big, len, number);
		memset(got, 0xee, len);
		if (number & 2)
			post(1, 0, number, got, room);
		send_to(0, 1, number, big, len, 0);
		s = &nodes[1].in[0][number];
		if (!(number & 2)) {
			WAIT_FOR(s->held);
			post(1, 0, number, got, room);
		}
		WAIT_FOR(s->done);
		ck_assert_uint_eq(s->length, len);
		ck_assert_int_eq(memcmp(got, big, room), 0);
		ck_assert_uint_eq(got[room], 0xee);
	}
	nodes_stop();
}
END_TEST

static uint8_t far_out[2 << 20], far_in[2 << 20], want[2 << 20];

enum { NODES_IN_PIECES = 2, GAP = 0xee };

/* One message, sent or received in pieces or both (1, 2, 3), of which there is room for a part. */
static void in_pieces(int to, uint32_t number, int ways, size_t len, size_t room, size_t step)
{
	struct slot *s = &nodes[to].in[0][number];
	struct cut out, in;
	struct tp_place place = {.buf = got, .room = room};
	void *payload = big;
	bool early = number & 1;
	int before = nodes[0].sent;

	fill(big, len, number);
	memset(far_in, GAP, sizeof far_in);
	if (ways & 1) {
		payload = cut_begin(&out, far_out, len, step);
		for (size_t i = 0; i < len; i++)
			*cut_byte(&out, i) = big[i];
	}
	if (ways & 2)
		place.cursor = cut_begin(&in, far_in, room, step + 1);
	if (early)
		post_place(to, 0, number, place);
	if (send_to(0, to, number, payload, len, ways & 1 ? TP_IOV_CURSOR : 0) == 1)
		before--;
	if (!early) {
		WAIT_FOR(s->held);
		post_place(to, 0, number, place);
	}
	WAIT_FOR(s->done && nodes[0].sent == before + 1);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_uint_eq(s->length, len);
	memset(want, GAP, sizeof want);
	in.base = want;
	for (size_t i = 0; i < room && ways & 2; i++)
		*cut_byte(&in, i) = big[i];
	ck_assert_msg(ways & 2 || memcmp(got, big, room) == 0, "%zu of %zu bytes", room, len);
	ck_assert_msg(memcmp(far_in, want, sizeof want) == 0,
		"%zu of %zu bytes in pieces of %zu to rank %d: ways %d", room, len, step, to, ways);
}

/* What does not lie in one piece, with pieces shorter and longer than what a socket takes at once
 * and than what is read with a header. */
START_TEST(pieces_arrive)
{
	static const size_t sizes[] = {1, 100, EAGER, EAGER + 1, 20000, 300000, 900000},
			    steps[] = {7, 1000, 5000, 200000};
	uint32_t number = 0;

	nodes_start();
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (size_t l = 0; l < sizeof steps / sizeof *steps; l++)
			for (int ways = 1; ways < 4; ways++)
				for (int to = 0; to < NODES_IN_PIECES; to++, number++) {
					size_t room = number % 3 ? sizes[k]
								 : sizes[k] - number % 5 % sizes[k];

					in_pieces(to, number, ways, sizes[k], room, steps[l]);
				}
	ck_assert_uint_lt(number, SLOTS);
	nodes_stop();
}
END_TEST

/* Receives have more room than their messages, which follow each other without a gap: what comes
 * behind one is not read into it. */
START_TEST(pieces_end_with_their_message)
{
	enum { MESSAGES = 8, LEN = 30000, ROOM = 50000, STEP = 5000 };
	struct cut in[MESSAGES];
	struct tp_place place = {.room = ROOM};

	nodes_start();
	fill(big, LEN, 1);
	memset(far_in, GAP, sizeof far_in);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		place.cursor = cut_begin(&in[i], far_in + (size_t)i * 2 * ROOM, ROOM, STEP);
		post_place(1, 0, i, place);
	}
	for (uint32_t i = 0; i < MESSAGES; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, LEN, 0), 0);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		WAIT_FOR(nodes[1].in[0][i].done);
		for (size_t j = 0; j < ROOM; j++)
			ck_assert_uint_eq(*cut_byte(&in[i], j), j < LEN ? big[j] : GAP);
	}
	nodes_stop();
}
END_TEST

NODES_MAIN("transport_payload", tcase_add_test(tc, every_size_arrives);
	   tcase_add_test(tc, what_is_sent_is_counted); tcase_add_test(tc, pieces_arrive);
	   tcase_add_test(tc, pieces_end_with_their_message);
	   tcase_add_test(tc, what_is_too_long_is_cut);)
