/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents held for lines: the test is the protocol (coord_fate) and the transport (p2p_pull). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inflight.h"
#include "match.h"
#include "p2p_saved.h"
#include "request.h"
#include "stored.h"
#include "unit.h"

enum { PEERS = 2, LINES = 3, MESSAGES = 16, CONTEXT = 6 };

/* by line and index of the message */
static enum coord_fate fates[LINES][MESSAGES];
static struct inflight_line line[LINES];
static int readies[LINES];

static struct match_msg waiting[MESSAGES];
static struct request receives[MESSAGES];
static struct stored *pulled[MESSAGES];
static int pulls, copies;
static bool no_memory;
static uint64_t moment;

/* ---- what inflight.c asks for ---- */

enum coord_fate coord_fate(const struct coord *c, uint32_t number, const struct coord_message *m)
{
	(void)c;
	ck_assert_uint_lt(m->index, MESSAGES);
	return fates[number][m->index];
}

bool p2p_pull(struct match_msg *msg)
{
	struct stored *m = no_memory ? NULL : stored_new(msg, sizeof msg->index);

	if (!m)
		return false;
	pulls++;
	pulled[msg->index] = m;
	if (m->msg.inflight)
		inflight_stored(m->msg.inflight, m);
	return true;
}

static struct stored *made(uint64_t index)
{
	struct match_msg msg = {.index = index};
	struct stored *m = stored_new(&msg, sizeof index);

	ck_assert_ptr_nonnull(m);
	memcpy(m->bytes, &index, sizeof index);
	m->whole = true;
	return m;
}

struct stored *p2p_copy(const struct request *r)
{
	copies++;
	return no_memory ? NULL : made(r->index);
}

/* ---- the stage ---- */

static void on_ready(struct inflight_line *l)
{
	readies[l->number]++;
}

static void setup(void)
{
	memset(fates, 0, sizeof fates);
	memset(readies, 0, sizeof readies);
	memset(receives, 0, sizeof receives);
	pulls = copies = 0;
	no_memory = false;
	moment = 0;
	ck_assert_int_eq(inflight_init(NULL, PEERS), 0);
}

static void begin(uint32_t number)
{
	line[number] =
		(struct inflight_line){.number = number, .at = moment + 1, .ready = on_ready};
	inflight_begin(&line[number]);
}

static void end(uint32_t number)
{
	inflight_end(&line[number]);
	inflight_line_free(&line[number]);
}

static struct match_msg *comes(uint64_t index)
{
	waiting[index] = (struct match_msg){.context = CONTEXT,
		.peer = (int)(index % PEERS),
		.tag = 100 + (int)index,
		.index = index,
		.arrived = ++moment};
	return &waiting[index];
}

/* The payload of a message that was pulled is here. */
static void fill(uint64_t index)
{
	memcpy(pulled[index]->bytes, &index, sizeof index);
	pulled[index]->whole = true;
	if (pulled[index]->msg.inflight)
		inflight_whole(pulled[index]->msg.inflight);
}

static struct request *matched(uint64_t index, uint64_t arrived, bool done)
{
	struct request *r = &receives[index];

	*r = (struct request){.kind = REQUEST_RECV,
		.active = true,
		.done = done,
		.match.context = CONTEXT,
		.peer = (int)(index % PEERS),
		.got_tag = 100 + (int)index,
		.index = index,
		.arrived = arrived,
		.matched = ++moment};
	return r;
}

/* What a line holds: the tags of its messages, "" for none. */
static const char *holds(uint32_t number)
{
	static char text[128];
	struct saved_entry e;
	const uint8_t *bytes;
	uint8_t *all;
	struct cursor c;
	size_t len, n = 0;

	text[0] = '\0';
	ck_assert(inflight_bytes(&line[number], &all, &len));
	c = cursor_over(all, len);
	for (uint32_t left = cursor_u32(&c); left > 0; left--) {
		uint64_t index;

		ck_assert(saved_read(&c, &e, &bytes));
		memcpy(&index, bytes, sizeof index);
		ck_assert_int_eq(e.tag, 100 + (int)index);
		ck_assert_int_eq(e.peer, (int)(index % PEERS));
		n += (size_t)snprintf(text + n, sizeof text - n, " %d" + !n, (int)index);
	}
	ck_assert(cursor_done(&c));
	free(all);
	return text;
}

/* ---- stories ---- */

START_TEST(order_of_the_program)
{
	uint64_t first, second;

	setup();
	first = ++moment;
	second = ++moment;
	matched(3, second, true); /* came later, was matched first */
	matched(2, first, true);
	comes(5);
	comes(4);
	begin(0);
	for (int i = 0; i < MESSAGES; i++)
		fates[0][i] = COORD_IN;
	inflight_kept(&waiting[5]);
	inflight_kept(&waiting[4]);
	inflight_open(&receives[2]);
	inflight_open(&receives[3]);
	inflight_kept(comes(7));
	inflight_kept(comes(6));
	for (uint64_t i = 4; i < 8; i++)
		fill(i);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_ptr_null(line[0].why);
	ck_assert_str_eq(holds(0), "3 2 5 4 7 6");
	end(0);
	ck_assert(!inflight_making());
	inflight_fini();
}
END_TEST

/* What a matched probe finds while a line is made is matched for the next. */
START_TEST(taken_between_lines)
{
	setup();
	begin(0);
	fates[0][1] = COORD_OPEN;
	inflight_kept(comes(1));
	inflight_taken(waiting[1].inflight, ++moment);
	matched(3, ++moment, true);
	begin(1);
	fates[0][1] = COORD_OUT;
	fates[1][1] = fates[1][3] = COORD_IN;
	inflight_kept(&waiting[1]);
	inflight_open(&receives[3]);
	inflight_settle(&line[1], 1);
	fill(1);
	inflight_finish(&line[1]);
	ck_assert_str_eq(holds(1), "1 3");
	end(0);
	end(1);
	inflight_fini();
}
END_TEST

START_TEST(waits_for_contents)
{
	setup();
	begin(0);
	fates[0][1] = fates[0][3] = COORD_IN;
	inflight_kept(comes(1));
	inflight_kept(comes(3));
	ck_assert_int_eq(pulls, 2);
	inflight_finish(&line[0]);
	fill(3);
	ck_assert_int_eq(readies[0], 0);
	fill(1);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(holds(0), "1 3");
	end(0);
	inflight_fini();
}
END_TEST

START_TEST(pulled_when_known)
{
	setup();
	begin(0);
	fates[0][1] = fates[0][3] = fates[0][2] = COORD_OPEN;
	inflight_kept(comes(1));
	inflight_kept(comes(3));
	inflight_kept(comes(2));
	inflight_kept(comes(5)); /* out */
	ck_assert_int_eq(pulls, 0);
	ck_assert_ptr_nonnull(waiting[3].inflight);
	ck_assert_ptr_null(waiting[5].inflight);
	fates[0][1] = COORD_IN;
	fates[0][3] = COORD_OUT;
	inflight_settle(&line[0], 1);
	ck_assert_int_eq(pulls, 1);
	ck_assert_ptr_null(waiting[3].inflight);
	ck_assert_ptr_nonnull(waiting[2].inflight);
	fates[0][2] = COORD_OUT;
	inflight_settle(&line[0], 0);
	fill(1);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(holds(0), "1");
	end(0);
	ck_assert_ptr_null(pulled[1]->msg.inflight);
	ck_assert_int_eq(pulled[1]->head.refs, 1);
	inflight_fini();
}
END_TEST

/* It comes while two lines are made, is received, and belongs to both; they end one after the
 * other. */
START_TEST(several_lines)
{
	struct request *r;

	setup();
	begin(0);
	begin(1);
	fates[0][1] = fates[1][1] = COORD_OPEN;
	inflight_kept(comes(1));
	r = matched(1, waiting[1].arrived, false);
	inflight_matched(waiting[1].inflight, r);
	ck_assert_ptr_nonnull(r->inflight);
	inflight_filled(r, true);
	ck_assert_int_eq(copies, 1);
	r->done = true;
	fates[0][1] = fates[1][1] = COORD_IN;
	begin(2); /* the program has not waited for it: no second copy */
	fates[2][1] = COORD_IN;
	inflight_open(r);
	ck_assert_int_eq(copies, 1);
	inflight_leave(r);
	for (int i = 0; i < LINES; i++) {
		inflight_finish(&line[i]);
		ck_assert_int_eq(readies[i], 1);
	}
	for (uint32_t i = 0; i < LINES; i++) {
		end(i == 0 ? 1 : i == 1 ? 0 : 2);
		if (i < 2)
			ck_assert_str_eq(holds(2), "1");
	}
	inflight_fini();
}
END_TEST

/* It was received between the captures of two lines, and is held for the first only. */
START_TEST(received_between_lines)
{
	struct request *r;

	setup();
	begin(0);
	fates[0][1] = fates[1][1] = COORD_IN;
	r = matched(1, ++moment, false);
	inflight_open(r);
	inflight_filled(r, true);
	inflight_leave(r);
	begin(1);
	inflight_settle(&line[0], 1);
	inflight_settle(&line[1], 1);
	inflight_finish(&line[1]);
	inflight_finish(&line[0]);
	ck_assert_str_eq(holds(0), "1");
	ck_assert_str_eq(holds(1), "");
	end(0);
	end(1);
	inflight_fini();
}
END_TEST

START_TEST(let_go_while_received)
{
	struct request *r;

	setup();
	begin(0);
	fates[0][1] = COORD_OPEN;
	r = matched(1, ++moment, false);
	inflight_open(r);
	ck_assert_ptr_nonnull(r->inflight);
	fates[0][1] = COORD_OUT;
	inflight_settle(&line[0], 1);
	ck_assert_ptr_null(r->inflight);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(holds(0), "");
	end(0);
	inflight_fini();
}
END_TEST

/* Each breaks the lines that would have to hold the message, and no other. */
START_TEST(broken)
{
	struct request *r;

	setup();
	begin(0);
	begin(1);
	fates[0][1] = COORD_IN;
	no_memory = true;
	inflight_kept(comes(1));
	ck_assert_ptr_nonnull(line[0].why);
	ck_assert_ptr_null(line[1].why);
	ck_assert_int_eq(readies[0], 0);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	end(0);
	begin(0);
	fates[0][3] = COORD_IN;
	r = matched(3, ++moment, false);
	inflight_open(r);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	inflight_filled(r, true);
	ck_assert_ptr_nonnull(line[0].why);
	ck_assert_int_eq(readies[0], 2);
	r->done = true;
	no_memory = false;
	begin(2); /* now there is memory */
	fates[2][3] = COORD_IN;
	inflight_open(r);
	inflight_finish(&line[2]);
	ck_assert_int_eq(readies[2], 1);
	ck_assert_str_eq(holds(2), "3");
	end(2);
	end(0);
	ck_assert_ptr_null(r->inflight);
	ck_assert_ptr_null(line[1].why);
	end(1);
	inflight_fini();
}
END_TEST

/* Only a message that is not known to be in transit is still its sender's to take back. */
START_TEST(withdrawn)
{
	setup();
	begin(0);
	fates[0][1] = COORD_OPEN;
	inflight_kept(comes(1));
	inflight_withdrawn(waiting[1].inflight);
	ck_assert_ptr_null(line[0].why);
	inflight_finish(&line[0]);
	ck_assert_int_eq(readies[0], 1);
	ck_assert_str_eq(holds(0), "");
	end(0);
	inflight_fini();
}
END_TEST

UNIT_MAIN("inflight", tcase_add_test(tc, order_of_the_program);
	  tcase_add_test(tc, taken_between_lines); tcase_add_test(tc, waits_for_contents);
	  tcase_add_test(tc, pulled_when_known); tcase_add_test(tc, several_lines);
	  tcase_add_test(tc, let_go_while_received); tcase_add_test(tc, received_between_lines);
	  tcase_add_test(tc, broken); tcase_add_test(tc, withdrawn);)
