/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several transports in one process, with real sockets on loopback, driven in turns. The user's
 * side here matches every message with the receive that has the same number in its envelope.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auth.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "cut.h"
#include "transport/transport.h"
#include "unit.h"

enum { N = 3, SLOTS = 600, EAGER = 4096, UNEXPECTED = 65536, WAIT_MS = 20000 };

struct slot {
	bool posted, done;
	struct tp_place place;
	uint64_t length;
	int rc;
	struct tp_held *held;
};

struct node {
	struct tp *tp;
	struct loop *loop;
	struct lock lock;
	struct slot in[N][SLOTS]; /* by sender and message number */
	int sent, sent_rc, lost, order[N];
};

static struct node nodes[N];
static struct tp_address addresses[N];
static int listeners[N];
static const uint8_t session[WIRE_SESSION_BYTES] = "a session", secret[AUTH_KEY_BYTES] = "a secret";

static struct slot *slot_of(struct node *n, int peer, const struct tp_envelope *e)
{
	uint32_t number;

	memcpy(&number, e->bytes, sizeof number);
	ck_assert_uint_lt(number, SLOTS);
	return &n->in[peer][number];
}

static struct tp_place on_match(void *user, int peer, const struct tp_envelope *e, uint64_t length)
{
	struct slot *s = slot_of(user, peer, e);

	(void)length;
	return s->posted ? s->place : (struct tp_place){0};
}

static void on_keep(void *user, struct tp_held *held)
{
	slot_of(user, held->peer, &held->envelope)->held = held;
}

static void on_forget(void *user, struct tp_held *held)
{
	slot_of(user, held->peer, &held->envelope)->held = NULL;
}

static void on_received(void *user, void *cookie, uint64_t length, int rc)
{
	struct slot *s = cookie;

	(void)user;
	s->done = true;
	s->length = length;
	s->rc = rc;
}

static void on_sent(void *user, void *cookie, int rc)
{
	struct node *n = user;

	(void)cookie;
	n->sent++;
	if (rc)
		n->sent_rc = rc;
}

static void on_lost(void *user, int peer, const char *why)
{
	struct node *n = user;

	(void)peer;
	(void)why;
	n->lost++;
}

static void on_notify(void *user)
{
	(void)user;
}

static const struct tp_upcalls upcalls = {
	on_match, on_keep, on_forget, on_received, on_sent, on_lost, on_notify};

static int listen_here(int i)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	ck_assert_int_eq(listen(fd, 64), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	memcpy(&addresses[i].addr, &a, sizeof a);
	addresses[i].len = sizeof a;
	return fd;
}

static void attach(int i, uint32_t epoch)
{
	struct node *n = &nodes[i];
	struct tp_physical phys = {.loop = n->loop = loop_new("test"),
		.listen_fd = listeners[i],
		.addresses = addresses,
		.session = session,
		.secret = secret,
		.epoch = epoch,
		.connect_ms = WAIT_MS,
		.refused_is_final = true};

	ck_assert_int_eq(tp_attach(n->tp, &phys), 0);
	ck_assert_int_eq(loop_start(n->loop), 0);
}

static void start(void)
{
	ck_assert_int_eq(auth_init(), 0);
	for (int i = 0; i < N; i++)
		listeners[i] = listen_here(i);
	for (int i = 0; i < N; i++) {
		struct tp_config c = {.self = i,
			.size = N,
			.eager_limit = EAGER,
			.unexpected_limit = UNEXPECTED,
			.lock = &nodes[i].lock,
			.up = &upcalls,
			.user = &nodes[i]};

		lock_init(&nodes[i].lock);
		nodes[i].tp = tp_new(&c);
		attach(i, 1);
	}
}

static void stop_one(int i)
{
	tp_detach(nodes[i].tp, false);
	loop_free(nodes[i].loop);
	tp_free(nodes[i].tp);
	nodes[i].tp = NULL;
}

static void stop(void)
{
	for (int i = 0; i < N; i++)
		if (nodes[i].tp)
			stop_one(i);
}

static void look_at_all(void)
{
	for (int i = 0; i < N; i++) {
		if (!nodes[i].tp)
			continue;
		lock_take(&nodes[i].lock);
		tp_flush(nodes[i].tp);
		tp_look(nodes[i].tp, -1);
		lock_give(&nodes[i].lock);
	}
}

static void all_locks(void (*what)(struct lock *l))
{
	for (int i = 0; i < N; i++)
		what(&nodes[i].lock);
}

/* The loops' threads make upcalls too: what they write is read with the locks held. */
#define WAIT_FOR(condition)                                                                        \
	for (uint64_t until = clock_ns() + WAIT_MS * 1000000ull;; look_at_all()) {                 \
		bool holds;                                                                        \
                                                                                                   \
		all_locks(lock_take);                                                              \
		holds = (condition);                                                               \
		all_locks(lock_give);                                                              \
		if (holds)                                                                         \
			break;                                                                     \
		ck_assert_msg(clock_ns() < until, "waited %d ms for %s", WAIT_MS, #condition);     \
	}

static struct tp_counts counts_of(int i)
{
	struct tp_counts c;

	lock_take(&nodes[i].lock);
	tp_count(nodes[i].tp, &c);
	lock_give(&nodes[i].lock);
	return c;
}

static int send_to(int from, int to, uint32_t number, const void *buf, size_t len, unsigned flags)
{
	struct tp_envelope e = {{0}};
	int rc;

	memcpy(e.bytes, &number, sizeof number);
	lock_take(&nodes[from].lock);
	rc = tp_send(nodes[from].tp, to, &e, buf, len, flags, &nodes[from]);
	lock_give(&nodes[from].lock);
	return rc;
}

static struct slot *post_place(int at, int from, uint32_t number, struct tp_place place)
{
	struct slot *s = &nodes[at].in[from][number];

	lock_take(&nodes[at].lock);
	s->place = place;
	s->place.cookie = s;
	s->posted = true;
	if (s->held)
		tp_claim(nodes[at].tp, s->held, s->place);
	lock_give(&nodes[at].lock);
	return s;
}

static struct slot *post(int at, int from, uint32_t number, void *buf, size_t room)
{
	return post_place(at, from, number, (struct tp_place){.buf = buf, .room = room});
}

static void fill(uint8_t *buf, size_t len, unsigned seed)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)(seed * 31 + i * 7 + (i >> 8));
}

static uint8_t big[1 << 20], got[1 << 20];

/* every size around the borders of the protocols, expected and unexpected, to others and to itself
 */
START_TEST(every_size_arrives)
{
	static const size_t sizes[] = {
		0, 1, 8, 64, 2048, 2049, 4095, EAGER, EAGER + 1, 16384, 100000, 1 << 20};
	uint32_t number = 0;

	start();
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
	stop();
}
END_TEST

START_TEST(what_is_too_long_is_cut)
{
	start();
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
	stop();
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
		place.pieces = cut_begin(&in, far_in, room, step + 1);
	if (early)
		post_place(to, 0, number, place);
	if (send_to(0, to, number, payload, len, ways & 1 ? TP_PIECES : 0) == 1)
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

	start();
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
		for (size_t l = 0; l < sizeof steps / sizeof *steps; l++)
			for (int ways = 1; ways < 4; ways++)
				for (int to = 0; to < NODES_IN_PIECES; to++, number++) {
					size_t room = number % 3 ? sizes[k]
								 : sizes[k] - number % 5 % sizes[k];

					in_pieces(to, number, ways, sizes[k], room, steps[l]);
				}
	ck_assert_uint_lt(number, SLOTS);
	stop();
}
END_TEST

/* Receives have more room than their messages, which follow each other without a gap: what comes
 * behind one is not read into it. */
START_TEST(pieces_end_with_their_message)
{
	enum { MESSAGES = 8, LEN = 30000, ROOM = 50000, STEP = 5000 };
	struct cut in[MESSAGES];
	struct tp_place place = {.room = ROOM};

	start();
	fill(big, LEN, 1);
	memset(far_in, GAP, sizeof far_in);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		place.pieces = cut_begin(&in[i], far_in + (size_t)i * 2 * ROOM, ROOM, STEP);
		post_place(1, 0, i, place);
	}
	for (uint32_t i = 0; i < MESSAGES; i++)
		ck_assert_int_eq(send_to(0, 1, i, big, LEN, 0), 0);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		WAIT_FOR(nodes[1].in[0][i].done);
		for (size_t j = 0; j < ROOM; j++)
			ck_assert_uint_eq(*cut_byte(&in[i], j), j < LEN ? big[j] : GAP);
	}
	stop();
}
END_TEST

START_TEST(a_synchronous_send_waits_for_its_receive)
{
	struct slot *s;

	start();
	ck_assert_int_eq(send_to(0, 1, 0, big, 8, TP_SYNC), 0);
	ck_assert_int_eq(send_to(0, 1, 1, big, 8, 0), 1);
	WAIT_FOR(nodes[1].in[0][1]
			 .held); /* the later one has overtaken nothing: the first is there */
	ck_assert_ptr_nonnull(nodes[1].in[0][0].held);
	ck_assert_int_eq(nodes[0].sent, 0);
	s = post(1, 0, 0, got, 8);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	stop();
}
END_TEST

/* What cannot leave at once does not leave, also not later, and takes no number of those that do.
 */
START_TEST(now_or_not_at_all)
{
	uint32_t number = 2;

	start();
	for (int to = 0; to < 2; to++) {
		ck_assert_int_eq(send_to(0, to, 0, big, EAGER, TP_NOW), 1);
		ck_assert_int_eq(send_to(0, to, 1, big, EAGER + 1, TP_NOW), FT_EAGAIN);
		ck_assert_int_eq(send_to(0, to, 1, big, 8, TP_NOW), 1);
		WAIT_FOR(nodes[to].in[0][1].held);
		ck_assert_uint_eq(nodes[to].in[0][1].held->length, 8);
	}
	while (send_to(0, 1, number, big, 1000, TP_NOW) == 1)
		number++;
	ck_assert_int_eq(send_to(0, 1, number, big, 1000, TP_NOW), FT_EAGAIN);
	ck_assert_int_eq(send_to(0, 1, number, big, 1000, 0), 0);
	WAIT_FOR(nodes[1].in[0][number].held);
	ck_assert_int_eq(nodes[0].sent, 0);
	stop();
}
END_TEST

static void withdraw(int from, int to)
{
	lock_take(&nodes[from].lock);
	tp_withdraw(nodes[from].tp, to, &nodes[from]);
	lock_give(&nodes[from].lock);
}

START_TEST(a_waiting_send_can_be_taken_back)
{
	start();
	for (int to = 0; to < 2; to++) {
		struct slot *s = &nodes[to].in[0][0];

		nodes[0].sent = nodes[0].sent_rc = 0;
		ck_assert_int_eq(send_to(0, to, 0, big, 100000, 0), 0);
		WAIT_FOR(s->held);
		withdraw(0, to);
		WAIT_FOR(nodes[0].sent == 1);
		ck_assert_int_eq(nodes[0].sent_rc, FT_ECANCEL);
		ck_assert_ptr_null(s->held);
	}
	stop();
}
END_TEST

START_TEST(a_send_that_is_wanted_cannot)
{
	struct slot *s;

	start();
	s = post(1, 0, 0, got, 100000);
	fill(big, 100000, 3);
	ck_assert_int_eq(send_to(0, 1, 0, big, 100000, 0), 0);
	withdraw(0, 1);
	WAIT_FOR(s->done && nodes[0].sent == 1);
	ck_assert_int_eq(nodes[0].sent_rc, 0);
	ck_assert_int_eq(memcmp(got, big, 100000), 0);
	stop();
}
END_TEST

/* Both begin at once, many times over: one connection each pair, nothing lost. */
START_TEST(simultaneous_open)
{
	struct tp_counts c;

	start();
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			if (a != b) {
				post(b, a, 0, &nodes[b], 0);
				send_to(a, b, 0, NULL, 0, 0);
			}
	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++)
			if (a != b)
				WAIT_FOR(nodes[b].in[a][0].done);
	for (int a = 0; a < N; a++) {
		c = counts_of(a);
		ck_assert_int_eq(c.connected, N - 1);
	}
	stop();
}
END_TEST

/* What nobody asks for stays at the sender beyond the bound, and all of it can be had in the end.
 */
START_TEST(unexpected_memory_is_bounded)
{
	struct tp_counts c;

	start();
	fill(big, SLOTS, 1);
	for (uint32_t i = 0; i < SLOTS; i++)
		ck_assert_int_ge(send_to(0, 1, i, big, 1000, 0), 0);
	WAIT_FOR(nodes[1].in[0][SLOTS - 1].held);
	c = counts_of(1);
	ck_assert_uint_gt(c.held_bytes, 0);
	ck_assert_uint_le(c.held_bytes, UNEXPECTED);
	for (uint32_t i = SLOTS; i-- > 0;) {
		struct slot *s = post(1, 0, i, got, 1000);

		WAIT_FOR(s->done);
		ck_assert_int_eq(memcmp(got, big, 1000), 0);
	}
	c = counts_of(1);
	ck_assert_uint_eq(c.held_bytes, 0);
	/* the credit has come back: eager again */
	ck_assert_int_ge(send_to(0, 2, 0, NULL, 0, 0), 0);
	stop();
}
END_TEST

/* Small messages that follow each other share writes. */
START_TEST(small_messages_are_gathered)
{
	struct tp_counts before, after;

	start();
	post(1, 0, 0, NULL, 0);
	send_to(0, 1, 0, NULL, 0, 0);
	WAIT_FOR(nodes[1].in[0][0].done);
	before = counts_of(0);
	for (uint32_t i = 1; i <= 64; i++) {
		post(1, 0, i, got, 8);
		send_to(0, 1, i, big, 8, 0);
	}
	WAIT_FOR(nodes[1].in[0][64].done);
	after = counts_of(0);
	ck_assert_uint_eq(after.frames_out - before.frames_out, 64);
	ck_assert_uint_le(after.sends - before.sends, 3);
	stop();
}
END_TEST

START_TEST(the_death_of_a_peer_is_told)
{
	struct slot *s;

	start();
	post(1, 0, 0, got, 8);
	send_to(0, 1, 0, big, 8, 0);
	WAIT_FOR(nodes[1].in[0][0].done);
	ck_assert_int_eq(send_to(1, 0, 0, big, 100000, 0), 0);
	WAIT_FOR(nodes[0].in[1][0].held);
	stop_one(1);
	/* its announced message can no longer be had */
	s = post(0, 1, 0, got, 100000);
	WAIT_FOR(s->done && nodes[0].lost == 1);
	ck_assert_int_eq(s->rc, FT_EPEER);
	ck_assert_int_eq(send_to(0, 1, 1, big, 8, 0), FT_EPEER);
	stop();
}
END_TEST

START_TEST(nobody_listens)
{
	start();
	stop_one(1);
	ck_assert_int_eq(send_to(0, 1, 0, big, 100000, 0), 0);
	WAIT_FOR(nodes[0].lost == 1);
	ck_assert_int_eq(nodes[0].sent, 1);
	ck_assert_int_eq(nodes[0].sent_rc, FT_EPEER);
	stop();
}
END_TEST

/* Architecture, section 6: everything physical is dropped and built anew, with a new epoch. */
START_TEST(the_physical_half_is_built_anew)
{
	uint32_t epoch = 2;

	start();
	for (uint32_t number = 0; number < 20; number += 2, epoch++) {
		struct slot *s = post(1, 0, number, got, sizeof got);

		fill(big, 50000, number);
		ck_assert_int_ge(send_to(0, 1, number, big, 50000, 0), 0);
		WAIT_FOR(s->done && nodes[0].sent == (int)number / 2 + 1);
		ck_assert_int_eq(memcmp(got, big, 50000), 0);
		for (int i = 0; i < N; i++) {
			listeners[i] = tp_detach(nodes[i].tp, true);
			loop_free(nodes[i].loop);
		}
		for (int i = 0; i < N; i++)
			attach(i, epoch);
	}
	stop();
}
END_TEST

static void move_to(int i, uint32_t epoch)
{
	listeners[i] = tp_detach(nodes[i].tp, true);
	loop_free(nodes[i].loop);
	attach(i, epoch);
}

/* Reads the log up to a line that begins with this text. */
static void wait_log(int fd, const char *text)
{
	uint64_t until = clock_ns() + WAIT_MS * 1000000ull;
	char line[1024];
	size_t n = 0;

	for (;; look_at_all()) {
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

	start();
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
	stop();
}
END_TEST

/* Who lives in another epoch does not get in, and is not believed. */
START_TEST(a_stale_peer_is_refused)
{
	start();
	move_to(1, 7);
	ck_assert_int_eq(send_to(1, 0, 0, big, 8, 0), 1);
	ck_assert_int_eq(send_to(2, 0, 0, big, 8, 0), 1);
	WAIT_FOR(nodes[0].in[2][0].held);
	ck_assert_ptr_null(nodes[0].in[1][0].held);
	stop();
}
END_TEST

UNIT_MAIN("transport", tcase_add_test(tc, every_size_arrives); tcase_add_test(tc, pieces_arrive);
	  tcase_add_test(tc, pieces_end_with_their_message);
	  tcase_add_test(tc, what_is_too_long_is_cut);
	  tcase_add_test(tc, a_synchronous_send_waits_for_its_receive);
	  tcase_add_test(tc, now_or_not_at_all);
	  tcase_add_test(tc, a_waiting_send_can_be_taken_back);
	  tcase_add_test(tc, a_send_that_is_wanted_cannot);
	  tcase_add_loop_test(tc, simultaneous_open, 0, 10);
	  tcase_add_test(tc, unexpected_memory_is_bounded);
	  tcase_add_test(tc, small_messages_are_gathered);
	  tcase_add_test(tc, the_death_of_a_peer_is_told); tcase_add_test(tc, nobody_listens);
	  tcase_add_test(tc, the_physical_half_is_built_anew);
	  tcase_add_test(tc, who_comes_late_to_an_epoch_is_waited_for);
	  tcase_add_test(tc, a_stale_peer_is_refused);)
