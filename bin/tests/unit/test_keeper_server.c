/* SPDX-License-Identifier: BSD-3-Clause */
/* A keeper with its sockets, on a disk that the test has in its hand; ranks are clients in the same
 * thread. */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "fake_disk.h"
#include "keeper/client.h"
#include "keeper/peer.h"
#include "keeper/server.h"
#include "unit.h"

enum { RANKS = 3, DEADLINE_S = 60, FLOOD = 400 };

static struct fake_disk disk;
static struct keeper_server *server;
static struct event *tick; /* so that no turn waits for ever */
static struct keeper_job job = {.ranks = RANKS, .session = {1, 2}, .secret = {3, 4}};
static struct sockaddr_in at;

struct rank {
	int fd; /* -1: not connected */
	struct keeper_client client;
	bool ready;
	uint64_t acknowledged, given;
	unsigned refused;
	bool lost;
};

/* ---- the keeper ---- */

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
}

static void start(uint64_t limit, bool fresh)
{
	struct keeper_config config = {
		.job = job, .folder = "f", .limit = limit, .fresh = fresh, .disk = &disk.disk};
	socklen_t len = sizeof at;
	char said[512];

	ck_assert_int_eq(auth_init(), 0);
	config.listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	ck_assert_int_eq(bind(config.listen_fd, (struct sockaddr *)&at, sizeof at), 0);
	ck_assert_int_eq(listen(config.listen_fd, SOMAXCONN), 0);
	getsockname(config.listen_fd, (struct sockaddr *)&at, &len);
	server = keeper_server_new(&config, said, sizeof said);
	ck_assert_msg(server != NULL, "%s", said);
	tick = evtimer_new(keeper_server_base(server), on_tick, NULL);
}

static void kill_server(void)
{
	event_free(tick);
	keeper_server_free(server);
}

static void stop(void)
{
	kill_server();
	fake_disk_free(&disk);
}

/* The keeper does what there is to do. */
static void turn(void)
{
	struct timeval t = {0, 2000};

	evtimer_add(tick, &t);
	keeper_server_turn(server);
	evtimer_del(tick);
}

/* ---- ranks ---- */

static void fill(void *ctx, uint64_t first, uint32_t count, uint8_t *out)
{
	const struct rank *r = ctx;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t v[2] = {r->client.c.rank, first + i};

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, v, sizeof v);
	}
}

static int connect_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static void hang_up(struct rank *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	keeper_client_lost(&r->client);
}

static void come(struct rank *r)
{
	hang_up(r);
	r->fd = connect_socket();
	keeper_client_connected(&r->client);
}

static void rank_init(struct rank *r, uint32_t rank, uint32_t incarnation, uint64_t covered)
{
	*r = (struct rank){.fd = -1};
	keeper_client_init(&r->client, &(struct keeper_client_job){.job = job,
					       .rank = rank,
					       .incarnation = incarnation,
					       .covered = covered,
					       .read = fill,
					       .ctx = r});
	come(r);
}

static void hear(struct rank *r)
{
	struct keeper_client_event e;
	uint8_t want[KEEPER_WINDOW * KEEPER_RECORD_BYTES];

	while (keeper_client_next(&r->client, &e)) {
		switch (e.what) {
		case CLIENT_RECORDS:
			fill(r, e.number, e.count, want);
			ck_assert(memcmp(e.records, want, (size_t)e.count * KEEPER_RECORD_BYTES) ==
				  0);
			r->given += e.count;
			break;
		case CLIENT_READY:
			r->ready = true;
			r->acknowledged = e.number;
			break;
		case CLIENT_ACKNOWLEDGED:
			r->acknowledged = e.number;
			break;
		case CLIENT_LOST:
			r->lost = true;
			break;
		case CLIENT_IS_REFUSED:
			r->refused = e.reason;
			break;
		default:
			hang_up(r);
			return;
		}
	}
}

/* All that the rank can do now. */
static void pump(struct rank *r)
{
	const uint8_t *bytes;
	size_t n, room;

	if (r->fd < 0)
		return;
	while ((bytes = keeper_client_out(&r->client, &n))) {
		ssize_t sent = send(r->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0)
			break;
		keeper_client_sent(&r->client, (size_t)sent);
	}
	for (;;) {
		uint8_t *place = keeper_client_room(&r->client, &room);
		ssize_t got = recv(r->fd, place, room, MSG_DONTWAIT);

		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			hang_up(r);
			return;
		}
		keeper_client_came(&r->client, (size_t)got);
		hear(r);
		if (r->fd < 0)
			return;
	}
}

static struct rank *all[RANKS];

/* Until `done` is true of the rank. */
static void until(struct rank *r, bool (*done)(const struct rank *r), const char *what)
{
	uint64_t end = clock_ns() + DEADLINE_S * 1000000000u;

	while (!done(r)) {
		ck_assert_msg(clock_ns() < end, "rank %u: not %s: acknowledged %llu, refused %u",
			r->client.c.rank, what, (unsigned long long)r->acknowledged, r->refused);
		turn();
		pump(r);
		for (int i = 0; i < RANKS; i++)
			if (all[i] && all[i] != r)
				pump(all[i]);
	}
}

static bool is_ready(const struct rank *r)
{
	return r->ready;
}

static bool is_acknowledged(const struct rank *r)
{
	return r->client.state == CLIENT_LIVE && r->acknowledged == r->client.last;
}

static bool is_refused(const struct rank *r)
{
	return r->refused != 0;
}

static bool is_gone(const struct rank *r)
{
	return r->fd < 0;
}

static void setup(uint64_t limit)
{
	memset(all, 0, sizeof all);
	fake_disk_init(&disk);
	start(limit, true);
}

START_TEST(a_rank_comes_back)
{
	static struct rank one, two, late;

	setup(1 << 20);
	rank_init(&one, 1, 1, 0);
	until(&one, is_ready, "ready");
	keeper_client_tell(&one.client, 30000);
	until(&one, is_acknowledged, "acknowledged");
	keeper_client_cover(&one.client, 10000);
	keeper_client_tell(&one.client, 30001);
	until(&one, is_acknowledged, "acknowledged");
	rank_init(&two, 1, 2, 10000);
	all[0] = &one;
	until(&two, is_ready, "ready");
	ck_assert_uint_eq(two.given, 20001);
	until(&one, is_refused, "refused");
	ck_assert_uint_eq(one.refused, KEEPER_FENCED);
	until(&one, is_gone, "closed");
	keeper_client_tell(&two.client, 30005);
	until(&two, is_acknowledged, "acknowledged");
	/* also to one that comes only now */
	rank_init(&late, 1, 1, 10000);
	until(&late, is_refused, "refused");
	ck_assert_uint_eq(late.refused, KEEPER_FENCED);
	hang_up(&late);
	/* of one incarnation the latest connection counts */
	rank_init(&late, 1, 2, 10000);
	until(&late, is_ready, "ready");
	until(&two, is_gone, "closed");
	hang_up(&late);
	/* and its checkpoint is an old one */
	rank_init(&late, 1, 3, 9999);
	until(&late, is_refused, "refused");
	ck_assert_uint_eq(late.refused, KEEPER_GONE);
	hang_up(&late);
	stop();
}
END_TEST

START_TEST(a_keeper_is_started_again)
{
	static struct rank r;

	setup(1 << 20);
	rank_init(&r, 0, 1, 0);
	until(&r, is_ready, "ready");
	for (int i = 1; i <= 5; i++) {
		keeper_client_tell(&r.client, (uint64_t)i * 3000);
		for (int turns = 0; turns < i; turns++) {
			turn();
			pump(&r);
		}
		kill_server();
		fake_disk_crash(&disk, FAKE_NONE, false);
		start(1 << 20, false);
		come(&r);
	}
	until(&r, is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 15000);
	ck_assert(!r.lost);
	hang_up(&r);
	stop();
}
END_TEST

START_TEST(a_lost_log_is_fed)
{
	static struct rank r, two;

	setup(1 << 20);
	rank_init(&r, 0, 1, 0);
	until(&r, is_ready, "ready");
	keeper_client_tell(&r.client, 9000);
	until(&r, is_acknowledged, "acknowledged");
	keeper_client_cover(&r.client, 2000);
	kill_server();
	fake_disk_file(&disk, "f/rank-00000.events")->now[60] ^= 1;
	start(1 << 20, false);
	/* it and its log at once: that cannot be mended */
	rank_init(&two, 0, 2, 2000);
	until(&two, is_refused, "refused");
	ck_assert_uint_eq(two.refused, KEEPER_LOST);
	hang_up(&two);
	come(&r);
	r.acknowledged = 0;
	until(&r, is_acknowledged, "acknowledged");
	ck_assert(r.lost);
	rank_init(&two, 0, 2, 2000);
	until(&two, is_ready, "ready");
	ck_assert_uint_eq(two.given, 7000);
	hang_up(&r);
	hang_up(&two);
	stop();
}
END_TEST

static int say_hello(void)
{
	int fd = connect_socket();
	struct keeper_handshake t;

	keeper_handshake_hello(&t, &job,
		&(struct keeper_hello){.wants = KEEPER_BEGIN, .rank = 1, .incarnation = 1});
	ck_assert_int_eq(send(fd, &t.hello, sizeof t.hello, 0), sizeof t.hello);
	return fd;
}

/* It was answered by a challenge and by nothing more, and then closed, by now. */
static bool is_closed(int fd)
{
	uint8_t said[256];
	ssize_t n = recv(fd, said, sizeof said, MSG_DONTWAIT);

	return n == sizeof(struct keeper_challenge) &&
	       recv(fd, said, sizeof said, MSG_DONTWAIT) == 0;
}

/* Whoever cannot prove that it belongs to the job is answered by closing. */
START_TEST(strangers_are_turned_away)
{
	static struct rank r;
	static const char http[] = "GET / HTTP/1.1\r\n\r\n";
	static const uint8_t no_proof[sizeof(struct keeper_proof)];
	int fd;
	struct keeper_job other[3] = {job, job, job};

	setup(1 << 20);
	other[0].secret[31] ^= 1;
	other[1].session[15] ^= 1;
	for (int i = 0; i < 3; i++) {
		rank_init(&r, i == 2 ? RANKS : 0, 1, 0);
		r.client.c.job = other[i];
		come(&r);
		until(&r, is_gone, "closed");
		ck_assert(!r.ready);
	}
	rank_init(&r, 0, 0, 0); /* there is no incarnation 0 */
	until(&r, is_gone, "closed");
	rank_init(&r, 0, 1, 0);
	ck_assert_int_eq(send(r.fd, http, sizeof http, 0), sizeof http);
	until(&r, is_gone, "closed");
	fd = say_hello();
	ck_assert_int_eq(send(fd, no_proof, sizeof no_proof, 0), sizeof no_proof);
	for (int i = 0; i < 20; i++)
		turn();
	ck_assert(is_closed(fd));
	close(fd);
	rank_init(&r, 0, 1, 0);
	until(&r, is_ready, "ready");
	hang_up(&r);
	stop();
}
END_TEST

/* Those that say nothing, and those that know the session and not the secret. */
START_TEST(a_flood_keeps_no_rank_out)
{
	static struct rank r;
	static int flood[2 * FLOOD];
	struct pollfd end = {.events = POLLIN};

	descriptors_raise(4 * FLOOD);
	setup(1 << 20);
	for (int i = 0; i < 2 * FLOOD; i++) {
		flood[i] = i % 2 ? say_hello() : connect_socket();
		if (i % 16 == 0)
			turn();
	}
	rank_init(&r, 0, 1, 0);
	until(&r, is_ready, "ready");
	/* the first of each kind gave way */
	end.fd = flood[0];
	ck_assert_int_eq(poll(&end, 1, DEADLINE_S * 1000), 1);
	ck_assert(is_closed(flood[1]));
	for (int i = 0; i < 2 * FLOOD; i++)
		close(flood[i]);
	keeper_client_tell(&r.client, 10);
	until(&r, is_acknowledged, "acknowledged");
	hang_up(&r);
	stop();
}
END_TEST

START_TEST(nonsense_is_refused)
{
	static struct rank r;
	static const struct {
		struct keeper_frame frame;
		unsigned why;
	} cases[] = {
		{{.kind = 0}, KEEPER_FRAME},
		{{.kind = KEEPER_STATE}, KEEPER_FRAME},
		{{.kind = KEEPER_KIND_END}, KEEPER_FRAME},
		{{.kind = KEEPER_TELL, .count = 0, .number = 1}, KEEPER_FRAME},
		{{.kind = KEEPER_TELL, .count = 1, .number = 0}, KEEPER_FRAME},
		{{.kind = KEEPER_TELL, .count = KEEPER_WINDOW + 1, .number = 1}, KEEPER_FRAME},
		{{.kind = KEEPER_TELL, .count = UINT32_MAX, .number = 1}, KEEPER_FRAME},
		{{.kind = KEEPER_FORGET, .number = 1, .other = 1}, KEEPER_FRAME},
		{{.kind = KEEPER_FORGET, .number = 1, .flags = 1}, KEEPER_FRAME},
		{{.kind = KEEPER_FORGET, .number = 1, .zero = {0, 1}}, KEEPER_FRAME},
		{{.kind = KEEPER_FEED, .number = UINT64_MAX}, KEEPER_FRAME},
		{{.kind = KEEPER_FORGET, .number = 1}, KEEPER_BEYOND},
	};

	setup(1 << 20);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		rank_init(&r, 0, 1, 0);
		until(&r, is_ready, "ready");
		ck_assert_int_eq(send(r.fd, &cases[i].frame, sizeof cases[i].frame, 0),
			sizeof cases[i].frame);
		until(&r, is_refused, "refused");
		ck_assert_uint_eq(r.refused, cases[i].why);
		hang_up(&r);
	}
	stop();
}
END_TEST

START_TEST(a_full_disk_is_waited_for)
{
	static struct rank r, other;
	uint64_t before;

	setup(1 << 20);
	rank_init(&r, 0, 1, 0);
	until(&r, is_ready, "ready");
	keeper_client_tell(&r.client, 100);
	until(&r, is_acknowledged, "acknowledged");
	disk.room = disk.written + 1000;
	keeper_client_tell(&r.client, 5000);
	rank_init(&other, 1, 1, 0);
	before = disk.ops;
	for (uint64_t begun = clock_ns(), ms = 0;
		ms < 2500 || (disk.ops - before <= 4 && ms < 20000);
		ms = (clock_ns() - begun) / 1000000) {
		turn();
		pump(&r);
		pump(&other);
	}
	/* tried again, a few times, and nothing is acknowledged; nor is another rank answered */
	ck_assert_uint_gt(disk.ops - before, 4);
	ck_assert_uint_lt(disk.ops - before, 60);
	ck_assert_uint_eq(r.acknowledged, 100);
	ck_assert(r.fd >= 0 && other.fd >= 0 && !other.ready);
	disk.room = 0;
	all[0] = &other;
	until(&r, is_acknowledged, "acknowledged");
	until(&other, is_ready, "ready");
	hang_up(&r);
	hang_up(&other);
	stop();
}
END_TEST

START_TEST(the_limit_is_waited_for)
{
	static struct rank r, other;

	setup(5000 * KEEPER_RECORD_BYTES);
	rank_init(&r, 0, 1, 0);
	rank_init(&other, 1, 1, 0);
	all[0] = &other;
	until(&r, is_ready, "ready");
	until(&other, is_ready, "ready");
	keeper_client_tell(&other.client, 4000);
	until(&other, is_acknowledged, "acknowledged");
	keeper_client_tell(&r.client, 12000);
	for (int i = 0; i < 100; i++) {
		turn();
		pump(&r);
	}
	ck_assert_uint_eq(r.acknowledged, 1000);
	/* room that another makes is used in the same turn: there may be no other */
	keeper_client_cover(&other.client, 3900);
	pump(&other);
	keeper_server_turn(server);
	ck_assert_int_eq(
		poll(&(struct pollfd){.fd = r.fd, .events = POLLIN}, 1, DEADLINE_S * 1000), 1);
	pump(&r);
	ck_assert_uint_eq(r.acknowledged, 4900);
	/* behind all that waits, and heard all the same */
	keeper_client_cover(&r.client, 7200);
	until(&r, is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 12000);
	hang_up(&r);
	hang_up(&other);
	stop();
}
END_TEST

UNIT_MAIN("keeper_server", log_configure(0, "keeper"); tcase_add_test(tc, a_rank_comes_back);
	  tcase_add_test(tc, a_keeper_is_started_again); tcase_add_test(tc, a_lost_log_is_fed);
	  tcase_add_test(tc, strangers_are_turned_away);
	  tcase_add_test(tc, a_flood_keeps_no_rank_out); tcase_add_test(tc, nonsense_is_refused);
	  tcase_add_test(tc, a_full_disk_is_waited_for);
	  tcase_add_test(tc, the_limit_is_waited_for);)
