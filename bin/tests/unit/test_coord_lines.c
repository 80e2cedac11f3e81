/* SPDX-License-Identifier: BSD-3-Clause */
/* Stories of lines that nobody waits for: what is in transit, what is an orphan, how a line ends.
 */
#include "coord_cluster.h"
#include "unit.h"

static const char *const protocols[] = {"eventlog", "tagging", "compare"};

static struct cluster cl;

static void all_checkpoint(void)
{
	for (int q = 0; q < cl.size; q++)
		ck_assert(checkpoint(&cl, q));
}

static void must_be(int rank, uint32_t line, const char *in_transit, const char *orphaned)
{
	ck_assert_str_eq(transit(&cl, rank, line), in_transit);
	ck_assert_str_eq(orphans(&cl, rank, line), orphaned);
}

static void must_commit(uint32_t line)
{
	for (int q = 0; q < cl.size; q++) {
		ck_assert_msg(cl.ranks[q].lines[line].over, "line %u is not over at %d", line, q);
		ck_assert_msg(cl.ranks[q].lines[line].committed, "line %u, rank %d", line, q);
	}
}

START_TEST(what_all_have_received_is_no_matter)
{
	cluster_begin(&cl, 3, protocols[_i]);
	pass(&cl, 0, 1, 7);
	pass(&cl, 1, 2, 7);
	all_checkpoint();
	deliver_all(&cl);
	must_be(1, 1, "", "");
	must_commit(1);
	ck_assert(!coord_making(&cl.ranks[0].c));
	cluster_end(&cl);
}
END_TEST

START_TEST(a_message_that_waits_is_in_transit)
{
	cluster_begin(&cl, 2, protocols[_i]);
	pass(&cl, 0, 1, 7);
	send_mail(&cl, 0, 1, 7);
	arrive(&cl, 0, 1, 7);
	all_checkpoint();
	deliver_all(&cl);
	must_be(1, 1, "0:7#2", "");
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

/* ... also when the program has received it before that is known. */
START_TEST(a_message_that_comes_late_is_in_transit)
{
	cluster_begin(&cl, 2, protocols[_i]);
	send_mail(&cl, 0, 1, 7);
	send_mail(&cl, 0, 1, 8);
	checkpoint(&cl, 1);
	arrive(&cl, 0, 1, 8);
	receive(&cl, 0, 1, 8, 2);
	checkpoint(&cl, 0);
	send_mail(&cl, 0, 1, 8);
	arrive(&cl, 0, 1, 8);
	deliver_all(&cl);
	ck_assert_str_eq(transit(&cl, 1, 1), "not finished");
	ck_assert(!cl.ranks[0].lines[1].over);
	arrive(&cl, 0, 1, 7);
	deliver_all(&cl);
	must_be(1, 1, "0:8#2 0:7#1", "");
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

START_TEST(a_message_from_after_the_line_is_an_orphan)
{
	cluster_begin(&cl, 2, protocols[_i]);
	pass(&cl, 0, 1, 7);
	checkpoint(&cl, 0);
	pass(&cl, 0, 1, 7);
	pass(&cl, 0, 1, 7);
	pass(&cl, 0, 1, 9);
	deliver_all(&cl);
	checkpoint(&cl, 1);
	deliver_all(&cl);
	must_be(1, 1, "", "0:7#1+2 0:9#1+1");
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

/* Receives of one envelope that are finished out of order. */
START_TEST(one_envelope_can_have_both)
{
	cluster_begin(&cl, 2, protocols[_i]);
	send_mail(&cl, 0, 1, 7);
	send_mail(&cl, 0, 1, 7);
	checkpoint(&cl, 0);
	for (int i = 0; i < 4; i++)
		send_mail(&cl, 0, 1, 7);
	for (int i = 0; i < 6; i++)
		arrive(&cl, 0, 1, 7);
	receive(&cl, 0, 1, 7, 2);
	receive(&cl, 0, 1, 7, 4);
	receive(&cl, 0, 1, 7, 6);
	checkpoint(&cl, 1);
	deliver_all(&cl);
	must_be(1, 1, "0:7#1", "0:7#2+1 0:7#4+1");
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

START_TEST(a_rank_can_be_several_lines_ahead)
{
	cluster_begin(&cl, 3, protocols[_i]);
	for (int i = 0; i < 3; i++) {
		pass(&cl, 0, 1, 7);
		send_mail(&cl, 0, 2, 5);
		checkpoint(&cl, 0);
		deliver_all(&cl);
	}
	send_mail(&cl, 0, 1, 7);
	arrive(&cl, 0, 1, 7);
	for (int i = 0; i < 3; i++)
		checkpoint(&cl, 1);
	for (int i = 0; i < 3; i++) {
		checkpoint(&cl, 2);
		deliver_all(&cl);
		ck_assert_str_eq(transit(&cl, 2, (uint32_t)i + 1), "not finished");
	}
	for (int i = 0; i < 3; i++)
		arrive(&cl, 0, 2, 5);
	deliver_all(&cl);
	must_be(1, 1, "", "0:7#1+2");
	must_be(1, 2, "", "0:7#1+1");
	must_be(1, 3, "", "");
	must_be(2, 1, "0:5#2", "");
	must_be(2, 2, "0:5#2 0:5#4", "");
	must_be(2, 3, "0:5#2 0:5#4 0:5#6", "");
	must_commit(1);
	must_commit(3);
	cluster_end(&cl);
}
END_TEST

START_TEST(what_a_rank_sends_itself_counts_too)
{
	cluster_begin(&cl, 1, protocols[_i]);
	pass(&cl, 0, 0, 7);
	send_mail(&cl, 0, 0, 7);
	send_mail(&cl, 0, 0, 8);
	arrive(&cl, 0, 0, 8);
	checkpoint(&cl, 0);
	ck_assert_str_eq(transit(&cl, 0, 1), "not finished");
	arrive(&cl, 0, 0, 7);
	must_be(0, 1, "0:8#3 0:7#2", "");
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

/* What one rank tells another is no earlier than what the tree tells it. */
START_TEST(who_sent_nothing_need_not_say_so)
{
	cluster_begin(&cl, 4, protocols[_i]);
	pass(&cl, 2, 1, 7);
	send_mail(&cl, 3, 1, 7);
	arrive(&cl, 3, 1, 7);
	all_checkpoint();
	ck_assert_int_eq(cl.ncontrol, 2 + 2); /* to rank 1; from 1 to 0, and from 3 to 2 */
	deliver_all(&cl);
	must_be(1, 1, "3:7#2", "");
	must_commit(1);
	all_checkpoint();
	ck_assert_int_eq(cl.ncontrol, 2);
	deliver_all(&cl);
	must_commit(2);
	cluster_end(&cl);
}
END_TEST

START_TEST(a_rank_that_cannot_capture_says_so)
{
	cluster_begin(&cl, 3, protocols[_i]);
	cl.hostile = true;
	cl.ranks[2].cannot_capture = true;
	send_mail(&cl, 0, 2, 7);
	ck_assert(checkpoint(&cl, 0));
	ck_assert(checkpoint(&cl, 1));
	ck_assert(!checkpoint(&cl, 2));
	ck_assert(!coord_making(&cl.ranks[2].c));
	deliver_all(&cl);
	for (int q = 0; q < 3; q++)
		ck_assert(cl.ranks[q].lines[1].over && !cl.ranks[q].lines[1].committed);
	ck_assert(!wait_for_lines(&cl, 1));
	cl.ranks[2].cannot_capture = false;
	all_checkpoint();
	arrive(&cl, 0, 2, 7);
	deliver_all(&cl);
	must_be(2, 2, "0:7#1", "");
	must_commit(2);
	ck_assert(wait_for_lines(&cl, 1));
	cluster_end(&cl);
}
END_TEST

START_TEST(a_rank_that_cannot_write_says_so)
{
	cluster_begin(&cl, 3, protocols[_i]);
	cl.ranks[1].cannot_write = true;
	all_checkpoint();
	deliver_all(&cl);
	for (int q = 0; q < 3; q++)
		ck_assert(cl.ranks[q].lines[1].over && !cl.ranks[q].lines[1].committed);
	cl.ranks[1].cannot_write = false;
	cl.cannot_commit = true;
	all_checkpoint();
	deliver_all(&cl);
	ck_assert(cl.ranks[1].lines[2].over && !cl.ranks[1].lines[2].committed);
	cl.cannot_commit = false;
	all_checkpoint();
	deliver_all(&cl);
	must_commit(3);
	cluster_end(&cl);
}
END_TEST

/* One that is ready later than a newer one that was committed is given up. */
START_TEST(lines_commit_in_their_order)
{
	struct coord_part part = {.ok = 1};

	cluster_begin(&cl, 2, protocols[_i]);
	cl.slow = true;
	for (int i = 0; i < 3; i++)
		all_checkpoint();
	deliver_all(&cl);
	for (uint32_t line = 1; line <= 3; line++)
		ck_assert(cl.ranks[0].lines[line].finished && cl.ranks[1].lines[line].finished);
	for (uint32_t q = 0; q < 2; q++)
		for (uint32_t line = 2; line <= 3; line++) {
			part = (struct coord_part){1, 100 * line + q, line};
			coord_written(&cl.ranks[q].c, line, &part);
			goes_on(&cl, q);
		}
	deliver_all(&cl);
	ck_assert_uint_eq(cl.committing, 2);
	for (uint32_t q = 0; q < 2; q++) {
		part = (struct coord_part){1, 100 + q, 1};
		coord_written(&cl.ranks[q].c, 1, &part);
		goes_on(&cl, q);
	}
	deliver_all(&cl);
	coord_committed(&cl.ranks[0].c, 2, true);
	goes_on(&cl, 0);
	deliver_all(&cl);
	must_commit(2);
	ck_assert(cl.ranks[1].lines[1].over && !cl.ranks[1].lines[1].committed);
	ck_assert_uint_eq(cl.committing, 3);
	ck_assert(!cl.ranks[1].lines[3].over);
	coord_committed(&cl.ranks[0].c, 3, true);
	goes_on(&cl, 0);
	deliver_all(&cl);
	must_commit(3);
	cluster_end(&cl);
}
END_TEST

START_TEST(the_end_gives_up_what_not_all_have_begun)
{
	cluster_begin(&cl, 3, protocols[_i]);
	all_checkpoint();
	checkpoint(&cl, 0);
	checkpoint(&cl, 2);
	for (int q = 0; q < 3; q++)
		close_rank(&cl, q);
	must_commit(1);
	ck_assert(cl.ranks[0].lines[2].over && !cl.ranks[0].lines[2].committed);
	ck_assert(cl.ranks[2].lines[2].over && !cl.ranks[2].lines[2].committed);
	cluster_end(&cl);
}
END_TEST

START_TEST(a_wish_makes_all_due_once)
{
	cluster_begin(&cl, 5, protocols[_i]);
	for (int q = 0; q < 5; q++)
		ck_assert(!due(&cl, q, false));
	ck_assert(due(&cl, 3, true));
	ck_assert(due(&cl, 0, true));
	deliver_all(&cl);
	for (int q = 0; q < 5; q++)
		ck_assert(due(&cl, q, false));
	all_checkpoint();
	for (int q = 0; q < 5; q++)
		ck_assert(!due(&cl, q, false));
	deliver_all(&cl);
	must_commit(1);
	cluster_end(&cl);
}
END_TEST

/* Neither by its own time nor by another's wish, of which it hears meanwhile. */
START_TEST(who_has_not_written_its_part_is_not_due)
{
	struct coord_part part = {1, 100, 1};

	cluster_begin(&cl, 2, protocols[_i]);
	cl.slow = true;
	all_checkpoint();
	ck_assert(!due(&cl, 0, true));
	deliver_all(&cl);
	ck_assert(cl.ranks[0].lines[1].finished);
	ck_assert(!due(&cl, 0, true));
	ck_assert_int_eq(cl.ncontrol, 0);
	coord_written(&cl.ranks[1].c, 1, &(struct coord_part){1, 101, 1});
	goes_on(&cl, 1);
	ck_assert(due(&cl, 1, true));
	deliver_all(&cl);
	ck_assert(!due(&cl, 0, false));
	coord_written(&cl.ranks[0].c, 1, &part);
	goes_on(&cl, 0);
	ck_assert(due(&cl, 0, false));
	cluster_end(&cl);
}
END_TEST

START_TEST(who_has_lost_its_part_is_due_again)
{
	cluster_begin(&cl, 2, protocols[_i]);
	cl.slow = true;
	all_checkpoint();
	coord_written(&cl.ranks[0].c, 1, NULL);
	goes_on(&cl, 0);
	ck_assert(due(&cl, 0, true));
	cluster_end(&cl);
}
END_TEST

#define STORY(name) tcase_add_loop_test(tc, name, 0, 3)

UNIT_MAIN("coord_lines", STORY(what_all_have_received_is_no_matter);
	  STORY(a_message_that_waits_is_in_transit); STORY(a_message_that_comes_late_is_in_transit);
	  STORY(a_message_from_after_the_line_is_an_orphan); STORY(one_envelope_can_have_both);
	  STORY(a_rank_can_be_several_lines_ahead); STORY(what_a_rank_sends_itself_counts_too);
	  STORY(who_sent_nothing_need_not_say_so); STORY(a_rank_that_cannot_capture_says_so);
	  STORY(a_rank_that_cannot_write_says_so); STORY(lines_commit_in_their_order);
	  STORY(the_end_gives_up_what_not_all_have_begun); STORY(a_wish_makes_all_due_once);
	  STORY(who_has_not_written_its_part_is_not_due);
	  STORY(who_has_lost_its_part_is_due_again);)
