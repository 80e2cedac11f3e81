/* SPDX-License-Identifier: BSD-3-Clause */
/* Control messages: what protocols of two ranks send to each other: when, how much, and what is
 * refused. Orphans to suppress and choices. */
#include <string.h>

#include "coord/orphans.h"
#include "coord/control_message.h"
#include "coord_cluster.h"
#include "unit.h"

enum { CONTEXT = 6, LOG_MOST = 4096 };

static struct cluster cl, again;

static void all_checkpoint(struct cluster *c)
{
	for (int q = 0; q < c->size; q++)
		ck_assert(checkpoint(c, q));
}

static void must_commit(struct cluster *c, uint32_t line)
{
	for (int q = 0; q < c->size; q++)
		ck_assert_msg(c->ranks[q].lines[line].committed, "line %u, rank %d", line, q);
}

/* ---- logs ---- */

static void sent(int from, int to, int first, int n)
{
	for (int tag = first; tag < first + n; tag++)
		if (coord_sent(&cl.ranks[from].c, to, CONTEXT, tag))
			goes_on(&cl, from);
}

/* Received at once. */
static void arrived(int from, int to, int first, int n, uint32_t stamp)
{
	for (int tag = first; tag < first + n; tag++) {
		ck_assert(!coord_discards(&cl.ranks[to].c, from, CONTEXT, tag, stamp));
		ck_assert_uint_gt(coord_arrived(&cl.ranks[to].c, from, CONTEXT, tag, stamp), 0);
		goes_on(&cl, to);
	}
}

START_TEST(a_long_log_is_reported_early)
{
	cluster_begin(&cl, 2, "compare");
	sent(0, 1, 0, LOG_MOST);
	sent(0, 1, 0, LOG_MOST);
	ck_assert_int_eq(cl.ncontrol, 0);
	sent(0, 1, LOG_MOST, 2 * LOG_MOST);
	ck_assert_int_eq(cl.ncontrol, 2);
	arrived(0, 1, 0, LOG_MOST, 1);
	ck_assert(checkpoint(&cl, 0));
	sent(0, 1, 0, LOG_MOST + 1);
	deliver_one(&cl, 0, 1);
	ck_assert(checkpoint(&cl, 1));
	deliver_all(&cl);
	arrived(0, 1, LOG_MOST, 2 * LOG_MOST, 1);
	ck_assert(!cl.ranks[1].lines[1].finished);
	arrived(0, 1, 0, LOG_MOST - 1, 1);
	ck_assert(!cl.ranks[1].lines[1].finished);
	arrived(0, 1, LOG_MOST - 1, 1, 1);
	ck_assert(cl.ranks[1].lines[1].finished);
	arrived(0, 1, 0, LOG_MOST + 1, 2);
	deliver_all(&cl);
	must_commit(&cl, 1);
	all_checkpoint(&cl);
	deliver_all(&cl);
	must_commit(&cl, 2);
	ck_assert_uint_eq(cl.ranks[0].c.peers[1].log.n, 0);
	ck_assert_uint_eq(cl.ranks[1].c.peers[0].seen.n, 0);
	cluster_end(&cl);
}
END_TEST

/* Each message with a tag of its own. */
START_TEST(tables_stay_small_without_lines)
{
	cluster_begin(&cl, 2, "eventlog");
	for (int i = 0; i < 200; i++) {
		sent(0, 1, 1000 * i, 1000);
		arrived(0, 1, 1000 * i, 1000, 1);
		deliver_all(&cl);
		ck_assert_uint_le(cl.ranks[0].c.peers[1].log.n, LOG_MOST);
		ck_assert_uint_le(cl.ranks[1].c.peers[0].seen.n, 5 * LOG_MOST);
	}
	cluster_end(&cl);
}
END_TEST

/* ---- what is refused ---- */

/* From whom to whom, in a job of four that has begun nothing: one byte string each. */
static const struct wrong {
	const char *what;
	int from, to;
	const char *bytes;
	size_t len;
} wrongs[] = {
#define BYTES(b) b, sizeof b - 1
#define HEAD(kind, flags, line) kind flags "\0\0\0\0\0\0" line "\0\0\0"
#define ONE "\1\0\0\0\0\0\0\0"
#define TWO "\2\0\0\0\0\0\0\0"
	{"nothing", 1, 0, BYTES("")},
	{"an unknown kind", 1, 0, BYTES(HEAD("\7", "\0", "\1"))},
	{"kind 0", 1, 0, BYTES(HEAD("\0", "\0", "\1"))},
	{"flags that there are not", 1, 0, BYTES(HEAD("\1", "\7", "\1") ONE "\0\0\0\0")},
	{"flags of another kind", 1, 0, BYTES(HEAD("\6", "\1", "\1"))},
	{"line 0", 1, 0, BYTES(HEAD("\6", "\0", "\0"))},
	{"a line far ahead", 1, 0, BYTES("\6\0\0\0\0\0\0\0\2\0\x10\0")},
	{"after a restore that was not", 1, 0, BYTES("\6\0\0\0\1\0\0\0\1\0\0\0")},
	{"something in reserved bytes", 1, 0, BYTES("\6\0\1\0\0\0\0\0\1\0\0\0")},
	{"more than there is to say", 1, 0, BYTES(HEAD("\6", "\0", "\1") "\0")},
	{"a wish from who is no neighbour", 3, 0, BYTES(HEAD("\6", "\0", "\1"))},
	{"a report of nothing", 1, 0, BYTES(HEAD("\1", "\3", "\1") "\0\0\0\0\0\0\0\0\0\0\0\0")},
	{"an early report of nothing", 1, 0, BYTES(HEAD("\1", "\2", "\1") ONE "\0\0\0\0")},
	{"a report without entries", 1, 0, BYTES(HEAD("\1", "\1", "\1") ONE "\0\0\0\0")},
	{"fewer than in all", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") TWO "\1\0\0\0" ONE "\0\0\0\0" ONE)},
	{"more than in all", 1, 0, BYTES(HEAD("\1", "\3", "\1") ONE "\1\0\0\0" ONE "\0\0\0\0" TWO)},
	{"an entry of none", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") ONE "\2\0\0\0" ONE "\0\0\0\0" ONE TWO
						 "\0\0\0\0\0\0\0\0\0\0\0\0")},
	{"entries that are not sorted", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") TWO "\2\0\0\0" TWO "\0\0\0\0" ONE ONE "\0\0\0\0" ONE)},
	{"an entry twice", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") TWO "\2\0\0\0" ONE "\0\0\0\0" ONE ONE "\0\0\0\0" ONE)},
	{"sums that overflow", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") ONE "\2\0\0\0" ONE "\0\0\0\0" TWO TWO
						 "\0\0\0\0\377\377\377\377\377\377\377\377")},
	{"more messages than can be", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") "\0\0\0\0\0\0\0\1\1\0\0\0" ONE
					     "\0\0\0\0\0\0\0\0\0\0\0\1")},
	{"the context of none", 1, 0,
		BYTES(HEAD("\1", "\3", "\1") ONE
			"\1\0\0\0\377\377\377\377\377\377\377\377\0\0\0\0" ONE)},
	{"more entries than bytes", 1, 0, BYTES(HEAD("\1", "\3", "\1") ONE "\377\377\377\377")},
	{"counts from who is no child", 3, 0, BYTES(HEAD("\2", "\0", "\1") "\4\0\0\0" ONE ONE)},
	{"too few counts", 1, 0, BYTES(HEAD("\2", "\0", "\1") "\3\0\0\0" ONE "\0\0\0\0")},
	{"counts of more than there are", 1, 0, BYTES(HEAD("\2", "\0", "\1") "\4\0\0\0" TWO ONE)},
	{"counts for itself", 1, 0,
		BYTES(HEAD("\2", "\0", "\1") "\4\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0")},
	{"an answer to what was not asked", 0, 1, BYTES(HEAD("\3", "\0", "\1") "\1\0\0\0\0\0\0\0")},
	{"parts from who is no child", 3, 0, BYTES(HEAD("\4", "\0", "\1") "\1\0\0\0\1" ONE ONE)},
	{"too few parts", 2, 0, BYTES(HEAD("\4", "\0", "\1") "\1\0\0\0\1" ONE ONE)},
	{"a part that is half right", 1, 0, BYTES(HEAD("\4", "\0", "\1") "\1\0\0\0\2" ONE ONE)},
	{"a verdict before the question", 0, 1, BYTES(HEAD("\5", "\0", "\1") "\1")},
	{"a verdict from a child", 1, 0, BYTES(HEAD("\5", "\0", "\1") "\0")},
	{"half a verdict", 0, 1, BYTES(HEAD("\5", "\0", "\1") "\2")},
	{"from itself", 0, 0, BYTES(HEAD("\6", "\0", "\1"))},
	{"from nobody", 4, 0, BYTES(HEAD("\6", "\0", "\1"))},
	{"from less than nobody", -1, 0, BYTES(HEAD("\6", "\0", "\1"))},
};

START_TEST(what_makes_no_sense_is_refused)
{
	const struct wrong *w = &wrongs[_i];
	uint8_t *bytes = malloc(w->len + 1);

	cluster_begin(&cl, 4, "eventlog");
	memcpy(bytes, w->bytes, w->len);
	ck_assert_msg(!coord_control(&cl.ranks[w->to].c, w->from, bytes, w->len), "%s", w->what);
	free(bytes);
	pass(&cl, 1, 0, 7);
	all_checkpoint(&cl);
	deliver_all(&cl);
	must_commit(&cl, 1);
	cluster_end(&cl);
}
END_TEST

START_TEST(blocking_has_no_control_messages)
{
	cluster_begin(&cl, 2, "blocking");
	ck_assert(!coord_control(&cl.ranks[0].c, 1, (const uint8_t *)"\6\0\0\0\0\0\0\0\1\0\0", 12));
	cluster_end(&cl);
}
END_TEST

/* A rank that has closed a line without a report cannot report later that it had sent something. */
START_TEST(a_line_is_closed_once)
{
	static const uint8_t late[] = HEAD("\1", "\3", "\1") ONE "\1\0\0\0" ONE "\0\0\0\0" ONE;

	cluster_begin(&cl, 2, "eventlog");
	all_checkpoint(&cl);
	deliver_all(&cl);
	must_commit(&cl, 1);
	ck_assert(!coord_control(&cl.ranks[0].c, 1, late, sizeof late - 1));
	cluster_end(&cl);
}
END_TEST

/* Rank 0 says that a line is committed although a part of it is not there; or says it twice. */
START_TEST(a_verdict_must_be_possible)
{
	static const uint8_t yes[] = HEAD("\5", "\0", "\1") "\1",
			     no[] = HEAD("\5", "\0", "\1") "\0";
	struct coord *c = &cl.ranks[1].c;

	cluster_begin(&cl, 2, "eventlog");
	cl.ranks[1].cannot_capture = true;
	ck_assert(!checkpoint(&cl, 1));
	ck_assert(!coord_control(c, 0, yes, sizeof yes - 1));
	ck_assert(coord_control(c, 0, no, sizeof no - 1));
	goes_on(&cl, 1);
	ck_assert(cl.ranks[1].lines[1].over);
	ck_assert(!coord_control(c, 0, no, sizeof no - 1));
	cluster_end(&cl);
}
END_TEST

/* ---- restores ---- */

static void line_with_an_orphan(struct cluster *c)
{
	cluster_begin(c, 2, "compare");
	send_mail(c, 0, 1, 5);
	checkpoint(c, 0);
	pass(c, 0, 1, 7);
	deliver_all(c);
	checkpoint(c, 1);
	arrive(c, 0, 1, 5);
	deliver_all(c);
	must_commit(c, 1);
}

/* A line made before the orphan was sent again has it, too. */
START_TEST(an_orphan_to_suppress_goes_into_the_next_line)
{
	static const char *const names[] = {"eventlog", "tagging", "compare"};

	line_with_an_orphan(&cl);
	cluster_restore(&again, &cl, 1, names[_i]);
	ck_assert_int_eq(again.ranks[1].waiting.n, 1);
	all_checkpoint(&again);
	send_mail(&again, 0, 1, 7);
	ck_assert(!arrive(&again, 0, 1, 7));
	pass(&again, 0, 1, 7);
	ck_assert_int_eq(again.lost, 1);
	deliver_all(&again);
	ck_assert_str_eq(transit(&again, 1, 2), "0:5#1");
	ck_assert_str_eq(orphans(&again, 1, 2), "0:7#1+1");
	all_checkpoint(&again);
	deliver_all(&again);
	ck_assert_str_eq(transit(&again, 1, 3), "0:5#1");
	ck_assert_str_eq(orphans(&again, 1, 3), "");
	must_commit(&again, 3);
	cluster_end(&again);
	cluster_end(&cl);
}
END_TEST

/* The message of the line was numbered by its envelope. */
START_TEST(a_choice_after_a_restore_mixes_up_no_messages)
{
	line_with_an_orphan(&cl);
	cluster_restore(&again, &cl, 1, "auto");
	for (int q = 0; q < 2; q++)
		ck_assert(coord_choose(&again.ranks[q].c, "tagging"));
	again.nflown = 1;
	checkpoint(&again, 0);
	pass(&again, 0, 1, 5);
	checkpoint(&again, 1);
	deliver_all(&again);
	ck_assert_str_eq(transit(&again, 1, 2), "0:5#1");
	ck_assert_str_eq(orphans(&again, 1, 2), "0:5#1+1 0:7#1+1");
	cluster_end(&again);
	cluster_end(&cl);
}
END_TEST

START_TEST(blocking_suppresses_orphans_and_saves_them)
{
	struct orphans o = {0};
	uint8_t *bytes;
	size_t len;

	line_with_an_orphan(&cl);
	cluster_restore(&again, &cl, 1, "blocking");
	pass(&again, 0, 1, 5);
	ck_assert(coord_save(&again.ranks[1].c, 2, &bytes, &len));
	ck_assert(coord_valid(bytes, len, 2));
	ck_assert(orphans_decode(&o, bytes, len));
	ck_assert_uint_eq(o.n, 1);
	ck_assert_uint_eq(o.v[0].first, 1);
	free(bytes);
	orphans_free(&o);
	send_mail(&again, 0, 1, 7);
	ck_assert(!arrive(&again, 0, 1, 7));
	pass(&again, 0, 1, 7);
	ck_assert_int_eq(again.lost, 1);
	ck_assert(coord_save(&again.ranks[1].c, 2, &bytes, &len));
	ck_assert_uint_eq(len, 4);
	free(bytes);
	cluster_end(&again);
	cluster_end(&cl);
}
END_TEST

/* The job ends with a sentence. */
START_TEST(what_never_comes_again_ends_the_job)
{
	line_with_an_orphan(&cl);
	cluster_restore(&again, &cl, 1, _i ? "blocking" : "eventlog");
	again.fatal = "this rank (1) had received 1 message before the line restored, the first "
		      "from rank 0, that never came again";
	close_rank(&again, 0);
	close_rank(&again, 1);
}
END_TEST

/* Ranks that have worked before they ask for the line: their control messages are void. */
START_TEST(control_messages_before_a_restore_are_void)
{
	line_with_an_orphan(&cl);
	cluster_begin(&again, 2, "compare");
	for (int tag = 0; tag < LOG_MOST + 1; tag++)
		if (coord_sent(&again.ranks[0].c, 1, CONTEXT, tag))
			goes_on(&again, 0);
	ck_assert(due(&again, 0, true));
	ck_assert_int_eq(again.ncontrol, 2);
	cluster_go_back(&again, &cl, 1);
	deliver_all(&again);
	ck_assert(!due(&again, 1, false));
	ck_assert(!due(&again, 0, false));
	pass(&again, 0, 1, 9);
	send_mail(&again, 0, 1, 7);
	ck_assert(!arrive(&again, 0, 1, 7));
	all_checkpoint(&again);
	deliver_all(&again);
	ck_assert_str_eq(transit(&again, 1, 2), "0:5#1");
	ck_assert_str_eq(orphans(&again, 1, 2), "");
	must_commit(&again, 2);
	cluster_end(&again);
	cluster_end(&cl);
}
END_TEST

/* ---- choices ---- */

START_TEST(a_program_can_choose_once)
{
	struct coord *c = &cl.ranks[0].c;

	cluster_begin(&cl, 1, "auto");
	ck_assert(!coord_choose(c, "hopeful"));
	ck_assert(!coord_choose(c, "compare"));
	ck_assert(coord_choose(c, "blocking"));
	ck_assert(coord_is_blocking(c));
	ck_assert(coord_choose(c, "blocking"));
	ck_assert(!coord_choose(c, "eventlog"));
	cluster_end(&cl);
	cluster_begin(&cl, 1, "eventlog");
	ck_assert(coord_choose(c, "eventlog"));
	ck_assert(!coord_choose(c, "tagging"));
	ck_assert(!coord_is_blocking(c));
	cluster_end(&cl);
	cluster_begin(&cl, 1, "auto");
	ck_assert(checkpoint(&cl, 0));
	ck_assert(!coord_choose(c, "tagging"));
	ck_assert(coord_choose(c, "eventlog"));
	cluster_end(&cl);
}
END_TEST

/* Messages that came before the choice are counted, and so are those of ranks that chose before. */
START_TEST(a_choice_may_come_late)
{
	static const char *const names[] = {"eventlog", "tagging"};

	cluster_begin(&cl, 2, "auto");
	for (int tag = 100; tag < 101 + LOG_MOST; tag++) {
		if (coord_sent(&cl.ranks[0].c, 1, CONTEXT, tag))
			goes_on(&cl, 0);
		coord_arrived(&cl.ranks[1].c, 0, CONTEXT, tag, 1);
		goes_on(&cl, 1);
	}
	ck_assert_int_eq(cl.ncontrol, 1);
	pass(&cl, 0, 1, 7);
	send_mail(&cl, 0, 1, 7);
	ck_assert(coord_choose(&cl.ranks[0].c, names[_i]));
	ck_assert(checkpoint(&cl, 0));
	pass(&cl, 0, 1, 8);
	deliver_all(&cl);
	ck_assert(coord_choose(&cl.ranks[1].c, names[_i]));
	ck_assert(checkpoint(&cl, 1));
	deliver_all(&cl);
	ck_assert(!cl.ranks[1].lines[1].finished);
	arrive(&cl, 0, 1, 7);
	deliver_all(&cl);
	ck_assert_str_eq(transit(&cl, 1, 1), "0:7#2");
	ck_assert_str_eq(orphans(&cl, 1, 1), "0:8#1+1");
	must_commit(&cl, 1);
	cluster_end(&cl);
}
END_TEST

#define LOOP(name, n) tcase_add_loop_test(tc, name, 0, (int)(n))

UNIT_MAIN("coord_control_message", tcase_add_test(tc, a_long_log_is_reported_early);
	  tcase_add_test(tc, tables_stay_small_without_lines);
	  LOOP(what_makes_no_sense_is_refused, sizeof wrongs / sizeof *wrongs);
	  tcase_add_test(tc, blocking_has_no_control_messages);
	  tcase_add_test(tc, a_line_is_closed_once); tcase_add_test(tc, a_verdict_must_be_possible);
	  LOOP(an_orphan_to_suppress_goes_into_the_next_line, 3);
	  tcase_add_test(tc, a_choice_after_a_restore_mixes_up_no_messages);
	  tcase_add_test(tc, blocking_suppresses_orphans_and_saves_them);
	  tcase_add_loop_exit_test(tc, what_never_comes_again_ends_the_job, 3, 0, 2);
	  tcase_add_test(tc, control_messages_before_a_restore_are_void);
	  tcase_add_test(tc, a_program_can_choose_once); LOOP(a_choice_may_come_late, 2);)
