/* SPDX-License-Identifier: BSD-3-Clause */
/* The pure parts of coordination, each alone: counts by envelope, orphans and orphans to suppress,
 * the tree. */
#include <string.h>

#include "coord/suppress.h"
#include "coord/envelope_counters.h"
#include "coord/reduction.h"
#include "coord/tree.h"
#include "unit.h"

/* ---- counts by envelope ---- */

START_TEST(envelopes_count_apart)
{
	struct envelope_counters l;

	envelope_counters_init(&l);
	ck_assert_ptr_null(envelope_counters_last(&l, 0, 0));
	ck_assert_ptr_null(envelope_counters_find(&l, 0, 0));
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 5000; i++)
			envelope_counters_get(&l, (uint64_t)(i % 50) << 32, i / 50)->a++;
	ck_assert_uint_eq(l.n, 5000);
	for (int tag = 99; tag > 99 - ENVELOPE_COUNTERS_RECENT; tag--)
		ck_assert_ptr_eq(envelope_counters_last(&l, UINT64_C(49) << 32, tag),
			envelope_counters_find(&l, UINT64_C(49) << 32, tag));
	ck_assert_ptr_null(
		envelope_counters_last(&l, UINT64_C(49) << 32, 99 - ENVELOPE_COUNTERS_RECENT));
	ck_assert_ptr_null(envelope_counters_last(&l, UINT64_C(48) << 32, 99));
	for (uint32_t i = 0; i < l.n; i++) {
		ck_assert_uint_eq(l.slots[i].context, (uint64_t)(i % 50) << 32);
		ck_assert_int_eq(l.slots[i].tag, (int)(i / 50));
		ck_assert_uint_eq(l.slots[i].a, 3);
	}
	envelope_counters_clear(&l);
	ck_assert_uint_eq(l.n, 0);
	ck_assert_ptr_null(envelope_counters_again(&l, 0, 0));
	envelope_counters_free(&l);
}
END_TEST

/* Those that go leave no gap behind which one is not found. */
START_TEST(what_is_even_and_not_held_is_forgotten)
{
	for (int n = 1; n < 4000; n++) {
		struct envelope_counters l;
		uint32_t kept = 0;
		int many = n % 128;
		uint64_t step = (uint64_t)n;

		envelope_counters_init(&l);
		for (int i = 0; i < many; i++) {
			struct envelope_slot *e = envelope_counters_get(&l, i * step, i);

			e->a = 7;
			e->s = i % 3 ? 7 : 5;
			e->held = i % 7 == 1;
		}
		envelope_counters_keep(&l);
		for (int i = 0; i < many; i++) {
			bool stays = i % 3 == 0 || i % 7 == 1;
			struct envelope_slot *e = envelope_counters_find(&l, i * step, i);

			ck_assert_int_eq(e != NULL, stays);
			ck_assert(!e || (!e->held && e->a == 7));
			ck_assert(!e || e == &l.slots[kept]);
			kept += stays;
		}
		ck_assert_uint_eq(l.n, kept);
		envelope_counters_free(&l);
	}
}
END_TEST

/* ---- orphans and orphans to suppress ---- */

static void add(struct orphans *o, uint32_t peer, int32_t tag, uint64_t first, uint64_t count)
{
	struct orphan_range r = {
		.peer = peer, .tag = tag, .context = 6, .first = first, .count = count};

	ck_assert(orphans_add(o, &r));
}

START_TEST(orphans_go_through_bytes)
{
	struct orphans o = {0}, again = {0};
	uint8_t *bytes;
	size_t len;

	add(&o, 0, 7, 1, 2);
	add(&o, 0, 7, 3, 1);
	add(&o, 0, 7, 5, 0);
	add(&o, 0, 7, 9, 4);
	add(&o, 2, 7, 1, 1);
	ck_assert_uint_eq(o.n, 3);
	ck_assert(orphans_encode(&o, &bytes, &len));
	ck_assert_uint_eq(len, 4 + 3 * 32);
	ck_assert(orphans_valid(bytes, len, 3));
	ck_assert(orphans_decode(&again, bytes, len));
	ck_assert_uint_eq(again.n, 3);
	ck_assert_int_eq(memcmp(o.v, again.v, 3 * sizeof *o.v), 0);
	ck_assert(!orphans_valid(bytes, len, 2));
	ck_assert(!orphans_valid(bytes, len - 1, 3));
	ck_assert(!orphans_valid(bytes, 0, 3));
	orphans_free(&o);
	orphans_free(&again);
	free(bytes);
}
END_TEST

static void add_sums(struct orphans *o, uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++)
		ck_assert(orphans_add_sum(o, &(struct orphan_sum){.length = i, .hash = 100 * i}));
}

/* All of them, or none as in lines that were made before there were any. */
START_TEST(orphans_have_checksums)
{
	struct orphans o = {0}, again = {0}, left = {0};
	struct suppress d = {0};
	uint8_t *bytes;
	size_t len;

	add(&o, 0, 7, 2, 2);
	add(&o, 0, 7, 5, 1);
	add_sums(&o, 3);
	ck_assert(orphans_encode(&o, &bytes, &len));
	ck_assert_uint_eq(len, 4 + 2 * 32 + 3 * 16);
	ck_assert(orphans_valid(bytes, len, 1));
	ck_assert(!orphans_valid(bytes, len - 1, 1));
	ck_assert(!orphans_valid(bytes, len - 16, 1));
	ck_assert(orphans_valid(bytes, len - 3 * 16, 1));
	ck_assert(orphans_decode(&again, bytes, len));
	ck_assert_uint_eq(again.nsums, 3);
	ck_assert_uint_eq(again.sums[2].hash, 300);
	ck_assert(suppress_load(&d, &again));
	ck_assert(!suppress_arrived(&d, 0, 6, 7) && suppress_arrived(&d, 0, 6, 7));
	ck_assert_uint_eq(d.latest.length, 1);
	ck_assert(suppress_left(&d, &left));
	ck_assert_uint_eq(left.nsums, 2);
	ck_assert_uint_eq(left.sums[1].hash, 300);
	ck_assert(suppress_arrived(&d, 0, 6, 7) && !suppress_arrived(&d, 0, 6, 7) &&
		  suppress_arrived(&d, 0, 6, 7));
	ck_assert_uint_eq(d.latest.hash, 300);
	suppress_free(&d);
	orphans_free(&o);
	orphans_free(&again);
	orphans_free(&left);
	free(bytes);
}
END_TEST

START_TEST(messages_are_the_same_as_far_as_is_known)
{
	struct orphan_sum is = {.length = 8, .hash = 5}, other = {.length = 8, .hash = 6};
	struct orphan_sum shorter = {.length = 4, .hash = 5}, cut = {.length = 8};
	struct orphan_sum unknown = {.length = ORPHAN_NO_LENGTH};

	ck_assert(orphans_same(&is, &is) && orphans_same(&cut, &is));
	ck_assert(orphans_same(&unknown, &is));
	ck_assert(!orphans_same(&is, &other) && !orphans_same(&is, &shorter));
	ck_assert(!orphans_same(&cut, &shorter));
}
END_TEST

/* Each is one byte away from right: where, and what it becomes. */
static const struct {
	size_t at;
	uint8_t is;
	const char *what;
} wrongs[] = {{0, 3, "too few ranges"}, {0, 1, "too many"}, {4, 9, "no such rank"},
	{4 + 16, 0, "number 0"}, {4 + 24, 0, "a range of none"}, {4 + 24 + 7, 0x80, "a huge one"},
	{4 + 16 + 7, 0x7f, "beyond the end"}, {4 + 32 + 16, 2, "two that overlap"},
	{4 + 32 + 4, 6, "not sorted"}};

START_TEST(orphans_that_make_no_sense)
{
	struct orphans o = {0};
	uint8_t *bytes;
	size_t len;

	add(&o, 0, 7, 1, 3);
	add(&o, 0, 7, 5, 2);
	ck_assert(orphans_encode(&o, &bytes, &len));
	ck_assert(orphans_valid(bytes, len, 3));
	bytes[wrongs[_i].at] = wrongs[_i].is;
	if (wrongs[_i].at == 4 + 16 + 7)
		bytes[4 + 24 + 7] = 0x7f;
	ck_assert_msg(!orphans_valid(bytes, len, 3), "%s", wrongs[_i].what);
	orphans_free(&o);
	free(bytes);
}
END_TEST

/* Room for them would be counted wrong. */
START_TEST(orphans_that_cannot_be_counted)
{
	struct orphans o = {0};
	uint8_t *bytes;
	size_t len;

	for (int32_t tag = 0; tag < 3; tag++)
		add(&o, 0, tag, 1, tag < 2 ? INT64_MAX - 1 : 5);
	ck_assert(orphans_encode(&o, &bytes, &len));
	ck_assert(!orphans_valid(bytes, len, 1));
	orphans_free(&o);
	free(bytes);
}
END_TEST

START_TEST(an_orphan_is_suppressed_once)
{
	struct orphans o = {0}, left = {0};
	struct suppress d = {0};

	add(&o, 0, 7, 2, 2);
	add(&o, 0, 7, 5, 1);
	add(&o, 1, 7, 1, 1);
	ck_assert(suppress_load(&d, &o));
	ck_assert_uint_eq(d.left, 4);
	ck_assert(!suppress_arrived(&d, 0, 6, 7));
	ck_assert(!suppress_arrived(&d, 0, 6, 8));
	ck_assert(!suppress_arrived(&d, 0, 4, 7));
	ck_assert(suppress_arrived(&d, 0, 6, 7));
	ck_assert(suppress_left(&d, &left));
	ck_assert_uint_eq(left.n, 3);
	ck_assert_uint_eq(left.v[0].first, 1);
	ck_assert_uint_eq(left.v[0].count, 1);
	ck_assert_uint_eq(left.v[1].first, 3);
	ck_assert(suppress_arrived(&d, 0, 6, 7));
	ck_assert(!suppress_arrived(&d, 0, 6, 7));
	ck_assert(suppress_arrived(&d, 0, 6, 7));
	ck_assert(!suppress_arrived(&d, 0, 6, 7));
	ck_assert(suppress_arrived(&d, 1, 6, 7));
	ck_assert_uint_eq(d.left, 0);
	suppress_free(&d);
	orphans_free(&o);
	orphans_free(&left);
}
END_TEST

/* ---- the tree ---- */

/* Every rank but 0 is the child of its parent, and subtrees are what they say. */
START_TEST(the_tree_holds_everybody_once)
{
	for (int size = 1; size < 70; size++)
		for (int r = 0; r < size; r++) {
			int end = r + 1, child;
			unsigned all = 1u << TREE_SELF;

			for (int bit = 0; (child = tree_child(r, size, bit)) >= 0; bit++) {
				ck_assert_int_eq(child, end);
				ck_assert_int_eq(tree_parent(child), r);
				ck_assert_int_eq(tree_child_bit(r, size, child), bit);
				ck_assert(tree_joins(child, size, r) && tree_joins(r, size, child));
				end += tree_span(child, size);
				all |= 1u << bit;
			}
			ck_assert_int_eq(end, r + tree_span(r, size));
			ck_assert_uint_eq(tree_all(r, size), all);
			ck_assert_int_lt(tree_child_bit(r, size, r), 0);
		}
	ck_assert_int_eq(tree_span(0, 69), 69);
	ck_assert(!tree_joins(3, 8, 1));
}
END_TEST

START_TEST(sums_are_by_line)
{
	static const uint32_t lines[] = {5, 3, 9, 3};
	struct reduction *list = NULL;
	uint32_t one[4] = {1, 0, 0, 2};

	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(reduction_at(&list, lines[i], 0, 4)->line, lines[i]);
	ck_assert_uint_eq(list->line, 3);
	ck_assert_ptr_eq(reduction_find(list, 5), list->next);
	ck_assert_ptr_null(reduction_find(list, 4));
	ck_assert(!reduction_count_right(list, 0, 4, 2, (uint32_t[]){0, 0, 2, 0}));
	ck_assert(!reduction_count_right(list, 0, 4, 2, (uint32_t[]){3, 0, 0, 0}));
	ck_assert(!reduction_count_right(list, 0, 4, 3, (uint32_t[]){0, 0, 0, 0}));
	ck_assert(reduction_count_right(list, 0, 4, 2, (uint32_t[]){2, 2, 1, 1}));
	reduction_count(list, 1, 4, one);
	reduction_count(list, TREE_SELF, 4, one);
	ck_assert_uint_eq(list->counts[3], 4);
	ck_assert(!reduction_count_right(list, 0, 4, 2, one));
	while (list)
		reduction_remove(&list, list->next ? list->next : list);
}
END_TEST

UNIT_MAIN("coord_parts", tcase_add_test(tc, envelopes_count_apart);
	  tcase_add_test(tc, what_is_even_and_not_held_is_forgotten);
	  tcase_add_test(tc, orphans_go_through_bytes); tcase_add_test(tc, orphans_have_checksums);
	  tcase_add_test(tc, messages_are_the_same_as_far_as_is_known); tcase_add_loop_test(
		  tc, orphans_that_make_no_sense, 0, (int)(sizeof wrongs / sizeof *wrongs));
	  tcase_add_test(tc, orphans_that_cannot_be_counted);
	  tcase_add_test(tc, an_orphan_is_suppressed_once);
	  tcase_add_test(tc, the_tree_holds_everybody_once); tcase_add_test(tc, sums_are_by_line);)
