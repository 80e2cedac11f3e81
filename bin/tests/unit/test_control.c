/* SPDX-License-Identifier: BSD-3-Clause */
/* The START message and orders: what a launcher may say, and what is not believed. What it is told.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/loop.h"
#include "launch/control.h"
#include "launch/control_commands.h"
#include "launch/launch.h"
#include "unit.h"

static uint8_t body[4096];

struct start {
	uint32_t rank, size, listed, cores, node;
	const char *address, *setting;
};

static size_t encode(const struct start *s)
{
	uint8_t session[16] = {1}, secret[32] = {2};
	struct writer w = writer_over(body, sizeof body);

	writer_bytes(&w, session, sizeof session);
	writer_u32(&w, 5);
	writer_u32(&w, s->rank);
	writer_u32(&w, s->size);
	writer_bytes(&w, secret, sizeof secret);
	writer_u32(&w, 0);
	writer_u32(&w, 1);
	writer_u32(&w, 0);
	writer_string(&w, "/tmp");
	writer_string(&w, "session");
	writer_u32(&w, s->setting ? 7 : 6);
	if (s->setting)
		writer_string(&w, s->setting);
	writer_string(&w, "keep=3");
	writer_string(&w, "restore=last");
	writer_string(&w, "image=1");
	writer_string(&w, "image-patience=250");
	writer_string(&w, "image-keep-files=1");
	writer_string(&w, "input=4294967295:1048575:18446744073709551615");
	for (uint32_t i = 0; i < s->listed; i++) {
		writer_string(&w, "node1");
		writer_string(&w, s->address);
		writer_u16(&w, (uint16_t)(1000 + i));
		writer_u16(&w, 0);
		writer_u32(&w, s->node);
		writer_u32(&w, s->cores);
	}
	ck_assert(!w.bad);
	return (size_t)(w.at - body);
}

static const struct start good = {1, 3, 3, 2, 0, "10.0.0.1", NULL};

START_TEST(a_good_one_is_understood)
{
	struct launch l = {0};
	struct sockaddr_in *a;
	size_t len = encode(&good);

	ck_assert_int_eq(control_decode_start(&l, body, len), 0);
	ck_assert_int_eq(l.rank, 1);
	ck_assert_int_eq(l.size, 3);
	ck_assert_uint_eq(l.epoch, 5);
	ck_assert_uint_eq(l.secret[0], 2);
	ck_assert_str_eq(l.hosts[2], "node1");
	ck_assert_uint_eq(l.settings.keep, 3);
	ck_assert_str_eq(l.settings.restore, "last");
	ck_assert(l.settings.image && l.settings.image_keep_files);
	ck_assert_uint_eq(l.settings.image_patience_ms, 250);
	ck_assert_str_eq(l.settings.input, "4294967295:1048575:18446744073709551615");
	ck_assert_str_eq(l.settings.keeper, "");
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(l.incarnations[i], 0);
	a = (struct sockaddr_in *)&l.addresses[2].addr;
	ck_assert_int_eq(ntohs(a->sin_port), 1002);
	ck_assert_uint_eq(ntohl(a->sin_addr.s_addr), 0x0a000001);
	launch_free(&l);
}
END_TEST

START_TEST(ipv6_is_understood)
{
	struct launch l = {0};
	struct start s = good;

	s.address = "fd00::2";
	ck_assert_int_eq(control_decode_start(&l, body, encode(&s)), 0);
	ck_assert_int_eq(l.addresses[0].addr.ss_family, AF_INET6);
	launch_free(&l);
}
END_TEST

START_TEST(every_cut_is_refused)
{
	size_t len = encode(&good);
	struct launch l = {0};

	for (size_t cut = 0; cut < len; cut++) {
		ck_assert_int_eq(control_decode_start(&l, body, cut), FT_EPROTO);
		ck_assert_ptr_null(l.addresses);
	}
	ck_assert_int_eq(control_decode_start(&l, body, len + 1), FT_EPROTO);
}
END_TEST

START_TEST(impossible_values_are_refused)
{
	static const struct start bad[] = {
		{3, 3, 3, 2, 0, "10.0.0.1", NULL},
		{0, 0, 0, 2, 0, "10.0.0.1", NULL},
		{0, 0xffffffff, 3, 2, 0, "10.0.0.1", NULL},
		{1, 3, 3, 0, 0, "10.0.0.1", NULL},
		{1, 3, 3, 2, 3, "10.0.0.1", NULL},
		{1, 3, 3, 2, 0, "localhost", NULL},
		{1, 3, 4, 2, 0, "10.0.0.1", NULL},
	};
	struct launch l = {0};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(control_decode_start(&l, body, encode(&bad[i])) == FT_EPROTO,
			"case %zu", i);
}
END_TEST

START_TEST(settings_of_images)
{
	static const char *const bad[] = {"image=2", "image=", "image", "image-patience=-1",
		"image-patience=86400001", "image-keep-files=yes", "images=1"};
	struct settings s;
	char err[256] = "";

	settings_default(&s);
	ck_assert(!s.image && !s.image_keep_files);
	ck_assert_uint_eq(s.image_patience_ms, 10000);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(
			settings_take(&s, bad[i], err, sizeof err) == FT_EPROTO, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err, bad[i]));
	}
	ck_assert(!s.image && !s.image_keep_files);
	ck_assert_int_eq(settings_take(&s, "image=1", err, sizeof err), 0);
	ck_assert(s.image && !s.image_keep_files);
	ck_assert_int_eq(settings_take(&s, "image=0", err, sizeof err), 0);
	ck_assert(!s.image);
}
END_TEST

START_TEST(incarnations_are_a_list_by_rank)
{
	static const char *const bad[] = {"incarnations=", "incarnations=0,1",
		"incarnations=0,1,2,3", "incarnations=0,1,", "incarnations=0,1,2,",
		"incarnations=0,,2", "incarnations=,1,2", "incarnations=0,-1,2",
		"incarnations=0, 1,2", "incarnations=0,1,4294967296",
		"incarnations=0,1,00000000001", "incarnations=0,1,2x", "incarnations"};
	struct launch l = {0};
	struct start s = good;

	s.setting = "incarnations=0,4294967295,12";
	ck_assert_int_eq(control_decode_start(&l, body, encode(&s)), 0);
	ck_assert_uint_eq(l.incarnations[0], 0);
	ck_assert_uint_eq(l.incarnations[1], 0xffffffff);
	ck_assert_uint_eq(l.incarnations[2], 12);
	ck_assert_uint_eq(l.settings.keep, 3);
	launch_free(&l);
	ck_assert_ptr_null(l.incarnations);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		s.setting = bad[i];
		ck_assert_msg(
			control_decode_start(&l, body, encode(&s)) == FT_EPROTO, "%s", bad[i]);
		ck_assert_ptr_null(l.incarnations);
	}
}
END_TEST

/* Longer than any other setting may be. */
START_TEST(the_list_of_a_large_job_is_long)
{
	enum { MANY = 5000 };
	char word[2 * MANY + 16] = "incarnations=", err[256] = "", *at = word + strlen(word);
	uint32_t out[MANY];

	for (int i = 0; i < MANY; i++, at += 2)
		memcpy(at, i % 2 ? "7," : "0,", 2);
	ck_assert(settings_is_incarnations(word, (size_t)(at - 1 - word)));
	ck_assert(!settings_is_incarnations(word, strlen("incarnations")));
	ck_assert_int_eq(settings_take_incarnations(
				 out, MANY, word, (size_t)(at - 1 - word), err, sizeof err),
		0);
	for (int i = 0; i < MANY; i++)
		ck_assert_uint_eq(out[i], i % 2 ? 7 : 0);
	ck_assert_int_eq(
		settings_take_incarnations(out, MANY, word, (size_t)(at - word), err, sizeof err),
		FT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err, "'incarnations=0,7,0,7,"));
	ck_assert_uint_lt(strlen(err), 160);
}
END_TEST

START_TEST(the_keeper_has_an_address)
{
	char word[128], err[256] = "";
	struct settings s;

	settings_default(&s);
	ck_assert_int_eq(settings_take(&s, "keeper=[fd00::1]:7000", err, sizeof err), 0);
	ck_assert(!s.verify_replay);
	ck_assert_int_eq(settings_take(&s, "verify-replay=1", err, sizeof err), 0);
	ck_assert(s.verify_replay);
	ck_assert_str_eq(s.keeper, "[fd00::1]:7000");
	snprintf(word, sizeof word, "keeper=%080d", 0);
	ck_assert_int_eq(settings_take(&s, word, err, sizeof err), 0);
	ck_assert_uint_eq(strlen(s.keeper), 80);
	snprintf(word, sizeof word, "keeper=%081d", 0);
	ck_assert_int_eq(settings_take(&s, word, err, sizeof err), FT_EPROTO);
}
END_TEST

/* ---- orders ---- */

enum { SAVE_BYTES = 20, OTHER_BYTES = 12, EPOCH = 0x01020304, N = 0x05060708 };

static struct control_command order(uint32_t len, uint16_t type, uint16_t version, size_t have)
{
	struct control_command o = {.have = have};
	struct writer w = writer_over(o.bytes, sizeof o.bytes);

	writer_u32(&w, len);
	writer_u16(&w, type);
	writer_u16(&w, version);
	writer_u32(&w, EPOCH);
	writer_u32(&w, N);
	writer_u32(&w, CONTROL_SAVE_RELEASE);
	ck_assert(!w.bad);
	return o;
}

/* In any pieces, and nothing is asked for beyond its end. */
START_TEST(an_order_is_read_to_its_end)
{
	for (uint16_t type = CONTROL_RESTART; type <= CONTROL_LEAVE; type++) {
		size_t bytes = type == CONTROL_SAVE ? SAVE_BYTES : OTHER_BYTES;

		for (size_t have = 0; have <= bytes; have++) {
			struct control_command o =
				order((uint32_t)bytes - 8, type, CONTROL_VERSION, have);
			int needs = control_commands_needs(&o);

			ck_assert_int_ge(needs, have < bytes);
			ck_assert_uint_le(have + (size_t)needs, bytes);
			ck_assert(have < bytes || (o.type == type && o.epoch == EPOCH));
		}
	}
}
END_TEST

START_TEST(a_save_says_what_is_to_be_done)
{
	struct control_command o = order(12, CONTROL_SAVE, CONTROL_VERSION, SAVE_BYTES);

	for (uint8_t step = CONTROL_SAVE_HOLD; step <= CONTROL_SAVE_RELEASE; step++) {
		o.bytes[16] = step;
		ck_assert_int_eq(control_commands_needs(&o), 0);
		ck_assert_uint_eq(o.n, N);
		ck_assert_uint_eq(o.step, step);
	}
	o.bytes[16] = CONTROL_SAVE_RELEASE + 1;
	ck_assert_int_eq(control_commands_needs(&o), FT_EPROTO);
	o.bytes[16] = CONTROL_SAVE_GO;
	o.bytes[19] = 1;
	ck_assert_int_eq(control_commands_needs(&o), FT_EPROTO);
}
END_TEST

static struct control_command moved(const char *address)
{
	size_t bytes = CONTROL_MOVED_LEAST + strlen(address);
	struct control_command o =
		order((uint32_t)bytes, CONTROL_MOVED, CONTROL_VERSION, 8 + bytes);
	struct writer w = writer_over(o.bytes + 12, sizeof o.bytes - 12);

	writer_u32(&w, 3);
	writer_u32(&w, 7);
	writer_string(&w, address);
	writer_u16(&w, 4000);
	writer_u16(&w, 0);
	ck_assert(!w.bad);
	return o;
}

START_TEST(a_move_says_where_a_rank_is)
{
	struct control_command o = moved("10.1.2.3");
	const struct sockaddr_in *v4 = (const void *)&o.moved.data.addr;
	const struct sockaddr_in6 *v6 = (const void *)&o.moved.beat.addr;

	ck_assert_int_eq(control_commands_needs(&o), 0);
	ck_assert_uint_eq(o.epoch, EPOCH);
	ck_assert_uint_eq(o.moved.rank, 3);
	ck_assert_uint_eq(o.moved.incarnation, 7);
	ck_assert_uint_eq(v4->sin_addr.s_addr, htonl(0x0a010203));
	ck_assert_uint_eq(v4->sin_port, htons(4000));
	o = moved("fd00::1");
	ck_assert_int_eq(control_commands_needs(&o), 0);
	ck_assert_uint_eq(v6->sin6_addr.s6_addr[15], 1);
	ck_assert_uint_eq(v6->sin6_port, 0);
}
END_TEST

START_TEST(a_move_to_nowhere_is_refused)
{
	struct control_command bad[] = {moved(""), moved("10.1.2"), moved("node4"),
		moved("10.1.2.3"), moved("10.1.2.3"), moved("10.1.2.3")};
	struct control_command long_one =
		order(CONTROL_MOVED_MOST + 1, CONTROL_MOVED, CONTROL_VERSION, 8);

	bad[3].bytes[20] += 1; /* of the address, at the cost of what follows it */
	bad[4].bytes[20] = 200;
	bad[5].bytes[0]++, bad[5].have++;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(control_commands_needs(&bad[i]) == FT_EPROTO, "case %zu", i);
	ck_assert_int_eq(control_commands_needs(&long_one), FT_EPROTO);
	long_one = order(CONTROL_MOVED_LEAST - 1, CONTROL_MOVED, CONTROL_VERSION, 8);
	ck_assert_int_eq(control_commands_needs(&long_one), FT_EPROTO);
}
END_TEST

static struct control_command injection(uint32_t what)
{
	struct control_command o = order(16, CONTROL_FAULT, CONTROL_VERSION, 24);
	struct writer w = writer_over(o.bytes + 12, 12);

	writer_u32(&w, what);
	writer_u32(&w, 3);
	writer_u32(&w, 0x01020304);
	ck_assert(!w.bad);
	return o;
}

START_TEST(an_injection_says_what_fails)
{
	struct control_command o;

	for (uint32_t what = CONTROL_FAULT_DISK_FULL; what <= CONTROL_FAULT_CUT; what++) {
		o = injection(what);
		ck_assert_int_eq(control_commands_needs(&o), 0);
		ck_assert_uint_eq(o.epoch, EPOCH);
		ck_assert_uint_eq(o.fault.what, what);
		ck_assert_uint_eq(o.fault.peer, 3);
		ck_assert_uint_eq(o.fault.ms, 0x01020304);
	}
	o = injection(0);
	ck_assert_int_eq(control_commands_needs(&o), FT_EPROTO);
	o = injection(CONTROL_FAULT_CUT + 1);
	ck_assert_int_eq(control_commands_needs(&o), FT_EPROTO);
	o = order(12, CONTROL_FAULT, CONTROL_VERSION, 8);
	ck_assert_int_eq(control_commands_needs(&o), FT_EPROTO);
}
END_TEST

START_TEST(what_is_no_order_is_refused)
{
	struct control_command bad[] = {
		order(4, CONTROL_START, CONTROL_VERSION, 8),
		order(4, 0, CONTROL_VERSION, 8),
		order(4, CONTROL_SAVE, CONTROL_VERSION, 8),
		order(16, CONTROL_SAVE, CONTROL_VERSION, 8),
		order(12, CONTROL_FAULT + 1, CONTROL_VERSION, 8),
		order(0, CONTROL_FAULT + 1, CONTROL_VERSION, 8),
		order(12, CONTROL_DUMP, CONTROL_VERSION, 8),
		order(12, CONTROL_LEAVE, CONTROL_VERSION, 8),
		order(0, CONTROL_LEAVE, CONTROL_VERSION, 8),
		order(4, CONTROL_DUMP, 2, 8),
		order(4, CONTROL_RESTARTING, CONTROL_VERSION, 8),
		order(4, CONTROL_RESTART, 2, 8),
		order(3, CONTROL_RESTART, CONTROL_VERSION, 8),
		order(5, CONTROL_RESTART, CONTROL_VERSION, 8),
		order(0xffffffff, CONTROL_RESTART, CONTROL_VERSION, 8),
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(control_commands_needs(&bad[i]) == FT_EPROTO, "case %zu", i);
}
END_TEST

static sem_t observed;

static void on_observe(void)
{
	sem_post(&observed);
}

static void no_order(void)
{
	abort();
}

/* The loop's thread reads all that is in the socket, and ends. */
static void read_all_of(struct loop *loop, int fd)
{
	uint64_t until = clock_ns() + 60 * 1000000000ull;
	int left = 1;

	ck_assert_int_eq(loop_start(loop), 0);
	while (left > 0) {
		ck_assert_int_eq(ioctl(fd, FIONREAD, &left), 0);
		ck_assert_msg(clock_ns() < until, "waited 60 s for %d bytes to be read", left);
		sched_yield();
	}
	ck_assert_int_eq(loop_pause(loop, until), 0);
}

/* An order of which each loop of several reads a part. */
START_TEST(an_order_in_parts_outlasts_the_watch)
{
	static const struct control_handlers handlers = {
		.restart = no_order, .observe = on_observe, .dump = no_order};
	static const uint8_t words[] = {4, 0, 0, 0, 3, 0, 1, 0, 9, 0, 0, 0};
	static const size_t ends[] = {3, 8, 11, 12, 20, 24};
	size_t at = 0;
	int fd[2];

	sem_init(&observed, 0, 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct loop *loop = loop_new("test");

		ck_assert_ptr_nonnull(loop);
		ck_assert_int_eq(control_commands_watch(loop, fd[1], 9, &handlers), 0);
		for (; at < ends[i]; at++)
			ck_assert_int_eq(write(fd[0], &words[at % sizeof words], 1), 1);
		read_all_of(loop, fd[1]);
		control_commands_unwatch();
		loop_free(loop);
		ck_assert_msg((sem_trywait(&observed) == 0) == (at % sizeof words == 0),
			"%zu bytes have come", at);
	}
}
END_TEST

static struct {
	uint32_t n;
	enum control_save_step step;
} saves[4];
static size_t saves_n;

static void on_save(uint32_t n, enum control_save_step step)
{
	ck_assert_uint_lt(saves_n, sizeof saves / sizeof *saves);
	saves[saves_n].n = n;
	saves[saves_n++].step = step;
}

static void send_orders(int fd, uint32_t epoch)
{
	uint8_t out[64];
	struct writer w = writer_over(out, sizeof out);

	for (uint32_t step = CONTROL_SAVE_HOLD; step <= CONTROL_SAVE_GO; step++) {
		writer_u32(&w, 12);
		writer_u16(&w, CONTROL_SAVE);
		writer_u16(&w, CONTROL_VERSION);
		writer_u32(&w, epoch);
		writer_u32(&w, 7);
		writer_u32(&w, step);
	}
	writer_u32(&w, 4);
	writer_u16(&w, CONTROL_OBSERVE);
	writer_u16(&w, CONTROL_VERSION);
	writer_u32(&w, epoch);
	ck_assert(!w.bad);
	ck_assert_int_eq(write(fd, out, (size_t)(w.at - out)), w.at - out);
}

/* Those of this epoch, where there is somebody to do them. */
START_TEST(a_save_is_carried_out)
{
	struct control_handlers handlers = {
		.restart = no_order, .observe = on_observe, .dump = no_order, .save = on_save};

	for (int saving = 1; saving >= 0; saving--) {
		struct loop *loop = loop_new("test");
		int fd[2];

		saves_n = 0;
		sem_init(&observed, 0, 0);
		ck_assert_ptr_nonnull(loop);
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
		handlers.save = saving ? on_save : NULL;
		ck_assert_int_eq(control_commands_watch(loop, fd[1], 9, &handlers), 0);
		send_orders(fd[0], 8);
		send_orders(fd[0], 9);
		send_orders(fd[0], 10);
		read_all_of(loop, fd[1]);
		control_commands_unwatch();
		loop_free(loop);
		ck_assert_int_eq(sem_trywait(&observed), 0);
		ck_assert_int_ne(sem_trywait(&observed), 0);
		ck_assert_uint_eq(saves_n, saving ? 2 : 0);
		for (size_t i = 0; i < saves_n; i++) {
			ck_assert_uint_eq(saves[i].n, 7);
			ck_assert_uint_eq(saves[i].step, i);
		}
	}
}
END_TEST

static int left;

static void on_leave(void)
{
	left++;
}

/* That of this epoch, where there is somebody who waits for it. */
START_TEST(a_leave_is_carried_out)
{
	static const uint8_t words[] = {
		4, 0, 0, 0, 6, 0, 1, 0, 8, 0, 0, 0, 4, 0, 0, 0, 6, 0, 1, 0, 9, 0, 0, 0};
	struct control_handlers handlers = {
		.restart = no_order, .observe = no_order, .dump = no_order};

	for (int waits = 0; waits <= 1; waits++) {
		struct loop *loop = loop_new("test");
		int fd[2];

		ck_assert_ptr_nonnull(loop);
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
		handlers.leave = waits ? on_leave : NULL;
		ck_assert_int_eq(control_commands_watch(loop, fd[1], 9, &handlers), 0);
		ck_assert_int_eq(write(fd[0], words, sizeof words), sizeof words);
		read_all_of(loop, fd[1]);
		control_commands_unwatch();
		loop_free(loop);
		ck_assert_int_eq(left, waits);
	}
}
END_TEST

/* ---- what the agent is told ---- */

static int told[2];

static void open_told(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, told), 0);
}

/* The next frame; type 0 when there is none. */
static struct cursor hear(uint16_t *type)
{
	static uint8_t got[4096];
	uint32_t len;
	ssize_t n = recv(told[0], got, 8, MSG_DONTWAIT);
	struct cursor c = cursor_over(got, 8);

	*type = 0;
	if (n != 8)
		return c;
	len = cursor_u32(&c);
	*type = cursor_u16(&c);
	ck_assert_uint_eq(cursor_u16(&c), CONTROL_VERSION);
	ck_assert_uint_le(len, sizeof got);
	if (len > 0)
		ck_assert_int_eq(recv(told[0], got, len, MSG_DONTWAIT), (ssize_t)len);
	return cursor_over(got, len);
}

static void expect(uint16_t type, uint32_t number, const char *text)
{
	uint16_t got;
	struct cursor c = hear(&got);
	char word[64];

	ck_assert_uint_eq(got, type);
	ck_assert_uint_eq(cursor_u32(&c), number);
	if (text) {
		cursor_string(&c, word, sizeof word);
		ck_assert_str_eq(word, text);
	}
	ck_assert(cursor_done(&c));
}

START_TEST(what_is_told_is_as_the_protocol_says)
{
	open_told();
	control_program(told[1], true);
	expect(CONTROL_PROGRAM, 1, NULL);
	control_program(told[1], false);
	expect(CONTROL_PROGRAM, 0, NULL);
	control_line(told[1], 17);
	expect(CONTROL_LINE, 17, NULL);
	control_restored(told[1], 16, "20261121-203610-1a2b3c4d");
	expect(CONTROL_RESTORED, 16, "20261121-203610-1a2b3c4d");
	control_runs(told[1], (const uint8_t *)"0123456789abcdef", "/bin/prog");
	{
		uint16_t type;
		struct cursor c = hear(&type);
		char hash[CONTROL_HASH_BYTES], path[64];

		ck_assert_uint_eq(type, CONTROL_RUNS);
		cursor_bytes(&c, hash, sizeof hash);
		ck_assert_mem_eq(hash, "0123456789abcdef", sizeof hash);
		cursor_string(&c, path, sizeof path);
		ck_assert_str_eq(path, "/bin/prog");
		ck_assert(cursor_done(&c));
	}
	{
		uint16_t type;
		struct cursor c;

		control_ending(told[1]);
		c = hear(&type);
		ck_assert_uint_eq(type, CONTROL_ENDING);
		ck_assert(cursor_done(&c));
	}
	{
		uint16_t type;
		struct cursor c;

		control_input(told[1], 7, UINT64_C(0x500000003));
		c = hear(&type);
		ck_assert_uint_eq(type, CONTROL_INPUT);
		ck_assert_uint_eq(cursor_u32(&c), 7);
		ck_assert_uint_eq(cursor_u32(&c), 3);
		ck_assert_uint_eq(cursor_u32(&c), 5);
		ck_assert(cursor_done(&c));
	}
	control_held(told[1], 3, "");
	expect(CONTROL_HELD, 3, "");
	control_held(told[1], 4, "it is in MPI_Finalize");
	expect(CONTROL_HELD, 4, "it is in MPI_Finalize");
	for (int committed = 0; committed <= 1; committed++) {
		uint16_t type;
		struct cursor c;

		control_saved(told[1], 17, committed);
		c = hear(&type);
		ck_assert_uint_eq(type, CONTROL_SAVED);
		ck_assert_uint_eq(cursor_u32(&c), 17);
		ck_assert_uint_eq(cursor_u32(&c), committed);
		ck_assert(cursor_done(&c));
	}
	control_heard(told[1], 5);
	expect(CONTROL_HEARD, 5, NULL);
	control_restarting(told[1], 3);
	expect(CONTROL_RESTARTING, 3, NULL);
}
END_TEST

/* As many blocks as there can be, each with its numbers. */
static struct control_traffic much_traffic(bool all)
{
	struct control_traffic t = {.epoch = 7, .line = 40, .all = all, .ranks = 3};

	for (t.n = 0; t.n < CONTROL_BLOCKS_MAX; t.n++)
		t.sent[t.n] = (struct control_sent){.block = (uint32_t)t.n,
			.messages = (UINT64_C(1) << 32) + (uint64_t)t.n,
			.bytes = (UINT64_C(5) << 32) + 2 * (uint64_t)t.n};
	return t;
}

static void expect_traffic(const struct control_traffic *t)
{
	uint16_t type;
	struct cursor c = hear(&type);

	ck_assert_uint_eq(type, CONTROL_TRAFFIC);
	ck_assert_uint_eq(cursor_u32(&c), t->epoch);
	ck_assert_uint_eq(cursor_u32(&c), t->all ? UINT32_MAX : t->line);
	ck_assert_uint_eq(cursor_u32(&c), t->ranks);
	ck_assert_uint_eq(cursor_u32(&c), (uint32_t)t->n);
	for (int i = 0; i < t->n; i++)
		ck_assert_uint_eq(cursor_u32(&c), t->sent[i].block);
	ck_assert_uint_eq(cursor_u32(&c), 4 * (uint32_t)t->n);
	for (int i = 0; i < t->n; i++) {
		ck_assert_uint_eq(cursor_u64(&c), t->sent[i].messages);
		ck_assert_uint_eq(cursor_u64(&c), t->sent[i].bytes);
	}
	ck_assert(cursor_done(&c));
}

START_TEST(traffic_is_told_by_blocks_of_ranks)
{
	ck_assert_uint_eq(control_block_of(1), 1);
	ck_assert_uint_eq(control_block_of(CONTROL_BLOCKS_MAX), 1);
	ck_assert_uint_eq(control_block_of(CONTROL_BLOCKS_MAX + 1), 2);
	ck_assert_uint_eq(control_block_of(65536), 65536 / CONTROL_BLOCKS_MAX);
	open_told();
	for (int all = 0; all <= 1; all++) {
		struct control_traffic much = much_traffic(all), none = {.ranks = 1, .all = all};

		control_traffic(told[1], &much);
		expect_traffic(&much);
		control_traffic(told[1], &none);
		expect_traffic(&none);
	}
	control_traffic(-1, &(struct control_traffic){.ranks = 1});
}
END_TEST

/* It waits for no agent: what the socket has no room for is not told. */
START_TEST(traffic_at_a_line_does_not_wait)
{
	struct control_traffic t = much_traffic(false);
	int there = 0, before = -1;

	open_told();
	while (there != before) {
		before = there;
		control_traffic(told[1], &t);
		ck_assert_int_eq(ioctl(told[0], FIONREAD, &there), 0);
	}
	while (there > 0) {
		expect_traffic(&t);
		ck_assert_int_eq(ioctl(told[0], FIONREAD, &there), 0);
	}
}
END_TEST

static sem_t about;
static _Atomic pid_t teller;

static void *tell_late(void *arg)
{
	(void)arg;
	teller = gettid();
	sem_post(&about);
	control_lost(told[1], 1, "too late");
	return NULL;
}

/* Does the thread sleep? It must not end. */
static bool sleeps(pid_t tid)
{
	char path[64], line[256] = "", *state;
	FILE *in;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
	in = fopen(path, "r");
	ck_assert_msg(
		in && fgets(line, sizeof line, in), "the thread has ended: it was not held up");
	fclose(in);
	state = strrchr(line, ')');
	ck_assert_ptr_nonnull(state);
	ck_assert_msg(state[2] != 'Z' && state[2] != 'X', "the thread has ended: %s", line);
	return state[2] == 'S';
}

/* What another thread had to say would be taken for the next image's. */
START_TEST(restarting_is_the_last_word)
{
	uint64_t until = clock_ns() + 60 * 1000000000ull;
	pthread_t t;
	uint16_t type;

	open_told();
	sem_init(&about, 0, 0);
	control_restarting(told[1], 2);
	ck_assert_int_eq(pthread_create(&t, NULL, tell_late, NULL), 0);
	sem_wait(&about);
	while (!sleeps(teller)) {
		ck_assert_msg(clock_ns() < until, "waited 60 s for the thread to be held up");
		sched_yield();
	}
	expect(CONTROL_RESTARTING, 2, NULL);
	hear(&type);
	ck_assert_uint_eq(type, 0);
}
END_TEST

UNIT_MAIN("control", tcase_add_test(tc, a_good_one_is_understood);
	  tcase_add_test(tc, ipv6_is_understood); tcase_add_test(tc, every_cut_is_refused);
	  tcase_add_test(tc, impossible_values_are_refused); tcase_add_test(tc, settings_of_images);
	  tcase_add_test(tc, incarnations_are_a_list_by_rank);
	  tcase_add_test(tc, the_list_of_a_large_job_is_long);
	  tcase_add_test(tc, the_keeper_has_an_address);
	  tcase_add_test(tc, an_order_is_read_to_its_end);
	  tcase_add_test(tc, a_save_says_what_is_to_be_done);
	  tcase_add_test(tc, a_move_says_where_a_rank_is);
	  tcase_add_test(tc, a_move_to_nowhere_is_refused);
	  tcase_add_test(tc, what_is_no_order_is_refused);
	  tcase_add_test(tc, an_injection_says_what_fails);
	  tcase_add_test(tc, an_order_in_parts_outlasts_the_watch);
	  tcase_add_test(tc, a_save_is_carried_out); tcase_add_test(tc, a_leave_is_carried_out);
	  tcase_add_test(tc, what_is_told_is_as_the_protocol_says);
	  tcase_add_test(tc, traffic_is_told_by_blocks_of_ranks);
	  tcase_add_test(tc, traffic_at_a_line_does_not_wait);
	  tcase_add_test(tc, restarting_is_the_last_word);)
