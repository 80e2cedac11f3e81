/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may beat to a rank: what is refused, and that those who are refused keep nobody out. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "beats.h"
#include "unit.h"

/* nothing is suspected here */
enum { PERIOD = 50, TIMEOUT = 3600000, FLOOD = 200 };

static struct beats b;
static uint8_t nonce[AUTH_NONCE_BYTES], beat[RECORD_BYTES];

/* rank 0 runs; 1 and 2 are played here, or by nobody */
static void begin(void)
{
	beats_begin(&b, 3, PERIOD, TIMEOUT);
	beats_start(&b, 0);
}

static struct record good(uint64_t seq)
{
	return (struct record){.epoch = BEATS_EPOCH, .from = 1, .to = 0, .seq = seq};
}

static void make(const struct record *r)
{
	record_make(&b.key, nonce, r, beat);
}

static void say(int fd, size_t from, size_t len)
{
	ck_assert_int_eq(send(fd, beat + from, len, MSG_NOSIGNAL), (ssize_t)len);
}

static void refused(int fd, const char *who, int why)
{
	char text[128];

	snprintf(text, sizeof text, "turned away %s: %s\n", who, ft_error_text(why));
	beats_said(text);
	beats_closed(fd);
}

/* One record on a connection of its own. */
static void offer(const struct record *r, int why)
{
	int fd = beats_greeted(&b, 0, nonce);

	make(r);
	say(fd, 0, sizeof beat);
	refused(fd, "somebody", why);
}

START_TEST(a_good_one_is_believed)
{
	struct record r = good(1);
	int fd;

	begin();
	fd = beats_greeted(&b, 0, nonce);
	make(&r);
	say(fd, 0, sizeof beat);
	beats_said("rank 1 beats\n");
	r.seq = 40;
	r.leaving = true;
	make(&r);
	for (size_t i = 0; i < sizeof beat; i++)
		say(fd, i, 1);
	beats_said("rank 1 leaves, and beats no more\n");
	close(fd);
	beats_end(&b);
}
END_TEST

START_TEST(what_is_wrong_is_refused)
{
	struct record r = good(1);

	begin();
	r.epoch--;
	offer(&r, FT_ESTALE);
	r.epoch += 2;
	offer(&r, FT_ESTALE);
	r = good(1);
	r.to = 2;
	offer(&r, FT_EPROTO);
	r = good(1);
	r.from = 3;
	offer(&r, FT_EPROTO);
	r.from = 0;
	offer(&r, FT_EPROTO);
	r.from = 0xffffffff;
	offer(&r, FT_EPROTO);
	r = good(0);
	offer(&r, FT_EPROTO);
	ck_assert(!beats_has_said(" beats\n"));
	beats_end(&b);
}
END_TEST

START_TEST(another_secret_or_session_is_refused)
{
	struct record r = good(1);

	begin();
	b.key.secret[31] ^= 1;
	offer(&r, FT_EAUTH);
	b.key.secret[31] ^= 1;
	b.key.session[0] ^= 1;
	offer(&r, FT_EAUTH);
	ck_assert(!beats_has_said(" beats\n"));
	beats_end(&b);
}
END_TEST

START_TEST(any_other_byte_is_refused)
{
	struct record r = good(1);

	begin();
	for (size_t i = 0; i < sizeof beat; i++) {
		int fd = beats_greeted(&b, 0, nonce);

		make(&r);
		beat[i] ^= (uint8_t)(1 + i % 255);
		say(fd, 0, sizeof beat);
		beats_closed(fd);
		ck_assert_msg(!beats_has_said(" beats\n"), "byte %zu", i);
	}
	beats_end(&b);
}
END_TEST

START_TEST(a_replayed_one_is_refused)
{
	struct record r = good(1);
	int fd, other;

	begin();
	fd = beats_greeted(&b, 0, nonce);
	make(&r);
	say(fd, 0, sizeof beat);
	beats_said("rank 1 beats\n");
	/* what was recorded there, on another connection */
	other = beats_connect(&b, 0);
	say(other, 0, sizeof beat);
	refused(other, "somebody", FT_EAUTH);
	/* and again on its own */
	say(fd, 0, sizeof beat);
	refused(fd, "rank 1", FT_EPROTO);
	beats_end(&b);
}
END_TEST

START_TEST(a_connection_is_one_ranks)
{
	struct record r = good(1);
	int fd;

	begin();
	fd = beats_greeted(&b, 0, nonce);
	make(&r);
	say(fd, 0, sizeof beat);
	r = good(2);
	r.from = 2;
	make(&r);
	say(fd, 0, sizeof beat);
	refused(fd, "rank 1", FT_EPROTO);
	ck_assert(!beats_has_said("rank 2 beats"));
	beats_end(&b);
}
END_TEST

START_TEST(the_newest_connection_counts)
{
	struct record r = good(1);
	int old, new;

	begin();
	old = beats_greeted(&b, 0, nonce);
	make(&r);
	say(old, 0, sizeof beat);
	beats_said("rank 1 beats\n");
	new = beats_greeted(&b, 0, nonce);
	make(&r);
	say(new, 0, sizeof beat);
	beats_closed(old);
	r = good(2);
	r.leaving = true;
	make(&r);
	say(new, 0, sizeof beat);
	beats_said("rank 1 leaves");
	close(new);
	beats_end(&b);
}
END_TEST

/* Those who say nothing are there by the hundred, and rank 1 gets through. */
START_TEST(a_flood_keeps_nobody_out)
{
	int idle[FLOOD];

	begin();
	for (int i = 0; i < FLOOD; i++)
		idle[i] = beats_connect(&b, 0);
	beats_start(&b, 1);
	beats_said("too many at a time\n");
	beats_said("rank 1 beats\n");
	beats_closed(idle[0]);
	for (int i = 1; i < FLOOD; i++)
		close(idle[i]);
	beats_end(&b);
}
END_TEST

/* 5 s after it came. */
START_TEST(who_says_nothing_is_turned_away)
{
	int fd;

	begin();
	fd = beats_connect(&b, 0);
	say(fd, 0, 5);
	refused(fd, "somebody", FT_ETIME);
	beats_end(&b);
}
END_TEST

START_TEST(not_every_one_is_worth_a_line)
{
	begin();
	for (int i = 0; i < 3 * FLOOD; i++) {
		int fd = beats_greeted(&b, 0, nonce);

		memset(beat, 'x', sizeof beat);
		say(fd, 0, sizeof beat);
		beats_closed(fd);
	}
	beats_stop(&b, 0, false);
	beats_said("turned away somebody: ");
	beats_said("heartbeat: turned away ");
	beats_said(" more\n");
	beats_end(&b);
}
END_TEST

UNIT_MAIN("beat_records", tcase_add_test(tc, a_good_one_is_believed);
	  tcase_add_test(tc, what_is_wrong_is_refused);
	  tcase_add_test(tc, another_secret_or_session_is_refused);
	  tcase_add_test(tc, any_other_byte_is_refused);
	  tcase_add_test(tc, a_replayed_one_is_refused);
	  tcase_add_test(tc, a_connection_is_one_ranks);
	  tcase_add_test(tc, the_newest_connection_counts);
	  tcase_add_test(tc, a_flood_keeps_nobody_out);
	  tcase_add_test(tc, who_says_nothing_is_turned_away);
	  tcase_add_test(tc, not_every_one_is_worth_a_line);)
