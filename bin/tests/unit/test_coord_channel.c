/* SPDX-License-Identifier: BSD-3-Clause */
/* What protocols say to each other is heard in the order in which it was said. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/recovery/coord_channel.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p_saved.h"
#include "unit.h"

enum { PEERS = 3 };

static char heard[64];
static int answer; /* of tp_send */
static void *sent;
static struct engine_deferred *deferred_now; /* not run at once */
static bool deferring;

bool coord_control(struct coord *c, int peer, const uint8_t *bytes, size_t len)
{
	size_t n = strlen(heard);

	(void)c;
	ck_assert_uint_gt(sizeof heard - n, len + 3);
	heard[n] = (char)('0' + peer);
	memcpy(heard + n + 1, bytes, len);
	memcpy(heard + n + 1 + len, " ", 2);
	return true;
}

void coord_finish_bytes(uint8_t *bytes, size_t len)
{
	ck_assert_mem_eq(bytes, "sdrow", len);
	memcpy(bytes, "words", len);
}

void p2p_drive(void)
{
}

void engine_defer(struct engine_deferred *deferred)
{
	if (deferring)
		deferred_now = deferred;
	else
		deferred->run(deferred);
}

void engine_defer_cancel(struct engine_deferred *deferred)
{
	if (deferred == deferred_now)
		deferred_now = NULL;
}

struct engine_news engine_news;

struct tp *engine_tp(void)
{
	return NULL;
}

int tp_send(struct tp *tp, int peer, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	(void)tp;
	(void)peer;
	(void)e;
	(void)flags;
	ck_assert_mem_eq(payload, "words", len);
	sent = cookie;
	return answer;
}

static void *announce(int peer, const char *words)
{
	struct tp_place place = coord_channel.place(peer, NULL, strlen(words));

	ck_assert_uint_eq(place.room, strlen(words));
	memcpy(place.buf, words, place.room);
	return place.cookie;
}

static void setup(void)
{
	static const int zeros[PEERS], ones[PEERS] = {1, 1, 1};
	struct world_info world = {.size = PEERS, .node = zeros, .cores = ones};

	heard[0] = '\0';
	ck_assert_int_eq(comm_world_init(&world), MPI_SUCCESS);
	ck_assert_int_eq(coord_channel_init(NULL, PEERS), 0);
}

/* The first is long and comes last; another peer's do not wait for it. */
START_TEST(in_order)
{
	void *first, *second, *third, *other;

	setup();
	first = announce(1, "one");
	second = announce(1, "two");
	third = announce(1, "three");
	other = announce(2, "x");
	coord_channel.received(second, 0);
	ck_assert_str_eq(heard, "");
	coord_channel.received(other, 0);
	ck_assert_str_eq(heard, "2x ");
	coord_channel.received(first, 0);
	ck_assert_str_eq(heard, "2x 1one 1two ");
	coord_channel.received(third, 0);
	ck_assert_str_eq(heard, "2x 1one 1two 1three ");
	coord_channel_fini();
}
END_TEST

/* Nothing that a lost rank said behind what is cut off is heard. */
START_TEST(lost)
{
	void *first, *second;

	setup();
	first = announce(1, "one");
	second = announce(1, "two");
	coord_channel.received(first, FT_EPEER);
	coord_channel.received(second, 0);
	ck_assert_str_eq(heard, "");
	coord_channel_fini();
}
END_TEST

/* What will not come is out of the way of what is said later. */
START_TEST(unplaced)
{
	void *first, *second;

	setup();
	first = announce(1, "one");
	coord_channel.unplace(first);
	second = announce(1, "two");
	coord_channel.received(second, 0);
	ck_assert_str_eq(heard, "1two ");
	coord_channel.unplace(announce(2, "left"));
	coord_channel_fini();
}
END_TEST

/* Nothing of before a process woke up is sent, or is heard when others speak later. */
START_TEST(forgotten)
{
	void *first, *second;

	setup();
	deferring = true;
	coord_channel_send(1, (const uint8_t *)"sdrow", 5);
	ck_assert_ptr_nonnull(deferred_now);
	first = announce(1, "one");
	second = announce(1, "two");
	coord_channel.received(second, 0);
	coord_channel.unplace(first); /* as when all pairs begin anew */
	coord_channel_forget();
	ck_assert_ptr_null(deferred_now);
	coord_channel.received(announce(1, "three"), 0);
	ck_assert_str_eq(heard, "1three ");
	sent = NULL;
	ck_assert_uint_eq(coord_channel_sent().messages, 0);
	ck_assert_ptr_null(sent);
	deferring = false;
	coord_channel_fini();
}
END_TEST

/* Freed at once, or when the transport gives them back. */
START_TEST(said)
{
	static const int at_once[] = {1, FT_EPEER};

	setup();
	for (size_t i = 0; i < 2; i++) {
		answer = at_once[i];
		coord_channel_send(1, (const uint8_t *)"sdrow", 5);
	}
	answer = 0;
	coord_channel_send(1, (const uint8_t *)"sdrow", 5);
	coord_channel.sent(sent);
	coord_channel_fini();
}
END_TEST

UNIT_MAIN("coord_channel", tcase_add_test(tc, in_order); tcase_add_test(tc, lost);
	  tcase_add_test(tc, unplaced); tcase_add_test(tc, forgotten); tcase_add_test(tc, said);)
