/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory is short while the transport sends: a frame is sent whole or not at all, credit is not
 * lost, and every send and receive that was begun is answered, once. The test stands between the
 * transport and malloc and send (ld --wrap).
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "tp_nodes.h"
#include "transport/tp.h"

enum { LARGE = 1024 }; /* batches, operations and messages; not what the C library needs itself */

static atomic_bool no_memory, no_announced; /* the latter: to queue a long payload */
static atomic_int takes = -1;		    /* bytes that sockets take yet; -1: as they like */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
ssize_t __real_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);

void *__wrap_malloc(size_t size)
{
	bool announced = size == sizeof(struct tp_out) + sizeof(struct wire_frame);

	if ((no_memory && size >= LARGE) || (no_announced && announced))
		return NULL;
	return __real_malloc(size);
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	if (takes < 0)
		return __real_send(fd, buf, len, flags);
	if (takes == 0) {
		errno = EAGAIN;
		return -1;
	}
	len = len < (size_t)takes ? len : (size_t)takes;
	takes -= (int)len;
	return __real_send(fd, buf, len, flags);
}

/* The first piece is enough: what is left is sent again. */
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (takes < 0)
		return __real_sendmsg(fd, m, flags);
	return __wrap_send(fd, m->msg_iov->iov_base, m->msg_iov->iov_len, flags);
}

static void flush(int i)
{
	lock_take(&nodes[i].lock);
	tp_flush(nodes[i].tp);
	lock_give(&nodes[i].lock);
}

static void begin(void)
{
	nodes_start();
	ck_assert_int_ge(send_to(0, 1, 0, big, 8, 0), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_ge(send_to(i, 2, SLOTS - 1, big, 8, 0), 0);
	WAIT_FOR(nodes[1].in[0][0].held && nodes[2].in[0][SLOTS - 1].held &&
		 nodes[2].in[1][SLOTS - 1].held);
	flush(0);
}

/* The empty batch that a node keeps is in use, for node 2, which does not get it yet. */
static void use_spare(int i)
{
	takes = 0;
	for (uint32_t k = 0; k < 8; k++)
		ck_assert_int_ge(send_to(i, 2, k, big, 3000, 0), 0);
}

static void must_arrive(uint32_t number, size_t len)
{
	struct slot *s;

	flush(0);
	ck_assert_int_eq(send_to(0, 1, number, big, len, 0), 1);
	s = post(1, 0, number, got, len);
	WAIT_FOR(s->done || nodes[1].lost || nodes[0].lost);
	ck_assert_int_eq(nodes[0].lost, 0);
	ck_assert_int_eq(nodes[1].lost, 0);
	ck_assert_int_eq(s->rc, 0);
	ck_assert_int_eq(memcmp(big, got, len), 0);
}

/* The socket takes a part of it, and for the rest there is no memory: it is not begun then. In turn
 * header alone, header and payload in one piece, and in two. */
START_TEST(a_frame_goes_whole_or_not_at_all)
{
	static const size_t lengths[] = {0, 100, 3000};
	size_t len = lengths[_i];
	int rc;

	begin();
	use_spare(0);
	no_memory = true;
	takes = 10;
	rc = send_to(0, 1, 1, big, len, 0);
	ck_assert_msg(rc == 1 || (rc == FT_ENOMEM && takes == 10),
		"it returns %d, and the socket takes %d bytes more", rc, takes);
	no_memory = false;
	takes = -1;
	if (rc == 1)
		WAIT_FOR(nodes[1].in[0][1].held);
	must_arrive(2, 8);
	must_arrive(3, EAGER);
	nodes_stop();
}
END_TEST

/* Whatever could not leave, the sender gets its credit back: it can send as much as ever. */
START_TEST(credit_is_not_lost)
{
	begin();
	for (uint32_t number = 1; number < 100; number++) {
		must_arrive(number, 3500);
		takes = 0;
		ck_assert_int_ge(send_to(1, 2, number, big, 8, 0), 0);
		no_memory = true;
		ck_assert_int_eq(send_to(1, 0, 0, big, 8, TP_NOW), FT_ENOMEM);
		no_memory = false;
		takes = -1;
		flush(1);
	}
	nodes_stop();
}
END_TEST

/* Node 1 wants a message that was announced, and cannot say so: its receive fails, once. */
START_TEST(a_receive_is_answered_once)
{
	struct slot *s;

	begin();
	ck_assert_int_eq(send_to(0, 1, 1, big, 100000, 0), 0);
	WAIT_FOR(nodes[1].in[0][1].held);
	flush(1);
	use_spare(1);
	no_memory = true;
	s = post(1, 0, 1, got, 100000);
	no_memory = false;
	takes = -1;
	ck_assert(s->done);
	ck_assert_int_eq(s->rc, FT_ENOMEM);
	s->done = false;
	node_stop(0);
	WAIT_FOR(nodes[1].lost == 1);
	ck_assert(!s->done);
	nodes_stop();
}
END_TEST

/* Node 0 is asked for a message that it has announced, and cannot queue it: the send fails, once.
 */
START_TEST(a_send_is_answered_once)
{
	struct slot *s;

	begin();
	ck_assert_int_eq(send_to(0, 1, 1, big, 100000, 0), 0);
	WAIT_FOR(nodes[1].in[0][1].held);
	no_announced = true;
	s = post(1, 0, 1, got, 100000);
	WAIT_FOR(s->done && nodes[0].sent == 1 && nodes[0].lost == 1);
	no_announced = false;
	ck_assert_int_eq(nodes[0].sent_rc, FT_ENOMEM);
	ck_assert_int_ne(s->rc, 0);
	nodes_stop();
}
END_TEST

UNIT_MAIN("transport_short", tcase_add_loop_test(tc, a_frame_goes_whole_or_not_at_all, 0, 3);
	  tcase_add_test(tc, credit_is_not_lost); tcase_add_test(tc, a_receive_is_answered_once);
	  tcase_add_test(tc, a_send_is_answered_once);)
