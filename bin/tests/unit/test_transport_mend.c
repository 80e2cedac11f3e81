/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that break while both sides live. The network here loses what the kernel has taken:
 * from a chosen byte on nothing of what is written to a socket comes, and after some more bytes the
 * connection is gone for both sides.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "tp_nodes.h"
#include "transport/tp.h"
#include "../sim/rng.h"

enum { FDS = 1024 };

/* ---- the network ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long until_break = -1; /* bytes written by anybody; -1: never */
static long lost_bytes;	      /* which the kernel takes after that, and loses */
static int breaks;
static _Atomic bool at_once; /* each connection breaks when it is written to */
static _Atomic int refusals; /* so many connections are refused */
static _Atomic int verdicts; /* so many do not come, and whom they are for gives up */
static struct {
	bool losing;
	long left;
} wires[FDS];

ssize_t __real_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

/* How many of len bytes really leave; -1: the connection is gone. *takes: the kernel takes so many.
 */
static long leaves(int fd, size_t len, size_t *takes)
{
	*takes = len;
	if (wires[fd].losing) {
		if (wires[fd].left <= 0) {
			shutdown(fd, SHUT_RDWR);
			return -1;
		}
		wires[fd].left -= (long)len;
		return 0;
	}
	if (until_break < 0)
		return (long)len;
	if (until_break >= (long)len) {
		until_break -= (long)len;
		return (long)len;
	}
	wires[fd].losing = true;
	wires[fd].left = lost_bytes;
	breaks++;
	len = (size_t)until_break;
	until_break = -1;
	return (long)len;
}

static ssize_t send_pieces(int fd, const struct msghdr *m, int flags)
{
	size_t len = 0, takes;
	ssize_t done = 0;
	long out;

	for (size_t i = 0; i < m->msg_iovlen; i++)
		len += m->msg_iov[i].iov_len;
	out = leaves(fd, len, &takes);
	if (out < 0) {
		errno = ECONNRESET;
		return -1;
	}
	if ((size_t)out == len)
		return __real_sendmsg(fd, m, flags);
	for (size_t i = 0; i < m->msg_iovlen && out > 0; i++) {
		size_t n =
			m->msg_iov[i].iov_len < (size_t)out ? m->msg_iov[i].iov_len : (size_t)out;

		done = __real_send(fd, m->msg_iov[i].iov_base, n, flags);
		out -= (long)n;
		if (done != (ssize_t)n)
			break;
	}
	return (ssize_t)takes;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t n;

	pthread_mutex_lock(&mutex);
	n = send_pieces(fd, m, flags);
	pthread_mutex_unlock(&mutex);
	return n;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	static char zeros[sizeof(struct wire_verdict)];
	struct iovec iov = {(void *)(uintptr_t)buf, len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (verdicts > 0 && len == sizeof(struct wire_verdict)) {
		verdicts--;
		iov.iov_base = zeros;
	}
	if (at_once && len > sizeof(struct wire_frame)) {
		shutdown(fd, SHUT_RDWR);
		errno = EPIPE;
		return -1;
	}
	return __wrap_sendmsg(fd, &m, flags);
}

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (refusals <= 0)
		return __real_connect(fd, to, len);
	refusals--;
	errno = ECONNREFUSED;
	return -1;
}

int __wrap_close(int fd)
{
	pthread_mutex_lock(&mutex);
	if (fd >= 0 && fd < FDS)
		wires[fd].losing = false;
	pthread_mutex_unlock(&mutex);
	return __real_close(fd);
}

/* After so many bytes, and as many more that are lost. */
static void break_after(long bytes, long lost)
{
	pthread_mutex_lock(&mutex);
	until_break = bytes;
	lost_bytes = lost;
	pthread_mutex_unlock(&mutex);
}

/* Those that lose what is written, and to which nobody writes any more. */
static void end_losing(void)
{
	pthread_mutex_lock(&mutex);
	for (int fd = 0; fd < FDS; fd++)
		if (wires[fd].losing)
			shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&mutex);
}

static void setup(void)
{
	nodes_mend();
	nodes_start();
}

static uint64_t mended(void)
{
	uint64_t n = 0;

	for (int i = 0; i < N; i++) {
		struct tp_counts c;

		if (!nodes[i].tp)
			continue;
		tp_read_counts(nodes[i].tp, &c);
		n += c.mended;
	}
	return n;
}

/* ---- */

enum { SMALL = 300, MESSAGES = 40 };

static uint8_t out_bytes[MESSAGES][SMALL], in_bytes[MESSAGES][SMALL];

/* Small messages from node 0 to 1, of which the connection loses some. */
START_TEST(small_messages_are_written_again)
{
	struct slot *s[MESSAGES];

	send_to(0, 1, 500, "x", 1, 0);
	post(1, 0, 500, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][500].done);
	break_after(200 * _i, 1000 * (_i % 5));
	for (uint32_t k = 0; k < MESSAGES; k++) {
		fill(out_bytes[k], SMALL, k);
		ck_assert_int_eq(send_to(0, 1, k, out_bytes[k], SMALL, 0), 1);
		s[k] = post(1, 0, k, in_bytes[k], SMALL);
		nodes_look();
	}
	end_losing();
	for (uint32_t k = 0; k < MESSAGES; k++)
		WAIT_FOR(s[k]->done);
	for (uint32_t k = 0; k < MESSAGES; k++)
		ck_assert_mem_eq(in_bytes[k], out_bytes[k], SMALL);
	WAIT_FOR(breaks == 0 || mended() >= 2);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

/* Node 0 computes: its connections are made, and it does not see what becomes of them. What it says
 * to node 1, which connects to it, does not come, once or more often: for their first connection,
 * or after that one broke. */
START_TEST(a_verdict_is_lost)
{
	struct slot *s = post(0, 1, 1, in_bytes, 1);
	bool first = _i % 2;

	if (!first) {
		send_to(0, 1, 500, "x", 1, 0);
		post(1, 0, 500, in_bytes[1], 1);
		WAIT_FOR(nodes[1].in[0][500].done);
		shutdown(nodes[1].tp->peers[0].fd, SHUT_RDWR);
	}
	verdicts = 1 + _i / 2;
	send_to(1, 0, 1, "y", 1, 0);
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; verdicts > 0;) {
		ck_assert(clock_ns() < until);
		lock_take(&nodes[1].lock);
		tp_look(nodes[1].tp, TP_EVERYBODY);
		lock_give(&nodes[1].lock);
	}
	for (bool up = false; !up;) {
		lock_take(&nodes[1].lock);
		tp_look(nodes[1].tp, TP_EVERYBODY);
		up = nodes[1].tp->peers[0].state == TP_UP;
		ck_assert_int_eq(nodes[1].lost, 0);
		lock_give(&nodes[1].lock);
	}
	WAIT_FOR(s->done);
	ck_assert_mem_eq(in_bytes, "y", 1);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

/* A long message whose payload is cut. */
START_TEST(a_long_message_goes_on)
{
	struct slot *s;

	fill(big, sizeof big, 3);
	send_to(0, 1, 500, "x", 1, 0);
	post(1, 0, 500, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][500].done);
	break_after(1000 + 97001 * _i, _i % 3 * 60000);
	ck_assert_int_eq(send_to(0, 1, 1, big, sizeof big, 0), 0);
	s = post(1, 0, 1, got, sizeof got);
	for (int i = 0; i < 200; i++)
		nodes_look();
	end_losing();
	WAIT_FOR(s->done);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_mem_eq(got, big, sizeof big);
	WAIT_FOR(nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

/* What is said as the payload ends comes behind the word that it is here. */
START_TEST(a_match_comes_behind_the_payload)
{
	fill(big, sizeof big, 4);
	ck_assert_int_eq(send_to(0, 1, 1, big, sizeof big, TP_SYNC), 0);
	WAIT_FOR(nodes[1].in[0][1].held);
	nodes[1].in[0][1].match_then = true;
	take(1, 0, 1, got, sizeof got);
	WAIT_FOR(nodes[0].sent == 1 || nodes[0].lost);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	ck_assert_mem_eq(got, big, sizeof big);
	nodes_stop();
}
END_TEST

/* ---- everything at once ---- */

enum { ROUNDS = 60, LENGTH = 40000 };

static uint8_t sent_bytes[N][N][ROUNDS][LENGTH], come[N][N][ROUNDS][LENGTH];

static size_t length_of(struct rng *r)
{
	unsigned kind = rng_below(r, 4);

	return kind == 0   ? rng_below(r, 64)
	       : kind == 1 ? rng_below(r, EAGER)
			   : rng_below(r, LENGTH);
}

START_TEST(a_storm_is_survived)
{
	struct rng r = {.state = (uint64_t)_i + 1};
	size_t len[N][N][ROUNDS];

	for (uint32_t k = 0; k < ROUNDS; k++) {
		for (int a = 0; a < N; a++)
			for (int b = 0; b < N; b++) {
				if (a == b)
					continue;
				len[a][b][k] = length_of(&r);
				fill(sent_bytes[a][b][k], len[a][b][k], k + 10u * (unsigned)a);
				ck_assert_int_ge(send_to(a, b, k, sent_bytes[a][b][k], len[a][b][k],
							 rng_chance(&r, 200) ? TP_SYNC : 0),
					0);
				if (rng_chance(&r, 500))
					post(b, a, k, come[a][b][k], LENGTH);
			}
		if (rng_chance(&r, 300))
			break_after(rng_below(&r, 100000), rng_below(&r, 50000));
		if (rng_chance(&r, 300))
			end_losing();
		nodes_look();
	}
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			for (uint32_t k = 0; k < ROUNDS; k++)
				if (a != b && !nodes[b].in[a][k].posted)
					post(b, a, k, come[a][b][k], LENGTH);
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			for (uint32_t k = 0; a != b && k < ROUNDS; k++) {
				WAIT_FOR((end_losing(), nodes[b].in[a][k].done));
				ck_assert_msg(nodes[b].in[a][k].rc == 0, "%d: %s",
					nodes[b].in[a][k].rc, nodes[b].lost_why);
				ck_assert_uint_eq(nodes[b].in[a][k].length, len[a][b][k]);
				ck_assert_mem_eq(come[a][b][k], sent_bytes[a][b][k], len[a][b][k]);
			}
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(nodes[i].lost, 0);
		WAIT_FOR(!tp_is_pending(tp_work(nodes[i].tp)));
		ck_assert_int_eq(nodes[i].sent_rc, 0);
	}
	nodes_stop();
}
END_TEST

/* A firewall is loaded again. */
START_TEST(a_refusal_is_not_the_end)
{
	struct slot *s;

	send_to(0, 1, 1, "x", 1, 0);
	post(1, 0, 1, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][1].done);
	refusals = 8;
	lock_take(&nodes[0].lock);
	shutdown(nodes[0].tp->peers[1].fd, SHUT_RDWR);
	lock_give(&nodes[0].lock);
	send_to(0, 1, 2, "y", 1, 0);
	s = post(1, 0, 2, in_bytes, 1);
	WAIT_FOR(s->done && refusals == 0);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

/* ---- the end ---- */

START_TEST(one_that_is_gone_is_lost)
{
	send_to(0, 1, 1, "x", 1, 0);
	post(1, 0, 1, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][1].done);
	node_stop(1);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_str_eq(nodes[0].lost_why, "it closed the connection");
	nodes_stop();
}
END_TEST

START_TEST(what_never_comes_through_is_given_up)
{
	send_to(0, 1, 1, "x", 1, 0);
	post(1, 0, 1, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][1].done);
	at_once = true;
	send_to(0, 1, 2, "y", 1, 0);
	break_after(0, 0);
	send_to(0, 1, 3, "z", 1, 0);
	end_losing();
	WAIT_FOR(nodes[0].lost == 1 || nodes[1].lost == 1);
	nodes_stop();
}
END_TEST

START_TEST(the_end_is_said_once_more)
{
	send_to(0, 1, 1, "x", 1, 0);
	post(1, 0, 1, in_bytes, 1);
	WAIT_FOR(nodes[1].in[0][1].done);
	break_after(_i, 0);
	for (int i = 0; i < 2; i++) {
		lock_take(&nodes[i].lock);
		tp_bye(nodes[i].tp);
		lock_give(&nodes[i].lock);
	}
	WAIT_FOR((end_losing(), tp_finished(nodes[0].tp) && tp_finished(nodes[1].tp)));
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

UNIT_MAIN("transport_mend", tcase_add_checked_fixture(tc, setup, NULL);
	  tcase_add_loop_test(tc, small_messages_are_written_again, 0, 20);
	  tcase_add_loop_test(tc, a_verdict_is_lost, 0, 6);
	  tcase_add_loop_test(tc, a_long_message_goes_on, 0, 3);
	  tcase_add_test(tc, a_match_comes_behind_the_payload);
	  tcase_add_loop_test(tc, a_storm_is_survived, 0, 30);
	  tcase_add_test(tc, a_refusal_is_not_the_end);
	  tcase_add_test(tc, one_that_is_gone_is_lost);
	  tcase_add_test(tc, what_never_comes_through_is_given_up);
	  tcase_add_loop_test(tc, the_end_is_said_once_more, 0, 20);)
