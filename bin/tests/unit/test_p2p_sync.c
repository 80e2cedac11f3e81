/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of synchronous sends that were brought here before their receives: who is told what. */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "ckpt/section_messages.h"
#include "coord/coord.h"
#include "mpi/p2p/p2p_image.h"
#include "mpi/p2p/p2p_inside.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/p2p_sync.h"
#include "mpi/p2p/stored.h"
#include "p2p_stage.h"
#include "unit.h"

enum { PEER = 1, TAG = 3, NAME = 77 };

static struct kept k;

static void begin(bool images)
{
	stage_begin();
	p2p_sync_use(images);
	stage_may_drop = true;
	stage_matches = stage_again = 0;
	stage_matched = 0;
}

static void end(void)
{
	p2p_coordinate(NULL, NULL);
	stage_coming = 0;
	stage_end();
}

/* One that waits for its receive, in the transport's memory. */
static void announce(int peer)
{
	stage_coming = NAME;
	stage_keep(&k, peer, TAG);
	stage_coming = 0;
}

static struct stored *pull(int peer)
{
	announce(peer);
	ck_assert(p2p_pull(stage_probe(peer, TAG)));
	return k.place.cookie;
}

static void fill(struct stored *m)
{
	p2p_upcalls.received(NULL, m, STAGE_BYTES, 0);
}

static void receive(int peer)
{
	ck_assert_int_eq(request_wait(stage_receive(peer, TAG), MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void told(int times)
{
	ck_assert_int_eq(stage_matches, times);
	if (times)
		ck_assert_uint_eq(stage_matched, NAME);
}

static enum tp_sync open_at(int peer, uint64_t name)
{
	return p2p_upcalls.open(NULL, peer, name);
}

static bool withdraw(struct tp_unexpected *unexpected)
{
	struct tp_withdrawal w = {.peer = PEER, .id = NAME, .unexpected = unexpected};

	return p2p_upcalls.withdraw(NULL, &w);
}

/* ---- matches ---- */

/* When it is whole and has its receive, whichever is first. */
START_TEST(its_match_is_told)
{
	struct request *r;
	struct stored *m;

	begin(true);
	m = pull(PEER);
	ck_assert(k.taken);
	if (_i)
		fill(m);
	told(0);
	r = stage_receive(PEER, TAG);
	told(_i);
	if (!_i)
		fill(m);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	told(1);
	end();
}
END_TEST

/* MPI_Mprobe is no receive. */
START_TEST(what_was_found_is_matched_when_it_is_received)
{
	static char buf[STAGE_BYTES];
	struct message *found;

	begin(true);
	fill(pull(PEER));
	found = stage_find(PEER, TAG);
	told(0);
	ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_WAITS);
	ck_assert(!withdraw(NULL));
	ck_assert_int_eq(
		request_wait(stage_receive_found(found, buf), MPI_STATUS_IGNORE), MPI_SUCCESS);
	told(1);
	end();
}
END_TEST

/* Where lines are no images all is as before; so is what is not synchronous. */
START_TEST(nobody_is_told_of_others)
{
	begin(_i);
	if (_i)
		stage_keep(&k, PEER, TAG);
	else
		announce(PEER);
	ck_assert(p2p_pull(stage_probe(PEER, TAG)));
	ck_assert(!k.taken);
	fill(k.place.cookie);
	receive(PEER);
	told(0);
	end();
}
END_TEST

/* ---- the pairs begin anew ---- */

START_TEST(its_sender_asks)
{
	begin(true);
	fill(pull(PEER));
	p2p_image_woke(stage_tp);
	ck_assert_int_eq(open_at(PEER, NAME + 1), TP_SYNC_MATCHED);
	ck_assert_int_eq(open_at(PEER + 1, NAME), TP_SYNC_MATCHED);
	if (_i)
		ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_WAITS);
	receive(PEER);
	told(_i);
	ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_MATCHED);
	told(_i);
	end();
}
END_TEST

/* Of a rank to itself sender and receiver are in one image. */
START_TEST(its_own_is_told)
{
	begin(true);
	fill(pull(0));
	p2p_image_woke(stage_tp);
	receive(0);
	told(1);
	end();
}
END_TEST

/* The line has the message, and not the image. */
START_TEST(a_line_has_its_name)
{
	struct section_message e = {
		.peer = PEER, .tag = TAG, .source = PEER, .length = STAGE_BYTES, .sync = NAME};
	static const uint8_t contents[STAGE_BYTES];
	uint8_t bytes[256];
	struct writer w = writer_over(bytes, sizeof bytes);
	struct coord coord;
	size_t len;

	begin(true);
	e.context = comm_world()->context;
	ck_assert_int_eq(coord_init(&coord, "eventlog", 0, STAGE_SIZE, NULL, NULL), 0);
	writer_u32(&w, 1);
	section_messages_write(&w, &e);
	writer_bytes(&w, contents, sizeof contents);
	len = (size_t)(w.at - bytes);
	ck_assert_uint_eq(len, SECTION_MESSAGES_HEAD + section_messages_entry(&e) + STAGE_BYTES);
	ck_assert(section_messages_valid(bytes, len, STAGE_SIZE));
	ck_assert(p2p_inject(&coord, bytes, len));
	ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_WAITS);
	receive(PEER);
	told(1);
	coord_fini(&coord);
	end();
}
END_TEST

/* ---- its sender wants it back ---- */

START_TEST(it_is_taken_back)
{
	begin(true);
	if (_i)
		fill(pull(PEER));
	else
		announce(PEER);
	ck_assert(withdraw(_i ? NULL : &k.public));
	if (!_i)
		p2p_upcalls.forget(NULL, &k.public);
	ck_assert_ptr_null(stage_probe(PEER, TAG));
	ck_assert(!withdraw(NULL));
	told(0);
	p2p_image_woke(stage_tp);
	ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_TAKEN_BACK);
	ck_assert_int_eq(open_at(PEER + 1, NAME), TP_SYNC_MATCHED);
	end();
}
END_TEST

START_TEST(not_when_it_is_matched)
{
	begin(true);
	fill(pull(PEER));
	receive(PEER);
	ck_assert(!withdraw(NULL));
	ck_assert_int_eq(open_at(PEER, NAME), TP_SYNC_MATCHED);
	end();
}
END_TEST

START_TEST(not_before_it_is_whole)
{
	struct stored *m;

	begin(true);
	m = pull(PEER);
	ck_assert(!withdraw(NULL));
	ck_assert_int_eq(stage_again, 0);
	fill(m);
	ck_assert_int_eq(stage_again, 1);
	ck_assert(withdraw(NULL));
	end();
}
END_TEST

/* A line of all ranks. What was wanted back before is asked for anew by who woke up. */
START_TEST(not_while_all_save)
{
	struct coord coord;

	begin(true);
	ck_assert_int_eq(coord_init(&coord, "blocking", 0, STAGE_SIZE, NULL, NULL), 0);
	p2p_coordinate(&coord, NULL);
	fill(pull(PEER));
	for (coord.state = COORD_LINE_SAVING; coord.state <= COORD_LINE_CONCLUDING; coord.state++)
		ck_assert(!withdraw(NULL));
	coord.state = COORD_IDLE;
	if (_i)
		p2p_image_woke(stage_tp);
	p2p_sync_withdraw_again();
	ck_assert_int_eq(stage_again, _i ? 0 : 3);
	p2p_sync_withdraw_again();
	ck_assert_int_eq(stage_again, _i ? 0 : 3);
	ck_assert_ptr_nonnull(stage_probe(PEER, TAG));
	p2p_coordinate(NULL, NULL);
	coord_fini(&coord);
	end();
}
END_TEST

/* As the transport does of itself, where lines are no images. */
START_TEST(without_images_it_is_the_transports)
{
	begin(false);
	announce(PEER);
	ck_assert(withdraw(&k.public));
	ck_assert(!withdraw(NULL));
	end();
}
END_TEST

UNIT_MAIN("p2p_sync", tcase_add_loop_test(tc, its_match_is_told, 0, 2);
	  tcase_add_test(tc, what_was_found_is_matched_when_it_is_received);
	  tcase_add_loop_test(tc, nobody_is_told_of_others, 0, 2);
	  tcase_add_loop_test(tc, its_sender_asks, 0, 2); tcase_add_test(tc, its_own_is_told);
	  tcase_add_test(tc, a_line_has_its_name); tcase_add_loop_test(tc, it_is_taken_back, 0, 2);
	  tcase_add_test(tc, not_when_it_is_matched); tcase_add_test(tc, not_before_it_is_whole);
	  tcase_add_loop_test(tc, not_while_all_save, 0, 2);
	  tcase_add_test(tc, without_images_it_is_the_transports);)
