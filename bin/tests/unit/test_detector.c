/* SPDX-License-Identifier: BSD-3-Clause */
/* When silence is a suspicion, in virtual time. */
#include "heartbeat/detector.h"
#include "unit.h"

enum { PERIOD = 100, TIMEOUT = 1000, PEER = 3, OTHER = 8 };

static const struct detector_config config = {PERIOD, TIMEOUT, false};
static const int peers[] = {PEER, OTHER};

static struct detector *d;
static unsigned now_ms;
static struct detector_act acts[2];

static uint64_t ns(unsigned ms)
{
	return (uint64_t)ms * 1000000;
}

static void begin(bool debug)
{
	struct detector_config c = config;

	c.debug = debug;
	now_ms = 5000;
	d = detector_new(&c, peers, 2, ns(now_ms));
	ck_assert_ptr_nonnull(d);
}

static enum detector_kind beat(int peer, bool leaving)
{
	struct detector_act a = detector_beat(d, peer, now_ms, leaving, ns(now_ms));

	ck_assert(a.kind == DETECTOR_NOTHING || a.peer == peer);
	return a.kind;
}

static int tick_at(unsigned ms)
{
	now_ms = ms;
	return detector_tick(d, ns(now_ms), acts);
}

/* Ticks, each period, until there is an act or `limit` is passed: how long it took, 0 for none. */
static unsigned ticks_until_act(unsigned limit)
{
	unsigned begun = now_ms;

	while (now_ms - begun < limit)
		if (tick_at(now_ms + PERIOD) > 0)
			return now_ms - begun;
	return 0;
}

static void end(void)
{
	detector_free(d);
	d = NULL;
}

START_TEST(silence_is_suspected_once)
{
	begin(false);
	ck_assert_int_eq(beat(PEER, false), DETECTOR_FIRST);
	now_ms += PERIOD;
	ck_assert_int_eq(beat(PEER, false), DETECTOR_NOTHING);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].kind, DETECTOR_SUSPECT);
	ck_assert_int_eq(acts[0].peer, PEER);
	ck_assert_uint_eq(acts[0].silent_ms, TIMEOUT);
	ck_assert_uint_eq(acts[0].progress, 5000 + PERIOD);
	ck_assert_msg(ticks_until_act(10 * TIMEOUT) == 0, "suspected twice for one silence");
	end();
}
END_TEST

START_TEST(nobody_is_suspected_before_the_first_beat)
{
	begin(false);
	ck_assert_uint_eq(ticks_until_act(10 * TIMEOUT), 0);
	ck_assert_int_eq(beat(PEER, false), DETECTOR_FIRST);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].peer, PEER);
	end();
}
END_TEST

/* Once all are known to beat; who was heard, or has left, is as before. */
START_TEST(who_never_beat_is_missed_when_all_should)
{
	begin(false);
	beat(OTHER, true);
	tick_at(now_ms + PERIOD);
	detector_expect(d, ns(now_ms));
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].kind, DETECTOR_SUSPECT);
	ck_assert_int_eq(acts[0].peer, PEER);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), 0);
	end();
	begin(false);
	beat(PEER, false);
	beat(OTHER, false);
	tick_at(now_ms + PERIOD);
	detector_expect(d, ns(now_ms));
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT - PERIOD);
	end();
}
END_TEST

START_TEST(who_beats_is_not_suspected)
{
	begin(false);
	for (int i = 0; i < 100; i++) {
		beat(PEER, false);
		beat(OTHER, false);
		ck_assert_int_eq(tick_at(now_ms + PERIOD), 0);
	}
	/* one beat in nine periods is enough */
	for (int i = 0; i < 100; i++) {
		beat(PEER, false);
		beat(OTHER, false);
		ck_assert_uint_eq(ticks_until_act(TIMEOUT - PERIOD), 0);
	}
	end();
}
END_TEST

START_TEST(each_for_itself)
{
	begin(false);
	beat(PEER, false);
	beat(OTHER, false);
	for (int i = 0; i < 30; i++) {
		int n = tick_at(now_ms + PERIOD);

		ck_assert_int_eq(n, i == TIMEOUT / PERIOD - 1);
		if (n)
			ck_assert_int_eq(acts[0].peer, OTHER);
		beat(PEER, false);
	}
	end();
}
END_TEST

START_TEST(both_at_once)
{
	begin(false);
	beat(PEER, false);
	beat(OTHER, false);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].peer, PEER);
	ck_assert_int_eq(acts[1].peer, OTHER);
	end();
}
END_TEST

START_TEST(who_beats_again_is_observed_again)
{
	begin(false);
	beat(PEER, false);
	ck_assert_uint_eq(ticks_until_act(2 * TIMEOUT), TIMEOUT);
	now_ms += 50;
	ck_assert_int_eq(beat(PEER, false), DETECTOR_AGAIN);
	ck_assert_int_eq(beat(PEER, false), DETECTOR_NOTHING);
	ck_assert_uint_eq(ticks_until_act(2 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].kind, DETECTOR_SUSPECT);
	end();
}
END_TEST

START_TEST(who_leaves_is_not_missed)
{
	begin(false);
	beat(PEER, false);
	ck_assert_int_eq(beat(PEER, true), DETECTOR_LEFT);
	ck_assert_uint_eq(ticks_until_act(10 * TIMEOUT), 0);
	ck_assert_int_eq(beat(PEER, false), DETECTOR_NOTHING);
	ck_assert_uint_eq(ticks_until_act(10 * TIMEOUT), 0);
	/* the first beat may be the last */
	ck_assert_int_eq(beat(OTHER, true), DETECTOR_LEFT);
	ck_assert_uint_eq(ticks_until_act(10 * TIMEOUT), 0);
	end();
}
END_TEST

START_TEST(nobody_is_suspected_while_debugging)
{
	begin(true);
	beat(PEER, false);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), TIMEOUT);
	ck_assert_int_eq(acts[0].kind, DETECTOR_SILENT);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), 0);
	ck_assert_int_eq(beat(PEER, false), DETECTOR_AGAIN);
	end();
}
END_TEST

START_TEST(a_pause_of_the_observer_is_not_charged)
{
	begin(false);
	beat(PEER, false);
	ck_assert_uint_eq(ticks_until_act(500), 0);
	/* it is stopped for a minute, and ticks before it has read anything */
	ck_assert_int_eq(tick_at(now_ms + 60000), 0);
	/* 500 ms of silence before it, a period for the pause, and 400 ms more */
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), 400);
	ck_assert_uint_eq(acts[0].silent_ms, TIMEOUT);
	end();
}
END_TEST

/* A beat is the first event after the pause: it counts for its sender only. */
START_TEST(nor_when_it_ends_with_a_beat)
{
	begin(false);
	beat(PEER, false);
	beat(OTHER, false);
	ck_assert_uint_eq(ticks_until_act(500), 0);
	now_ms += 60000;
	ck_assert_int_eq(beat(OTHER, false), DETECTOR_NOTHING);
	ck_assert_int_eq(tick_at(now_ms), 0);
	ck_assert_uint_eq(ticks_until_act(3 * TIMEOUT), 400);
	ck_assert_int_eq(acts[0].peer, PEER);
	ck_assert_uint_eq(acts[0].silent_ms, TIMEOUT);
	end();
}
END_TEST

/* Ticks that are late by less than a period delay no suspicion. */
START_TEST(a_short_delay_is_charged)
{
	begin(false);
	beat(PEER, false);
	for (unsigned begun = now_ms;;) {
		int n = tick_at(now_ms + 2 * PERIOD - 1);

		ck_assert_msg(now_ms - begun < TIMEOUT + 2 * PERIOD, "no suspicion after %u ms",
			now_ms - begun);
		if (n)
			break;
	}
	ck_assert_uint_ge(acts[0].silent_ms, TIMEOUT);
	end();
}
END_TEST

/* Not a moment before it, wherever the ticks fall. */
START_TEST(the_timeout_is_the_least)
{
	for (unsigned shift = 0; shift < PERIOD; shift++) {
		begin(false);
		tick_at(now_ms + shift);
		beat(PEER, false);
		now_ms -= shift;
		ck_assert_uint_eq(ticks_until_act(TIMEOUT), shift ? 0 : TIMEOUT);
		if (shift)
			ck_assert_uint_eq(ticks_until_act(TIMEOUT), PERIOD);
		ck_assert_uint_ge(acts[0].silent_ms, TIMEOUT);
		end();
	}
}
END_TEST

/* So the suspicion that falls between two ticks is not a period late. */
START_TEST(it_tells_when_it_is_due)
{
	begin(false);
	ck_assert_uint_eq(detector_due(d), UINT64_MAX);
	beat(PEER, false);
	ck_assert_uint_eq(detector_due(d), ns(TIMEOUT));
	tick_at(now_ms + PERIOD / 4);
	beat(OTHER, false);
	ck_assert_uint_eq(detector_due(d), ns(TIMEOUT - PERIOD / 4));
	ck_assert_uint_eq(ticks_until_act(TIMEOUT - PERIOD), 0);
	ck_assert_uint_eq(detector_due(d), ns(PERIOD - PERIOD / 4));
	ck_assert_int_eq(tick_at(now_ms + PERIOD - PERIOD / 4 - 1), 0);
	ck_assert_int_eq(tick_at(now_ms + 1), 1);
	ck_assert_int_eq(acts[0].peer, PEER);
	ck_assert_uint_eq(acts[0].silent_ms, TIMEOUT);
	ck_assert_uint_eq(detector_due(d), ns(PERIOD / 4));
	beat(OTHER, true);
	ck_assert_uint_eq(detector_due(d), UINT64_MAX);
	end();
}
END_TEST

/* Every tick is late by far: slower, but it comes to a suspicion. */
START_TEST(a_starved_observer_still_suspects)
{
	int ticks = 0;

	begin(false);
	beat(PEER, false);
	while (tick_at(now_ms + 5 * PERIOD) == 0)
		ck_assert_int_lt(++ticks, 2 * TIMEOUT / PERIOD);
	ck_assert_int_eq(acts[0].kind, DETECTOR_SUSPECT);
	end();
}
END_TEST

START_TEST(it_knows_its_peers)
{
	begin(false);
	ck_assert(detector_knows(d, PEER) && detector_knows(d, OTHER));
	ck_assert(!detector_knows(d, 0) && !detector_knows(d, 4) && !detector_knows(d, 9));
	ck_assert(!detector_knows(d, -1));
	end();
}
END_TEST

UNIT_MAIN("detector", tcase_add_test(tc, silence_is_suspected_once);
	  tcase_add_test(tc, nobody_is_suspected_before_the_first_beat);
	  tcase_add_test(tc, who_never_beat_is_missed_when_all_should);
	  tcase_add_test(tc, who_beats_is_not_suspected); tcase_add_test(tc, each_for_itself);
	  tcase_add_test(tc, both_at_once); tcase_add_test(tc, who_beats_again_is_observed_again);
	  tcase_add_test(tc, who_leaves_is_not_missed);
	  tcase_add_test(tc, nobody_is_suspected_while_debugging);
	  tcase_add_test(tc, a_pause_of_the_observer_is_not_charged);
	  tcase_add_test(tc, nor_when_it_ends_with_a_beat);
	  tcase_add_test(tc, a_short_delay_is_charged);
	  tcase_add_test(tc, the_timeout_is_the_least); tcase_add_test(tc, it_tells_when_it_is_due);
	  tcase_add_test(tc, a_starved_observer_still_suspects);
	  tcase_add_test(tc, it_knows_its_peers);)
