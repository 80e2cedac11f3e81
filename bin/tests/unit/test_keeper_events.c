/* SPDX-License-Identifier: BSD-3-Clause */
/* The logs of outcomes that a keeper has: each of the rules K1 to K6. */
#include <string.h>

#include "base/error.h"
#include "keeper/events.h"
#include "unit.h"

enum { RANKS = 3, LIMIT = 1 << 20 };

static void fill(uint64_t first, uint32_t count, uint8_t *out)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t number = first + i, other = ~number;

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, &number, 8);
		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES + 8, &other, 8);
	}
}

static int tell(struct events *e, uint32_t rank, uint64_t first, uint32_t count)
{
	static uint8_t records[(KEEPER_WINDOW + 1) * KEEPER_RECORD_BYTES];

	fill(first, count, records);
	return events_tell(e, rank, first, count, records);
}

static int come(struct events *e, uint32_t rank, uint32_t incarnation, int wants, uint64_t after)
{
	return events_open(e, &(struct keeper_hello){.rank = rank,
				      .incarnation = incarnation,
				      .wants = (uint16_t)wants,
				      .after = after});
}

/* Everything that may be is durable. */
static void durable(struct events *e)
{
	struct events_commit c;

	for (uint32_t rank = 0; rank < e->ranks; rank++)
		if (events_next_commit(e, rank, &c))
			events_committed(e, rank, &c);
}

/* Those that are held, and no others. */
static void check_held(const struct events *e, uint32_t rank, uint64_t forgotten, uint64_t last)
{
	const struct events_rank *r = &e->v[rank];
	uint8_t want[EVENTS_BLOCK * KEEPER_RECORD_BYTES];

	ck_assert_uint_eq(r->forgotten, forgotten);
	ck_assert_uint_eq(r->last, last);
	for (uint64_t number = forgotten + 1; number <= last;) {
		uint32_t n;
		const uint8_t *piece = events_piece(e, rank, number, &n);

		ck_assert(n > 0 && n <= EVENTS_BLOCK && number + n - 1 <= last);
		fill(number, n, want);
		ck_assert(memcmp(piece, want, (size_t)n * KEEPER_RECORD_BYTES) == 0);
		number += n;
	}
}

static void setup(struct events *e)
{
	ck_assert(events_init(e, RANKS, LIMIT));
	durable(e);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		ck_assert_int_eq(come(e, rank, 1, KEEPER_BEGIN, 0), KEEPER_TAKEN);
	durable(e);
}

START_TEST(records_follow_each_other)
{
	struct events e;

	setup(&e);
	ck_assert_int_eq(tell(&e, 1, 2, 1), KEEPER_GAP);
	ck_assert_int_eq(tell(&e, 1, 1, 10), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 1, 12, 1), KEEPER_GAP);
	ck_assert_int_eq(tell(&e, 1, 11, 3000), KEEPER_TAKEN);
	check_held(&e, 1, 0, 3010);
	check_held(&e, 0, 0, 0);
	events_free(&e);
}
END_TEST

START_TEST(what_is_told_again_is_the_same)
{
	struct events e;
	uint8_t records[20 * KEEPER_RECORD_BYTES];

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, 1020), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 0, 5, 100), KEEPER_TAKEN);
	check_held(&e, 0, 0, 1020);
	fill(1011, 20, records);
	records[9 * KEEPER_RECORD_BYTES + 15] ^= 1; /* number 1020 */
	ck_assert_int_eq(events_tell(&e, 0, 1011, 20, records), KEEPER_DIFFERENT);
	check_held(&e, 0, 0, 1020);
	records[9 * KEEPER_RECORD_BYTES + 15] ^= 1;
	ck_assert_int_eq(events_tell(&e, 0, 1011, 20, records), KEEPER_TAKEN);
	check_held(&e, 0, 0, 1030);
	/* over the border of two blocks */
	fill(1015, 14, records);
	records[13 * KEEPER_RECORD_BYTES] ^= 1; /* number 1028 */
	ck_assert_int_eq(events_tell(&e, 0, 1015, 14, records), KEEPER_DIFFERENT);
	/* what is forgotten is not compared */
	ck_assert_int_eq(events_forget(&e, 0, 1028), KEEPER_TAKEN);
	ck_assert_int_eq(events_tell(&e, 0, 1015, 14, records), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 0, 1015, 20), KEEPER_TAKEN);
	check_held(&e, 0, 1028, 1034);
	events_free(&e);
}
END_TEST

START_TEST(durable_is_what_was_written)
{
	struct events e;
	struct events_commit c;

	setup(&e);
	ck_assert(!events_next_commit(&e, 2, &c));
	ck_assert_int_eq(tell(&e, 2, 1, 7), KEEPER_TAKEN);
	ck_assert_uint_eq(e.v[2].durable, 0);
	ck_assert(events_next_commit(&e, 2, &c));
	ck_assert_uint_eq(c.first, 1);
	ck_assert_uint_eq(c.count, 7);
	ck_assert_uint_eq(c.incarnation, 1);
	events_committed(&e, 2, &c);
	ck_assert_uint_eq(e.v[2].durable, 7);
	ck_assert_uint_eq(e.used, 7);
	ck_assert(!events_next_commit(&e, 2, &c));
	/* forgotten before it was written: nobody needs it any more */
	ck_assert_int_eq(tell(&e, 2, 8, 5), KEEPER_TAKEN);
	ck_assert_int_eq(events_forget(&e, 2, 10), KEEPER_TAKEN);
	ck_assert(events_next_commit(&e, 2, &c));
	ck_assert_uint_eq(c.forgotten, 10);
	ck_assert_uint_eq(c.first, 11);
	ck_assert_uint_eq(c.count, 2);
	events_committed(&e, 2, &c);
	ck_assert_uint_eq(e.used, 2);
	events_free(&e);
}
END_TEST

START_TEST(forgetting_does_not_go_back)
{
	struct events e;

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, 4000), KEEPER_TAKEN);
	ck_assert_int_eq(events_forget(&e, 0, 4001), KEEPER_BEYOND);
	ck_assert_int_eq(events_forget(&e, 0, 2500), KEEPER_TAKEN);
	check_held(&e, 0, 2500, 4000);
	ck_assert_int_eq(events_forget(&e, 0, 2499), KEEPER_TAKEN);
	check_held(&e, 0, 2500, 4000);
	ck_assert_int_eq(events_forget(&e, 0, 4000), KEEPER_TAKEN);
	check_held(&e, 0, 4000, 4000);
	ck_assert_int_eq(tell(&e, 0, 4001, 1), KEEPER_TAKEN);
	check_held(&e, 0, 4000, 4001);
	/* only where the rank says that some were lost */
	ck_assert_int_eq(events_feed(&e, 0, 100000, 99999), KEEPER_TAKEN);
	check_held(&e, 0, 100000, 100000);
	ck_assert_int_eq(tell(&e, 0, 100001, 2000), KEEPER_TAKEN);
	check_held(&e, 0, 100000, 102000);
	events_free(&e);
}
END_TEST

START_TEST(a_newer_incarnation_fences)
{
	struct events e;
	struct events_commit c;

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, 10), KEEPER_TAKEN);
	durable(&e);
	ck_assert_int_eq(tell(&e, 0, 11, 5), KEEPER_TAKEN);
	ck_assert_int_eq(come(&e, 0, 3, KEEPER_BEGIN, 4), KEEPER_TAKEN);
	/* what was not durable happens differently now */
	check_held(&e, 0, 0, 10);
	ck_assert(events_next_commit(&e, 0, &c));
	ck_assert_uint_eq(c.incarnation, 3);
	ck_assert(events_fenced(&e, 0, 2));
	ck_assert(!events_fenced(&e, 0, 3));
	ck_assert(!events_fenced(&e, 1, 1));
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 0), KEEPER_FENCED);
	ck_assert_int_eq(come(&e, 0, 1, KEEPER_GO_ON, 0), KEEPER_FENCED);
	events_committed(&e, 0, &c);
	/* it did not get all of its answer, or connects again */
	ck_assert_int_eq(come(&e, 0, 3, KEEPER_BEGIN, 4), KEEPER_TAKEN);
	ck_assert_int_eq(come(&e, 0, 3, KEEPER_GO_ON, 0), KEEPER_TAKEN);
	ck_assert(!events_next_commit(&e, 0, &c));
	events_free(&e);
}
END_TEST

START_TEST(a_new_incarnation_needs_all_after_its_checkpoint)
{
	struct events e;

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, 10), KEEPER_TAKEN);
	ck_assert_int_eq(events_forget(&e, 0, 5), KEEPER_TAKEN);
	durable(&e);
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 4), KEEPER_GONE);
	ck_assert(!events_fenced(&e, 0, 1));
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 5), KEEPER_TAKEN);
	check_held(&e, 0, 5, 10);
	ck_assert_int_eq(come(&e, 0, 3, KEEPER_BEGIN, 10), KEEPER_TAKEN);
	check_held(&e, 0, 5, 10);
	/* its checkpoint covers what was never acknowledged */
	ck_assert_int_eq(come(&e, 0, 4, KEEPER_BEGIN, 30), KEEPER_TAKEN);
	check_held(&e, 0, 30, 30);
	ck_assert_int_eq(tell(&e, 0, 31, 1), KEEPER_TAKEN);
	events_free(&e);
}
END_TEST

START_TEST(a_lost_log_is_fed)
{
	struct events e;

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, 10), KEEPER_TAKEN);
	durable(&e);
	ck_assert_uint_eq(e.used, 10);
	events_lose(&e, 0);
	ck_assert_uint_eq(e.used, 0);
	ck_assert(!events_whole(&e, 0));
	ck_assert(events_whole(&e, 1));
	ck_assert(events_fenced(&e, 0, 0));
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 0), KEEPER_LOST);
	ck_assert_int_eq(come(&e, 0, 1, KEEPER_GO_ON, 0), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 0, 1, 1), KEEPER_UNFED);
	/* a checkpoint covers 4, and 10 were acknowledged */
	ck_assert_int_eq(events_feed(&e, 0, 4, 10), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 0, 5, 5), KEEPER_TAKEN);
	durable(&e);
	ck_assert(!events_whole(&e, 0));
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 4), KEEPER_LOST);
	ck_assert_int_eq(come(&e, 0, 1, KEEPER_GO_ON, 0), KEEPER_TAKEN);
	/* said again, as the connection broke: no less is needed */
	ck_assert_int_eq(events_feed(&e, 0, 4, 9), KEEPER_TAKEN);
	ck_assert(!events_whole(&e, 0));
	ck_assert_int_eq(tell(&e, 0, 10, 1), KEEPER_TAKEN);
	ck_assert(!events_whole(&e, 0));
	durable(&e);
	ck_assert(events_whole(&e, 0));
	ck_assert_int_eq(come(&e, 0, 2, KEEPER_BEGIN, 4), KEEPER_TAKEN);
	check_held(&e, 0, 4, 10);
	events_free(&e);
}
END_TEST

START_TEST(so_many_may_wait)
{
	struct events e;

	setup(&e);
	ck_assert_int_eq(tell(&e, 0, 1, KEEPER_WINDOW), KEEPER_TAKEN);
	ck_assert_int_eq(tell(&e, 0, KEEPER_WINDOW + 1, 1), KEEPER_TOO_MANY);
	ck_assert_int_eq(tell(&e, 0, 1, KEEPER_WINDOW + 1), KEEPER_TOO_MANY);
	check_held(&e, 0, 0, KEEPER_WINDOW);
	durable(&e);
	ck_assert_int_eq(tell(&e, 0, KEEPER_WINDOW + 1, 1), KEEPER_TAKEN);
	events_free(&e);
}
END_TEST

/* Of records of all ranks; `wait`: how many of rank 0 do. */
static void check_limited(struct events *e, uint64_t used, uint64_t wait)
{
	durable(e);
	ck_assert_uint_eq(e->used, used);
	ck_assert_uint_eq(e->v[0].last - e->v[0].durable, wait);
	ck_assert(events_limited(e, 0) == (wait > 0));
}

START_TEST(the_limit_holds)
{
	struct events e;

	ck_assert(events_init(&e, RANKS, 100 * KEEPER_RECORD_BYTES));
	durable(&e);
	ck_assert_int_eq(tell(&e, 1, 1, 60), KEEPER_TAKEN);
	check_limited(&e, 60, 0);
	ck_assert_int_eq(tell(&e, 0, 1, 50), KEEPER_TAKEN);
	check_limited(&e, 100, 10);
	ck_assert_int_eq(tell(&e, 0, 51, 50), KEEPER_TAKEN);
	check_limited(&e, 100, 60);
	/* room of its own */
	ck_assert_int_eq(events_forget(&e, 0, 5), KEEPER_TAKEN);
	check_limited(&e, 100, 55);
	/* of another: there when that is durable */
	ck_assert_int_eq(events_forget(&e, 1, 50), KEEPER_TAKEN);
	check_limited(&e, 50, 55);
	check_limited(&e, 100, 5);
	ck_assert_int_eq(events_forget(&e, 0, 100), KEEPER_TAKEN);
	check_limited(&e, 10, 0);
	check_held(&e, 0, 100, 100);
	check_held(&e, 1, 50, 60);
	events_free(&e);
}
END_TEST

/* A step of a file, with its count of records. */
static int restore(struct events *e, uint32_t incarnation, uint64_t forgotten, uint64_t needed,
	uint64_t first, uint32_t count)
{
	static uint8_t records[KEEPER_WINDOW * KEEPER_RECORD_BYTES];
	struct events_commit c = {.incarnation = incarnation,
		.forgotten = forgotten,
		.needed = needed,
		.first = first,
		.count = count};
	const char *why;
	int rc;

	if (count <= KEEPER_WINDOW)
		fill(first, count, records);
	rc = events_restore(e, 0, &c, records, &why);
	ck_assert((rc == FT_EDAMAGED) == (why != NULL));
	return rc;
}

START_TEST(a_file_is_not_believed)
{
	struct events e;
	struct events_commit c;

	ck_assert(events_init(&e, 1, 5000 * KEEPER_RECORD_BYTES));
	ck_assert_int_eq(restore(&e, 2, 0, 0, 2, 1), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 2, 0, 0, 1, KEEPER_WINDOW + 1), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 2, 0, 0, 1, 10), 0);
	ck_assert_int_eq(restore(&e, 1, 0, 0, 11, 1), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 2, 4, 0, 11, 1), 0);
	ck_assert_int_eq(restore(&e, 2, 3, 0, 12, 1), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 2, 13, 0, 13, 0), FT_EDAMAGED);
	ck_assert_int_eq(
		restore(&e, 2, KEEPER_NUMBER_MAX + 1, 0, KEEPER_NUMBER_MAX + 2, 0), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 2, 4, KEEPER_NUMBER_MAX + 1, 12, 0), FT_EDAMAGED);
	ck_assert_int_eq(restore(&e, 3, 4, 20, 12, 0), 0);
	ck_assert_int_eq(restore(&e, 3, 4, 19, 12, 0), FT_EDAMAGED);
	ck_assert(!events_whole(&e, 0));
	check_held(&e, 0, 4, 11);
	ck_assert(!events_next_commit(&e, 0, &c));
	ck_assert_uint_eq(e.used, 7);
	ck_assert_int_eq(restore(&e, 3, 4, 20, 12, 4096), 0);
	ck_assert_int_eq(restore(&e, 3, 4, 20, 4108, 4096), FT_ETRUNC);
	ck_assert_int_eq(restore(&e, 3, 4, EVENTS_LOST, 4108, 0), 0);
	ck_assert_int_eq(restore(&e, 3, 9000, 5, 9001, 0), 0);
	check_held(&e, 0, 9000, 9000);
	ck_assert(events_whole(&e, 0));
	events_free(&e);
}
END_TEST

UNIT_MAIN("keeper_events", tcase_add_test(tc, records_follow_each_other);
	  tcase_add_test(tc, what_is_told_again_is_the_same);
	  tcase_add_test(tc, durable_is_what_was_written);
	  tcase_add_test(tc, forgetting_does_not_go_back);
	  tcase_add_test(tc, a_newer_incarnation_fences);
	  tcase_add_test(tc, a_new_incarnation_needs_all_after_its_checkpoint);
	  tcase_add_test(tc, a_lost_log_is_fed); tcase_add_test(tc, so_many_may_wait);
	  tcase_add_test(tc, the_limit_holds); tcase_add_test(tc, a_file_is_not_believed);)
