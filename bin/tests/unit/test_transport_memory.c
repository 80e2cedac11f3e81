/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is true of peers that share memory alone: frames need no system call, a long payload is
 * copied once, a sleeper is woken, what a peer wrote before its end is read, one that reads nothing
 * keeps nobody else waiting, and where no memory can be had the frames stay on the socket. The test
 * stands between the transport and the files of memory, and the reading of other processes
 * (ld --wrap).
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/error.h"
#include "base/memory_file.h"
#include "tp_nodes.h"

static atomic_bool none_made, none_opened;

int __real_memory_file_make(const char *name, size_t bytes);
int __wrap_memory_file_make(const char *name, size_t bytes);
int __real_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes);
int __wrap_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes);

int __wrap_memory_file_make(const char *name, size_t bytes)
{
	return none_made ? -1 : __real_memory_file_make(name, bytes);
}

int __wrap_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes)
{
	return none_opened ? -1 : __real_memory_file_open(pid, fd, name, bytes);
}

static atomic_int pulls;    /* calls that read another process */
static int pull_errno;	    /* that they fail with; 0: they do not */
static size_t pull_at_once; /* bytes that one reads at most; 0: all */

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
	struct iovec part = *from;

	pulls++;
	if (pull_errno) {
		errno = pull_errno;
		return -1;
	}
	if (pull_at_once && part.iov_len > pull_at_once)
		part.iov_len = pull_at_once;
	return __real_process_vm_readv(pid, to, nto, &part, nfrom, flags);
}

/* A message from node `from` to each other, and the frames about memory. */
static void meet(int from)
{
	for (int to = 0; to < N; to++) {
		if (to == from)
			continue;
		post(to, from, SLOTS - 1, NULL, 0);
		ck_assert_int_ge(send_to(from, to, SLOTS - 1, NULL, 0, 0), 0);
		WAIT_FOR(nodes[to].in[from][SLOTS - 1].done);
	}
	WAIT_FOR(is_settled(from, N - 1));
}

static uint64_t system_calls(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		sum += counts_of(i).sends + counts_of(i).recvs;
	return sum;
}

static void exchange(int a, int b, uint32_t first, uint32_t count, size_t len)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct slot *s = post(b, a, i, got, len);

		ck_assert_int_ge(send_to(a, b, i, big, len, 0), 0);
		WAIT_FOR(s->done);
		ck_assert_int_eq(s->rc, 0);
		ck_assert_int_eq(memcmp(got, big, len), 0);
	}
}

START_TEST(messages_need_no_system_call)
{
	uint64_t before;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 1);
	before = system_calls();
	exchange(0, 1, 0, 50, 8);
	exchange(1, 0, 0, 50, EAGER);
	exchange(0, 2, 0, 20, 300000);
	ck_assert_uint_eq(system_calls(), before);
	nodes_stop();
}
END_TEST

/* Expected or not, in one go or several. */
START_TEST(a_long_payload_is_read_where_it_lies)
{
	enum { BYTES = 300000 };
	struct slot *s;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 4);
	pull_at_once = _i ? 100000 : 0;
	exchange(0, 1, 0, 10, BYTES);
	ck_assert_int_eq(send_to(1, 0, 0, big, BYTES, 0), 0);
	WAIT_FOR(nodes[0].in[1][0].held);
	memset(got, 0, sizeof got);
	s = post(0, 1, 0, got, BYTES);
	ck_assert(s->done);
	ck_assert_int_eq(memcmp(got, big, BYTES), 0);
	ck_assert_int_eq(pulls, _i ? 33 : 11);
	WAIT_FOR(nodes[0].sent == 10 && nodes[1].sent == 1);
	nodes_stop();
}
END_TEST

/* Then it is sent; one refusal of the system is enough, a bad address counts for its message alone.
 */
START_TEST(a_payload_that_cannot_be_read_is_sent)
{
	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 5);
	pull_errno = _i ? EFAULT : EPERM;
	exchange(0, 1, 0, 10, 300000);
	ck_assert_int_eq(pulls, _i ? 10 : 1);
	nodes_stop();
}
END_TEST

/* The message is longer than the room for it. */
START_TEST(no_more_is_read_than_there_is_room_for)
{
	struct slot *s;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 6);
	memset(got, 0, sizeof got);
	s = post(1, 0, 0, got, 1000);
	ck_assert_int_eq(send_to(0, 1, 0, big, 200000, 0), 0);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	ck_assert_uint_eq(s->length, 200000);
	ck_assert_int_eq(memcmp(got, big, 1000), 0);
	ck_assert_int_eq(got[1000], 0);
	nodes_stop();
}
END_TEST

/* Neither side has memory, or the other cannot open it: over the socket, as before. */
START_TEST(without_memory_frames_stay_on_the_socket)
{
	nodes_share_memory();
	*(_i ? &none_made : &none_opened) = true;
	nodes_start();
	fill(big, sizeof big, 2);
	exchange(0, 1, 0, 20, 8);
	exchange(1, 0, 0, 20, 300000);
	exchange(2, 1, 0, 20, 8);
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(counts_of(i).through_memory, 0);
		ck_assert_int_eq(nodes[i].lost, 0);
	}
	nodes_stop();
}
END_TEST

/* The same, and nothing else may be used: both sides lose each other, and say so. */
START_TEST(memory_that_is_required_or_none)
{
	nodes_share_memory();
	nodes_require_memory();
	*(_i ? &none_made : &none_opened) = true;
	nodes_start();
	ck_assert_int_ge(send_to(0, 1, 0, big, 8, 0), 0);
	WAIT_FOR(nodes[0].lost == 1 && nodes[1].lost == 1);
	nodes_stop();
}
END_TEST

/* Node 1 writes and ends at once; node 0 has not looked since, and finds the end first. */
START_TEST(what_was_written_before_the_end_is_read)
{
	enum { MESSAGES = 300 };

	nodes_share_memory();
	nodes_start();
	meet(1);
	for (uint32_t i = 0; i < MESSAGES; i++)
		ck_assert_int_eq(send_to(1, 0, i, big, 100, 0), 1);
	node_stop(1);
	lock_take(&nodes[0].lock);
	while (nodes[0].lost == 0)
		tp_sleep(nodes[0].tp, WAIT_MS);
	lock_give(&nodes[0].lock);
	for (uint32_t i = 0; i < MESSAGES; i++)
		ck_assert_ptr_nonnull(nodes[0].in[1][i].held);
	nodes_stop();
}
END_TEST

static void look_at(int i)
{
	lock_take(&nodes[i].lock);
	tp_flush(nodes[i].tp);
	tp_look(nodes[i].tp, TP_ANYBODY);
	lock_give(&nodes[i].lock);
}

/* Node 1 looks at nothing: its ring is full, and node 0 speaks with node 2 all the same. When node
 * 1 looks again everything comes, in order. */
START_TEST(a_full_ring_keeps_nobody_else_waiting)
{
	uint32_t sent = 0, more;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 3);
	/* more than a ring, less than the window */
	for (; sent < 15; sent++)
		ck_assert_int_eq(send_to(0, 1, sent, big + sent, EAGER, 0), 1);
	for (more = 0; more < 3; more++)
		ck_assert_int_ge(send_to(0, 1, sent + more, big, 100000, 0), 0);
	for (uint32_t i = 0; i < 50; i++) {
		struct slot *s = post(2, 0, i, got, 8);
		uint64_t until = clock_ns() + WAIT_MS * 1000000ull;

		ck_assert_int_eq(send_to(0, 2, i, big, 8, 0), 1);
		while (!s->done) {
			look_at(0);
			look_at(2);
			ck_assert_uint_lt(clock_ns(), until);
		}
	}
	for (uint32_t i = 0; i < sent + more; i++) {
		size_t len = i < sent ? EAGER : 100000;
		struct slot *s = post(1, 0, i, got, len);

		WAIT_FOR(s->done);
		ck_assert_int_eq(memcmp(got, big + (i < sent ? i : 0), len), 0);
	}
	nodes_stop();
}
END_TEST

/* Sleeps until each message has come. */
static void *sleeper(void *arg)
{
	struct node *n = arg;

	lock_take(&n->lock);
	for (uint32_t i = 0; i < SLOTS - 1; i++)
		while (!n->in[0][i].done)
			tp_sleep(n->tp, -1);
	lock_give(&n->lock);
	return NULL;
}

/* Whenever it comes, a message wakes the one that sleeps, or goes to sleep. The deadline is the
 * test's. */
START_TEST(a_sleeper_is_woken)
{
	pthread_t thread;

	nodes_share_memory();
	nodes_start();
	meet(0);
	ck_assert_int_eq(pthread_create(&thread, NULL, sleeper, &nodes[1]), 0);
	for (uint32_t i = 0; i < SLOTS - 1; i++) {
		struct slot *s = post(1, 0, i, got, 8);
		bool done = false;

		ck_assert_int_ge(send_to(0, 1, i, big, 8, 0), 0);
		while (!done) {
			look_at(0);
			lock_take(&nodes[1].lock);
			done = s->done;
			lock_give(&nodes[1].lock);
		}
	}
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	nodes_stop();
}
END_TEST

static bool is_readable(struct tp *tp)
{
	struct pollfd p = {.fd = tp_descriptor(tp), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* A thread that waits for the descriptor is told of news; when another has read the bell, tp_work
 * says that it has to listen again, and after that it is told again. */
START_TEST(a_listener_is_told_whoever_reads_the_bell)
{
	struct tp *tp;

	nodes_share_memory();
	nodes_start();
	meet(0);
	tp = nodes[1].tp;
	for (uint32_t i = 0; i < 50; i++) {
		bool heard = false;

		WAIT_FOR(heard || (heard = tp_listen(tp, true)));
		ck_assert(!tp_work(tp)->unheard);
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
		ck_assert(is_readable(tp));
		lock_take(&nodes[1].lock);
		tp_look(tp, TP_EVERYBODY);
		ck_assert_ptr_nonnull(nodes[1].in[0][i].held);
		ck_assert(tp_work(tp)->unheard);
		lock_give(&nodes[1].lock);
	}
	nodes_stop();
}
END_TEST

/* A thread that looks at a full ring leaves some of it, for the one that sleeps or for its own next
 * look. */
START_TEST(what_one_look_leaves_is_not_forgotten)
{
	enum { MESSAGES = 300 };

	nodes_share_memory();
	nodes_start();
	meet(0);
	for (uint32_t i = 0; i < MESSAGES; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, 8, 0), 1);
	lock_take(&nodes[1].lock);
	tp_look(nodes[1].tp, 0);
	ck_assert_ptr_null(nodes[1].in[0][MESSAGES - 1].held);
	ck_assert(!tp_listen(nodes[1].tp, true));
	lock_give(&nodes[1].lock);
	WAIT_FOR(nodes[1].in[0][MESSAGES - 1].held);
	nodes_stop();
}
END_TEST

UNIT_MAIN("transport_memory", tcase_add_test(tc, messages_need_no_system_call);
	  tcase_add_loop_test(tc, a_long_payload_is_read_where_it_lies, 0, 2);
	  tcase_add_loop_test(tc, a_payload_that_cannot_be_read_is_sent, 0, 2);
	  tcase_add_test(tc, no_more_is_read_than_there_is_room_for);
	  tcase_add_loop_test(tc, without_memory_frames_stay_on_the_socket, 0, 2);
	  tcase_add_loop_test(tc, memory_that_is_required_or_none, 0, 2);
	  tcase_add_test(tc, what_was_written_before_the_end_is_read);
	  tcase_add_test(tc, a_full_ring_keeps_nobody_else_waiting);
	  tcase_add_test(tc, a_sleeper_is_woken);
	  tcase_add_test(tc, a_listener_is_told_whoever_reads_the_bell);
	  tcase_add_test(tc, what_one_look_leaves_is_not_forgotten);)
