/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents held for lines, in stories that the test tells (inflight_stage). */
#include "inflight_stage.h"
#include "unit.h"

START_TEST(order_of_the_program)
{
	uint64_t first, second;

	stage_setup();
	first = ++sequence;
	second = ++sequence;
	stage_matched(3, second, true); /* came later, was matched first */
	stage_matched(2, first, true);
	stage_comes(5);
	stage_comes(4);
	stage_begin(0);
	for (int i = 0; i < STAGE_MESSAGES; i++)
		fates[0][i] = COORD_IN;
	inflight_unexpected(&waiting[5]);
	inflight_unexpected(&waiting[4]);
	inflight_open(&receives[2]);
	inflight_open(&receives[3]);
	inflight_unexpected(stage_comes(7));
	inflight_unexpected(stage_comes(6));
	for (uint64_t i = 4; i < 8; i++)
		stage_fill(i);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_ptr_null(line[0].why);
	ck_assert_str_eq(stage_holds(0), "3 2 5 4 7 6");
	stage_end(0);
	ck_assert(!inflight_making());
	inflight_fini();
}
END_TEST

/* What a matched probe finds while a line is made is matched for the next. */
START_TEST(taken_between_lines)
{
	stage_setup();
	stage_begin(0);
	fates[0][1] = COORD_OPEN;
	inflight_unexpected(stage_comes(1));
	inflight_mprobed(waiting[1].inflight, ++sequence);
	stage_matched(3, ++sequence, true);
	stage_begin(1);
	fates[0][1] = COORD_OUT;
	fates[1][1] = fates[1][3] = COORD_IN;
	inflight_unexpected(&waiting[1]);
	inflight_open(&receives[3]);
	inflight_settle(&line[1], 1);
	stage_fill(1);
	inflight_finish(&line[1]);
	ck_assert_str_eq(stage_holds(1), "1 3");
	stage_end(0);
	stage_end(1);
	inflight_fini();
}
END_TEST

START_TEST(waits_for_contents)
{
	stage_setup();
	stage_begin(0);
	fates[0][1] = fates[0][3] = COORD_IN;
	inflight_unexpected(stage_comes(1));
	inflight_unexpected(stage_comes(3));
	ck_assert_int_eq(pulls, 2);
	inflight_finish(&line[0]);
	stage_fill(3);
	ck_assert_int_eq(readies[0], 0);
	stage_fill(1);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(stage_holds(0), "1 3");
	stage_end(0);
	inflight_fini();
}
END_TEST

/* A line has what a synchronous one is called: one that waits, is pulled in or copied, and one that
 * meets its receive as it comes. */
START_TEST(synchronous_ones_have_names)
{
	stage_setup();
	stage_begin(0);
	for (int i = 0; i < STAGE_MESSAGES; i++)
		fates[0][i] = COORD_IN;
	syncs[1] = 11;
	syncs[3] = UINT64_MAX;
	syncs[4] = 14;
	inflight_unexpected(stage_comes(1));
	inflight_unexpected(stage_comes(2));
	fates[0][3] = COORD_OPEN;
	inflight_unexpected(stage_comes(3));
	stage_fill(1);
	stage_fill(2);
	inflight_matched(waiting[3].inflight, stage_matched(3, 3, true));
	inflight_filled(&receives[3], true);
	fates[0][3] = COORD_IN;
	inflight_met(stage_matched(4, ++sequence, true), 14);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(stage_holds(0), "1 2 3 4");
	stage_end(0);
	inflight_fini();
}
END_TEST

/* Its sender has it back: a line that may have to hold it has what is here of it, or is not made;
 * so is none that the sender has not come to. */
START_TEST(taken_back_by_its_sender)
{
	stage_setup();
	stage_begin(1);
	fates[1][1] = COORD_IN;
	inflight_unexpected(stage_comes(1));
	stage_fill(1);
	inflight_released(pulled[1]->msg.inflight);
	stage_begin(2);
	fates[2][3] = COORD_OPEN;
	inflight_unexpected(stage_comes(3));
	inflight_released(waiting[3].inflight);
	inflight_break_behind(2);
	inflight_finish(&line[1]);
	ck_assert_ptr_null(line[1].why);
	ck_assert_str_eq(stage_holds(1), "1");
	inflight_finish(&line[2]);
	ck_assert_pstr_eq(line[2].why, "its sender took a message in transit back");
	stage_end(1);
	stage_end(2);
	inflight_fini();
}
END_TEST

/* Whoever closes a line has come to it. */
START_TEST(lines_that_the_sender_has_not_come_to)
{
	stage_setup();
	for (uint32_t i = 0; i < STAGE_LINES; i++)
		stage_begin(i);
	inflight_finish(&line[1]);
	inflight_break_behind(1);
	inflight_finish(&line[0]);
	inflight_finish(&line[2]);
	for (uint32_t i = 0; i < STAGE_LINES; i++) {
		ck_assert_int_eq(readies[i], 1);
		ck_assert_int_eq(line[i].why != NULL, i == 2);
		stage_end(i);
	}
	inflight_fini();
}
END_TEST

START_TEST(pulled_when_known)
{
	stage_setup();
	stage_begin(0);
	fates[0][1] = fates[0][3] = fates[0][2] = COORD_OPEN;
	inflight_unexpected(stage_comes(1));
	inflight_unexpected(stage_comes(3));
	inflight_unexpected(stage_comes(2));
	inflight_unexpected(stage_comes(5)); /* out */
	ck_assert_int_eq(pulls, 0);
	ck_assert_ptr_nonnull(waiting[3].inflight);
	ck_assert_ptr_null(waiting[5].inflight);
	fates[0][1] = COORD_IN;
	fates[0][3] = COORD_OUT;
	inflight_settle(&line[0], 1);
	ck_assert_int_eq(pulls, 1);
	ck_assert_ptr_null(waiting[3].inflight);
	ck_assert_ptr_nonnull(waiting[2].inflight);
	fates[0][2] = COORD_OUT;
	inflight_settle(&line[0], 0);
	stage_fill(1);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(stage_holds(0), "1");
	stage_end(0);
	ck_assert_ptr_null(pulled[1]->msg.inflight);
	ck_assert_int_eq(pulled[1]->head.refs, 1);
	inflight_fini();
}
END_TEST

/* It comes while two lines are made, is received, and belongs to both; they end one after the
 * other. */
START_TEST(several_lines)
{
	struct request *r;

	stage_setup();
	stage_begin(0);
	stage_begin(1);
	fates[0][1] = fates[1][1] = COORD_OPEN;
	inflight_unexpected(stage_comes(1));
	r = stage_matched(1, waiting[1].arrived, false);
	inflight_matched(waiting[1].inflight, r);
	ck_assert_ptr_nonnull(r->inflight);
	inflight_filled(r, true);
	ck_assert_int_eq(copies, 1);
	r->state = REQUEST_DONE;
	fates[0][1] = fates[1][1] = COORD_IN;
	stage_begin(2); /* the program has not waited for it: no second copy */
	fates[2][1] = COORD_IN;
	inflight_open(r);
	ck_assert_int_eq(copies, 1);
	inflight_leave(r);
	for (int i = 0; i < STAGE_LINES; i++) {
		inflight_finish(&line[i]);
		ck_assert_int_eq(readies[i], 1);
	}
	for (uint32_t i = 0; i < STAGE_LINES; i++) {
		stage_end(i == 0 ? 1 : i == 1 ? 0 : 2);
		if (i < 2)
			ck_assert_str_eq(stage_holds(2), "1");
	}
	inflight_fini();
}
END_TEST

/* It was received between the captures of two lines, and is held for the first only. */
START_TEST(received_between_lines)
{
	struct request *r;

	stage_setup();
	stage_begin(0);
	fates[0][1] = fates[1][1] = COORD_IN;
	r = stage_matched(1, ++sequence, false);
	inflight_open(r);
	inflight_filled(r, true);
	inflight_leave(r);
	stage_begin(1);
	inflight_settle(&line[0], 1);
	inflight_settle(&line[1], 1);
	inflight_finish(&line[1]);
	inflight_finish(&line[0]);
	ck_assert_str_eq(stage_holds(0), "1");
	ck_assert_str_eq(stage_holds(1), "");
	stage_end(0);
	stage_end(1);
	inflight_fini();
}
END_TEST

START_TEST(let_go_while_received)
{
	struct request *r;

	stage_setup();
	stage_begin(0);
	fates[0][1] = COORD_OPEN;
	r = stage_matched(1, ++sequence, false);
	inflight_open(r);
	ck_assert_ptr_nonnull(r->inflight);
	fates[0][1] = COORD_OUT;
	inflight_settle(&line[0], 1);
	ck_assert_ptr_null(r->inflight);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(stage_holds(0), "");
	stage_end(0);
	inflight_fini();
}
END_TEST

/* Each breaks the lines that would have to hold the message, and no other. */
START_TEST(broken)
{
	struct request *r;

	stage_setup();
	stage_begin(0);
	stage_begin(1);
	fates[0][1] = COORD_IN;
	no_memory = true;
	inflight_unexpected(stage_comes(1));
	ck_assert_ptr_nonnull(line[0].why);
	ck_assert_ptr_null(line[1].why);
	ck_assert_int_eq(readies[0], 0);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	stage_end(0);
	stage_begin(0);
	fates[0][3] = COORD_IN;
	r = stage_matched(3, ++sequence, false);
	inflight_open(r);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	inflight_filled(r, true);
	ck_assert_ptr_nonnull(line[0].why);
	ck_assert_int_eq(readies[0], 2);
	r->state = REQUEST_DONE;
	no_memory = false;
	stage_begin(2); /* now there is memory */
	fates[2][3] = COORD_IN;
	inflight_open(r);
	inflight_finish(&line[2]);
	ck_assert_int_eq(readies[2], 1);
	ck_assert_str_eq(stage_holds(2), "3");
	stage_end(2);
	stage_end(0);
	ck_assert_ptr_null(r->inflight);
	ck_assert_ptr_null(line[1].why);
	stage_end(1);
	inflight_fini();
}
END_TEST

/* What the program has received and may be in transit is copied; when that is too much, no line
 * holds any of it, at once: nothing more is copied though the line is not ended yet. The next one
 * is made. */
START_TEST(copies_are_bounded)
{
	struct request *noted, *late;

	stage_setup();
	stage_begin(0);
	fates[0][6] = fates[0][7] = COORD_OPEN;
	noted = stage_matched(6, ++sequence, false);
	inflight_open(noted);
	for (uint64_t i = 1; i < 4; i++) {
		struct request *r = stage_matched(i, ++sequence, false);

		fates[0][i] = COORD_OPEN;
		inflight_open(r);
		length = INFLIGHT_COPIES / 2;
		inflight_filled(r, true);
		ck_assert_int_eq(readies[0], i == 3);
		inflight_leave(r);
	}
	ck_assert_ptr_nonnull(line[0].why);
	ck_assert_int_eq(copies, 3);
	inflight_filled(noted, true);
	inflight_leave(noted);
	late = stage_matched(7, ++sequence, false);
	inflight_open(late);
	ck_assert_ptr_null(late->inflight);
	ck_assert_int_eq(copies, 3);
	stage_end(0);
	stage_begin(1);
	fates[1][5] = COORD_IN;
	receives[5] = *stage_matched(5, ++sequence, false);
	inflight_open(&receives[5]);
	inflight_filled(&receives[5], true);
	ck_assert_ptr_null(line[1].why);
	inflight_leave(&receives[5]);
	stage_end(1);
	inflight_fini();
}
END_TEST

/* As much as is saved of the rank itself may be held. */
START_TEST(copies_may_be_as_much_as_the_state)
{
	stage_setup();
	state = 2 * INFLIGHT_COPIES;
	stage_begin(0);
	length = INFLIGHT_COPIES / 2;
	for (uint64_t i = 1; i < 6; i++) {
		struct request *r = stage_matched(i, ++sequence, false);

		fates[0][i] = COORD_OPEN;
		inflight_open(r);
		inflight_filled(r, true);
		inflight_leave(r);
		ck_assert_int_eq(readies[0], i == 5);
	}
	stage_end(0);
	inflight_fini();
}
END_TEST

/* Only a message that is not known to be in transit is still its sender's to take back. */
START_TEST(withdrawn)
{
	stage_setup();
	stage_begin(0);
	fates[0][1] = COORD_OPEN;
	inflight_unexpected(stage_comes(1));
	inflight_withdrawn(waiting[1].inflight);
	ck_assert_ptr_null(line[0].why);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(stage_holds(0), "");
	stage_end(0);
	inflight_fini();
}
END_TEST

UNIT_MAIN("inflight", tcase_add_test(tc, order_of_the_program);
	  tcase_add_test(tc, taken_between_lines); tcase_add_test(tc, waits_for_contents);
	  tcase_add_test(tc, pulled_when_known); tcase_add_test(tc, synchronous_ones_have_names);
	  tcase_add_test(tc, taken_back_by_its_sender);
	  tcase_add_test(tc, lines_that_the_sender_has_not_come_to);
	  tcase_add_test(tc, several_lines); tcase_add_test(tc, let_go_while_received);
	  tcase_add_test(tc, received_between_lines); tcase_add_test(tc, broken);
	  tcase_add_test(tc, copies_are_bounded);
	  tcase_add_test(tc, copies_may_be_as_much_as_the_state); tcase_add_test(tc, withdrawn);)
