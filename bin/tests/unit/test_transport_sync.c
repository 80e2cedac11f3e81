/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronous sends whose messages are taken before a receive has matched them: each is done once,
 * when that has happened, or taken back; also where the pairs begin anew in between.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/error.h"
#include "tp_nodes.h"
#include "transport/tp.h"

enum { EPOCH = 1, HELLO = 0, FIRST };

/* A payload is not read in its sender's memory, but asked for. */
static bool no_pull;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
	errno = EPERM;
	return no_pull ? -1 : __real_process_vm_readv(pid, to, nto, from, nfrom, flags);
}

static const size_t lengths[] = {0, 8, 50000, 1 << 20};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Frames are told from others by what comes behind them. */
static void pass_all(int from, int to)
{
	static uint32_t number = SLOTS / 2;
	struct slot *s = post(to, from, number, got, 8), *back = post(from, to, number, got, 8);

	send_to(from, to, number, big, 8, 0);
	WAIT_FOR(s->done);
	send_to(to, from, number++, big, 8, 0);
	WAIT_FOR(back->done);
}

static void offer(int from, int to, uint32_t number, size_t len)
{
	ck_assert_int_eq(send_to(from, to, number, big, len, TP_SYNC), 0);
	WAIT_FOR(nodes[to].in[from][number].held);
	ck_assert(nodes[to].in[from][number].held->sync);
}

static void take_whole(int at, int from, uint32_t number, size_t len)
{
	struct slot *s = take(at, from, number, got, sizeof got);

	WAIT_FOR(s->done);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_uint_eq(s->length, len);
	ck_assert_int_eq(memcmp(got, big, len), 0);
}

START_TEST(done_when_it_is_matched)
{
	size_t len = lengths[_i];

	nodes_start();
	fill(big, len, 1);
	pass_all(0, 1);
	offer(0, 1, FIRST, len);
	take_whole(1, 0, FIRST, len);
	pass_all(1, 0);
	ck_assert_int_eq(nodes[0].sent, 0);
	match(1, 0, FIRST);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	ck_assert(!tp_is_pending(tp_work(nodes[0].tp)));
	nodes_stop();
}
END_TEST

/* Nobody waits for the match of one that is not synchronous, nor of one that has its receive. */
START_TEST(others_are_done_at_once)
{
	struct slot *s;

	nodes_start();
	pass_all(0, 1);
	ck_assert_int_eq(send_to(0, 1, FIRST, big, 50000, 0), 0);
	WAIT_FOR(nodes[1].in[0][FIRST].held);
	ck_assert_uint_eq(nodes[1].in[0][FIRST].held->sync, 0);
	take(1, 0, FIRST, got, sizeof got);
	WAIT_FOR(nodes[0].sent == 1);
	offer(0, 1, FIRST + 1, 50000);
	s = post(1, 0, FIRST + 1, got, sizeof got);
	WAIT_FOR(nodes[0].sent == 2 && s->done);
	nodes_stop();
}
END_TEST

START_TEST(to_itself)
{
	size_t len = lengths[_i];

	nodes_start();
	fill(big, len, 2);
	offer(0, 0, FIRST, len);
	offer(0, 0, FIRST + 1, len);
	take_whole(0, 0, FIRST, len);
	take_whole(0, 0, FIRST + 1, len);
	ck_assert_int_eq(nodes[0].sent, 0);
	match(0, 0, FIRST);
	ck_assert_int_eq(nodes[0].sent, 1);
	withdraw_from(0, 0);
	ck_assert_int_eq(nodes[0].sent, 2);
	ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
	nodes_stop();
}
END_TEST

/* ---- taken back ---- */

START_TEST(taken_back)
{
	struct slot *s = &nodes[1].in[0][FIRST];

	nodes_start();
	pass_all(0, 1);
	offer(0, 1, FIRST, 50000);
	take(1, 0, FIRST, got, sizeof got);
	WAIT_FOR(s->done);
	pass_all(1, 0);
	withdraw_from(0, 1);
	withdraw_from(0, 1);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert(s->let_go);
	ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* Its receiver says so later, or has a receive by then. */
START_TEST(taken_back_later)
{
	struct slot *s = &nodes[1].in[0][FIRST];
	struct tp_withdrawal w = {.peer = 0};

	nodes_start();
	pass_all(0, 1);
	offer(0, 1, FIRST, 8);
	take_whole(1, 0, FIRST, 8);
	s->later = true;
	withdraw_from(0, 1);
	pass_all(0, 1);
	ck_assert_int_eq(nodes[0].sent, 0);
	s->later = false;
	if (_i == 0)
		match(1, 0, FIRST);
	w.id = s->sync;
	lock_take(&nodes[1].lock);
	tp_withdraw_again(nodes[1].tp, &w);
	lock_give(&nodes[1].lock);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, _i == 0 ? 0 : FT_ECANCEL);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* ---- the pairs begin anew ---- */

static bool is_leaving(void)
{
	return !list_empty(&nodes[0].tp->peers[1].queue);
}

static void all_begin_anew(void)
{
	static uint32_t epoch = EPOCH;

	epoch++;
	for (int i = 0; i < N; i++) {
		listeners[i] = tp_detach(nodes[i].tp, TP_KEEP_LISTENER);
		loop_free(nodes[i].loop);
		lock_take(&nodes[i].lock);
		ck_assert_int_eq(tp_begin_anew(nodes[i].tp), 0);
		lock_give(&nodes[i].lock);
	}
	for (int i = 0; i < N; i++)
		node_attach(i, epoch);
}

/* How far it was. */
enum stage { ANNOUNCED, ASKED, HALF, TAKEN, STAGES };

static void come_to(enum stage stage, size_t len)
{
	struct slot *s = &nodes[1].in[0][FIRST];

	offer(0, 1, FIRST, len);
	if (stage == ASKED || stage == HALF)
		take(1, 0, FIRST, got, sizeof got);
	if (stage == HALF)
		nodes_look();
	if (stage == TAKEN) {
		take_whole(1, 0, FIRST, len);
		pass_all(1, 0);
	}
	if (stage == ANNOUNCED)
		s->sync = s->held->sync;
}

/* Its receiver has it, as the line has, and it waits; it has met its receive before; it was taken
 * back, and will be again. However often. */
START_TEST(open_until_it_is_matched)
{
	enum stage stage = (enum stage)(_i / LENGTHS);

	nodes_start();
	pass_all(0, 1);
	come_to(stage, lengths[_i % LENGTHS]);
	for (int again = 0; again < 3; again++) {
		all_begin_anew();
		pass_all(0, 1);
		ck_assert_int_eq(nodes[0].sent, 0);
	}
	match(1, 0, FIRST);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

START_TEST(it_was_matched_before)
{
	struct slot *s = &nodes[1].in[0][FIRST];

	nodes_start();
	pass_all(0, 1);
	come_to((enum stage)_i, 50000);
	s->matched = true;
	all_begin_anew();
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

START_TEST(it_was_taken_back_before)
{
	struct slot *s = &nodes[1].in[0][FIRST];

	nodes_start();
	pass_all(0, 1);
	come_to((enum stage)_i, 50000);
	s->let_go = true;
	all_begin_anew();
	pass_all(0, 1);
	ck_assert_int_eq(nodes[0].sent, 0);
	all_begin_anew();
	pass_all(0, 1);
	withdraw_from(0, 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* Its sender had said so, and nobody has heard of it: the other has let it go, or does now. */
START_TEST(it_is_being_taken_back)
{
	struct slot *s = &nodes[1].in[0][FIRST];

	nodes_start();
	pass_all(0, 1);
	come_to(TAKEN, 8);
	s->later = true;
	withdraw_from(0, 1);
	pass_all(0, 1);
	s->later = false;
	s->let_go = _i;
	all_begin_anew();
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
	ck_assert(s->let_go);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* Its payload is in the queue, for a receive or not. */
START_TEST(its_payload_is_leaving)
{
	int little = 1 << 14;

	nodes_start();
	pass_all(0, 1);
	no_pull = true;
	setsockopt(nodes[0].tp->peers[1].fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
	setsockopt(nodes[1].tp->peers[0].fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
	offer(0, 1, FIRST, 1 << 20);
	if (_i)
		take(1, 0, FIRST, got, sizeof got);
	else
		post(1, 0, FIRST, got, sizeof got);
	lock_take(&nodes[1].lock);
	tp_flush(nodes[1].tp);
	lock_give(&nodes[1].lock);
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; !is_leaving();) {
		lock_take(&nodes[0].lock);
		tp_look(nodes[0].tp, TP_EVERYBODY);
		lock_give(&nodes[0].lock);
		ck_assert_msg(clock_ns() < until, "it does not leave");
	}
	all_begin_anew();
	if (_i)
		pass_all(0, 1);
	ck_assert(!_i || nodes[0].sent == 0);
	if (_i)
		match(1, 0, FIRST);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* Other sends are done, as ever. */
START_TEST(others_end_there)
{
	nodes_start();
	pass_all(0, 1);
	ck_assert_int_eq(send_to(0, 1, FIRST, big, 50000, 0), 0);
	WAIT_FOR(nodes[1].in[0][FIRST].held);
	offer(0, 0, FIRST, 8);
	take_whole(0, 0, FIRST, 8);
	all_begin_anew();
	ck_assert_int_eq(nodes[0].sent, 1);
	match(0, 0, FIRST);
	ck_assert_int_eq(nodes[0].sent, 2);
	pass_all(0, 1);
	nodes_stop();
}
END_TEST

/* ---- what a peer may not say ---- */

static void say(int from, int to, const struct wire_frame *f)
{
	struct wire_frame copy = *f;

	lock_take(&nodes[from].lock);
	ck_assert_int_eq(
		tp_out_small(nodes[from].tp, &nodes[from].tp->peers[to], &copy, NULL, 0), 0);
	tp_flush(nodes[from].tp);
	lock_give(&nodes[from].lock);
}

START_TEST(who_says_something_else_is_lost)
{
	struct wire_frame said[] = {{.kind = WIRE_MATCHED}, {.kind = WIRE_MATCHED, .id = 12345},
		{.kind = WIRE_CTS, .length = 2}, {.kind = WIRE_PULLED, .length = 2},
		{.kind = WIRE_WITHDRAWN}, {.kind = WIRE_KIND_END}};
	struct wire_frame f = said[_i];

	nodes_start();
	pass_all(0, 1);
	offer(0, 1, FIRST, 8);
	f.id = f.id ? f.id : nodes[1].in[0][FIRST].held->sync;
	say(1, 0, &f);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	ck_assert_int_eq(nodes[0].sent_rc, FT_EPEER);
	nodes_stop();
}
END_TEST

START_TEST(who_says_it_twice_is_lost)
{
	struct wire_frame f = {.kind = WIRE_MATCHED};

	nodes_start();
	pass_all(0, 1);
	offer(0, 1, FIRST, 8);
	take_whole(1, 0, FIRST, 8);
	f.id = nodes[1].in[0][FIRST].sync;
	match(1, 0, FIRST);
	WAIT_FOR(nodes[0].sent == 1);
	say(1, 0, &f);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	nodes_stop();
}
END_TEST

/* Of one that is not synchronous nobody says that it is not matched. */
START_TEST(an_ordinary_one_is_not_early)
{
	struct wire_frame f = {.kind = WIRE_CTS, .length = 1, .id = 1};

	nodes_start();
	pass_all(0, 1);
	ck_assert_int_eq(send_to(0, 1, FIRST, big, 50000, 0), 0);
	WAIT_FOR(nodes[1].in[0][FIRST].held);
	f.id = container_of(list_first(&nodes[0].tp->peers[1].sending), struct tp_send, link)->id;
	say(1, 0, &f);
	WAIT_FOR(nodes[0].lost == 1);
	nodes_stop();
}
END_TEST

NODES_MAIN(
	"transport_sync", tcase_add_loop_test(tc, done_when_it_is_matched, 0, LENGTHS);
	tcase_add_test(tc, others_are_done_at_once); tcase_add_loop_test(tc, to_itself, 0, LENGTHS);
	tcase_add_test(tc, taken_back); tcase_add_loop_test(tc, taken_back_later, 0, 2);
	tcase_add_loop_test(tc, open_until_it_is_matched, 0, STAGES *LENGTHS);
	tcase_add_loop_test(tc, it_was_matched_before, 0, STAGES);
	tcase_add_loop_test(tc, it_was_taken_back_before, 0, STAGES);
	tcase_add_loop_test(tc, it_is_being_taken_back, 0, 2);
	tcase_add_loop_test(tc, its_payload_is_leaving, 0, 2); tcase_add_test(tc, others_end_there);
	tcase_add_loop_test(tc, who_says_something_else_is_lost, 0, 6);
	tcase_add_test(tc, who_says_it_twice_is_lost);
	tcase_add_test(tc, an_ordinary_one_is_not_early);)
