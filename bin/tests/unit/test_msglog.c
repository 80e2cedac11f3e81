/* SPDX-License-Identifier: BSD-3-Clause */
/* Message logging of one rank, step by step; sim_msglog has whole jobs. */
#include <string.h>

#include "coord/msglog.h"
#include "unit.h"

enum { SIZE = 3, SELF = 0, PEER = 1, OTHER = 2 };

static struct msglog m;

static void setup(void)
{
	ck_assert(msglog_init(&m, SELF, SIZE));
}

static void teardown(void)
{
	msglog_fini(&m);
}

static const struct msglog_hello nothing = {.limit = MSGLOG_ALL};

static void connect_peer(int peer, uint64_t has)
{
	ck_assert(msglog_connected(
		&m, peer, &(struct msglog_hello){.has = has, .limit = MSGLOG_ALL}));
}

static struct logged_message *message(int peer)
{
	struct logged_message *l =
		sender_log_message(&m.pairs[peer].log, &(struct logged_envelope){.tag = 4}, 3);

	ck_assert_ptr_nonnull(l);
	memcpy(l->bytes, "abc", 3);
	return l;
}

/* Whether it leaves at once. */
static bool sends(int peer)
{
	return msglog_sent(&m, peer, message(peer));
}

static void receives_any(void)
{
	ck_assert(outcomes_match(&m.outcomes, outcomes_post(&m.outcomes), PEER, 1));
}

static void probes_in_vain(void)
{
	ck_assert(msglog_outcome(&m, &(struct outcome){.kind = OUTCOME_NO}));
}

static struct msglog_action next_is(enum msglog_what what)
{
	struct msglog_action a;

	ck_assert(msglog_next(&m, &a));
	ck_assert_int_eq(a.what, what);
	return a;
}

static void nothing_is_next(void)
{
	struct msglog_action a;

	ck_assert(!msglog_next(&m, &a));
}

static void message_leaves(int peer, uint64_t number)
{
	struct msglog_action a = next_is(MSGLOG_SEND);

	ck_assert_int_eq(a.peer, peer);
	ck_assert_uint_eq(a.message->number, number);
	ck_assert_mem_eq(a.message->bytes, "abc", 3);
}

/* ---- sending ---- */

START_TEST(a_determined_rank_waits_for_nothing)
{
	connect_peer(PEER, 0);
	ck_assert(sends(PEER));
	ck_assert(sends(PEER));
	nothing_is_next();
	ck_assert_uint_eq(msglog_bytes(&m), 6 + 2 * SENDER_LOG_EACH);
}
END_TEST

START_TEST(what_was_sent_to_one_that_is_away_leaves_when_it_comes)
{
	ck_assert(!sends(PEER));
	ck_assert(!sends(PEER));
	nothing_is_next();
	connect_peer(PEER, 0);
	message_leaves(PEER, 1);
	ck_assert(!sends(PEER));
	message_leaves(PEER, 2);
	message_leaves(PEER, 3);
	nothing_is_next();
	ck_assert(sends(PEER));
}
END_TEST

START_TEST(a_message_waits_for_outcomes_before_it)
{
	struct msglog_action a;

	connect_peer(PEER, 0);
	connect_peer(OTHER, 0);
	ck_assert(sends(PEER));
	receives_any();
	ck_assert(!sends(PEER));
	ck_assert(!sends(OTHER));
	a = next_is(MSGLOG_TELL);
	ck_assert_uint_eq(a.number, 1);
	ck_assert_uint_eq(a.n, 1);
	ck_assert_int_eq(a.outcomes[0].kind, OUTCOME_MATCH);
	ck_assert_uint_eq(a.outcomes[0].receive, 1);
	nothing_is_next();
	ck_assert(!msglog_acknowledged(&m, 2));
	ck_assert(msglog_acknowledged(&m, 1));
	message_leaves(PEER, 2);
	message_leaves(OTHER, 1);
	ck_assert(sends(PEER));
}
END_TEST

/* Of two outcomes one is safe: only what was sent between them leaves. */
START_TEST(messages_leave_one_by_one)
{
	connect_peer(PEER, 0);
	receives_any();
	ck_assert(!sends(PEER));
	receives_any();
	ck_assert(!sends(PEER));
	ck_assert_uint_eq(next_is(MSGLOG_TELL).n, 2);
	ck_assert(msglog_acknowledged(&m, 1));
	message_leaves(PEER, 1);
	nothing_is_next();
	ck_assert(msglog_acknowledged(&m, 2));
	message_leaves(PEER, 2);
}
END_TEST

START_TEST(noes_in_a_row_are_one_outcome)
{
	struct msglog_action a;

	connect_peer(PEER, 0);
	probes_in_vain();
	probes_in_vain();
	nothing_is_next();
	ck_assert(!sends(PEER));
	a = next_is(MSGLOG_TELL);
	ck_assert_uint_eq(a.n, 1);
	ck_assert_int_eq(a.outcomes[0].kind, OUTCOME_NO);
	ck_assert_uint_eq(a.outcomes[0].value, 2);
	probes_in_vain();
	receives_any();
	a = next_is(MSGLOG_TELL);
	ck_assert_uint_eq(a.number, 2);
	ck_assert_uint_eq(a.n, 2);
}
END_TEST

START_TEST(an_event_logger_that_begins_anew_is_told_all)
{
	connect_peer(PEER, 0);
	receives_any();
	next_is(MSGLOG_TELL);
	ck_assert(msglog_acknowledged(&m, 1));
	ck_assert(sends(PEER));
	msglog_untold(&m);
	ck_assert(!sends(PEER));
	ck_assert_uint_eq(next_is(MSGLOG_TELL).number, 1);
	nothing_is_next();
	ck_assert(msglog_acknowledged(&m, 1));
	message_leaves(PEER, 2);
}
END_TEST

/* ---- peers that come back ---- */

START_TEST(what_a_peer_lacks_is_sent_again)
{
	connect_peer(PEER, 0);
	for (int i = 0; i < 4; i++)
		ck_assert(sends(PEER));
	msglog_lost(&m, PEER);
	ck_assert(!sends(PEER));
	connect_peer(PEER, 3);
	message_leaves(PEER, 4);
	message_leaves(PEER, 5);
	nothing_is_next();
}
END_TEST

START_TEST(what_a_peer_has_is_not_sent)
{
	connect_peer(PEER, 2);
	ck_assert(!sends(PEER));
	ck_assert(!sends(PEER));
	nothing_is_next();
	ck_assert(sends(PEER));
}
END_TEST

START_TEST(what_a_checkpoint_holds_leaves_the_log)
{
	connect_peer(PEER, 0);
	for (int i = 0; i < 4; i++)
		ck_assert(sends(PEER));
	msglog_covered(&m, PEER, 1, 3);
	ck_assert_uint_eq(msglog_bytes(&m), 6 + 2 * SENDER_LOG_EACH);
	ck_assert_uint_eq(m.pairs[PEER].log.first->number, 1);
	ck_assert_uint_eq(m.pairs[PEER].log.first->next->number, 4);
	msglog_lost(&m, PEER);
	/* it lacks what is gone, and says that its checkpoint holds it */
	ck_assert(!msglog_connected(&m, PEER, &(struct msglog_hello){2, MSGLOG_ALL, 1, 3}));
	ck_assert(!msglog_connected(&m, PEER, &nothing));
	ck_assert(msglog_connected(&m, PEER, &(struct msglog_hello){3, MSGLOG_ALL, 1, 3}));
	message_leaves(PEER, 4);
}
END_TEST

/* The peer got message 2 when it was sent again, and 3 had been there before. */
START_TEST(a_checkpoint_may_hold_what_is_not_sent_again_yet)
{
	connect_peer(PEER, 1);
	ck_assert(!sends(PEER));
	ck_assert(sends(PEER));
	msglog_covered(&m, PEER, 0, 3);
	ck_assert(!sends(PEER));
	nothing_is_next();
	ck_assert_uint_eq(msglog_bytes(&m), 0);
	ck_assert(sends(PEER));
	ck_assert_uint_eq(m.pairs[PEER].log.last->number, 4);
}
END_TEST

/* Whether it leaves at once. */
static bool sends_reserved(uint64_t number)
{
	return msglog_sent_reserved(&m, PEER, number, message(PEER));
}

START_TEST(an_operation_has_its_numbers_when_it_begins)
{
	connect_peer(PEER, 0);
	ck_assert(sends(PEER));
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 2), 2);
	ck_assert(sends(PEER));
	ck_assert_uint_eq(m.pairs[PEER].log.last->number, 4);
	ck_assert(sends_reserved(2));
	ck_assert(!msglog_is_reserved(&m.pairs[PEER], 2));
	ck_assert(msglog_is_reserved(&m.pairs[PEER], 3));

	/* the peer lacks 3, which is not sent yet; then it is, before what came later */
	connect_peer(PEER, 2);
	message_leaves(PEER, 4);
	nothing_is_next();
	msglog_lost(&m, PEER);
	ck_assert(!sends_reserved(3));
	connect_peer(PEER, 2);
	message_leaves(PEER, 3);
	message_leaves(PEER, 4);
	nothing_is_next();
}
END_TEST

START_TEST(an_operation_needs_what_happened_before_it)
{
	connect_peer(PEER, 0);
	receives_any();
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 1), 1);
	next_is(MSGLOG_TELL);
	ck_assert(!sends_reserved(1));
	nothing_is_next();
	ck_assert(msglog_acknowledged(&m, 1));
	message_leaves(PEER, 1);

	/* and not what happened after that */
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 1), 2);
	ck_assert(outcomes_match(&m.outcomes, outcomes_post(&m.outcomes), PEER, 2));
	ck_assert(sends_reserved(2));
}
END_TEST

START_TEST(numbers_that_are_reserved_are_bounded)
{
	ck_assert_uint_eq(msglog_reserve(&m, PEER, MSGLOG_RESERVED_MOST - 1), 1);
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 2), 0);
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 1), MSGLOG_RESERVED_MOST);
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 1), 0);
	ck_assert_uint_eq(m.pairs[PEER].sent, MSGLOG_RESERVED_MOST);
}
END_TEST

START_TEST(a_prefix_takes_what_it_took)
{
	connect_peer(PEER, 0);
	for (int i = 0; i < 3; i++)
		ck_assert(sends(PEER));
	msglog_covered(&m, PEER, 1, 2);
	msglog_lost(&m, PEER);
	ck_assert(msglog_connected(&m, PEER, &(struct msglog_hello){0, 1, 1, 2}));
	message_leaves(PEER, 1);
	nothing_is_next();
	ck_assert(!sends(PEER));
	nothing_is_next();
	ck_assert(msglog_connected(&m, PEER, &(struct msglog_hello){2, MSGLOG_ALL, 1, 2}));
	message_leaves(PEER, 3);
	message_leaves(PEER, 4);
	ck_assert(!msglog_connected(&m, PEER, &(struct msglog_hello){0, 2, 1, 2}));
}
END_TEST

/* ---- receiving ---- */

START_TEST(arrivals_are_in_order_and_once)
{
	ck_assert_int_eq(msglog_arrives(&m, PEER, 0), ARRIVAL_GAP);
	ck_assert_int_eq(msglog_arrives(&m, PEER, ARRIVAL_SKIPPED_MOST + 2), ARRIVAL_GAP);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 1), ARRIVAL_NEW);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 2), ARRIVAL_NEW);
	ck_assert(msglog_arrived(&m, PEER, 2));
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 0);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 1), ARRIVAL_AGAIN);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 2), ARRIVAL_DUPLICATE);
	ck_assert(!msglog_arrived(&m, PEER, 2));
	ck_assert(msglog_arrived(&m, PEER, 1));
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 2);
	ck_assert_uint_eq(msglog_hello(&m, OTHER).has, 0);
}
END_TEST

START_TEST(messages_of_operations_come_late)
{
	ck_assert_int_eq(msglog_arrives(&m, PEER, 3), ARRIVAL_NEW);
	ck_assert(msglog_arrived(&m, PEER, 3));
	ck_assert(!msglog_arrived(&m, PEER, 1));
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 0);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 1), ARRIVAL_NEW);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 1), ARRIVAL_AGAIN);
	ck_assert(msglog_arrived(&m, PEER, 1));
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 1);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 3), ARRIVAL_DUPLICATE);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 2), ARRIVAL_NEW);
	ck_assert_int_eq(msglog_arrives(&m, PEER, ARRIVAL_SKIPPED_MOST + 4), ARRIVAL_NEW);
	ck_assert_int_eq(msglog_arrives(&m, PEER, ARRIVAL_SKIPPED_MOST + 6), ARRIVAL_GAP);
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 1);
}
END_TEST

/* ---- checkpoints ---- */

static uint8_t *bytes;
static size_t len;

static void gets(int peer, uint64_t number)
{
	ck_assert_int_eq(msglog_arrives(&m, peer, number), ARRIVAL_NEW);
	ck_assert(msglog_arrived(&m, peer, number));
}

static void save(bool durable)
{
	free(bytes);
	ck_assert(msglog_save(&m, &bytes, &len));
	msglog_saved(&m, durable);
}

START_TEST(peers_learn_of_a_checkpoint_when_it_is_durable)
{
	struct msglog_action a;

	connect_peer(PEER, 0);
	gets(PEER, 1);
	receives_any();
	next_is(MSGLOG_TELL);
	save(false);
	nothing_is_next();
	free(bytes);
	ck_assert(msglog_save(&m, &bytes, &len));
	gets(PEER, 2);
	nothing_is_next();
	msglog_saved(&m, true);
	a = next_is(MSGLOG_COVER);
	ck_assert_int_eq(a.peer, PEER);
	ck_assert_uint_eq(a.number, 1);
	ck_assert_uint_eq(a.keep, 0);
	ck_assert_uint_eq(next_is(MSGLOG_FORGET).number, 1);
	nothing_is_next();
	ck_assert_uint_eq(msglog_hello(&m, PEER).covered, 1);
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 2);
	free(bytes);
	bytes = NULL;
}
END_TEST

START_TEST(a_checkpoint_makes_outcomes_safe)
{
	connect_peer(PEER, 0);
	receives_any();
	ck_assert(!sends(PEER));
	next_is(MSGLOG_TELL);
	nothing_is_next();
	save(true);
	message_leaves(PEER, 1);
}
END_TEST

START_TEST(a_checkpoint_between_the_hellos_is_told)
{
	struct msglog_action a;

	connect_peer(PEER, 0);
	gets(PEER, 1);
	msglog_lost(&m, PEER);
	ck_assert_uint_eq(msglog_hello(&m, PEER).covered, 0);
	save(true);
	next_is(MSGLOG_FORGET);
	nothing_is_next();
	connect_peer(PEER, 0);
	a = next_is(MSGLOG_COVER);
	ck_assert_int_eq(a.peer, PEER);
	ck_assert_uint_eq(a.number, 1);
	nothing_is_next();
}
END_TEST

static void live_a_little(void)
{
	connect_peer(PEER, 0);
	gets(PEER, 1);
	probes_in_vain();
	ck_assert(!sends(PEER));
	ck_assert(msglog_restore_point(&m));
	ck_assert_int_eq(msglog_arrives(&m, PEER, 2), ARRIVAL_NEW);
	gets(PEER, 3);
	ck_assert(!sends(OTHER));
	ck_assert_uint_eq(msglog_sent_to_self(&m), 1);
	ck_assert_uint_eq(msglog_reserve(&m, OTHER, 3), 2);
	ck_assert_int_eq(msglog_arrives(&m, OTHER, 3), ARRIVAL_NEW);
	receives_any();
	next_is(MSGLOG_TELL);
}

enum { DATA, IMAGE, WAYS };

START_TEST(a_rank_comes_back_as_it_was_saved)
{
	struct outcome later = {.kind = OUTCOME_INDEX, .value = 7};
	uint8_t *first;
	size_t n;

	live_a_little();
	ck_assert(msglog_save(&m, &first, &len));
	ck_assert(msglog_valid(first, len, SELF, SIZE));
	if (_i == IMAGE)
		ck_assert(msglog_woke(&m, &later, 1));
	else
		ck_assert(msglog_load(&m, first, len, &later, 1));
	ck_assert_int_eq(outcomes_expected(&m.outcomes)->kind, OUTCOME_INDEX);
	outcomes_follow(&m.outcomes);
	ck_assert_ptr_null(outcomes_expected(&m.outcomes));
	ck_assert_uint_eq(outcomes_last(&m.outcomes), 3);
	ck_assert_uint_eq(outcomes_post(&m.outcomes), 2);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 2), ARRIVAL_AGAIN);
	ck_assert_int_eq(msglog_arrives(&m, PEER, 3), ARRIVAL_DUPLICATE);
	ck_assert_int_eq(msglog_arrives(&m, OTHER, 2), ARRIVAL_NEW);
	ck_assert(msglog_is_reserved(&m.pairs[OTHER], 4));
	ck_assert_uint_eq(msglog_hello(&m, PEER).covered, 1);
	nothing_is_next();
	connect_peer(PEER, 0);
	message_leaves(PEER, 1);
	connect_peer(OTHER, 0);
	message_leaves(OTHER, 1);
	ck_assert(msglog_load(&m, first, len, NULL, 0));
	n = len;
	save(false);
	ck_assert_uint_eq(len, n);
	ck_assert_mem_eq(bytes, first, n);
	free(first);
	free(bytes);
	bytes = NULL;
}
END_TEST

START_TEST(a_message_that_is_read_outlives_its_log)
{
	struct msglog_action a;
	struct logged_message *l;

	connect_peer(PEER, 0);
	l = message(PEER);
	ck_assert(msglog_sent(&m, PEER, l));
	l->lent = true;
	msglog_covered(&m, PEER, 0, 1);
	ck_assert_uint_eq(msglog_bytes(&m), 0);
	ck_assert_mem_eq(l->bytes, "abc", 3);
	sender_log_back(l);
	ck_assert(!msglog_next(&m, &a));
}
END_TEST

START_TEST(a_prefix_is_run_again)
{
	live_a_little();
	save(true);
	ck_assert(msglog_load_prefix(&m, bytes, len));
	ck_assert_uint_eq(msglog_hello(&m, PEER).has, 0);
	ck_assert_uint_eq(msglog_hello(&m, PEER).limit, 1);
	ck_assert_uint_eq(msglog_hello(&m, PEER).keep, 1);
	ck_assert_uint_eq(msglog_hello(&m, PEER).covered, 1);
	ck_assert_uint_eq(msglog_hello(&m, OTHER).limit, 0);
	connect_peer(PEER, 1);
	ck_assert_int_eq(outcomes_expected(&m.outcomes)->kind, OUTCOME_NO);
	outcomes_follow(&m.outcomes);
	ck_assert_ptr_null(outcomes_expected(&m.outcomes));
	ck_assert(!sends(PEER));
	nothing_is_next();
	ck_assert(msglog_load(&m, bytes, len, NULL, 0));
	ck_assert_uint_eq(msglog_hello(&m, PEER).limit, MSGLOG_ALL);
	ck_assert_uint_eq(m.pairs[PEER].sent, 1);
	free(bytes);
	bytes = NULL;
}
END_TEST

/* The rank had asked on behind its restore point; when it runs again there is nothing to ask for.
 */
START_TEST(a_prefix_ends_in_a_run_of_noes)
{
	const struct outcome no = {.kind = OUTCOME_NO, .value = 3};

	ck_assert(outcomes_begin(&m.outcomes, 0, 0, &no, 1));
	outcomes_follow(&m.outcomes);
	ck_assert(msglog_restore_point(&m));
	ck_assert_uint_eq(m.prefix.n, 1);
	ck_assert_int_eq(m.prefix.v[0].kind, OUTCOME_NO);
	ck_assert_uint_eq(m.prefix.v[0].value, 1);
}
END_TEST

/* ---- outcomes of before ---- */

static void expects(enum outcome_kind kind)
{
	const struct outcome *o = outcomes_expected(&m.outcomes);

	ck_assert_ptr_nonnull(o);
	ck_assert_int_eq(o->kind, kind);
	outcomes_follow(&m.outcomes);
}

static void fate_is(uint64_t receive, enum receive_fate fate, uint32_t peer, uint64_t message)
{
	uint32_t of = 0;
	uint64_t number = 0;

	ck_assert_int_eq(expected_receives_fate(&m.outcomes.expected, receive, &of, &number), fate);
	ck_assert_uint_eq(of, peer);
	ck_assert_uint_eq(number, message);
}

static const struct outcome before[] = {{OUTCOME_MATCH, PEER, 5, 2}, {OUTCOME_NO, 0, 2, 0},
	{OUTCOME_CANCELLED, 0, 0, 3}, {OUTCOME_MATCH, OTHER, 1, 1}, {OUTCOME_YES, 0, 0, 0}};

/* Choices in their order, receives as their messages come. */
START_TEST(what_happened_before_happens_again)
{
	ck_assert(msglog_load_outcomes(&m, before, 5));
	for (uint64_t i = 1; i <= 4; i++)
		ck_assert_uint_eq(outcomes_post(&m.outcomes), i);
	fate_is(1, FATE_MESSAGE, OTHER, 1);
	fate_is(2, FATE_MESSAGE, PEER, 5);
	fate_is(3, FATE_CANCELLED, 0, 0);
	fate_is(4, FATE_OPEN, 0, 0);
	ck_assert(!outcomes_match(&m.outcomes, 1, OTHER, 2));
	ck_assert(!outcomes_match(&m.outcomes, 1, PEER, 1));
	ck_assert(!outcomes_match(&m.outcomes, 3, PEER, 1));
	ck_assert(outcomes_match(&m.outcomes, 1, OTHER, 1));
	fate_is(1, FATE_OPEN, 0, 0);
	expects(OUTCOME_NO);
	expects(OUTCOME_NO);
	expects(OUTCOME_CANCELLED);
	fate_is(3, FATE_OPEN, 0, 0);
	expects(OUTCOME_YES);
	ck_assert_ptr_null(outcomes_expected(&m.outcomes));
	ck_assert(!outcomes_is_live(&m.outcomes));
	ck_assert(outcomes_match(&m.outcomes, 2, PEER, 5));
	ck_assert(outcomes_is_live(&m.outcomes));
	nothing_is_next();
}
END_TEST

/* Nobody waits for a receive of which nothing is known; what it gets comes behind all of before. */
START_TEST(a_receive_gets_its_message_while_choices_are_left)
{
	struct msglog_action a;

	ck_assert(msglog_load_outcomes(&m, before, 3));
	connect_peer(PEER, 0);
	for (int i = 0; i < 4; i++)
		outcomes_post(&m.outcomes);
	expects(OUTCOME_NO);
	ck_assert(outcomes_match(&m.outcomes, 4, OTHER, 9));
	a = next_is(MSGLOG_TELL);
	ck_assert_uint_eq(a.number, 4);
	ck_assert_uint_eq(a.outcomes[0].receive, 4);
	expects(OUTCOME_NO);
	expects(OUTCOME_CANCELLED);
	ck_assert_ptr_null(outcomes_expected(&m.outcomes));
	ck_assert(!sends(PEER));
	ck_assert(msglog_acknowledged(&m, 4));
	message_leaves(PEER, 1);
}
END_TEST

/* A checkpoint ended it between two choices, and it ends when the first was made again, whether it
 * has begun again by then or not. */
START_TEST(a_send_ends_where_it_did)
{
	const struct outcome v[] = {{OUTCOME_NO, 0, 2, 0}, {OUTCOME_SEND_OVER, PEER, 5, 0},
		{OUTCOME_SEND_OVER, OTHER, 5, 0}, {OUTCOME_YES, 0, 0, 0},
		{OUTCOME_SEND_OVER, PEER, 7, 0}};

	ck_assert(msglog_load_outcomes(&m, v, 5));
	expects(OUTCOME_NO);
	ck_assert(!outcomes_send_over(&m.outcomes, PEER, 5));
	ck_assert_uint_eq(m.outcomes.nended, 0);
	expects(OUTCOME_NO);
	ck_assert_uint_eq(m.outcomes.nended, 2);
	ck_assert(!outcomes_send_over(&m.outcomes, PEER, 6));
	ck_assert(outcomes_send_over(&m.outcomes, PEER, 5));
	ck_assert(!outcomes_send_over(&m.outcomes, PEER, 5));
	ck_assert(outcomes_send_over(&m.outcomes, OTHER, 5));
	expects(OUTCOME_YES);
	ck_assert(outcomes_is_live(&m.outcomes));
	ck_assert(outcomes_send_over(&m.outcomes, PEER, 7));
	ck_assert(msglog_outcome(&m, &v[1]));
	ck_assert_uint_eq(m.outcomes.nended, 0);
}
END_TEST

/* A message closes a run of noes, so it is sent in the midst of none. */
START_TEST(fewer_noes_than_before)
{
	const struct outcome noes[] = {{OUTCOME_NO, 0, 2, 0}, {OUTCOME_NO, 0, 2, 0}};

	ck_assert(msglog_load_outcomes(&m, noes, 2));
	for (int i = 0; i < 2; i++) {
		ck_assert(!outcomes_is_within_noes(&m.outcomes));
		expects(OUTCOME_NO);
		ck_assert(outcomes_is_within_noes(&m.outcomes));
		expects(OUTCOME_NO);
	}
	ck_assert(!outcomes_is_within_noes(&m.outcomes));
	probes_in_vain();
	ck_assert(!outcomes_is_within_noes(&m.outcomes));
}
END_TEST

/* What is asked behind a match comes behind its receive; what is asked before it need not. */
START_TEST(fewer_receives_than_before)
{
	const struct outcome v[] = {{OUTCOME_YES, 0, 0, 0}, {OUTCOME_MATCH, PEER, 5, 2},
		{OUTCOME_MATCH, OTHER, 1, 1}, {OUTCOME_YES, 0, 0, 0}, {OUTCOME_MATCH, PEER, 6, 3}};

	ck_assert(msglog_load_outcomes(&m, v, 5));
	ck_assert(!outcomes_lacks_receive(&m.outcomes));
	expects(OUTCOME_YES);
	outcomes_post(&m.outcomes);
	ck_assert(outcomes_lacks_receive(&m.outcomes));
	outcomes_post(&m.outcomes);
	ck_assert(!outcomes_lacks_receive(&m.outcomes));
	expects(OUTCOME_YES);
	ck_assert(outcomes_lacks_receive(&m.outcomes));
	outcomes_post(&m.outcomes);
	ck_assert(!outcomes_lacks_receive(&m.outcomes));
	ck_assert(outcomes_match(&m.outcomes, outcomes_post(&m.outcomes), PEER, 7));
	ck_assert(!outcomes_lacks_receive(&m.outcomes));
}
END_TEST

/* What was said before a match is known when that is. */
START_TEST(a_match_comes_behind_noes)
{
	struct msglog_action a;

	probes_in_vain();
	receives_any();
	a = next_is(MSGLOG_TELL);
	ck_assert_uint_eq(a.n, 2);
	ck_assert_int_eq(a.outcomes[0].kind, OUTCOME_NO);
	ck_assert_int_eq(a.outcomes[1].kind, OUTCOME_MATCH);
}
END_TEST

START_TEST(two_outcomes_of_one_receive)
{
	const struct outcome twice[] = {
		{OUTCOME_MATCH, PEER, 5, 2}, {OUTCOME_YES, 0, 0, 0}, {OUTCOME_CANCELLED, 0, 0, 2}};

	ck_assert(!msglog_load_outcomes(&m, twice, 3));
	ck_assert(msglog_load_outcomes(&m, twice, 2));
}
END_TEST

START_TEST(numbers_beyond_what_bytes_hold)
{
	const uint64_t most = OUTCOME_NUMBER_MOST;

	ck_assert(!msglog_outcome(&m, &(struct outcome){.kind = OUTCOME_FOUND, .value = most + 1}));
	ck_assert(!outcomes_match(&m.outcomes, most + 1, PEER, 1));
	ck_assert(!outcomes_match(&m.outcomes, 1, OUTCOME_PEER_MOST + 1, 1));
	nothing_is_next();
	ck_assert(outcomes_match(&m.outcomes, most, OUTCOME_PEER_MOST, most));
}
END_TEST

START_TEST(bytes_that_are_cut_are_refused)
{
	live_a_little();
	save(true);
	for (size_t n = 0; n < len; n++) {
		uint8_t *part = malloc(n + 1);

		memcpy(part, bytes, n);
		ck_assert(!msglog_valid(part, n, SELF, SIZE));
		free(part);
	}
	ck_assert(!msglog_valid(bytes, len, SELF + 1, SIZE));
	ck_assert(!msglog_valid(bytes, len, SELF, SIZE + 1));
	ck_assert(!msglog_load(&m, bytes, len - 1, NULL, 0));
	ck_assert_uint_eq(m.pairs[PEER].sent, 1);
	free(bytes);
	bytes = NULL;
}
END_TEST

/* ---- outcomes as bytes ---- */

static const struct outcome right[] = {{OUTCOME_NO, 0, 1, 0},
	{OUTCOME_NO, 0, OUTCOME_NUMBER_MOST, 0}, {OUTCOME_YES, 0, 0, 0}, {OUTCOME_FOUND, 2, 1, 0},
	{OUTCOME_INDEX, 0, 0, 0}, {OUTCOME_COUNT, 0, INT32_MAX, 0},
	{OUTCOME_CANCELLED, 0, 0, OUTCOME_NUMBER_MOST}, {OUTCOME_TOO_LATE, 0, 0, 1},
	{OUTCOME_SEND_OVER, 2, 1, 0}, {OUTCOME_MATCH, 1, OUTCOME_NUMBER_MOST, 0x123456789abc}};

START_TEST(outcomes_go_through_bytes)
{
	enum { N = sizeof right / sizeof *right };
	uint8_t b[N * OUTCOME_BYTES];
	struct outcome v[N];

	outcomes_encode(right, N, b);
	ck_assert(outcomes_decode(v, b, sizeof b, SIZE));
	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(v[i].kind, right[i].kind);
		ck_assert_uint_eq(v[i].peer, right[i].peer);
		ck_assert_uint_eq(v[i].value, right[i].value);
		ck_assert_uint_eq(v[i].receive, right[i].receive);
	}
	ck_assert_mem_eq(b, "\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", 16);
	ck_assert(!outcomes_decode(v, b, sizeof b - 1, SIZE));
}
END_TEST

static const struct outcome wrong[] = {{0, 0, 0, 0}, {OUTCOME_KINDS, 0, 0, 0},
	{OUTCOME_NO, 0, 0, 0}, {OUTCOME_NO, 1, 1, 0}, {OUTCOME_YES, 1, 0, 0},
	{OUTCOME_YES, 0, 1, 0}, {OUTCOME_YES, 0, 0, 1}, {OUTCOME_FOUND, SIZE, 1, 0},
	{OUTCOME_FOUND, 0, 1, 1}, {OUTCOME_INDEX, 1, 0, 0},
	{OUTCOME_COUNT, 0, (uint64_t)INT32_MAX + 1, 0}, {OUTCOME_CANCELLED, 0, 0, 0},
	{OUTCOME_CANCELLED, 0, 1, 1}, {OUTCOME_MATCH, 0, 1, 0}, {OUTCOME_MATCH, 0, 0, 1},
	{OUTCOME_MATCH, SIZE, 1, 1}, {OUTCOME_TOO_LATE, 0, 0, 0}, {OUTCOME_TOO_LATE, 0, 1, 1},
	{OUTCOME_SEND_OVER, 1, 0, 0}, {OUTCOME_SEND_OVER, SIZE, 1, 0},
	{OUTCOME_SEND_OVER, 1, 1, 1}};

START_TEST(outcomes_that_make_no_sense)
{
	uint8_t b[OUTCOME_BYTES];
	struct outcome v;

	outcomes_encode(&wrong[_i], 1, b);
	ck_assert(!outcomes_decode(&v, b, sizeof b, SIZE));
}
END_TEST

/* What its prefix lacks is a reserved number; what comes behind that its checkpoint holds. */
START_TEST(a_prefix_lacks_what_is_not_sent_yet)
{
	connect_peer(PEER, 0);
	ck_assert(sends(PEER));
	ck_assert_uint_eq(msglog_reserve(&m, PEER, 1), 2);
	ck_assert(sends(PEER));
	msglog_covered(&m, PEER, 2, 3);
	msglog_lost(&m, PEER);
	ck_assert(msglog_connected(
		&m, PEER, &(struct msglog_hello){.has = 1, .limit = 2, .keep = 2, .covered = 3}));
	ck_assert(msglog_sent_reserved(&m, PEER, 2, message(PEER)));
}
END_TEST

UNIT_MAIN("msglog", tcase_add_checked_fixture(tc, setup, teardown);
	  tcase_add_test(tc, a_determined_rank_waits_for_nothing);
	  tcase_add_test(tc, what_was_sent_to_one_that_is_away_leaves_when_it_comes);
	  tcase_add_test(tc, a_message_waits_for_outcomes_before_it);
	  tcase_add_test(tc, messages_leave_one_by_one);
	  tcase_add_test(tc, noes_in_a_row_are_one_outcome);
	  tcase_add_test(tc, a_send_ends_where_it_did); tcase_add_test(tc, fewer_noes_than_before);
	  tcase_add_test(tc, fewer_receives_than_before);
	  tcase_add_test(tc, an_event_logger_that_begins_anew_is_told_all);
	  tcase_add_test(tc, what_a_peer_lacks_is_sent_again);
	  tcase_add_test(tc, what_a_peer_has_is_not_sent);
	  tcase_add_test(tc, what_a_checkpoint_holds_leaves_the_log);
	  tcase_add_test(tc, a_checkpoint_may_hold_what_is_not_sent_again_yet);
	  tcase_add_test(tc, a_prefix_takes_what_it_took);
	  tcase_add_test(tc, arrivals_are_in_order_and_once);
	  tcase_add_test(tc, messages_of_operations_come_late);
	  tcase_add_test(tc, an_operation_has_its_numbers_when_it_begins);
	  tcase_add_test(tc, an_operation_needs_what_happened_before_it);
	  tcase_add_test(tc, numbers_that_are_reserved_are_bounded);
	  tcase_add_test(tc, peers_learn_of_a_checkpoint_when_it_is_durable);
	  tcase_add_test(tc, a_checkpoint_makes_outcomes_safe);
	  tcase_add_test(tc, a_checkpoint_between_the_hellos_is_told);
	  tcase_add_loop_test(tc, a_rank_comes_back_as_it_was_saved, 0, WAYS);
	  tcase_add_test(tc, a_message_that_is_read_outlives_its_log);
	  tcase_add_test(tc, a_prefix_is_run_again);
	  tcase_add_test(tc, a_prefix_ends_in_a_run_of_noes);
	  tcase_add_test(tc, a_prefix_lacks_what_is_not_sent_yet);
	  tcase_add_test(tc, what_happened_before_happens_again);
	  tcase_add_test(tc, a_receive_gets_its_message_while_choices_are_left);
	  tcase_add_test(tc, a_match_comes_behind_noes);
	  tcase_add_test(tc, two_outcomes_of_one_receive);
	  tcase_add_test(tc, numbers_beyond_what_bytes_hold);
	  tcase_add_test(tc, bytes_that_are_cut_are_refused);
	  tcase_add_test(tc, outcomes_go_through_bytes); tcase_add_loop_test(
		  tc, outcomes_that_make_no_sense, 0, (int)(sizeof wrong / sizeof *wrong));)
