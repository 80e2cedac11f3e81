/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of blocking that are committed while the program runs (B5, B6). */
#include <stdlib.h>
#include <string.h>

#include "coord/control_message.h"
#include "coord/coord.h"
#include "unit.h"

enum { SIZE = 4, CONTROL_MOST = 32 };

struct said {
	int from, to;
	uint8_t *bytes;
	size_t len;
};

static struct rank {
	struct coord c;
	char done[256];	     /* what it was asked, in this order */
	bool no_memory;	     /* COORD_SECURE says */
	bool no_copy;	     /* COORD_SAVE says */
	bool wakes;	     /* it is the process that wakes up from its copy */
	bool meets;	     /* COORD_MEET is not answered yet; */
	bool met_ok;	     /* what it said there */
	bool waits;	     /* in COORD_WAIT */
	uint32_t committing; /* rank 0 */
} ranks[SIZE];

static struct said said[CONTROL_MOST];
static int nsaid;

static void fatal(void *user, const char *sentence)
{
	(void)user;
	ck_abort_msg("%s", sentence);
}

static void note(struct rank *r, const char *what)
{
	ck_assert_uint_lt(strlen(r->done) + strlen(what) + 1, sizeof r->done);
	strcat(strcat(r->done, what), " ");
}

static void keep(int from, const struct coord_action *a)
{
	ck_assert_int_lt(nsaid, CONTROL_MOST);
	said[nsaid++] = (struct said){from, a->peer, a->bytes, a->len};
}

static void act(int q, const struct coord_action *a)
{
	struct rank *r = &ranks[q];

	switch (a->kind) {
	case COORD_EXCHANGE:
		coord_answer(&r->c, true, 0);
		break;
	case COORD_WAIT:
		r->waits = true;
		break;
	case COORD_SECURE:
		coord_answer(&r->c, !r->no_memory, 0);
		break;
	case COORD_SAVE:
		note(r, a->ok ? "save" : "save-not");
		if (r->wakes)
			coord_woke(&r->c, 7);
		else
			coord_answer(&r->c, !r->no_copy, 0);
		break;
	case COORD_MEET:
		note(r, "meet");
		r->meets = true;
		r->met_ok = a->ok;
		break;
	case COORD_FINISH:
		note(r, "finish");
		break;
	case COORD_COMMIT:
		note(r, "commit");
		r->committing = a->line;
		for (uint32_t p = 0; p < SIZE; p++)
			ck_assert_uint_eq(a->parts[p].seal, 10 * a->line + p);
		break;
	case COORD_OVER:
		note(r, a->ok ? "committed" : "given-up");
		break;
	case COORD_SEND:
		keep(q, a);
		break;
	default:
		ck_abort_msg("rank %d: action %d", q, a->kind);
	}
}

static void drive(int q)
{
	struct coord_action a;

	do {
		while (coord_asks(&ranks[q].c) && coord_next_action(&ranks[q].c, &a))
			act(q, &a);
		if (!ranks[q].waits || !coord_wait_is_over(&ranks[q].c))
			return;
		ranks[q].waits = false;
		coord_answer(&ranks[q].c, true, 0);
	} while (true);
}

static bool deliver(int at)
{
	struct said s = said[at];
	bool right;

	nsaid--;
	memmove(&said[at], &said[at + 1], (size_t)(nsaid - at) * sizeof *said);
	right = coord_control(&ranks[s.to].c, s.from, s.bytes, s.len);
	drive(s.to);
	free(s.bytes);
	return right;
}

static void deliver_all(void)
{
	while (nsaid)
		ck_assert(deliver(0));
}

static void come(int q)
{
	coord_checkpoint(&ranks[q].c, NULL);
	drive(q);
}

static void leave(int q, bool ok)
{
	ranks[q].meets = false;
	coord_answer(&ranks[q].c, ok, 0);
	drive(q);
	ck_assert(coord_result(&ranks[q].c) == ok);
}

static void all_come(void)
{
	for (int q = 0; q < SIZE; q++) {
		come(q);
		ck_assert(ranks[q].meets);
	}
}

static void all_leave(bool ok)
{
	for (int q = 0; q < SIZE; q++)
		leave(q, ok);
}

static void written(int q, bool ok)
{
	uint32_t line = ranks[q].c.line;
	struct coord_part part = {.ok = 1, .seal = 10 * line + (uint32_t)q, .bytes = 1};

	coord_written(&ranks[q].c, line, ok ? &part : NULL);
	drive(q);
}

static void committed(bool ok)
{
	coord_committed(&ranks[0].c, ranks[0].committing, ok);
	drive(0);
}

/* One that all have, and that nothing happens to. */
static void a_line(void)
{
	all_come();
	all_leave(true);
	for (int q = 0; q < SIZE; q++)
		written(q, true);
	deliver_all();
	committed(true);
	deliver_all();
}

/* Since it was asked last. */
static void was_asked(int q, const char *what)
{
	ck_assert_str_eq(ranks[q].done, what);
	ranks[q].done[0] = '\0';
}

static void all_over(bool made)
{
	for (int q = 0; q < SIZE; q++)
		ck_assert(coord_lines_over(&ranks[q].c) && coord_lines_made(&ranks[q].c) == made);
}

static void setup(void)
{
	memset(ranks, 0, sizeof ranks);
	for (int q = 0; q < SIZE; q++) {
		ck_assert_int_eq(coord_init(&ranks[q].c, "blocking", q, SIZE, fatal, NULL), 0);
		ck_assert_int_eq(coord_commit_later(&ranks[q].c), 0);
		ck_assert(coord_is_blocking(&ranks[q].c) && coord_commits_later(&ranks[q].c));
		ck_assert(coord_choose(&ranks[q].c, "blocking"));
		ck_assert(!coord_choose(&ranks[q].c, "eventlog"));
	}
}

static void teardown(void)
{
	while (nsaid)
		free(said[--nsaid].bytes);
	for (int q = 0; q < SIZE; q++)
		coord_fini(&ranks[q].c);
}

/* ---- tests ---- */

START_TEST(the_call_is_over_when_all_have_their_copies)
{
	all_over(true);
	all_come();
	for (int q = 0; q < SIZE; q++) {
		was_asked(q, "save meet ");
		ck_assert(ranks[q].met_ok && ranks[q].c.state != COORD_IDLE);
	}
	all_leave(true);
	for (int q = 0; q < SIZE; q++) {
		was_asked(q, "finish ");
		ck_assert(ranks[q].c.state == COORD_IDLE && !coord_lines_over(&ranks[q].c));
		ck_assert(!coord_making(&ranks[q].c));
		written(q, true);
	}
	deliver_all();
	was_asked(0, "commit ");
	ck_assert(!coord_lines_over(&ranks[3].c));
	committed(true);
	deliver_all();
	for (int q = 0; q < SIZE; q++)
		was_asked(q, "committed ");
	all_over(true);
	a_line();
	all_over(true);
	ck_assert_uint_eq(ranks[2].c.line, 2);
}
END_TEST

/* Rank 3's parent on the tree, rank 2, has not heard yet that all have their copies. */
START_TEST(a_part_may_be_durable_before_another_rank_goes_on)
{
	all_come();
	leave(3, true);
	written(3, true);
	deliver_all();
	was_asked(2, "save meet ");
	leave(2, true);
	was_asked(2, "finish ");
	written(2, true);
	leave(0, true);
	leave(1, true);
	written(0, true);
	written(1, true);
	deliver_all();
	was_asked(0, "save meet finish commit ");
}
END_TEST

/* _i: it lacks memory for messages, or its copy. The next line is made. */
START_TEST(without_a_copy_of_all_there_is_no_line)
{
	ranks[1].no_memory = _i == 0;
	ranks[1].no_copy = _i == 1;
	all_come();
	for (int q = 0; q < SIZE; q++)
		was_asked(q, q == 1 && _i == 0 ? "save-not meet " : "save meet ");
	ck_assert(!ranks[1].met_ok && ranks[2].met_ok);
	all_leave(false);
	ck_assert_int_eq(nsaid, 0);
	for (int q = 0; q < SIZE; q++)
		was_asked(q, "given-up ");
	all_over(false);
	ranks[1].no_memory = ranks[1].no_copy = false;
	a_line();
	was_asked(1, "save meet finish committed ");
	all_over(true);
}
END_TEST

/* Rank `_i`'s, or (_i: SIZE) the manifest. */
START_TEST(what_is_not_written_is_given_up_by_all)
{
	all_come();
	all_leave(true);
	for (int q = 0; q < SIZE; q++)
		written(q, q != _i);
	deliver_all();
	if (_i == SIZE)
		committed(false);
	deliver_all();
	was_asked(
		0, _i == SIZE ? "save meet finish commit given-up " : "save meet finish given-up ");
	for (int q = 1; q < SIZE; q++)
		was_asked(q, "save meet finish given-up ");
	all_over(false);
	a_line();
	all_over(true);
}
END_TEST

START_TEST(the_end_waits_for_the_line)
{
	all_come();
	all_leave(true);
	for (int q = 0; q < SIZE; q++) {
		written(q, true);
		ranks[q].done[0] = '\0';
		coord_close(&ranks[q].c);
		drive(q);
		ck_assert(ranks[q].waits);
	}
	deliver_all();
	ck_assert(ranks[0].waits && ranks[3].waits);
	committed(true);
	deliver_all();
	for (int q = 0; q < SIZE; q++)
		ck_assert(ranks[q].c.state == COORD_ENDED);
	was_asked(3, "committed ");
	was_asked(0, "commit committed ");
}
END_TEST

START_TEST(the_end_of_who_has_no_line_waits_for_nothing)
{
	coord_close(&ranks[2].c);
	drive(2);
	ck_assert(ranks[2].c.state == COORD_ENDED);
	was_asked(2, "");
}
END_TEST

/* In the midst of the line that it comes from; what was said is void. */
START_TEST(who_wakes_up_from_its_copy_has_no_line_to_make)
{
	a_line();
	for (int q = 0; q < SIZE; q++) {
		ranks[q].wakes = true;
		ranks[q].done[0] = '\0';
		come(q);
		was_asked(q, "save given-up ");
		ck_assert(ranks[q].c.state == COORD_IDLE && coord_result(&ranks[q].c));
		ck_assert_uint_eq(ranks[q].c.line, 7);
		ranks[q].wakes = false;
	}
	ck_assert_int_eq(nsaid, 0);
	all_over(true);
	a_line();
	was_asked(0, "save meet finish commit committed ");
	ck_assert_uint_eq(ranks[0].c.line, 8);
}
END_TEST

/* While others go on: a restart comes from another rank's death. */
START_TEST(who_wakes_up_while_it_writes_forgets_that)
{
	all_come();
	all_leave(true);
	written(3, true);
	for (int q = 0; q < SIZE; q++) {
		ranks[q].done[0] = '\0';
		coord_woke(&ranks[q].c, 3);
		drive(q);
		was_asked(q, "given-up ");
	}
	ck_assert_int_eq(nsaid, 1);
	ck_assert(deliver(0)); /* of before: nothing happens */
	was_asked(2, "");
	a_line();
	all_over(true);
}
END_TEST

static bool hears(enum control_kind kind, uint32_t line)
{
	struct control_message r = {.kind = kind, .line = line, .n = SIZE};
	static const uint32_t counts[SIZE];
	static const struct coord_part parts[SIZE];
	size_t len;
	uint8_t *bytes;
	bool right;

	switch (kind) {
	case CONTROL_REPORT:
		r.n = 0;
		r.flags = CONTROL_LAST;
		r.total = 1;
		bytes = control_message_encode_report(&r, NULL, &len);
		break;
	case CONTROL_READY:
		r.n = 1;
		bytes = control_message_encode_parts(&r, parts, &len);
		break;
	case CONTROL_COUNTS_UP:
	case CONTROL_COUNTS_DOWN:
		bytes = control_message_encode_counts(&r, counts, &len);
		break;
	default:
		bytes = control_message_encode_rest(&r, &len);
	}
	right = coord_control(&ranks[0].c, 1, bytes, len);
	free(bytes);
	return right;
}

START_TEST(nothing_else_is_said)
{
	ck_assert(!hears(CONTROL_READY, 1)); /* it has not begun */
	all_come();
	ck_assert(!hears(CONTROL_REPORT, 1));
	ck_assert(!hears(CONTROL_COUNTS_UP, 1));
	ck_assert(!hears(CONTROL_COUNTS_DOWN, 1));
	ck_assert(!hears(CONTROL_BEGIN, 2));
	ck_assert(!hears(CONTROL_VERDICT, 1)); /* rank 0 has no parent */
	ck_assert(!hears(CONTROL_READY, 2));
	ck_assert(hears(CONTROL_READY, 1));
	ck_assert(!hears(CONTROL_READY, 1)); /* twice */
}
END_TEST

UNIT_MAIN("coord_later", tcase_add_checked_fixture(tc, setup, teardown);
	  tcase_add_test(tc, the_call_is_over_when_all_have_their_copies);
	  tcase_add_test(tc, a_part_may_be_durable_before_another_rank_goes_on);
	  tcase_add_loop_test(tc, without_a_copy_of_all_there_is_no_line, 0, 2);
	  tcase_add_loop_test(tc, what_is_not_written_is_given_up_by_all, 0, SIZE + 1);
	  tcase_add_test(tc, the_end_waits_for_the_line);
	  tcase_add_test(tc, the_end_of_who_has_no_line_waits_for_nothing);
	  tcase_add_test(tc, who_wakes_up_from_its_copy_has_no_line_to_make);
	  tcase_add_test(tc, who_wakes_up_while_it_writes_forgets_that);
	  tcase_add_test(tc, nothing_else_is_said);)
