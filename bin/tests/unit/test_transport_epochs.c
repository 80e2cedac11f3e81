/* SPDX-License-Identifier: BSD-3-Clause */
/* The physical half: peers that die or are not there, epochs that follow each other. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "tp_nodes.h"

START_TEST(the_death_of_a_peer_is_told)
{
	struct slot *s;

	nodes_start();
	post(1, 0, 0, got, 8);
	send_to(0, 1, 0, big, 8, 0);
	WAIT_FOR(nodes[1].in[0][0].done);
	ck_assert_int_eq(send_to(1, 0, 0, big, 100000, 0), 0);
	WAIT_FOR(nodes[0].in[1][0].held);
	node_stop(1);
	/* its announced message can no longer be had */
	s = post(0, 1, 0, got, 100000);
	WAIT_FOR(s->done && nodes[0].lost == 1);
	ck_assert_int_eq(s->rc, FT_EPEER);
	ck_assert_int_eq(send_to(0, 1, 1, big, 8, 0), FT_EPEER);
	nodes_stop();
}
END_TEST

START_TEST(nobody_listens)
{
	nodes_start();
	node_stop(1);
	ck_assert_int_eq(send_to(0, 1, 0, big, 100000, 0), 0);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	ck_assert_int_eq(nodes[0].sent_rc, FT_EPEER);
	nodes_stop();
}
END_TEST

/* Architecture, section 6: everything physical is dropped and built anew, with a new epoch. */
START_TEST(the_physical_half_is_built_anew)
{
	uint32_t epoch = 2;

	nodes_start();
	for (uint32_t number = 0; number < 20; number += 2, epoch++) {
		struct slot *s = post(1, 0, number, got, sizeof got);

		fill(big, 50000, number);
		ck_assert_int_ge(send_to(0, 1, number, big, 50000, 0), 0);
		WAIT_FOR(s->done && nodes[0].sent == (int)number / 2 + 1);
		ck_assert_int_eq(memcmp(got, big, 50000), 0);
		for (int i = 0; i < N; i++) {
			listeners[i] = tp_detach(nodes[i].tp, TP_KEEP_LISTENER);
			loop_free(nodes[i].loop);
		}
		for (int i = 0; i < N; i++)
			node_attach(i, epoch);
	}
	nodes_stop();
}
END_TEST

static _Atomic bool one_way;

int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);

/* Nobody can connect to another node than 0. */
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	if (one_way && node_at(to) > 0) {
		errno = EHOSTUNREACH;
		return -1;
	}
	return __real_connect(fd, to, len);
}

/* A firewall lets connections through in one direction. */
START_TEST(only_the_higher_rank_can_connect)
{
	struct slot *a, *b;

	nodes_start();
	one_way = true;
	a = post(1, 0, 0, got, 8);
	b = post(0, 1, 0, got + 8, 8);
	ck_assert_int_eq(send_to(0, 1, 0, big, 8, 0), 1);
	ck_assert_int_eq(send_to(1, 0, 0, big, 8, 0), 1);
	WAIT_FOR(a->done && b->done);
	ck_assert_int_eq(nodes[0].lost + nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

static void move_to(int i, uint32_t epoch)
{
	listeners[i] = tp_detach(nodes[i].tp, TP_KEEP_LISTENER);
	loop_free(nodes[i].loop);
	node_attach(i, epoch);
}

/* Reads the log up to a line that begins with this text. */
static void wait_log(int fd, const char *text)
{
	uint64_t until = clock_ns() + WAIT_MS * 1000000ull;
	char line[1024];
	size_t n = 0;

	for (;; nodes_look()) {
		char c;

		ck_assert_msg(clock_ns() < until, "waited %d ms for a line '%s'", WAIT_MS, text);
		while (read(fd, &c, 1) == 1) {
			line[n++] = c;
			ck_assert_uint_lt(n, sizeof line);
			if (c != '\n')
				continue;
			line[n - 1] = '\0';
			n = 0;
			if (strncmp(line, text, strlen(text)) == 0)
				return;
		}
	}
}

/* From now on the log can be read. */
static int open_log(void)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	log_configure(1, "node");
	return fds[0];
}

/* A restart: the socket of a rank whose old image has not begun again yet listens as before, and
 * its image connects as before. Both are turned away until it is in the new epoch; nobody is lost.
 */
START_TEST(who_comes_late_to_an_epoch_is_waited_for)
{
	int log;

	nodes_start();
	log = open_log();
	move_to(1, 2);
	move_to(2, 2);
	post(0, 1, 0, got, 8);
	ck_assert_int_eq(send_to(1, 0, 0, "to stale", 8, 0), 1);
	wait_log(log, "node: handshake to peer 0: ");
	ck_assert_int_eq(send_to(0, 2, 0, "stale to", 8, 0), 1);
	wait_log(log, "node: handshake to peer 2: ");
	ck_assert_ptr_null(nodes[2].in[0][0].held);
	ck_assert(!nodes[0].in[1][0].done);
	move_to(0, 2);
	WAIT_FOR(nodes[0].in[1][0].done && nodes[2].in[0][0].held);
	ck_assert_int_eq(memcmp(got, "to stale", 8), 0);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(nodes[i].lost, 0);
	nodes_stop();
}
END_TEST

/* Who lives in another epoch does not get in, and is not believed. */
START_TEST(a_stale_peer_is_refused)
{
	nodes_start();
	move_to(1, 7);
	ck_assert_int_eq(send_to(1, 0, 0, big, 8, 0), 1);
	ck_assert_int_eq(send_to(2, 0, 0, big, 8, 0), 1);
	WAIT_FOR(nodes[0].in[2][0].held);
	ck_assert_ptr_null(nodes[0].in[1][0].held);
	nodes_stop();
}
END_TEST

NODES_MAIN("transport_epochs", tcase_add_test(tc, the_death_of_a_peer_is_told);
	   tcase_add_test(tc, nobody_listens); tcase_add_test(tc, only_the_higher_rank_can_connect);
	   tcase_add_test(tc, the_physical_half_is_built_anew);
	   tcase_add_test(tc, who_comes_late_to_an_epoch_is_waited_for);
	   tcase_add_test(tc, a_stale_peer_is_refused);)
