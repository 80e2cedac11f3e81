/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checkpoint makes the program wait for (eventlog): not for the order of the envelopes that
 * it has used. Counted are the sorts of the C library. */
#include <string.h>

#include "base/cursor.h"
#include "coord/control_message.h"
#include "coord/coord.h"
#include "coord/message_sort.h"
#include "unit.h"

enum { SIZE = 3, SELF = 0, SENDER = 1, AHEAD = 2, ENVELOPES = 50000, LOG_MOST = 4096 };

#define CONTEXT UINT64_C(12)

/* ---- the C library's ---- */

static struct {
	unsigned long sorts, comparisons;
} counted;

struct order {
	int (*of)(const void *a, const void *b);
};

static int compare(const void *a, const void *b, void *order)
{
	const struct order *o = order;

	counted.comparisons++;
	return o->of(a, b);
}

void qsort(void *items, size_t n, size_t size, int (*of)(const void *a, const void *b))
{
	struct order order = {of};

	counted.sorts++;
	qsort_r(items, n, size, compare, &order);
}

/* ---- a rank ---- */

struct sent {
	int peer;
	uint8_t *bytes;
	size_t len;
};

static struct {
	struct coord c;
	struct coord_undelivered undelivered;
	struct sent sent[64]; /* COORD_SEND, not finished */
	int nsent;
} rank;

static void fatal(void *user, const char *sentence)
{
	(void)user;
	ck_abort_msg("%s", sentence);
}

/* What a peer says of its interval 1, in which it has sent `envelopes` messages, each with a tag of
 * its own. */
static void report_of(int peer, uint32_t envelopes)
{
	struct control_message r = {.kind = CONTROL_REPORT,
		.flags = CONTROL_LAST | CONTROL_ENTRIES,
		.line = 1,
		.total = envelopes,
		.n = envelopes};
	struct envelope_slot *entries = calloc(envelopes, sizeof *entries);
	uint8_t *bytes;
	size_t len;

	for (uint32_t i = 0; i < envelopes; i++)
		entries[i] = (struct envelope_slot){
			.context = CONTEXT, .tag = (int32_t)(envelopes - i), .a = 1};
	bytes = control_message_encode_report(&r, entries, &len);
	control_message_finish(bytes, len);
	ck_assert(coord_control(&rank.c, peer, bytes, len));
	free(bytes);
	free(entries);
}

/* One of each tag, of which the program leaves every `left`-th in the queue; 0: none. */
static void arrive(int peer, int32_t envelopes, int32_t left)
{
	for (int32_t tag = envelopes; tag > 0; tag--) {
		struct coord_message m = {.peer = peer, .context = CONTEXT, .tag = tag, .stamp = 1};

		if (peer == SELF)
			coord_sent(&rank.c, SELF, CONTEXT, tag);
		m.index = coord_arrived(&rank.c, peer, CONTEXT, tag, 1);
		if (left && tag % left == 0)
			coord_undelivered_add(&rank.undelivered, &m);
	}
}

/* Until nothing is to be done but what the other ranks have to say. */
static void drive(void)
{
	struct coord_action a;

	while (coord_next_action(&rank.c, &a))
		if (a.kind == COORD_CAPTURE) {
			ck_assert(a.ok);
			coord_answer(&rank.c, true, 0);
		} else if (a.kind == COORD_SEND) {
			ck_assert_int_lt(rank.nsent, 64);
			rank.sent[rank.nsent++] = (struct sent){a.peer, a.bytes, a.len};
		} else {
			ck_assert_int_ne(a.kind, COORD_OVER);
		}
}

static void setup(void)
{
	memset(&rank, 0, sizeof rank);
	ck_assert_int_eq(coord_init(&rank.c, "eventlog", SELF, SIZE, fatal, NULL), 0);
}

static void teardown(void)
{
	for (int i = 0; i < rank.nsent; i++)
		free(rank.sent[i].bytes);
	coord_undelivered_free(&rank.undelivered);
	coord_fini(&rank.c);
}

static void checkpoint(void)
{
	memset(&counted, 0, sizeof counted);
	coord_checkpoint(&rank.c, &rank.undelivered);
	drive();
	ck_assert(coord_result(&rank.c));
}

/* ---- tests ---- */

/* Received from one that is late for the line, from one that has closed it and from itself, some
 * left in the queue; and a full log for each. */
START_TEST(a_checkpoint_sorts_nothing)
{
	int reports = 0;

	report_of(AHEAD, ENVELOPES);
	arrive(SENDER, ENVELOPES, _i);
	arrive(AHEAD, ENVELOPES, _i);
	arrive(SELF, ENVELOPES, 0);
	for (int32_t tag = LOG_MOST; tag > 0; tag--)
		for (int peer = SENDER; peer <= AHEAD; peer++)
			coord_sent(&rank.c, peer, CONTEXT, tag);
	drive();
	checkpoint();
	ck_assert_uint_eq(counted.sorts, 0);
	ck_assert_uint_eq(counted.comparisons, 0);

	/* who sends the reports does it */
	for (int i = 0; i < rank.nsent; i++) {
		const struct sent *s = &rank.sent[i];
		struct control_message r;

		coord_finish_bytes(s->bytes, s->len);
		ck_assert(control_message_decode(&r, s->bytes, s->len));
		if (r.kind != CONTROL_REPORT)
			continue;
		reports++;
		ck_assert_uint_eq(r.n, LOG_MOST);
		ck_assert_int_eq(control_message_entry(&r, 0).tag, 1);
	}
	ck_assert_int_eq(reports, 2);
	ck_assert_uint_eq(counted.sorts, 2);
	ck_assert_uint_ge(counted.comparisons, 2 * LOG_MOST - 2);
}
END_TEST

static enum coord_fate fate(int peer, int32_t tag)
{
	struct coord_message m = {
		.peer = peer, .context = CONTEXT, .tag = tag, .index = 1, .stamp = 1};

	return coord_fate(&rank.c, 1, &m);
}

/* And it knows them all the same: of the peer that had closed the line tags up to 40000 are in
 * transit when they were left, or come only now; of the other nothing is known yet. */
START_TEST(the_copies_are_asked_without_order)
{
	report_of(AHEAD, 40000);
	arrive(SENDER, ENVELOPES, 2);
	for (int32_t tag = 1; tag <= ENVELOPES; tag++)
		if (tag % 4) {
			struct coord_message m = {.peer = AHEAD, .context = CONTEXT, .tag = tag};

			m.index = coord_arrived(&rank.c, AHEAD, CONTEXT, tag, 1);
			if (tag % 4 == 2)
				coord_undelivered_add(&rank.undelivered, &m);
		}
	checkpoint();
	for (int32_t tag = 1; tag <= ENVELOPES; tag++) {
		bool sent = tag <= 40000, received = tag % 4 == 1 || tag % 4 == 3;

		if (tag % 4 == 0)
			coord_arrived(&rank.c, AHEAD, CONTEXT, tag, 1);
		ck_assert_int_eq(fate(AHEAD, tag), sent && !received ? COORD_IN : COORD_OUT);
		ck_assert_int_eq(fate(SENDER, tag), tag % 2 ? COORD_OUT : COORD_OPEN);
	}
}
END_TEST

/* ---- waking up ---- */

/* What peer 1 has reported of its interval 8. */
static void next_report_is_of(uint64_t total)
{
	struct control_message r;

	for (int i = 0; i < rank.nsent; i++) {
		coord_finish_bytes(rank.sent[i].bytes, rank.sent[i].len);
		ck_assert(control_message_decode(&r, rank.sent[i].bytes, rank.sent[i].len));
		ck_assert_uint_eq(r.restores, 1);
		ck_assert_uint_eq(r.line, 8);
		if (r.kind != CONTROL_REPORT)
			continue;
		ck_assert_uint_eq(r.total, total);
		return;
	}
	ck_abort_msg("there is no report");
}

/* The image is taken while the second line is captured, and the first is still being made; what was
 * to be said to others is not, and counts of before do not count (C10). */
START_TEST(who_wakes_up_while_it_captures_has_restored)
{
	uint32_t line = 0;
	struct coord_action a;

	arrive(SENDER, 5, 2);
	checkpoint();
	for (int i = 0; i < rank.nsent; i++)
		free(rank.sent[i].bytes);
	rank.nsent = 0;
	coord_undelivered_free(&rank.undelivered);
	for (int i = 0; i < 3; i++)
		coord_sent(&rank.c, SENDER, CONTEXT, 1);
	report_of(SENDER, 3); /* a line to settle */
	coord_checkpoint(&rank.c, &rank.undelivered);
	ck_assert(coord_next_action(&rank.c, &a));
	while (a.kind != COORD_CAPTURE)
		ck_assert(coord_next_action(&rank.c, &a));
	for (int32_t tag = 0; tag <= LOG_MOST; tag++) /* more than are kept: a report */
		coord_sent(&rank.c, AHEAD, CONTEXT, tag);
	ck_assert(coord_asks(&rank.c));
	coord_woke(&rank.c, 7);
	while (coord_next_action(&rank.c, &a)) {
		ck_assert_int_eq(a.kind, COORD_OVER);
		ck_assert(!a.ok);
		ck_assert_uint_eq(a.line, ++line);
	}
	ck_assert_uint_eq(line, 2);
	ck_assert(coord_result(&rank.c) && coord_lines_over(&rank.c) && coord_lines_made(&rank.c));
	ck_assert(!coord_making(&rank.c));
	ck_assert_uint_eq(rank.c.line, 7);
	ck_assert_uint_eq(coord_injected(&rank.c, SENDER, CONTEXT, 1), 1);
	ck_assert_uint_eq(coord_arrived(&rank.c, SENDER, CONTEXT, 1, 8), 2);

	coord_sent(&rank.c, SENDER, CONTEXT, 1);
	checkpoint();
	ck_assert_uint_eq(rank.c.line, 8);
	next_report_is_of(1);
}
END_TEST

/* ---- long lists ---- */

struct item {
	struct coord_message m;
	unsigned number;
};

static unsigned random_from(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % below;
}

/* Every byte of the key counts; messages that are equal stay in their order. */
START_TEST(long_lists_are_sorted_without_comparisons)
{
	enum { ITEMS = 3000 };
	static struct item items[ITEMS];
	static const int32_t tags[] = {-1, 0, 1, INT32_MIN, INT32_MAX, 256, 1 << 16, 70000};
	unsigned seed = (unsigned)_i;

	memset(&counted, 0, sizeof counted);
	for (unsigned i = 0; i < ITEMS; i++)
		items[i] = (struct item){.number = i,
			.m = {.peer = (int)(random_from(&seed, 3) << random_from(&seed, 24)),
				.context = (uint64_t)random_from(&seed, 3)
					   << random_from(&seed, 62),
				.tag = tags[random_from(&seed, 8)],
				.index = (uint64_t)random_from(&seed, 3)
					 << random_from(&seed, 62)}};
	message_sort(items, ITEMS, sizeof *items);
	for (unsigned i = 1; i < ITEMS; i++) {
		int order = message_order(&items[i - 1].m, &items[i].m);

		ck_assert(order < 0 || (order == 0 && items[i - 1].number < items[i].number));
	}
	ck_assert_uint_eq(counted.sorts, 0);
	message_sort(items, 2, sizeof *items);
	ck_assert_uint_eq(counted.sorts, 1);
}
END_TEST

UNIT_MAIN("coord_call", tcase_add_checked_fixture(tc, setup, teardown);
	  tcase_add_loop_test(tc, a_checkpoint_sorts_nothing, 0, 3);
	  tcase_add_test(tc, the_copies_are_asked_without_order);
	  tcase_add_test(tc, who_wakes_up_while_it_captures_has_restored);
	  tcase_add_loop_test(tc, long_lists_are_sorted_without_comparisons, 0, 20);)
