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
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory_file.h"
#include "cut.h"
#include "tp_nodes.h"
#include "transport/memory.h"

static atomic_bool none_made, none_opened;
static int none_errno;

int __real_memory_file_make(const char *name, size_t bytes);
int __wrap_memory_file_make(const char *name, size_t bytes);
int __real_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes);
int __wrap_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes);

int __wrap_memory_file_make(const char *name, size_t bytes)
{
	errno = none_errno;
	return none_made ? -1 : __real_memory_file_make(name, bytes);
}

int __wrap_memory_file_open(pid_t pid, int fd, const char *name, size_t bytes)
{
	errno = none_errno;
	return none_opened ? -1 : __real_memory_file_open(pid, fd, name, bytes);
}

static atomic_int pulls;  /* calls that read another process */
static int pulls_allowed; /* of them, when pull_errno is set */
static int pull_errno;	  /* that the others fail with; 0: they do not */
static bool pull_strange; /* what they read is of another process */

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags);

static const void *name_at;

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
	const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
	ssize_t n;

	if (pulls++ >= pulls_allowed && pull_errno) {
		errno = pull_errno;
		return -1;
	}
	name_at = from[nfrom - 1].iov_base;
	n = __real_process_vm_readv(pid, to, nto, from, nfrom, flags);
	for (unsigned long i = 0; i < nto && pull_strange; i++)
		memset(to[i].iov_base, 0, to[i].iov_len);
	return n;
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

/* Expected or not. */
START_TEST(a_long_payload_is_read_where_it_lies)
{
	enum { BYTES = 300000 };
	struct slot *s;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 4);
	exchange(0, 1, 0, 10, BYTES);
	ck_assert_int_eq(send_to(1, 0, 0, big, BYTES, 0), 0);
	WAIT_FOR(nodes[0].in[1][0].held);
	memset(got, 0, sizeof got);
	s = post(0, 1, 0, got, BYTES);
	ck_assert(s->done);
	ck_assert_int_eq(memcmp(got, big, BYTES), 0);
	ck_assert_int_eq(pulls, 11);
	WAIT_FOR(nodes[0].sent == 10 && nodes[1].sent == 1);
	nodes_stop();
}
END_TEST

/* The pieces are gathered for it, and scattered by it. */
START_TEST(a_payload_in_pieces_is_read_where_it_was_gathered)
{
	enum { BYTES = 100000 };
	static uint8_t far_out[2 * BYTES], far_in[2 * BYTES];
	struct cut out, in;
	struct slot *s;
	uint64_t before;
	size_t wrong = 0;

	nodes_share_memory();
	nodes_start();
	meet(0);
	before = system_calls();
	cut_begin(&out, far_out, BYTES, 500);
	cut_begin(&in, far_in, BYTES, 700);
	for (size_t i = 0; i < BYTES; i++)
		*cut_byte(&out, i) = (uint8_t)(i * 7 + (i >> 8));
	s = post_place(1, 0, 0, (struct tp_place){.room = BYTES, .cursor = &in.head});
	ck_assert_int_eq(send_to(0, 1, 0, &out.head, BYTES, TP_IOV_CURSOR), 0);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	for (size_t i = 0; i < BYTES; i++)
		wrong += *cut_byte(&in, i) != (uint8_t)(i * 7 + (i >> 8));
	ck_assert_uint_eq(wrong, 0);
	ck_assert_int_gt(pulls, 0);
	ck_assert_uint_eq(system_calls(), before);
	nodes_stop();
}
END_TEST

enum { PIECES_BYTES = 500000, ALL_GATHERED = (16 << 20) / PIECES_BYTES };

/* Payloads in pieces, which have no place yet. */
static void announce_pieces(struct cut *cuts, int to, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		cut_begin(&cuts[i], big, PIECES_BYTES, 500);
		ck_assert_int_eq(send_to(0, to, i, &cuts[i].head, PIECES_BYTES, TP_IOV_CURSOR), 0);
		WAIT_FOR(nodes[to].in[0][i].held);
	}
}

/* Is it gathered, and so read at once? Else it is sent in pieces. */
static bool is_gathered(const struct cut *cut, int to, uint32_t number)
{
	int before = pulls, sent = nodes[0].sent;
	struct slot *s = post(to, 0, number, got, sizeof got);
	size_t wrong = 0;

	WAIT_FOR(s->done && nodes[0].sent == sent + 1);
	ck_assert_int_eq(s->rc, 0);
	for (size_t i = 0; i < PIECES_BYTES; i++)
		wrong += got[i] != *cut_byte(cut, i);
	ck_assert_uint_eq(wrong, 0);
	return pulls > before;
}

/* So much at a time. What is received, taken back or lost makes room. */
START_TEST(gathered_payloads_are_bounded)
{
	static struct cut cuts[4 * ALL_GATHERED];
	uint32_t next = ALL_GATHERED + 1;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 9);
	announce_pieces(cuts, 1, 0, next);
	ck_assert(!is_gathered(&cuts[ALL_GATHERED], 1, ALL_GATHERED));
	ck_assert(is_gathered(&cuts[0], 1, 0));
	announce_pieces(cuts, 1, next, 1);
	ck_assert(is_gathered(&cuts[next], 1, next));
	for (int before = nodes[0].sent, i = 1; i < ALL_GATHERED; i++) {
		lock_take(&nodes[0].lock);
		tp_withdraw(nodes[0].tp, 1, &(struct tp_envelope){{0}}, &nodes[0]);
		lock_give(&nodes[0].lock);
		WAIT_FOR(nodes[0].sent == before + i);
		ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
	}
	announce_pieces(cuts, 1, ++next, ALL_GATHERED);
	ck_assert(is_gathered(&cuts[next], 1, next));
	node_stop(1);
	WAIT_FOR(nodes[0].lost == 1);
	next += ALL_GATHERED;
	announce_pieces(cuts, 2, next, ALL_GATHERED);
	for (uint32_t i = next; i < next + ALL_GATHERED; i++)
		ck_assert(is_gathered(&cuts[i], 2, i));
	nodes_stop();
}
END_TEST

/* More pieces than one call reads, and another call is refused: the rest is sent, into its place.
 */
START_TEST(what_cannot_be_read_to_its_end_is_sent)
{
	enum { BYTES = 100000 };
	static uint8_t far_in[2 * BYTES];
	struct slot *s;
	struct cut in;
	size_t wrong = 0;

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 7);
	pulls_allowed = _i;
	pull_errno = _i ? EFAULT : EPERM;
	cut_begin(&in, far_in, BYTES, 500);
	s = post_place(1, 0, 0, (struct tp_place){.room = BYTES, .cursor = &in.head});
	ck_assert_int_eq(send_to(0, 1, 0, big, BYTES, 0), 0);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	ck_assert_int_eq(s->rc, 0);
	for (size_t i = 0; i < BYTES; i++)
		wrong += *cut_byte(&in, i) != big[i];
	ck_assert_uint_eq(wrong, 0);
	ck_assert_int_eq(pulls, _i + 1);
	nodes_stop();
}
END_TEST

/* The number of a process may name another one by then. */
START_TEST(what_is_not_the_peers_is_not_believed)
{
	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 8);
	pull_strange = true;
	exchange(0, 1, 0, 3, 300000);
	ck_assert_int_eq(pulls, 3);
	nodes_stop();
}
END_TEST

/* Where both have a processor, and the sender does nothing else meanwhile. _i: in pieces. */
START_TEST(an_awaited_payload_goes_by_the_ring)
{
	enum { BYTES = 300000 };
	struct cut out;
	struct slot *s;

	nodes_share_memory();
	nodes_are_roomy();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 3);
	cut_begin(&out, big, BYTES, 500);
	s = post(1, 0, 0, got, BYTES);
	ck_assert_int_eq(_i ? send_to(0, 1, 0, &out.head, BYTES, TP_AWAITED | TP_IOV_CURSOR)
			    : send_to(0, 1, 0, big, BYTES, TP_AWAITED),
		0);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	ck_assert_int_eq(s->rc, 0);
	for (size_t i = 0; i < BYTES; i++)
		ck_assert_uint_eq(got[i], _i ? *cut_byte(&out, i) : big[i]);
	ck_assert_int_eq(pulls, 0);
	exchange(0, 1, 1, 1, BYTES);
	ck_assert_int_eq(pulls, 1);
	nodes_stop();
}
END_TEST

/* A process that went on from an image has the numbers and the memory of before, but no memory that
 * it shared: the name is there. */
START_TEST(the_name_is_in_no_image)
{
	const struct mailbox *box;

	nodes_share_memory();
	nodes_start();
	meet(0);
	exchange(0, 1, 0, 1, 300000);
	box = nodes[0].tp->mail.box;
	ck_assert(name_at == box->name);
	nodes_stop();
}
END_TEST

/* Then it is sent; one refusal of the system is enough, a bad address counts for its message alone.
 */
START_TEST(a_payload_that_cannot_be_read_is_sent)
{
	static const int errors[] = {EPERM, EACCES, ENOSYS, ESRCH, EFAULT};

	nodes_share_memory();
	nodes_start();
	meet(0);
	fill(big, sizeof big, 5);
	pull_errno = errors[_i];
	exchange(0, 1, 0, 10, 300000);
	ck_assert_int_eq(pulls, pull_errno == EFAULT ? 10 : 1);
	nodes_stop();
}
END_TEST

/* -vv says so, once in a process, whichever peers follow. */
START_TEST(that_memory_may_not_be_read_is_told_once)
{
	FILE *log = tmpfile();
	char line[256];
	int told = 0;

	ck_assert_ptr_nonnull(log);
	ck_assert_int_ge(dup2(fileno(log), STDERR_FILENO), 0);
	log_configure(1, "test");
	nodes_share_memory();
	nodes_start();
	meet(1);
	fill(big, sizeof big, 5);
	pull_errno = EPERM;
	exchange(0, 1, 0, 5, 300000);
	exchange(2, 1, 0, 5, 300000);
	nodes_stop();
	rewind(log);
	while (fgets(line, sizeof line, log))
		told += strcmp(line, "test: the memory of rank 0 may not be read (Operation not "
				     "permitted): long messages take two copies\n") == 0;
	ck_assert_int_eq(told, 1);
	ck_assert_int_eq(pulls, 2);
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

/* The same, and nothing else may be used: both sides lose each other, and the one that found out
 * says why. */
START_TEST(memory_that_is_required_or_none)
{
	static const struct {
		bool made;
		int error;
		const char *says;
	} cases[] = {{true, EMFILE, "too many open files"}, {true, ENOMEM, "out of memory"},
		{true, EPERM, "the system gives none"}, {false, ENFILE, "too many open files"},
		{false, ENOENT, "another PID namespace"}, {false, ENXIO, "another PID namespace"},
		{false, EPERM, "another user namespace"},
		{false, EACCES, "another user namespace"}};
	const char *why;

	nodes_share_memory();
	nodes_require_memory();
	none_errno = cases[_i].error;
	*(cases[_i].made ? &none_made : &none_opened) = true;
	nodes_start();
	ck_assert_int_ge(send_to(0, 1, 0, big, 8, 0), 0);
	WAIT_FOR(nodes[0].lost == 1 && nodes[1].lost == 1);
	why = nodes[cases[_i].made ? 0 : 1].lost_why;
	ck_assert_msg(strstr(why, cases[_i].says) != NULL, "%s", why);
	ck_assert_msg(strstr(why, "-transport auto") != NULL, "%s", why);
	nodes_stop();
}
END_TEST

/* An error of before is not this one's reason. */
START_TEST(what_cannot_be_a_file_has_a_reason)
{
	errno = EBUSY;
	ck_assert_ptr_null(
		tp_memory_take(_i ? 0 : 1, _i ? 3 : -1, "rings", (uint8_t[32]){0}, 4096));
	ck_assert_int_eq(errno, ENXIO);
}
END_TEST

static void bye(int i)
{
	lock_take(&nodes[i].lock);
	tp_bye(nodes[i].tp);
	lock_give(&nodes[i].lock);
}

static void look_at(int i)
{
	lock_take(&nodes[i].lock);
	tp_flush(nodes[i].tp);
	tp_look(nodes[i].tp, TP_ANYBODY);
	lock_give(&nodes[i].lock);
}

/* Node 0 looks, node 1 only writes, until node 0 has the message, or (finished) its end. */
static void hear_alone(bool finished)
{
	uint64_t until = clock_ns() + WAIT_MS * 1000000ull;

	for (bool there = false; !there;) {
		ck_assert_uint_lt(clock_ns(), until);
		look_at(0);
		nodes_all_locks(lock_take);
		tp_flush(nodes[1].tp);
		there = finished ? tp_finished(nodes[0].tp) : nodes[0].in[1][0].held != NULL;
		nodes_all_locks(lock_give);
	}
}

/* The first message is the last. Node 0 has offered memory and is gone when node 1 reads of it. */
START_TEST(an_offer_after_the_last_message_loses_nobody)
{
	nodes_share_memory();
	nodes_require_memory();
	nodes_start();
	ck_assert_int_ge(send_to(1, 0, 0, big, 8, 0), 0);
	bye(1);
	hear_alone(false);
	bye(0);
	hear_alone(true);
	node_stop(0);
	for (int i = 0; i < 100; i++)
		look_at(1);
	ck_assert_int_eq(nodes[1].lost, 0);
	nodes_stop();
}
END_TEST

/* A look reads no more than it has to: whoever waits for the lock comes in between. */
START_TEST(one_look_reads_a_bounded_part)
{
	enum { MESSAGES = 40 };
	int done = 0;

	nodes_share_memory();
	nodes_start();
	meet(0);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		post(1, 0, i, got, sizeof got);
		ck_assert_int_eq(send_to(0, 1, i, big, sizeof big, 0), 0);
	}
	look_at(1);
	for (int i = 0; i < MESSAGES; i++)
		done += nodes[1].in[0][i].done;
	ck_assert_int_gt(done, 0);
	ck_assert_int_lt(done, MESSAGES);
	WAIT_FOR(nodes[0].sent == MESSAGES);
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

/* Who waits looks for long again only when something has come. */
START_TEST(a_sleep_tells_whether_anything_came)
{
	nodes_share_memory();
	nodes_start();
	meet(0);
	lock_take(&nodes[1].lock);
	while (tp_sleep(nodes[1].tp, 1))
		; /* what is left of the beginning */
	ck_assert(!tp_sleep(nodes[1].tp, 1));
	lock_give(&nodes[1].lock);
	ck_assert_int_eq(send_to(0, 1, 0, big, 8, 0), 1);
	lock_take(&nodes[1].lock);
	ck_assert(tp_sleep(nodes[1].tp, WAIT_MS));
	lock_give(&nodes[1].lock);
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
	  tcase_add_test(tc, a_long_payload_is_read_where_it_lies);
	  tcase_add_test(tc, a_payload_in_pieces_is_read_where_it_was_gathered);
	  tcase_add_test(tc, gathered_payloads_are_bounded);
	  tcase_add_loop_test(tc, what_cannot_be_read_to_its_end_is_sent, 0, 4);
	  tcase_add_test(tc, what_is_not_the_peers_is_not_believed);
	  tcase_add_test(tc, the_name_is_in_no_image);
	  tcase_add_loop_test(tc, an_awaited_payload_goes_by_the_ring, 0, 2);
	  tcase_add_loop_test(tc, a_payload_that_cannot_be_read_is_sent, 0, 5);
	  tcase_add_test(tc, that_memory_may_not_be_read_is_told_once);
	  tcase_add_test(tc, no_more_is_read_than_there_is_room_for);
	  tcase_add_loop_test(tc, without_memory_frames_stay_on_the_socket, 0, 2);
	  tcase_add_loop_test(tc, memory_that_is_required_or_none, 0, 8);
	  tcase_add_loop_test(tc, what_cannot_be_a_file_has_a_reason, 0, 2);
	  tcase_add_test(tc, an_offer_after_the_last_message_loses_nobody);
	  tcase_add_test(tc, one_look_reads_a_bounded_part);
	  tcase_add_test(tc, what_was_written_before_the_end_is_read);
	  tcase_add_test(tc, a_full_ring_keeps_nobody_else_waiting);
	  tcase_add_test(tc, a_sleep_tells_whether_anything_came);
	  tcase_add_test(tc, a_sleeper_is_woken);
	  tcase_add_test(tc, a_listener_is_told_whoever_reads_the_bell);
	  tcase_add_test(tc, what_one_look_leaves_is_not_forgotten);)
