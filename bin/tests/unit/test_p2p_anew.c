/* SPDX-License-Identifier: BSD-3-Clause */
/* What point-to-point communication does when all pairs begin anew. */
#include <string.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p.h"
#include "mpi/p2p/p2p_inside.h"
#include "mpi/p2p/p2p_orphan.h"
#include "mpi/p2p/p2p_probe.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/stored.h"
#include "p2p_stage.h"
#include "unit.h"

enum { MANY = 100 };

/* ---- receives ---- */

/* Named, from anybody, with any tag: whatever the order in which they lose their messages. */
START_TEST(receives_keep_their_order)
{
	static const int turns[][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct request *r[5];

	stage_begin();
	r[0] = stage_receive(1, 5);
	r[1] = stage_receive(MPI_ANY_SOURCE, 5);
	r[2] = stage_receive(1, MPI_ANY_TAG);
	r[3] = stage_receive(1, 5);
	r[4] = stage_receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_eq(stage_comes(1, 5), r[i]);
	ck_assert_uint_eq(engine_news.posted, 2);
	for (int i = 0; i < 3; i++)
		stage_unmatch(r[turns[_i][i]]);
	ck_assert_uint_eq(engine_news.posted, 5);
	stage_is_for(r[1], 2, 5);
	stage_is_for(r[0], 1, 5);
	stage_is_for(r[2], 1, 5);
	stage_is_for(r[3], 1, 5);
	stage_is_for(r[4], 1, 5);
	ck_assert_uint_eq(engine_news.posted, 0);
	stage_end();
}
END_TEST

/* It had met a message that was there already, so it never waited before. */
START_TEST(one_that_found_its_message_waits_in_its_place)
{
	struct kept k;
	struct request *before, *r, *after;

	stage_begin();
	before = stage_receive(1, 8);
	stage_keep(&k, 1, 7);
	r = stage_receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	ck_assert_ptr_eq(k.place.cookie, r);
	after = stage_receive(1, MPI_ANY_TAG);
	stage_unmatch(r);
	stage_is_for(before, 1, 8);
	stage_is_for(r, 1, 8);
	stage_is_for(after, 1, 7);
	stage_end();
}
END_TEST

/* Many of one peer, of which an index knows where they are. */
START_TEST(many_receives_keep_their_order)
{
	struct request *r[MANY];

	stage_begin();
	for (int i = 0; i < MANY; i++)
		r[i] = stage_receive(1, i % 2 ? i : MANY);
	for (int i = MANY - 1; i > 20; i -= 2)
		ck_assert_ptr_eq(stage_comes(1, i), r[i]);
	for (int i = 0; i < 20; i += 2)
		ck_assert_ptr_eq(stage_comes(1, MANY), r[i]);
	ck_assert_ptr_nonnull(p2p.match.posted[1].index);
	for (int i = MANY - 1; i > 20; i -= 2)
		stage_unmatch(r[i]);
	for (int i = 0; i < 20; i += 2)
		stage_unmatch(r[i]);
	for (int i = 0; i < MANY; i += 2)
		stage_is_for(r[i], 1, MANY);
	for (int i = MANY - 1; i > 0; i -= 2)
		stage_is_for(r[i], 1, i);
	stage_end();
}
END_TEST

/* The cursor over a receive's buffer is made anew. */
START_TEST(what_lies_in_pieces_comes_from_its_beginning)
{
	int buf[2 * STAGE_INTS] = {0}, sent[STAGE_INTS] = {1, 2, 3, 4};
	struct tp_envelope e;
	struct tp_place place;
	struct p2p_message m;
	struct request *r;
	struct iovec iov;
	MPI_Datatype vector;
	struct type *t;

	stage_begin();
	e = stage_in_world(1, 3);
	PMPI_Type_vector(STAGE_INTS, 1, 2, MPI_INT, &vector);
	PMPI_Type_commit(&vector);
	ck_assert_int_eq(type_lookup(vector, &t), MPI_SUCCESS);
	m = stage_message_of(1, 3, buf, t, 1);
	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	for (size_t part = sizeof sent / 2; part <= sizeof sent; part *= 2) {
		place = p2p_upcalls.match(NULL, 1, &e, sizeof sent);
		ck_assert_ptr_eq(place.cookie, r);
		ck_assert_int_eq(place.cursor->next(place.cursor, &iov, 1), 1);
		ck_assert_uint_eq(iov.iov_len, sizeof sent);
		memcpy(iov.iov_base, sent, part);
		place.cursor->pass(place.cursor, part);
		if (part < sizeof sent)
			stage_unmatch(r);
	}
	p2p_upcalls.received(NULL, r, sizeof sent, 0);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	for (int i = 0; i < STAGE_INTS; i++)
		ck_assert_int_eq(buf[2 * i], i + 1);
	/* it is not there when it is taken back while it waits again */
	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	ck_assert_ptr_eq(p2p_upcalls.match(NULL, 1, &e, sizeof sent).cookie, r);
	stage_unmatch(r);
	ck_assert_int_eq(p2p_cancel(r), MPI_SUCCESS);
	ck_assert(r->cancelled);
	request_complete(r, MPI_SUCCESS);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	PMPI_Type_free(&vector);
	stage_end();
}
END_TEST

/* ---- messages that wait ---- */

START_TEST(an_announced_message_is_none)
{
	struct kept k, other;

	stage_begin();
	stage_keep(&k, 1, 3);
	stage_keep(&other, 2, 3);
	ck_assert_ptr_nonnull(stage_probe(1, 3));
	p2p_upcalls.forget(NULL, &k.public);
	ck_assert_ptr_null(stage_probe(1, 3));
	ck_assert_ptr_nonnull(stage_probe(MPI_ANY_SOURCE, 3));
	stage_is_for(stage_receive(1, 3), 1, 3);
	stage_end();
}
END_TEST

/* One that was taken over from the transport: it is gone, and its receive, if it has one, waits. */
START_TEST(a_stored_message_is_none)
{
	struct kept k;
	struct stored *m;
	struct request *r = NULL, *after;

	stage_begin();
	stage_keep(&k, 1, 3);
	ck_assert(p2p_pull(stage_probe(1, 3)));
	m = k.place.cookie;
	ck_assert_int_eq(m->head.kind, OBJECT_STORED);
	if (_i)
		r = stage_receive(1, 3);
	stage_unmatch(m);
	ck_assert_ptr_null(stage_probe(1, 3));
	ck_assert_uint_eq(engine_news.posted, _i);
	after = stage_receive(1, 3);
	if (r) {
		ck_assert_ptr_null(r->stored);
		stage_is_for(r, 1, 3);
	}
	stage_is_for(after, 1, 3);
	stage_end();
}
END_TEST

/* ---- messages that MPI_Mprobe has found ---- */

/* They come in before an image is taken; those that are here stay where they are. */
START_TEST(found_messages_are_pulled_in)
{
	char got[STAGE_BYTES] = "", was[STAGE_BYTES] = "fifteen letters";
	struct kept whole, announced, unasked;
	struct message *first, *second;
	struct request *r;

	stage_begin();
	ck_assert(p2p_secure_found());
	stage_keep(&whole, 1, 3);
	whole.here = true;
	stage_keep(&announced, 2, 3);
	stage_keep(&unasked, 3, 3);
	first = stage_find(1, 3);
	second = stage_find(2, 3);
	ck_assert(!p2p_secure_found());
	ck_assert_ptr_null(whole.place.cookie);
	ck_assert_ptr_null(unasked.place.cookie);
	ck_assert_ptr_nonnull(announced.place.cookie);
	ck_assert(!p2p_secure_found());
	memcpy(announced.place.buf, was, STAGE_BYTES);
	p2p_upcalls.received(NULL, announced.place.cookie, STAGE_BYTES, 0);
	ck_assert(p2p_secure_found());
	r = stage_receive_found(second, got);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	ck_assert_mem_eq(got, was, STAGE_BYTES);
	r = stage_receive_found(first, got);
	ck_assert_ptr_eq(whole.place.cookie, r);
	p2p_upcalls.received(NULL, r, STAGE_BYTES, 0);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	stage_end();
}
END_TEST

/* The receive of one that was found stands where MPI_Mprobe stood. */
START_TEST(a_found_message_is_waited_for_in_its_place)
{
	struct kept k;
	struct message *found;
	struct request *other, *before, *after, *r;
	char got[STAGE_BYTES];

	stage_begin();
	other = stage_receive(3, 3);
	before = stage_receive(1, 3);
	ck_assert_ptr_eq(stage_comes(1, 3), before);
	stage_keep(&k, 1, 3);
	found = stage_find(1, 3);
	after = stage_receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	r = stage_receive_found(found, got);
	ck_assert_ptr_eq(k.place.cookie, r);
	stage_unmatch(r);
	stage_unmatch(before);
	stage_is_for(before, 1, 3);
	stage_is_for(r, 1, 3);
	stage_is_for(after, 1, 3);
	stage_is_for(other, 3, 3);
	stage_end();
}
END_TEST

/* ---- what is no message of the program ---- */

START_TEST(words_are_forgotten_by_those_they_are_for)
{
	static const uint64_t contexts[2] = {2 << 1, UINT64_C(1) << 63};

	stage_begin();
	for (int i = 0; i < 2; i++) {
		struct tp_envelope e = stage_envelope(contexts[i], 0, 1);

		stage_unmatch(p2p_upcalls.match(NULL, 1, &e, 100).cookie);
		ck_assert_int_eq(stage_unplaced[i], 1);
		ck_assert_int_eq(stage_unplaced[!i], i);
	}
	stage_end();
}
END_TEST

static void drive(void)
{
	ck_assert_msg(false, "the protocol is driven while pairs begin anew");
}

/* While orphans may come each message is counted as it comes: it is not asked for twice. */
START_TEST(what_is_counted_is_told_so)
{
	static struct coord c;
	struct tp_envelope e;

	stage_begin();
	e = stage_in_world(1, 7);
	p2p_coordinate(&c, drive);
	ck_assert(!p2p_upcalls.match(NULL, 1, &e, 8).counted);
	c.suppress.left = 1;
	ck_assert(p2p_upcalls.match(NULL, 1, &e, 8).counted);
	p2p_coordinate(NULL, NULL);
	stage_end();
}
END_TEST

START_TEST(an_orphan_that_comes_again_is_not_compared)
{
	static struct coord c;
	struct envelope e = {.context = 100};

	stage_begin();
	p2p_coordinate(&c, drive);
	c.comparing = 1;
	stage_unmatch(p2p_orphan_place(1, &e, 100).cookie);
	ck_assert_uint_eq(c.comparing, 0);
	p2p_coordinate(NULL, NULL);
	stage_end();
}
END_TEST

START_TEST(gone_peers_are_there_again)
{
	stage_launched = _i;
	stage_begin();
	p2p_upcalls.lost(NULL, 2, "it is gone");
	ck_assert(p2p_gone() == !stage_launched);
	p2p_peers_anew();
	ck_assert(!p2p_gone());
	for (int i = 0; i < STAGE_SIZE; i++)
		ck_assert(!p2p.gone[i]);
	stage_is_for(stage_receive(2, 3), 2, 3);
	stage_end();
}
END_TEST

UNIT_MAIN("p2p_anew", tcase_add_loop_test(tc, receives_keep_their_order, 0, 6);
	  tcase_add_test(tc, one_that_found_its_message_waits_in_its_place);
	  tcase_add_test(tc, many_receives_keep_their_order);
	  tcase_add_test(tc, what_lies_in_pieces_comes_from_its_beginning);
	  tcase_add_test(tc, an_announced_message_is_none);
	  tcase_add_loop_test(tc, a_stored_message_is_none, 0, 2);
	  tcase_add_test(tc, found_messages_are_pulled_in);
	  tcase_add_test(tc, a_found_message_is_waited_for_in_its_place);
	  tcase_add_test(tc, words_are_forgotten_by_those_they_are_for);
	  tcase_add_test(tc, what_is_counted_is_told_so);
	  tcase_add_test(tc, an_orphan_that_comes_again_is_not_compared);
	  tcase_add_loop_test(tc, gone_peers_are_there_again, 0, 2);)
