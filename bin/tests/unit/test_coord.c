/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocking protocol: which steps it asks for, in which order, and what it makes of their
 * answers. */
#include <string.h>

#include "base/error.h"
#include "coord/coord.h"
#include "unit.h"

enum { SIZE = 3, HIGHEST = 7 };

static struct {
	struct coord c;
	char steps[128];
	uint64_t expected; /* what others say they have sent here */
	int waited;
	bool secured, saved, concluded, found;
	bool wakes; /* from the image that COORD_SAVE has taken, as of line HIGHEST */
	uint64_t told[SIZE];
} fake;

static void step(const char *name)
{
	strcat(fake.steps, name);
	strcat(fake.steps, " ");
}

static uint64_t exchange(void)
{
	memcpy(fake.told, fake.c.sent, sizeof fake.told);
	return fake.expected;
}

/* A message comes with each look, as long as it is waited for one. */
static void wait_for(void)
{
	while (!coord_wait_is_over(&fake.c)) {
		ck_assert_int_lt(++fake.waited, 1000);
		coord_arrived(&fake.c, 1, 0, 0, 1);
	}
}

static void act(const struct coord_action *a)
{
	static const char *const names[] = {[COORD_EXCHANGE] = "exchange",
		[COORD_WAIT] = "wait",
		[COORD_SECURE] = "secure",
		[COORD_SAVE] = "save",
		[COORD_CONCLUDE] = "ready",
		[COORD_FIND] = "find",
		[COORD_QUIET] = "quiet",
		[COORD_FORGET] = "forget",
		[COORD_TAKE] = "take"};
	const bool unready = a->kind == COORD_CONCLUDE && !a->ok;
	bool ok = true;

	step(unready ? "unready" : names[a->kind]);
	if (a->kind == COORD_WAIT)
		wait_for();
	else if (a->kind == COORD_SECURE)
		ok = fake.secured;
	else if (a->kind == COORD_SAVE)
		ok = fake.saved;
	else if (a->kind == COORD_CONCLUDE)
		ok = fake.concluded && a->ok;
	else if (a->kind == COORD_FIND)
		ok = fake.found;
	if (a->kind == COORD_SAVE && fake.wakes) {
		coord_woke(&fake.c, HIGHEST);
		return;
	}
	coord_answer(&fake.c, ok, a->kind == COORD_EXCHANGE ? exchange() : 0);
}

static bool drive(void)
{
	struct coord_action a;

	while (coord_next_action(&fake.c, &a))
		act(&a);
	return coord_result(&fake.c);
}

static bool checkpoint(void)
{
	coord_checkpoint(&fake.c, NULL);
	return drive();
}

static bool wait_for_lines(void)
{
	ck_assert(coord_lines_over(&fake.c));
	return coord_lines_made(&fake.c);
}

static bool restore(void)
{
	coord_restore(&fake.c);
	return drive();
}

static void begin(void)
{
	coord_fini(&fake.c);
	memset(&fake, 0, sizeof fake);
	fake.secured = fake.saved = fake.concluded = fake.found = true;
	ck_assert_int_eq(coord_init(&fake.c, "blocking", 0, SIZE, NULL, NULL), 0);
}

START_TEST(an_unknown_name_is_refused)
{
	struct coord c;

	ck_assert_int_eq(coord_init(&c, "hopeful", 0, SIZE, NULL, NULL), FT_EINVAL);
	ck_assert_ptr_nonnull(strstr(coord_names(), "blocking"));
}
END_TEST

START_TEST(a_line_waits_for_every_message)
{
	begin();
	coord_sent(&fake.c, 1, 0, 0);
	coord_sent(&fake.c, 1, 0, 0);
	coord_sent(&fake.c, 2, 0, 0);
	coord_arrived(&fake.c, 1, 0, 0, 1);
	fake.expected = 5;
	ck_assert(checkpoint());
	ck_assert_str_eq(fake.steps, "exchange wait secure save ready ");
	ck_assert_int_eq(fake.waited, 4);
	ck_assert_uint_eq(fake.told[0], 0);
	ck_assert_uint_eq(fake.told[1], 2);
	ck_assert_uint_eq(fake.told[2], 1);
	ck_assert_uint_eq(fake.c.line, 1);
	coord_fini(&fake.c);
}
END_TEST

START_TEST(a_rank_that_fails_says_so)
{
	begin();
	fake.secured = false;
	ck_assert(!checkpoint());
	ck_assert_str_eq(fake.steps, "exchange wait secure unready ");
	begin();
	fake.saved = false;
	ck_assert(!checkpoint());
	ck_assert_str_eq(fake.steps, "exchange wait secure save unready ");
	begin();
	fake.concluded = false;
	ck_assert(!checkpoint());
	ck_assert_str_eq(fake.steps, "exchange wait secure save ready ");
	ck_assert(!wait_for_lines());
	fake.concluded = true;
	ck_assert(checkpoint());
	ck_assert_uint_eq(fake.c.line, 2);
	ck_assert(wait_for_lines());
	coord_fini(&fake.c);
}
END_TEST

START_TEST(a_restore_forgets_the_prefix)
{
	begin();
	fake.expected = 2;
	ck_assert(restore());
	ck_assert_str_eq(fake.steps, "find quiet exchange wait secure forget take ");
	ck_assert_int_eq(fake.waited, 2);
	coord_fini(&fake.c);
}
END_TEST

/* Of the latest line a restore says nothing, whether it finds one or not. */
START_TEST(a_restore_does_not_change_what_became_of_the_line)
{
	begin();
	fake.found = false;
	ck_assert(!restore());
	ck_assert(wait_for_lines());
	ck_assert(checkpoint());
	ck_assert(!restore());
	ck_assert(wait_for_lines());
	fake.concluded = false;
	ck_assert(!checkpoint());
	fake.found = true;
	ck_assert(restore());
	ck_assert(!wait_for_lines());
	coord_fini(&fake.c);
}
END_TEST

/* Nobody concludes the line again, and no count of before counts (C10). */
START_TEST(who_wakes_up_while_it_saves_has_restored)
{
	begin();
	fake.concluded = false;
	ck_assert(!checkpoint());
	coord_sent(&fake.c, 1, 0, 0);
	coord_sent(&fake.c, 0, 0, 0);
	fake.steps[0] = '\0';
	fake.expected = 3;
	fake.concluded = fake.wakes = true;
	ck_assert(checkpoint());
	ck_assert_str_eq(fake.steps, "exchange wait secure save ");
	ck_assert_uint_eq(fake.c.line, HIGHEST);
	ck_assert_uint_eq(fake.c.restores, 1);
	ck_assert(wait_for_lines());

	fake.wakes = false;
	fake.waited = 0;
	fake.expected = 2;
	coord_sent(&fake.c, 2, 0, 0);
	ck_assert(checkpoint());
	ck_assert_int_eq(fake.waited, 2);
	ck_assert_uint_eq(fake.c.line, HIGHEST + 1);
	for (int q = 0; q < SIZE; q++)
		ck_assert_uint_eq(fake.told[q], q == 2);
	coord_fini(&fake.c);
}
END_TEST

START_TEST(without_a_line_nothing_is_forgotten)
{
	begin();
	fake.found = false;
	ck_assert(!restore());
	ck_assert_str_eq(fake.steps, "find ");
	coord_fini(&fake.c);
}
END_TEST

UNIT_MAIN("coord", tcase_add_test(tc, an_unknown_name_is_refused);
	  tcase_add_test(tc, a_line_waits_for_every_message);
	  tcase_add_test(tc, a_rank_that_fails_says_so);
	  tcase_add_test(tc, a_restore_forgets_the_prefix);
	  tcase_add_test(tc, a_restore_does_not_change_what_became_of_the_line);
	  tcase_add_test(tc, who_wakes_up_while_it_saves_has_restored);
	  tcase_add_test(tc, without_a_line_nothing_is_forgotten);)
