/* SPDX-License-Identifier: BSD-3-Clause */
/* Which line a restore goes back to: by what is listed and by what becomes of proposals. */
#include <stdlib.h>
#include <string.h>

#include "ckpt/choice.h"
#include "unit.h"

static struct ckpt_choice c;

static void begin(void)
{
	memset(&c, 0, sizeof c);
}

static void end(void)
{
	ckpt_choice_free(&c);
}

/* A folder's lines: "7 6 3". */
static void listed(unsigned session, const char *lines)
{
	uint32_t *v = malloc(100 * sizeof *v);
	size_t n = 0;

	ck_assert_ptr_nonnull(v);
	for (char *end; *lines; lines = end)
		v[n++] = (uint32_t)strtoul(lines, &end, 10);
	ckpt_choice_listed(&c, session, v, n);
}

static void proposes(unsigned session, uint32_t line)
{
	struct ckpt_next next = ckpt_choice_next(&c);

	ck_assert_int_eq(next.step, CKPT_PROPOSE);
	ck_assert_uint_eq(next.session, session);
	ck_assert_uint_eq(next.line, line);
}

static void told(enum ckpt_outcome outcome)
{
	ck_assert_int_eq(ckpt_choice_told(&c, outcome), 0);
}

/* The pause in ms before the folders are listed again. */
static unsigned lists_again(void)
{
	struct ckpt_next next = ckpt_choice_next(&c);

	ck_assert_int_eq(next.step, CKPT_LIST);
	return next.pause_ms;
}

static void ends(enum ckpt_step step)
{
	ck_assert_int_eq(ckpt_choice_next(&c).step, step);
}

START_TEST(the_newest_of_the_first_session_comes_first)
{
	listed(0, "4 3");
	listed(1, "9");
	proposes(0, 4);
	told(CKPT_BROKEN);
	proposes(0, 3);
	told(CKPT_BROKEN);
	proposes(1, 9);
	told(CKPT_BROKEN);
	ends(CKPT_NONE);
	ck_assert_uint_eq(ckpt_choice_most(&c), 9);
	ck_assert_uint_eq(ckpt_choice_given_up(&c), 3);
}
END_TEST

START_TEST(without_lines_there_is_none)
{
	listed(0, "");
	ends(CKPT_NONE);
	ck_assert_uint_eq(ckpt_choice_most(&c), 0);
	ck_assert_uint_eq(ckpt_choice_given_up(&c), 0);
}
END_TEST

START_TEST(what_cannot_be_read_now_is_tried_again)
{
	listed(0, "2 1");
	proposes(0, 2);
	told(CKPT_NOT_NOW);
	ck_assert_uint_gt(lists_again(), 0);
	listed(0, "2 1");
	proposes(0, 2);
	told(CKPT_WHOLE);
	ck_assert_uint_eq(ckpt_choice_given_up(&c), 0);
}
END_TEST

/* Pauses grow, and end; the line before is tried then, at least once. */
START_TEST(it_is_not_tried_for_ever)
{
	unsigned pause = 0, all = 0, tries = 0;

	listed(0, "2 1");
	for (;; tries++) {
		struct ckpt_next next = ckpt_choice_next(&c);

		ck_assert_int_eq(next.step, CKPT_PROPOSE);
		if (next.line == 1)
			break;
		told(CKPT_NOT_NOW);
		if (next.last)
			continue;
		next.pause_ms = lists_again();
		ck_assert_uint_gt(next.pause_ms, pause);
		pause = next.pause_ms;
		all += pause;
	}
	ck_assert_uint_ge(tries, 3);
	ck_assert_uint_le(all, 10000);
	told(CKPT_NOT_NOW);
	ends(CKPT_NONE);
}
END_TEST

/* A late rank removed the line that was listed, and had committed a newer one before. */
START_TEST(a_line_that_was_removed_is_not_missed)
{
	listed(0, "6");
	proposes(0, 6);
	told(CKPT_MISSING);
	ck_assert_uint_eq(lists_again(), 0);
	listed(0, "7");
	proposes(0, 7);
	told(CKPT_WHOLE);
}
END_TEST

START_TEST(a_file_that_stays_away_is_missed_once_more)
{
	listed(0, "6 5");
	proposes(0, 6);
	told(CKPT_MISSING);
	lists_again();
	listed(0, "6 5");
	proposes(0, 6);
	told(CKPT_MISSING);
	proposes(0, 5);
	told(CKPT_WHOLE);
	ck_assert_uint_eq(ckpt_choice_given_up(&c), 1);
}
END_TEST

/* Whoever commits and removes all the time. */
START_TEST(listing_again_is_bounded)
{
	int listings = 0;

	for (uint32_t line = 1; line <= 1000; line++) {
		uint32_t *v = malloc(sizeof *v);
		struct ckpt_next next;

		ck_assert_ptr_nonnull(v);
		*v = line;
		ckpt_choice_listed(&c, 0, v, 1);
		proposes(0, line);
		told(CKPT_MISSING);
		next = ckpt_choice_next(&c);
		if (next.step == CKPT_NONE)
			break;
		ck_assert_int_eq(next.step, CKPT_LIST);
		listings++;
	}
	ck_assert_int_lt(listings, 1000);
}
END_TEST

/* The folder is empty, or another one, or its newest lines are gone; waited for, then told. */
START_TEST(lines_that_were_committed_are_lost)
{
	static const char *const there[] = {"", "21 20"};
	unsigned pauses = 0;

	c.committed = 22;
	listed(0, there[_i]);
	listed(1, "5");
	for (struct ckpt_next next; (next = ckpt_choice_next(&c)).step != CKPT_LOST; pauses++)
		ck_assert_int_eq(next.step, CKPT_LIST);
	ck_assert_uint_gt(pauses, 0);
}
END_TEST

START_TEST(lines_that_come_back_are_taken)
{
	c.committed = 22;
	listed(0, "");
	lists_again();
	listed(0, "22 21");
	proposes(0, 22);
}
END_TEST

START_TEST(lines_may_be_lost)
{
	c.committed = 22;
	c.may_lose = true;
	listed(0, "20");
	proposes(0, 20);
	told(CKPT_BROKEN);
	ends(CKPT_NONE);
}
END_TEST

/* Committed, and damaged: that is another matter. */
START_TEST(a_damaged_line_is_not_lost)
{
	c.committed = 22;
	listed(0, "22 21");
	proposes(0, 22);
	told(CKPT_BROKEN);
	proposes(0, 21);
}
END_TEST

START_TEST(a_folder_that_cannot_be_listed)
{
	unsigned pause = 0, tries = 0;

	while (ckpt_choice_unlisted(&c, &pause))
		tries++;
	ck_assert_uint_gt(tries, 0);
	ck_assert_uint_lt(tries, 20);
	/* and lines are tried once each after that */
	listed(0, "2 1");
	proposes(0, 2);
	told(CKPT_NOT_NOW);
	proposes(0, 1);
}
END_TEST

UNIT_MAIN("ckpt_choice", tcase_add_checked_fixture(tc, begin, end);
	  tcase_add_test(tc, the_newest_of_the_first_session_comes_first);
	  tcase_add_test(tc, without_lines_there_is_none);
	  tcase_add_test(tc, what_cannot_be_read_now_is_tried_again);
	  tcase_add_test(tc, it_is_not_tried_for_ever);
	  tcase_add_test(tc, a_line_that_was_removed_is_not_missed);
	  tcase_add_test(tc, a_file_that_stays_away_is_missed_once_more);
	  tcase_add_test(tc, listing_again_is_bounded);
	  tcase_add_loop_test(tc, lines_that_were_committed_are_lost, 0, 2);
	  tcase_add_test(tc, lines_that_come_back_are_taken); tcase_add_test(tc, lines_may_be_lost);
	  tcase_add_test(tc, a_damaged_line_is_not_lost);
	  tcase_add_test(tc, a_folder_that_cannot_be_listed);)
