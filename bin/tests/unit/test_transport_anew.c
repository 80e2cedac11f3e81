/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that woke up from an image, and pairs that begin anew. The child of a fork that has
 * closed what the nodes had open is such a process: its bytes are there, threads, descriptors and
 * shared memory are not. What has those numbers and addresses by then is watched.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tp_nodes.h"
#include "transport/conn.h"
#include "transport/memory.h"

enum { EPOCH = 1, LONG = 1 << 20, GENERATIONS = 20 };

/* What the sender of an announced message has is not read in its memory, but asked for. */
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

/* Threads that are not there are not waited for. */
static bool forgetting;

void __real_loop_stop(struct loop *l);
void __wrap_loop_stop(struct loop *l);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);

void __wrap_loop_stop(struct loop *l)
{
	ck_assert(!forgetting);
	__real_loop_stop(l);
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
	ck_assert(!forgetting);
	return __real_pthread_join(thread, result);
}

/* ---- a process that woke up ---- */

enum { NUMBERS = 1024, MAPPINGS = 32 };

static bool kept[NUMBERS]; /* open before the nodes were: an image's process has them, too */
static int ends[2];	   /* connected; the second is what all those numbers name by then */

static struct {
	int fds[NUMBERS], nfds;
	struct iovec maps[MAPPINGS];
	int nmaps;
} others;

static void begin(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	for (int fd = 0; fd < NUMBERS; fd++)
		kept[fd] = fcntl(fd, F_GETFD) >= 0;
	nodes_start();
}

static int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < NUMBERS; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void note_fd(int fd)
{
	if (fd >= 0)
		others.fds[others.nfds++] = fd;
}

static void note_map(void *at, size_t bytes)
{
	if (at)
		others.maps[others.nmaps++] = (struct iovec){at, bytes};
}

static void note_conns(const struct link *list)
{
	list_for_each (item, list)
		note_fd(container_of(item, struct conn, link)->fd);
}

/* All that a transport of the image names outside of its own memory. */
static void note_node(const struct tp *tp)
{
	const struct tp_conns *cs = tp->conns;

	note_fd(tp->epoll_fd);
	note_fd(tp->wake_fd);
	note_fd(tp->mail.fd);
	note_map(tp->mail.box, sizeof *tp->mail.box);
	note_fd(cs->listen_fd);
	note_fd(cs->reserve);
	note_conns(&cs->ours);
	for (int i = 0; i < UNAUTHENTICATED_STAGES; i++)
		note_conns(&cs->unauthenticated.of[i].held);
	for (int i = 0; i < N; i++) {
		const struct tp_peer *p = &tp->peers[i];

		note_fd(p->fd);
		if (!p->memory)
			continue;
		note_fd(p->memory->fd);
		note_map(p->memory->rings, TP_RINGS_BYTES);
		note_map(p->memory->theirs, sizeof *p->memory->theirs);
	}
}

/* These numbers and addresses are somebody else's. */
static void give_to_others(void)
{
	for (int i = 0; i < others.nfds; i++)
		ck_assert_int_eq(dup2(ends[1], others.fds[i]), others.fds[i]);
	for (int i = 0; i < others.nmaps; i++) {
		const struct iovec *m = &others.maps[i];

		ck_assert_ptr_eq(mmap(m->iov_base, m->iov_len, PROT_NONE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
			m->iov_base);
	}
}

/* Nobody has closed, written to, shut down or unmapped them; they go. */
static void others_are_untouched(void)
{
	struct stat want, is;
	char byte;

	ck_assert_int_eq(recv(ends[0], &byte, 1, MSG_DONTWAIT), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(fstat(ends[1], &want), 0);
	for (int i = 0; i < others.nfds; i++) {
		ck_assert_int_eq(fstat(others.fds[i], &is), 0);
		ck_assert_uint_eq(is.st_ino, want.st_ino);
		close(others.fds[i]);
	}
	for (int i = 0; i < others.nmaps; i++) {
		ck_assert_int_eq(
			msync(others.maps[i].iov_base, others.maps[i].iov_len, MS_ASYNC), 0);
		munmap(others.maps[i].iov_base, others.maps[i].iov_len);
	}
}

static void forget_all(void)
{
	memset(&others, 0, sizeof others);
	for (int i = 0; i < N; i++)
		note_node(nodes[i].tp);
	for (int fd = 0; fd < NUMBERS; fd++)
		if (!kept[fd])
			close(fd);
	give_to_others();
	nodes_all_locks(lock_take);
	forgetting = true;
	for (int i = 0; i < N; i++)
		tp_forget(nodes[i].tp);
	forgetting = false;
	nodes_all_locks(lock_give);
	others_are_untouched();
	for (int i = 0; i < N; i++)
		loop_free(nodes[i].loop);
	nodes_listen();
}

static bool paused[N];

static void pause_loop(int i)
{
	if (!paused[i])
		ck_assert_int_eq(loop_pause(nodes[i].loop, clock_ns() + WAIT_MS * 1000000ull), 0);
	paused[i] = true;
}

static void go_on_loop(int i)
{
	ck_assert_int_eq(loop_start(nodes[i].loop), 0);
	paused[i] = false;
}

/* then runs in a process that woke up, and ends well. The nodes of this one are not used again. */
static void wake_and(void (*then)(void))
{
	int status;
	pid_t pid;

	for (int i = 0; i < N; i++)
		pause_loop(i);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		alarm(UNIT_DEADLINE_S / 2);
		forget_all();
		then();
		nodes_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void attach_all(uint32_t epoch)
{
	for (int i = 0; i < N; i++)
		node_attach(i, epoch);
	memset(paused, 0, sizeof paused);
}

/* ---- pairs that were quiet ---- */

static int generation, descriptors_then;
static size_t heap_then;

/* From each to each, one short and one long. */
static void all_talk(uint32_t number)
{
	for (int from = 0; from < N; from++)
		for (int to = 0; to < N; to++)
			for (uint32_t i = 0; i < 2; i++) {
				size_t len = i ? 50000 : 8;
				struct slot *s = post(to, from, number + i, got, sizeof got);

				fill(big, len, number + i);
				ck_assert_int_ge(send_to(from, to, number + i, big, len, 0), 0);
				WAIT_FOR(s->done && !tp_is_pending(tp_work(nodes[from].tp)));
				ck_assert_int_eq(memcmp(got, big, len), 0);
			}
	for (int i = 0; i < N; i++) {
		WAIT_FOR(is_settled(i, N - 1));
		ck_assert_int_eq(nodes[i].lost, 0);
	}
}

/* Once tables have their size, each generation has as much open and as much memory as the other. */
static void go_on(void)
{
	size_t heap;

	attach_all(EPOCH + (uint32_t)++generation);
	all_talk(2 * (uint32_t)generation);
	heap = mallinfo2().uordblks;
	if (generation == GENERATIONS / 2) {
		descriptors_then = descriptors();
		heap_then = heap;
	}
	if (generation > GENERATIONS / 2) {
		ck_assert_int_eq(descriptors(), descriptors_then);
		ck_assert_uint_le(heap, heap_then + 1024);
	}
	if (generation < GENERATIONS)
		wake_and(go_on);
}

START_TEST(quiet_pairs_go_on)
{
	begin();
	all_talk(0);
	wake_and(go_on);
	nodes_stop();
}
END_TEST

/* ---- pairs that were not ---- */

/* What is under way, by the number of the message. */
enum {
	HELLO,
	WHOLE,
	ANNOUNCED,
	HALF_DATA,
	ASKED,
	HALF_EAGER,
	IN_KERNEL,
	QUEUED,
	TAKEN,
	TO_ITSELF,
	MORE_WHOLE,
	LATER = MORE_WHOLE + 5
};

/* What the receiver of a half-read eager message has said. */
enum half { POSTED, UNEXPECTED_YET, CLAIMED, DROPPED, HALVES };

static enum half half;
static uint8_t half_got[LONG], asked_got[50000], eager_got[EAGER], itself_got[8], whole_got[8];

static struct tp_peer *peer_of(int at, int peer)
{
	return &nodes[at].tp->peers[peer];
}

static void look_at(int i)
{
	lock_take(&nodes[i].lock);
	tp_flush(nodes[i].tp);
	tp_look(nodes[i].tp, TP_EVERYBODY);
	lock_give(&nodes[i].lock);
}

/* Only node i looks, until then. */
#define LOOK_UNTIL(i, condition)                                                                   \
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; !(condition); look_at(i))         \
	ck_assert_msg(clock_ns() < until, "waited %d ms for %s", WAIT_MS, #condition)

/* The loop of node i is paused, and that is so. */
#define PAUSE_WHEN(i, condition)                                                                   \
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull; pause_loop(i), !(condition);      \
		go_on_loop(i))                                                                     \
	ck_assert_msg(clock_ns() < until, "waited %d ms for %s", WAIT_MS, #condition)

static void connect_pair(int a, int b)
{
	struct slot *s = post(b, a, HELLO, got, 8), *back = post(a, b, HELLO, got, 8);

	ck_assert_int_eq(send_to(a, b, HELLO, big, 8, 0), 1);
	ck_assert_int_eq(send_to(b, a, HELLO, big, 8, 0), 1);
	WAIT_FOR(s->done && back->done);
}

/* An eager message of which the peer gets the first `part` bytes, and its sender knows nothing. */
static void begin_eager(int from, int to, uint32_t number, size_t len, size_t part)
{
	struct tp_peer *p = peer_of(from, to);
	struct wire_frame f = {
		.kind = WIRE_EAGER, .epoch = EPOCH, .seq = p->send_seq + 1, .length = len};
	struct iovec iov[] = {{&f, sizeof f}, {big, part}};

	memcpy(f.envelope, &number, sizeof number);
	lock_take(&nodes[from].lock);
	ck_assert(list_empty(&p->queue));
	if (p->out_ring) {
		ck_assert_uint_eq(byte_ring_write(p->out_ring, iov, 2), sizeof f + part);
		tp_memory_post(p);
	} else {
		ck_assert_int_eq(writev(p->fd, iov, 2), (ssize_t)(sizeof f + part));
	}
	lock_give(&nodes[from].lock);
}

static void read_half_an_eager(void)
{
	struct slot *s = &nodes[0].in[1][HALF_EAGER];
	const struct tp_in *in = &peer_of(0, 1)->in;

	if (half == POSTED)
		post(0, 1, HALF_EAGER, eager_got, sizeof eager_got);
	begin_eager(1, 0, HALF_EAGER, EAGER, 1000);
	LOOK_UNTIL(0, in->body != BODY_NONE && in->left < EAGER);
	ck_assert_int_eq(in->body, half == POSTED ? BODY_PLACE : BODY_UNEXPECTED);
	if (half != POSTED) {
		ck_assert(!tp_is_here(s->held));
		ck_assert_uint_eq(counts_of(0).unexpected_bytes, EAGER);
	}
	if (half == CLAIMED) {
		post(0, 1, HALF_EAGER, eager_got, sizeof eager_got);
		s->held = NULL;
	}
	if (half == DROPPED) {
		lock_take(&nodes[0].lock);
		tp_drop(nodes[0].tp, s->held);
		lock_give(&nodes[0].lock);
		s->held = NULL;
	}
}

/* Node 0 has written, and node 1 has read, a part of a long message. */
static void send_half_of_the_data(void)
{
	int little = 1 << 15;
	const struct tp_in *in = &peer_of(1, 0)->in;

	setsockopt(peer_of(0, 1)->fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
	setsockopt(peer_of(1, 0)->fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
	post(1, 0, HALF_DATA, half_got, sizeof half_got);
	ck_assert_int_eq(send_to(0, 1, HALF_DATA, big, LONG, 0), 0);
	LOOK_UNTIL(1, !list_empty(&peer_of(1, 0)->receiving));
	LOOK_UNTIL(0, !list_empty(&peer_of(0, 1)->queue));
	LOOK_UNTIL(1, in->body == BODY_DATA && in->left < LONG);
	ck_assert_uint_gt(in->left, 0);
}

/* Some stranger, and a handshake that is not answered. */
static void begin_handshakes(void)
{
	struct sockaddr_storage to;
	socklen_t len = sizeof to;
	int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(getsockname(listeners[0], (struct sockaddr *)&to, &len), 0);
	ck_assert_int_eq(connect(stranger, (struct sockaddr *)&to, len), 0);
	PAUSE_WHEN(0, unauthenticated_any(nodes[0].tp->conns));
	pause_loop(2);
	ck_assert_int_eq(send_to(1, 2, QUEUED, big, 8, 0), 1);
	PAUSE_WHEN(1, !list_empty(&nodes[1].tp->conns->ours));
}

static void be_busy(void)
{
	struct slot *taken;

	fill(big, LONG, 1);
	begin();
	connect_pair(0, 1);
	connect_pair(0, 2);
	WAIT_FOR(is_settled(0, 2) && is_settled(1, 1) && is_settled(2, 1));
	no_pull = true;
	ck_assert_int_eq(send_to(0, 1, WHOLE, big, 8, 0), 1);
	for (uint32_t i = MORE_WHOLE; i < LATER; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, EAGER, 0), 1);
	ck_assert_int_eq(send_to(0, 1, ANNOUNCED, big, 50000, 0), 0);
	WAIT_FOR(nodes[1].in[0][ANNOUNCED].held);
	ck_assert(tp_is_here(nodes[1].in[0][WHOLE].held));
	ck_assert_mem_eq(tp_contents(nodes[1].in[0][WHOLE].held), big, 8);
	ck_assert(!tp_is_here(nodes[1].in[0][ANNOUNCED].held));
	nodes[1].in[0][ANNOUNCED].held->firm = true;
	send_half_of_the_data();
	read_half_an_eager();
	post(0, 2, ASKED, asked_got, sizeof asked_got);
	ck_assert_int_eq(send_to(2, 0, ASKED, big, sizeof asked_got, 0), 0);
	LOOK_UNTIL(0, !list_empty(&peer_of(0, 2)->receiving));
	ck_assert_int_eq(send_to(0, 2, IN_KERNEL, big, 8, 0), 1);
	taken = post(0, 2, TAKEN, got, 8);
	ck_assert_int_eq(send_to(2, 0, TAKEN, big, 8, 0), 1);
	lock_take(&nodes[2].lock);
	tp_flush(nodes[2].tp);
	lock_give(&nodes[2].lock);
	LOOK_UNTIL(0, taken->done); /* and node 2 is not credited for it */
	ck_assert_int_eq(send_to(0, 0, TO_ITSELF, big, 8, TP_SYNC), 0);
	ck_assert(tp_is_here(nodes[0].in[0][TO_ITSELF].held));
	begin_handshakes();
}

static int objects_in(const struct idtab *t)
{
	int n = 0;

	for (uint32_t i = 0; i < t->count; i++)
		n += t->slots[i].object != NULL;
	return n;
}

static void all_begin_anew(void)
{
	for (int i = 0; i < N; i++) {
		struct tp *tp = nodes[i].tp;

		lock_take(&nodes[i].lock);
		ck_assert_int_eq(tp_begin_anew(tp), 0);
		for (int to = 0; to < N; to++)
			ck_assert_uint_eq(tp_sent_to(tp, to).messages, 0);
		lock_give(&nodes[i].lock);
		ck_assert_uint_eq(tp_work(tp)->queued, 0);
		ck_assert_uint_eq(tp_work(tp)->asked, i == 0);
		ck_assert_int_eq(objects_in(&tp->sends), i == 0);
		ck_assert_int_eq(objects_in(&tp->recvs), 0);
		ck_assert(list_empty(&tp->busy));
		ck_assert_uint_eq(tp->staged, 0);
		ck_assert_int_eq(nodes[i].sent_rc, 0);
	}
}

/* What waited is done or matched again, what was whole is there, and nothing else. */
static void all_is_told(void)
{
	struct slot *eager = &nodes[0].in[1][HALF_EAGER];

	ck_assert_int_eq(nodes[0].sent, 2);
	ck_assert_int_eq(nodes[2].sent, 1);
	ck_assert_ptr_nonnull(nodes[1].in[0][WHOLE].held);
	ck_assert_ptr_null(nodes[1].in[0][ANNOUNCED].held);
	ck_assert_int_eq(nodes[1].in[0][HALF_DATA].unmatched, 1);
	ck_assert_int_eq(nodes[0].in[2][ASKED].unmatched, 1);
	ck_assert_ptr_null(eager->held);
	ck_assert_int_eq(eager->unmatched, half == POSTED || half == CLAIMED);
	ck_assert_ptr_nonnull(nodes[0].in[0][TO_ITSELF].held);
	ck_assert_uint_eq(counts_of(0).unexpected_bytes, 0);
	ck_assert_uint_eq(counts_of(1).unexpected_bytes, 8 + (LATER - MORE_WHOLE) * EAGER);
}

/* What had not come is sent again, what had is claimed. */
static void all_comes(void)
{
	struct slot *data = &nodes[1].in[0][HALF_DATA], *asked = &nodes[0].in[2][ASKED];
	struct slot *eager = post(0, 1, HALF_EAGER, eager_got, sizeof eager_got);
	struct slot *whole = post(1, 0, WHOLE, whole_got, 8);
	struct slot *itself = post(0, 0, TO_ITSELF, itself_got, 8);

	ck_assert(whole->done && itself->done);
	ck_assert_int_eq(nodes[0].sent, 3);
	fill(big, LONG, 2);
	ck_assert_int_eq(send_to(0, 1, HALF_DATA, big, LONG, 0), 0);
	ck_assert_int_eq(send_to(1, 0, HALF_EAGER, big, EAGER, 0), 1);
	ck_assert_int_eq(send_to(2, 0, ASKED, big, sizeof asked_got, 0), 0);
	WAIT_FOR(data->done && asked->done && eager->done);
	ck_assert_int_eq(memcmp(half_got, big, LONG), 0);
	ck_assert_int_eq(memcmp(asked_got, big, sizeof asked_got), 0);
	ck_assert_int_eq(memcmp(eager_got, big, EAGER), 0);
}

/* An eager message, if it leaves at once. With the lock held. */
static bool send_now(int from, int to, uint32_t number)
{
	struct tp_envelope e = {{0}};

	memcpy(e.bytes, &number, sizeof number);
	return tp_send(nodes[from].tp, to, &e, big, EAGER - 100, TP_NOW, NULL) == 1;
}

/* As much as may be unconsumed, whatever is still there of before. */
static void limits_are_new(void)
{
	enum { MOST = UNEXPECTED / (EAGER - 100 + (int)sizeof(struct wire_frame)) };
	uint32_t i = LATER;

	lock_take(&nodes[0].lock);
	while (send_now(0, 1, i))
		i++;
	lock_give(&nodes[0].lock);
	ck_assert_uint_eq(i, LATER + MOST);
	WAIT_FOR(nodes[1].in[0][i - 1].held);
	ck_assert_uint_eq(
		counts_of(1).unexpected_bytes, (LATER - MORE_WHOLE) * EAGER + MOST * (EAGER - 100));
	for (uint32_t k = MORE_WHOLE; k < i; k++) {
		post(1, 0, k, got, EAGER);
		nodes[1].in[0][k].held = NULL;
	}
	ck_assert_uint_eq(counts_of(1).unexpected_bytes, 0);
}

/* More than may be unconsumed, each way: the credits of both sides are right. */
static void much_is_sent(void)
{
	enum { FIRST = 100, MANY = 4 * UNEXPECTED / EAGER };

	for (uint32_t i = FIRST; i < FIRST + MANY; i++)
		for (int from = 0; from < N; from++) {
			int to = (from + 1) % N;
			struct slot *s = &nodes[to].in[from][i];

			WAIT_FOR(send_now(from, to, i));
			WAIT_FOR(s->held);
			post(to, from, i, got, EAGER);
			ck_assert(s->done && s->rc == 0);
		}
}

static void talk_anew(void)
{
	no_pull = false;
	all_begin_anew();
	all_is_told();
	attach_all(EPOCH + 1);
	all_comes();
	limits_are_new();
	much_is_sent();
	ck_assert_ptr_null(nodes[2].in[0][IN_KERNEL].held);
	ck_assert_ptr_null(nodes[2].in[1][QUEUED].held);
	for (int i = 0; i < N; i++)
		ck_assert_int_eq(nodes[i].lost, 0);
}

START_TEST(who_woke_up_begins_anew)
{
	half = (enum half)_i;
	be_busy();
	wake_and(talk_anew);
	nodes_stop();
}
END_TEST

static void drop_all(void)
{
	for (int i = 0; i < N; i++) {
		listeners[i] = tp_detach(nodes[i].tp, TP_KEEP_LISTENER);
		loop_free(nodes[i].loop);
	}
}

START_TEST(the_living_begin_anew)
{
	half = (enum half)_i;
	be_busy();
	drop_all();
	talk_anew();
	nodes_stop();
}
END_TEST

/* What goes on with its numbers must have been quiet, as far as that can be seen. */
START_TEST(half_a_message_is_no_silence)
{
	half = (enum half)_i;
	begin();
	connect_pair(0, 1);
	WAIT_FOR(is_settled(0, 1) && is_settled(1, 1));
	read_half_an_eager();
	drop_all();
	node_attach(0, EPOCH + 1);
}
END_TEST

START_TEST(half_a_payload_is_no_silence)
{
	no_pull = true;
	begin();
	connect_pair(0, 1);
	WAIT_FOR(is_settled(0, 1) && is_settled(1, 1));
	send_half_of_the_data();
	drop_all();
	node_attach(0, EPOCH + 1);
}
END_TEST

NODES_MAIN("transport_anew", tcase_add_test(tc, quiet_pairs_go_on);
	   tcase_add_loop_test(tc, who_woke_up_begins_anew, 0, HALVES);
	   tcase_add_loop_test(tc, the_living_begin_anew, 0, HALVES);
	   tcase_add_loop_test_raise_signal(tc, half_a_message_is_no_silence, SIGABRT, 0, HALVES);
	   tcase_add_test_raise_signal(tc, half_a_payload_is_no_silence, SIGABRT);)
