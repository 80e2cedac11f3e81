/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's link to its keeper where connections break, the keeper is away, and what is no keeper
 * answers in its place. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "keeper/server_conn.h"
#include "link_stage.h"
#include "unit.h"

/* ---- connections that break ---- */

/* While records are told, and covered, and given to the next incarnation. */
START_TEST(connections_break)
{
	static struct rank r;
	uint64_t covered = 0, last = 0;

	stage_setup();
	stage_start(true);
	atomic_store(&stage_breaks_one_in, 15);
	for (uint32_t incarnation = 1; incarnation <= 4; incarnation++) {
		rank_begin(&r, 2, incarnation, covered);
		rank_until(&r, rank_is_ready, "ready");
		ck_assert_uint_eq(r.covered + r.given, last);
		for (int i = 0; i < 150; i++) {
			rank_add(&r, 1 + stage_draw(stage_draw(4) ? 20 : 2000));
			for (uint64_t turns = stage_draw(4); turns > 0; turns--)
				stage_turn();
			if (stage_draw(20) == 0)
				stage_cut(2);
			if (stage_draw(20) == 0)
				rank_cover(&r, r.covered + stage_draw(r.last - r.covered));
		}
		rank_until(&r, rank_is_acknowledged, "acknowledged");
		ck_assert_uint_eq(r.losses, 0);
		last = r.last;
		covered = r.covered;
		rank_end(&r);
	}
	ck_assert_msg(atomic_load(&stage_broken) > 20, "%u times", atomic_load(&stage_broken));
	stage_stop();
}
END_TEST

/* ---- what is said ---- */

static int said = -1; /* what is written to standard error */

static void keep_stderr(void)
{
	said = memfd_create("said", MFD_CLOEXEC);
	ck_assert_int_ge(said, 0);
	ck_assert_int_eq(dup2(said, STDERR_FILENO), STDERR_FILENO);
}

static int times_said(const char *text)
{
	static char all[1 << 16];
	ssize_t n = pread(said, all, sizeof all - 1, 0);
	int times = 0;

	ck_assert_int_ge(n, 0);
	all[n] = '\0';
	for (const char *p = all; (p = strstr(p, text)); p++)
		times++;
	return times;
}

static void until_said(const char *text)
{
	uint64_t end = clock_ns() + DEADLINE_NS;

	while (times_said(text) == 0) {
		ck_assert_msg(clock_ns() < end, "not said: %s", text);
		stage_turn();
	}
}

/* One that is back sooner is not. */
START_TEST(a_keeper_that_is_away_is_missed)
{
	static struct rank r;
	uint64_t begin;

	stage_setup();
	keep_stderr();
	stage_start(true);
	rank_begin(&r, 0, 1, 0);
	rank_until(&r, rank_is_ready, "ready");
	stage_kill();
	for (int i = 0; i < 300; i++)
		stage_turn();
	stage_start(false);
	rank_add(&r, 5);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	begin = clock_ns();
	stage_kill();
	until_said("was not reached for 5 s: nobody listens there");
	/* libevent's clock may be behind */
	ck_assert_uint_ge(clock_ns() - begin, 4900000000u);
	stage_start(false);
	until_said("is there again");
	rank_add(&r, 5);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_int_eq(times_said("\n"), 2);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* ---- what is no keeper ---- */

static void limit_waits(int fd)
{
	struct timeval t = {DEADLINE_S, 0};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

static void read_whole(int fd, void *out, size_t n)
{
	ck_assert_int_eq(recv(fd, out, n, MSG_WAITALL), (ssize_t)n);
}

static void write_whole(int fd, const void *bytes, size_t n)
{
	ck_assert_int_eq(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void until_closed(int fd)
{
	uint8_t nothing[4096];
	ssize_t n;

	do
		n = recv(fd, nothing, sizeof nothing, 0);
	while (n > 0);
	ck_assert_msg(n == 0 || errno == ECONNRESET, "it was not closed: %s", strerror(errno));
	close(fd);
}

static int accept_one(int listen_fd)
{
	struct pollfd p = {.fd = listen_fd, .events = POLLIN};
	int fd;

	ck_assert_int_eq(poll(&p, 1, DEADLINE_S * 1000), 1);
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	limit_waits(fd);
	return fd;
}

/* The handshake of a keeper that knows the secret. */
static void prove(int fd)
{
	struct keeper_handshake t;
	struct keeper_hello hello;
	struct keeper_challenge challenge;
	struct keeper_proof proof;

	read_whole(fd, &hello, sizeof hello);
	ck_assert_int_eq(keeper_handshake_take_hello(&t, &stage_job, &hello), 0);
	keeper_handshake_challenge(&t, &stage_job, &challenge);
	write_whole(fd, &challenge, sizeof challenge);
	read_whole(fd, &proof, sizeof proof);
	ck_assert_int_eq(keeper_handshake_take_proof(&t, &stage_job, &proof), 0);
}

/* One connection, on which this is said, and which the rank closes. */
static void answer(int listen_fd, bool proves, const void *bytes, size_t n)
{
	int fd = accept_one(listen_fd);

	if (proves)
		prove(fd);
	write_whole(fd, bytes, n);
	until_closed(fd);
}

START_TEST(what_is_no_keeper_is_not_believed)
{
	static const char http[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
				   "<html>this is no keeper</html>\r\n";
	static const struct keeper_frame nonsense[][3] = {
		{{.kind = 0}},
		{{.kind = KEEPER_TELL, .count = 1, .number = 1}},
		{{.kind = KEEPER_ACK, .number = 1}},
		{{.kind = KEEPER_STATE, .number = 2, .other = 1}},
		{{.kind = KEEPER_STATE, .other = UINT64_MAX}},
		{{.kind = KEEPER_REFUSED}},
		{{.kind = KEEPER_STATE, .other = 5},
			{.kind = KEEPER_RECORDS, .count = 1, .number = 2}},
		{{.kind = KEEPER_STATE}, {.kind = KEEPER_ACK, .number = 7}},
	};
	static const struct keeper_challenge no_secret = {.magic = KEEPER_MAGIC};
	static struct rank r;
	int fd;

	stage_setup();
	keep_stderr();
	fd = stage_listener(SOMAXCONN);
	rank_begin(&r, 0, 1, 0);
	answer(fd, false, http, sizeof http);
	answer(fd, false, &no_secret, sizeof no_secret);
	for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
		answer(fd, true, nonsense[i], sizeof nonsense[i]);
	close(fd);
	ck_assert_int_eq(times_said("is no keeper of this job"), 1);
	stage_start(true);
	rank_add(&r, 10);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	stage_kill();
	fd = stage_listener(SOMAXCONN);
	answer(fd, false, &no_secret, sizeof no_secret);
	close(fd);
	stage_start(false);
	rank_add(&r, 10);
	rank_until(&r, rank_is_acknowledged, "acknowledged");
	ck_assert_uint_eq(r.acknowledged, 20);
	ck_assert_int_eq(times_said("is no keeper of this job"), 2);
	rank_end(&r);
	stage_stop();
}
END_TEST

/* It accepts, and says nothing. */
START_TEST(a_silent_one_is_left)
{
	static struct rank r;
	int silent, fd;

	stage_setup();
	silent = stage_listener(SOMAXCONN);
	rank_begin(&r, 0, 1, 0);
	fd = accept_one(silent);
	until_closed(fd);
	close(silent);
	stage_start(true);
	rank_until(&r, rank_is_ready, "ready");
	rank_end(&r);
	stage_stop();
}
END_TEST

/* One that has proved itself, and cannot write yet. */
START_TEST(a_full_disk_is_waited_for)
{
	static struct rank r;
	const struct keeper_conn *conn;
	uint64_t begin = clock_ns();

	stage_setup();
	keep_stderr();
	stage_start(true);
	stage_disk.room = stage_disk.written + 1;
	rank_begin(&r, 0, 1, 0);
	until_said("was not reached for 5 s: it does not answer");
	conn = stage_server->of_rank[0];
	ck_assert_ptr_nonnull(conn);
	while (clock_ns() - begin < 7000000000u) {
		stage_turn();
		ck_assert_ptr_eq(stage_server->of_rank[0], conn);
	}
	ck_assert(!r.ready);
	stage_disk.room = 0;
	rank_until(&r, rank_is_ready, "ready");
	ck_assert_ptr_eq(stage_server->of_rank[0], conn);
	rank_end(&r);
	stage_stop();
}
END_TEST

UNIT_MAIN("keeper_link_broken", log_configure(0, "link"); tcase_add_test(tc, connections_break);
	  tcase_add_test(tc, a_keeper_that_is_away_is_missed);
	  tcase_add_test(tc, what_is_no_keeper_is_not_believed);
	  tcase_add_test(tc, a_silent_one_is_left); tcase_add_test(tc, a_full_disk_is_waited_for);)
