/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers that are lost and come back, as another process of their rank or as the same one. */
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "tp_nodes.h"
#include "transport/tp.h"

static atomic_int connects; /* attempts of all nodes */

int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	connects++;
	return __real_connect(fd, to, len);
}

/* A message of 8 bytes, and its contents. */
static void passes(int from, int to, uint32_t number)
{
	struct slot *s = post(to, from, number, got, 8);

	fill(big, 8, number);
	ck_assert_int_eq(send_to(from, to, number, big, 8, 0), 1);
	WAIT_FOR(s->done);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_mem_eq(got, big, 8);
}

static void begin(void)
{
	nodes_come_back();
	nodes_start();
}

/* A process of this rank ends, another one begins, and the others are told. Those that have said
 * anything to the old one have lost it. */
static void replace(int rank)
{
	uint32_t incarnation = nodes[rank].incarnation + 1;

	node_stop(rank);
	node_begin(rank, rank, incarnation);
	for (int i = 0; i < N; i++)
		if (i != rank)
			node_told(i, rank, incarnation);
}

/* What node 0 has under way with node 1: nothing of it can come. */
struct open {
	struct slot *asked;   /* for a long one, which was announced */
	uint32_t long_number; /* of one that nobody receives */
	int sends;	      /* of node 0 that are not done */
};

static struct open leave_open(void)
{
	struct open o = {.long_number = 11};

	passes(0, 1, 0);
	passes(1, 0, 1);
	WAIT_FOR(is_settled(0, 1) && is_settled(1, 1));
	ck_assert_int_eq(send_to(1, 0, o.long_number, big, 100000, 0), 0);
	WAIT_FOR(nodes[0].in[1][o.long_number].held);
	ck_assert_int_eq(send_to(0, 1, 2, big, 200000, 0), 0);
	ck_assert_int_eq(send_to(0, 1, 3, big, 8, TP_SYNC), 0);
	o.sends = 2;
	return o;
}

START_TEST(another_process_takes_its_place)
{
	struct open o;

	begin();
	o = leave_open();
	replace(1);
	ck_assert_ptr_null(nodes[0].in[1][o.long_number].held);
	ck_assert_int_eq(nodes[0].sent, o.sends);
	ck_assert_int_eq(nodes[0].sent_rc, FT_EPEER);
	ck_assert_int_eq(counts_of(0).connected, 0);
	passes(0, 1, 0);
	passes(1, 0, 2);
	passes(2, 1, 0);
	WAIT_FOR(is_settled(0, 1));
	passes(0, 1, 1);
	nodes_stop();
}
END_TEST

/* Its receive had met its message, and waits for it again. */
START_TEST(what_is_half_here_is_matched_again)
{
	struct slot *s;

	begin();
	passes(0, 1, 0);
	s = post(0, 1, 5, got, sizeof got);
	fill(big, sizeof big, 5);
	ck_assert_int_eq(send_to(1, 0, 5, big, sizeof big, 0), 0);
	/* it is announced; node 1 does not answer any more */
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; nodes[0].posted > 0;) {
		ck_assert(clock_ns() < until);
		lock_take(&nodes[1].lock);
		tp_flush(nodes[1].tp);
		lock_give(&nodes[1].lock);
		lock_take(&nodes[0].lock);
		tp_look(nodes[0].tp, TP_EVERYBODY);
		lock_give(&nodes[0].lock);
	}
	if (s->done) { /* read where it lay */
		nodes_stop();
		return;
	}
	replace(1);
	ck_assert_int_eq(s->unmatched, 1);
	ck_assert_int_ge(send_to(1, 0, 5, big, sizeof big, 0), 0);
	WAIT_FOR(s->done);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_mem_eq(got, big, sizeof big);
	nodes_stop();
}
END_TEST

/* What came as a whole, and was not received, stays. */
START_TEST(what_is_here_stays)
{
	struct slot *s;

	begin();
	fill(big, 100, 7);
	ck_assert_int_eq(send_to(1, 0, 7, big, 100, 0), 1);
	WAIT_FOR(nodes[0].in[1][7].held);
	replace(1);
	passes(1, 0, 0);
	s = post(0, 1, 7, got, 100);
	WAIT_FOR(s->done);
	fill(big, 100, 7);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_mem_eq(got, big, 100);
	nodes_stop();
}
END_TEST

/* It says so itself, before anybody has told node 0, which takes its connection for whole. */
START_TEST(another_process_comes_by_itself)
{
	struct slot *s;

	begin();
	passes(0, 1, 0);
	WAIT_FOR(is_settled(0, 1) && is_settled(1, 1));
	node_begin(ANOTHER, 1, 1);
	s = post(0, 1, 3, got, 8);
	ck_assert_int_eq(send_to(ANOTHER, 0, 3, big, 8, 0), 1);
	WAIT_FOR(s->done && nodes[0].lost == 1);
	ck_assert_int_eq(send_to(0, 1, 1, big, 8, 0), 1);
	WAIT_FOR(nodes[ANOTHER].in[0][1].held);

	/* what it is told now is nothing new */
	node_told(0, 1, 1);
	ck_assert_int_eq(send_to(0, 1, 2, big, 8, 0), 1);
	WAIT_FOR(nodes[ANOTHER].in[0][2].held);
	ck_assert_int_eq(nodes[0].lost, 1);
	nodes_stop();
}
END_TEST

/* ... to one that has not spoken with it, either. */
START_TEST(another_process_comes_to_a_stranger)
{
	struct slot *s;

	begin();
	node_begin(ANOTHER, 1, 1);
	s = post(0, 1, 3, got, 8);
	ck_assert_int_eq(send_to(ANOTHER, 0, 3, big, 8, 0), 1);
	WAIT_FOR(s->done);
	ck_assert_int_eq(nodes[0].lost, 0);
	nodes_stop();
}
END_TEST

/* The new process listens where the old one did. Whoever has not been told means the old one. */
START_TEST(who_means_the_older_process_is_refused)
{
	begin();
	listeners[1] = dup(listeners[1]);
	node_stop(1);
	node_begin_there(1, 1, 1);
	connects = 0;
	ck_assert_int_eq(send_to(0, 1, 8, big, 8, 0), 1);
	WAIT_FOR(connects >= 2);
	node_told(0, 1, 1);
	passes(0, 1, 0);
	ck_assert_ptr_null(nodes[1].in[0][8].held);
	nodes_stop();
}
END_TEST

/* It has stopped when somebody connects to it. */
START_TEST(no_answer_of_the_older_process_is_waited_for)
{
	int silent;

	begin();
	silent = dup(listeners[1]);
	node_stop(1);
	ck_assert_int_eq(send_to(0, 1, 8, big, 8, 0), 1);
	WAIT_FOR(connects >= 1);
	node_begin(1, 1, 1);
	node_told(0, 1, 1);
	passes(0, 1, 0);
	close(silent);
	nodes_stop();
}
END_TEST

/* A process that was replaced, and does not know it, speaks to whoever knows it; and is spoken to
 * by nobody. Node 2 has not been told, and takes it for the newest. */
START_TEST(an_older_process_is_refused)
{
	begin();
	node_begin(ANOTHER, 1, 1);
	node_told(0, 1, 1);
	passes(2, 1, 0);
	ck_assert_int_eq(send_to(0, 1, 3, big, 8, 0), 1);
	WAIT_FOR(nodes[ANOTHER].in[0][3].held);
	connects = 0;
	ck_assert_int_eq(send_to(1, 0, 9, big, 8, 0), 1);
	WAIT_FOR(connects >= 3);
	ck_assert_int_eq(counts_of(0).connected, 1);
	ck_assert_int_eq(nodes[0].lost, 0);

	node_told(2, 1, 1);
	WAIT_FOR(nodes[2].lost == 1 && nodes[1].tp->counts.connected == 0);
	ck_assert_int_eq(send_to(1, 2, 9, big, 8, 0), 1);
	ck_assert_int_eq(send_to(2, 1, 3, big, 8, 0), 1);
	WAIT_FOR(nodes[ANOTHER].in[2][3].held);
	ck_assert_int_eq(counts_of(2).connected, 1);
	ck_assert_int_eq(counts_of(1).connected, 0);
	ck_assert_ptr_null(nodes[0].in[1][9].held);
	ck_assert_ptr_null(nodes[2].in[1][9].held);
	nodes_stop();
}
END_TEST

/* ... before anything is up, too: what waits for the one that is gone is not said to the next. */
START_TEST(what_waits_for_one_that_is_gone_is_dropped)
{
	begin();
	node_stop(1);
	ck_assert_int_eq(send_to(0, 1, 8, big, 8, 0), 1);
	ck_assert_int_eq(send_to(0, 1, 9, big, 100000, 0), 0);
	node_begin(1, 1, 1);
	node_told(0, 1, 1);
	ck_assert_int_eq(nodes[0].lost, 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	passes(0, 1, 0);
	ck_assert_ptr_null(nodes[1].in[0][8].held);
	ck_assert_ptr_null(nodes[1].in[0][9].held);
	nodes_stop();
}
END_TEST

/* The connection is cut, and both live: both begin anew, and what is said then passes. */
START_TEST(both_live)
{
	struct open o;

	begin();
	o = leave_open();
	lock_take(&nodes[0].lock);
	nodes[0].tp->peers[1].mend.in_vain = 1000; /* it is not mended */
	shutdown(nodes[0].tp->peers[1].fd, SHUT_RDWR);
	lock_give(&nodes[0].lock);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_int_eq(nodes[0].sent, o.sends);
	WAIT_FOR(nodes[1].lost == 1);
	passes(1, 0, 21);
	passes(0, 1, 20);
	ck_assert_int_eq(nodes[1].sent, 1);
	ck_assert_int_eq(nodes[0].lost, 1);
	nodes_stop();
}
END_TEST

/* Nobody listens there, which is final for others. */
START_TEST(nobody_is_given_up)
{
	begin();
	node_stop(1);
	ck_assert_int_eq(send_to(0, 1, 8, big, 8, 0), 1);
	WAIT_FOR(connects >= 4);
	ck_assert_int_eq(nodes[0].lost, 0);
	ck_assert_int_eq(send_to(0, 1, 9, big, 8, 0), 1);
	nodes_stop();
}
END_TEST

START_TEST(it_comes_back_often)
{
	begin();
	for (uint32_t i = 1; i <= 80; i++) {
		passes(0, 1, i);
		passes(1, 2, i);
		replace(1);
		memset(nodes[0].in, 0, sizeof nodes[0].in);
		memset(nodes[2].in, 0, sizeof nodes[2].in);
	}
	passes(1, 0, 0);
	WAIT_FOR(is_settled(0, 1));
	passes(1, 0, 1);
	nodes_stop();
}
END_TEST

/* Both have said that they begin nothing more: it does not come back. */
START_TEST(the_end_is_the_end)
{
	begin();
	passes(0, 1, 0);
	for (int i = 0; i < N; i++) {
		lock_take(&nodes[i].lock);
		tp_bye(nodes[i].tp);
		lock_give(&nodes[i].lock);
	}
	WAIT_FOR(tp_finished(nodes[0].tp) && tp_finished(nodes[1].tp));
	node_stop(1);
	WAIT_FOR(nodes[0].tp->peers[1].state != TP_UP);
	WAIT_FOR(tp_finished(nodes[0].tp));
	ck_assert_int_eq(nodes[0].lost, 0);
	nodes_stop();
}
END_TEST

/* It had said that it begins nothing more, and begins again all the same. */
START_TEST(after_its_end_it_comes_back)
{
	begin();
	passes(0, 1, 0);
	for (int i = 0; i < 2; i++) {
		lock_take(&nodes[i].lock);
		tp_bye(nodes[i].tp);
		lock_give(&nodes[i].lock);
	}
	WAIT_FOR(tp_finished(nodes[0].tp) && tp_finished(nodes[1].tp));
	if (_i == 0) {
		node_stop(1);
		WAIT_FOR(nodes[0].tp->peers[1].state != TP_UP);
		node_begin(1, 1, 1);
	} else {
		node_begin(ANOTHER, 1, 1); /* before its end is seen */
	}
	post(0, 1, 5, got, 8);
	ck_assert_int_eq(send_to(_i == 0 ? 1 : ANOTHER, 0, 5, big, 8, 0), 1);
	WAIT_FOR(nodes[0].in[1][5].done);
	nodes_stop();
}
END_TEST

NODES_MAIN("transport_come_back", tcase_add_test(tc, another_process_takes_its_place);
	   tcase_add_test(tc, what_is_half_here_is_matched_again);
	   tcase_add_test(tc, what_is_here_stays);
	   tcase_add_test(tc, another_process_comes_by_itself);
	   tcase_add_test(tc, another_process_comes_to_a_stranger);
	   tcase_add_test(tc, who_means_the_older_process_is_refused);
	   tcase_add_test(tc, no_answer_of_the_older_process_is_waited_for);
	   tcase_add_test(tc, an_older_process_is_refused);
	   tcase_add_test(tc, what_waits_for_one_that_is_gone_is_dropped);
	   tcase_add_test(tc, both_live); tcase_add_test(tc, nobody_is_given_up);
	   tcase_add_test(tc, it_comes_back_often); tcase_add_test(tc, the_end_is_the_end);
	   tcase_add_loop_test(tc, after_its_end_it_comes_back, 0, 2);)
