/* SPDX-License-Identifier: BSD-3-Clause */
/* Of which lines ranks make a part: never more copies than allowed, and ranks of different speed
 * have lines in common. */
#include "mpi/recovery/ckpt_pace.h"
#include "unit.h"

enum { RANKS = 3, LINES = 4096, LARGE = 1 << 30 };

/* A rank that calls at every tick, from `first` on, and whose disk takes `disk` ticks for a copy,
 * one after the other. */
struct rank {
	struct ckpt_pace pace;
	long first, disk, free_at;
	long written[LINES + 1]; /* when the copy of the line goes; 0: there is none */
	bool took[LINES + 1];
	size_t most;
};

static struct ckpt_held held_at(const struct rank *r, long now, uint64_t bytes)
{
	struct ckpt_held held = {0};

	for (int i = 1; i <= LINES; i++)
		if (r->took[i] && r->written[i] > now)
			held.copies++;
	held.bytes = held.copies * bytes;
	return held;
}

/* late: nothing is written before the last rank has made its call. */
static void call(struct rank *r, uint32_t line, uint64_t bytes, long late)
{
	long now = r->first + line;
	struct ckpt_held held = held_at(r, now, bytes);
	long ready = late > now ? late : now;

	if (held.copies > r->most)
		r->most = held.copies;
	r->took[line] = ckpt_pace_takes(&r->pace, line, &held);
	if (!r->took[line])
		return;
	r->free_at = (r->free_at > ready ? r->free_at : ready) + r->disk;
	r->written[line] = r->free_at;
	if (held.copies + 1 > r->most)
		r->most = held.copies + 1;
}

static int in_common(const struct rank *r, int ranks)
{
	int n = 0;

	for (int line = 1; line <= LINES; line++) {
		bool all = true;

		for (int q = 0; q < ranks; q++)
			all = all && r[q].took[line];
		n += all;
	}
	return n;
}

START_TEST(who_keeps_up_takes_every_line)
{
	static struct rank r = {.disk = 1};

	for (uint32_t line = 1; line <= LINES; line++)
		call(&r, line, LARGE, 0);
	ck_assert_int_eq(in_common(&r, 1), LINES);
}
END_TEST

/* Those of the slowest are what can be made; a quarter of them is. */
START_TEST(slow_disks_have_lines_in_common)
{
	static const long disks[][RANKS] = {
		{10, 10, 10}, {2, 10, 7}, {50, 3, 20}, {1, 1, 100}, {33, 34, 35}};
	static struct rank r[RANKS];
	long slowest = 0;

	for (int q = 0; q < RANKS; q++) {
		r[q] = (struct rank){.disk = disks[_i][q]};
		slowest = r[q].disk > slowest ? r[q].disk : slowest;
		for (uint32_t line = 1; line <= LINES; line++)
			call(&r[q], line, LARGE, 0);
		ck_assert_uint_eq(r[q].most, disks[_i][q] > 1 ? PACE_COPIES : 1);
	}
	ck_assert_int_ge(in_common(r, RANKS), (int)(LINES / slowest / 4));
}
END_TEST

/* A rank that nobody waits for comes to each line 200 ticks later; copies of the others, who are at
 * places of their own, wait until then. */
START_TEST(who_is_ahead_of_a_late_rank_has_lines_in_common_with_others)
{
	static struct rank r[2];

	for (int q = 0; q < 2; q++) {
		r[q] = (struct rank){.first = 37 * q};
		for (uint32_t line = 1; line <= LINES; line++)
			call(&r[q], line, LARGE, 200 + (long)line);
		ck_assert_uint_eq(r[q].most, PACE_COPIES);
	}
	ck_assert_int_ge(in_common(r, 2), LINES / 200);
}
END_TEST

START_TEST(small_copies_may_be_more)
{
	struct ckpt_pace pace = {0};
	struct ckpt_held few = {PACE_COPIES, PACE_BYTES - 1},
			 many = {PACE_COPIES_MOST, 64 * (size_t)PACE_COPIES_MOST};

	ck_assert(ckpt_pace_takes(&pace, 7, &few));
	ck_assert(!ckpt_pace_takes(&pace, 8, &many));
	ck_assert(!ckpt_pace_takes(&pace, 9, &few));
	ck_assert(ckpt_pace_takes(&pace, 10, &few));
}
END_TEST

UNIT_MAIN("ckpt_pace", tcase_add_test(tc, who_keeps_up_takes_every_line);
	  tcase_add_loop_test(tc, slow_disks_have_lines_in_common, 0, 5);
	  tcase_add_test(tc, who_is_ahead_of_a_late_rank_has_lines_in_common_with_others);
	  tcase_add_test(tc, small_copies_may_be_more);)
