/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers that do not run while their signal is still to come. */
#include <string.h>
#include <sys/time.h>

#include "image/state.h"
#include "unit.h"

enum { REAL = ITIMER_REAL, VIRTUAL = ITIMER_VIRTUAL, PROF = ITIMER_PROF };

/* struct itimerval: interval and value, seconds and microseconds */
static const struct {
	int which;
	bool pending;
	uint64_t before[4], after[4];
} timers[] = {
	/* none, stopped */
	{REAL, false, {0, 0, 0, 0}, {0, 0, 0, 0}},
	{VIRTUAL, false, {0, 0, 0, 0}, {0, 0, 0, 0}},
	{VIRTUAL, false, {0, 500, 0, 0}, {0, 500, 0, 0}},
	/* it runs */
	{REAL, false, {0, 500, 0, 7}, {0, 500, 0, 7}},
	{REAL, true, {0, 0, 9, 0}, {0, 0, 9, 0}},
	{PROF, true, {1, 0, 0, 7}, {1, 0, 0, 7}},
	/* it begins again when its signal is taken, or just was */
	{REAL, true, {0, 500, 0, 0}, {0, 500, 0, 1}},
	{REAL, true, {2, 0, 0, 0}, {2, 0, 0, 1}},
	{REAL, false, {2, 0, 0, 0}, {2, 0, 0, 1}},
	/* it went off once */
	{REAL, true, {0, 0, 0, 0}, {0, 0, 0, 1}},
	{PROF, true, {0, 0, 0, 0}, {0, 0, 0, 1}},
	/* it was stopped when it had */
	{VIRTUAL, true, {3, 500, 0, 0}, {0, 0, 0, 1}},
};

START_TEST(each_timer)
{
	uint64_t timer[4];

	memcpy(timer, timers[_i].before, sizeof timer);
	image_state_timer_due(timer, timers[_i].which, timers[_i].pending);
	ck_assert_mem_eq(timer, timers[_i].after, sizeof timer);
}
END_TEST

UNIT_MAIN("image_state", tcase_add_loop_test(tc, each_timer, 0, sizeof timers / sizeof *timers);)
