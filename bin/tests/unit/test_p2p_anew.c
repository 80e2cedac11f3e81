/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What point-to-point communication does when all pairs begin anew. The test stands where the
 * transport is: it makes its upcalls, and notes what is asked of it.
 */
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
#include "unit.h"

enum { SIZE = 4, INTS = 4, BYTES = INTS * (int)sizeof(int), MANY = 100 };

/* ---- the engine and the transport ---- */

struct engine_news engine_news;

struct tp *engine_tp(void)
{
	return NULL;
}

void engine_tell(void)
{
}

void engine_look(void)
{
}

void engine_defer(struct engine_deferred *deferred)
{
	ck_assert_msg(false, "there is no work for later: %p", (void *)deferred);
}

void engine_defer_cancel(struct engine_deferred *deferred)
{
	(void)deferred;
}

void engine_wait_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	ck_assert_msg(done(arg, &expect), "nothing comes while the test waits");
}

bool engine_spin_on(int expect, bool (*done)(void *arg, int *expect), void *arg)
{
	return done(arg, &expect);
}

/* A message that the transport keeps. */
struct kept {
	struct tp_unexpected public;
	bool here;
	struct tp_place place; /* it was claimed */
};

void tp_claim(struct tp *tp, struct tp_unexpected *unexpected, struct tp_place place)
{
	(void)tp;
	((struct kept *)unexpected)->place = place;
}

bool tp_is_here(const struct tp_unexpected *unexpected)
{
	return ((const struct kept *)unexpected)->here;
}

void tp_drop(struct tp *tp, struct tp_unexpected *unexpected)
{
	(void)tp;
	ck_assert_msg(false, "a message is dropped: %p", (void *)unexpected);
}

int tp_send(struct tp *tp, int peer, const struct tp_envelope *e, const void *payload, size_t len,
	unsigned flags, void *cookie)
{
	(void)tp;
	(void)e;
	(void)payload;
	(void)len;
	(void)flags;
	ck_assert_msg(false, "something is sent to %d: %p", peer, cookie);
	return 0;
}

bool tp_may_send(struct tp *tp, int peer)
{
	(void)tp;
	(void)peer;
	return true;
}

bool tp_flush(struct tp *tp)
{
	(void)tp;
	return false;
}

void tp_withdraw(struct tp *tp, int peer, const void *cookie)
{
	(void)tp;
	ck_assert_msg(false, "a send to %d is taken back: %p", peer, cookie);
}

/* ---- the stage ---- */

static struct object words[2]; /* of the coordination, of windows */
static int unplaced[2];

static struct tp_place place_words(int peer, const struct envelope *e, uint64_t length)
{
	int which = comm_is_window(e->context);

	(void)peer;
	words[which].kind = which ? OBJECT_RMA_RECEIVED : OBJECT_CONTROL_RECEIVED;
	return (struct tp_place){.room = (size_t)length, .cookie = &words[which]};
}

static void unplace(struct object *head)
{
	unplaced[head - words]++;
}

static const struct p2p_channel channel = {.place = place_words, .unplace = unplace};

static void lost(int peer, const char *why)
{
	(void)peer;
	(void)why;
}

static bool launched;

static void begin(void)
{
	static const int node[SIZE], cores[SIZE];
	struct world_info info = {0, SIZE, node, cores, true};
	struct p2p_job job = {.size = SIZE,
		.eager_limit = 4096,
		.launched = launched,
		.lost = lost,
		.coordination = &channel,
		.windows = &channel};

	ck_assert_int_eq(comm_world_init(&info), MPI_SUCCESS);
	ck_assert_int_eq(p2p_init(&job), 0);
}

static void end(void)
{
	p2p_fini();
	comm_world_delete_attributes();
	comm_world_free();
}

static struct tp_envelope envelope(uint64_t context, int tag, int source)
{
	struct envelope e = {.context = context, .tag = tag, .source = source};

	return envelope_pack(&e);
}

static struct tp_envelope in_world(int peer, int tag)
{
	return envelope(comm_world()->context, tag, peer);
}

/* A message comes: the cookie that it meets. */
static void *comes(int peer, int tag)
{
	struct tp_envelope e = in_world(peer, tag);

	return p2p_upcalls.match(NULL, peer, &e, BYTES).cookie;
}

static void keep(struct kept *k, int peer, int tag)
{
	*k = (struct kept){
		.public = {.peer = peer, .length = BYTES, .envelope = in_world(peer, tag)}};
	p2p_upcalls.keep(NULL, &k->public);
}

static struct p2p_message message_of(int rank, int tag, void *buf, struct type *t, MPI_Count count)
{
	return (struct p2p_message){.buf = buf,
		.count = count,
		.comm = comm_world(),
		.type = t,
		.rank = rank,
		.tag = tag};
}

static struct request *receive_in(int source, int tag, void *buf)
{
	struct p2p_message m = message_of(source, tag, buf, type_bytes(), BYTES);
	struct request *r;

	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	return r;
}

static struct request *receive(int source, int tag)
{
	static char nowhere[BYTES];

	return receive_in(source, tag, nowhere);
}

static void unmatch(void *cookie)
{
	p2p_upcalls.unmatch(NULL, cookie);
}

/* It comes, and is whole. */
static void is_for(struct request *r, int peer, int tag)
{
	MPI_Status status;

	ck_assert_ptr_eq(comes(peer, tag), r);
	p2p_upcalls.received(NULL, r, BYTES, 0);
	ck_assert_int_eq(request_wait(r, &status), MPI_SUCCESS);
	ck_assert_int_eq(status.MPI_SOURCE, peer);
	ck_assert_int_eq(status.MPI_TAG, tag);
}

static struct match_msg *probe(int source, int tag)
{
	struct p2p_found found;

	return p2p_probe(comm_world(), source, tag, &found);
}

/* ---- receives ---- */

/* Named, from anybody, with any tag: whatever the order in which they lose their messages. */
START_TEST(receives_keep_their_order)
{
	static const int turns[][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	struct request *r[5];

	begin();
	r[0] = receive(1, 5);
	r[1] = receive(MPI_ANY_SOURCE, 5);
	r[2] = receive(1, MPI_ANY_TAG);
	r[3] = receive(1, 5);
	r[4] = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_eq(comes(1, 5), r[i]);
	ck_assert_uint_eq(engine_news.posted, 2);
	for (int i = 0; i < 3; i++)
		unmatch(r[turns[_i][i]]);
	ck_assert_uint_eq(engine_news.posted, 5);
	is_for(r[1], 2, 5);
	is_for(r[0], 1, 5);
	is_for(r[2], 1, 5);
	is_for(r[3], 1, 5);
	is_for(r[4], 1, 5);
	ck_assert_uint_eq(engine_news.posted, 0);
	end();
}
END_TEST

/* It had met a message that was there already, so it never waited before. */
START_TEST(one_that_found_its_message_waits_in_its_place)
{
	struct kept k;
	struct request *before, *r, *after;

	begin();
	before = receive(1, 8);
	keep(&k, 1, 7);
	r = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	ck_assert_ptr_eq(k.place.cookie, r);
	after = receive(1, MPI_ANY_TAG);
	unmatch(r);
	is_for(before, 1, 8);
	is_for(r, 1, 8);
	is_for(after, 1, 7);
	end();
}
END_TEST

/* Many of one peer, of which an index knows where they are. */
START_TEST(many_receives_keep_their_order)
{
	struct request *r[MANY];

	begin();
	for (int i = 0; i < MANY; i++)
		r[i] = receive(1, i % 2 ? i : MANY);
	for (int i = MANY - 1; i > 20; i -= 2)
		ck_assert_ptr_eq(comes(1, i), r[i]);
	for (int i = 0; i < 20; i += 2)
		ck_assert_ptr_eq(comes(1, MANY), r[i]);
	ck_assert_ptr_nonnull(p2p.match.posted[1].index);
	for (int i = MANY - 1; i > 20; i -= 2)
		unmatch(r[i]);
	for (int i = 0; i < 20; i += 2)
		unmatch(r[i]);
	for (int i = 0; i < MANY; i += 2)
		is_for(r[i], 1, MANY);
	for (int i = MANY - 1; i > 0; i -= 2)
		is_for(r[i], 1, i);
	end();
}
END_TEST

/* The cursor over a receive's buffer is made anew. */
START_TEST(what_lies_in_pieces_comes_from_its_beginning)
{
	int buf[2 * INTS] = {0}, sent[INTS] = {1, 2, 3, 4};
	struct tp_envelope e;
	struct tp_place place;
	struct p2p_message m;
	struct request *r;
	struct iovec iov;
	MPI_Datatype vector;
	struct type *t;

	begin();
	e = in_world(1, 3);
	PMPI_Type_vector(INTS, 1, 2, MPI_INT, &vector);
	PMPI_Type_commit(&vector);
	ck_assert_int_eq(type_lookup(vector, &t), MPI_SUCCESS);
	m = message_of(1, 3, buf, t, 1);
	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	for (size_t part = sizeof sent / 2; part <= sizeof sent; part *= 2) {
		place = p2p_upcalls.match(NULL, 1, &e, sizeof sent);
		ck_assert_ptr_eq(place.cookie, r);
		ck_assert_int_eq(place.cursor->next(place.cursor, &iov, 1), 1);
		ck_assert_uint_eq(iov.iov_len, sizeof sent);
		memcpy(iov.iov_base, sent, part);
		place.cursor->pass(place.cursor, part);
		if (part < sizeof sent)
			unmatch(r);
	}
	p2p_upcalls.received(NULL, r, sizeof sent, 0);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	for (int i = 0; i < INTS; i++)
		ck_assert_int_eq(buf[2 * i], i + 1);
	/* it is not there when it is taken back while it waits again */
	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	ck_assert_ptr_eq(p2p_upcalls.match(NULL, 1, &e, sizeof sent).cookie, r);
	unmatch(r);
	ck_assert_int_eq(p2p_cancel(r), MPI_SUCCESS);
	ck_assert(r->cancelled);
	request_complete(r, MPI_SUCCESS);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	PMPI_Type_free(&vector);
	end();
}
END_TEST

/* ---- messages that wait ---- */

START_TEST(an_announced_message_is_none)
{
	struct kept k, other;

	begin();
	keep(&k, 1, 3);
	keep(&other, 2, 3);
	ck_assert_ptr_nonnull(probe(1, 3));
	p2p_upcalls.forget(NULL, &k.public);
	ck_assert_ptr_null(probe(1, 3));
	ck_assert_ptr_nonnull(probe(MPI_ANY_SOURCE, 3));
	is_for(receive(1, 3), 1, 3);
	end();
}
END_TEST

/* One that was taken over from the transport: it is gone, and its receive, if it has one, waits. */
START_TEST(a_stored_message_is_none)
{
	struct kept k;
	struct stored *m;
	struct request *r = NULL, *after;

	begin();
	keep(&k, 1, 3);
	ck_assert(p2p_pull(probe(1, 3)));
	m = k.place.cookie;
	ck_assert_int_eq(m->head.kind, OBJECT_STORED);
	if (_i)
		r = receive(1, 3);
	unmatch(m);
	ck_assert_ptr_null(probe(1, 3));
	ck_assert_uint_eq(engine_news.posted, _i);
	after = receive(1, 3);
	if (r) {
		ck_assert_ptr_null(r->stored);
		is_for(r, 1, 3);
	}
	is_for(after, 1, 3);
	end();
}
END_TEST

/* ---- messages that MPI_Mprobe has found ---- */

static struct message *find(int source, int tag)
{
	struct p2p_found found;
	struct message *m;
	MPI_Message handle;

	ck_assert_int_eq(message_find(comm_world(), source, tag, &found, &handle), MPI_SUCCESS);
	ck_assert_int_eq(message_lookup(handle, &m), MPI_SUCCESS);
	ck_assert_ptr_nonnull(m);
	return m;
}

static struct request *receive_found(struct message *found, void *buf)
{
	struct p2p_message m = message_of(0, 0, buf, type_bytes(), BYTES);
	struct request *r;

	ck_assert_int_eq(message_receive(found, &m, &r), MPI_SUCCESS);
	return r;
}

/* They come in before an image is taken; those that are here stay where they are. */
START_TEST(found_messages_are_pulled_in)
{
	char got[BYTES] = "", was[BYTES] = "fifteen letters";
	struct kept whole, announced, unasked;
	struct message *first, *second;
	struct request *r;

	begin();
	ck_assert(p2p_secure_found());
	keep(&whole, 1, 3);
	whole.here = true;
	keep(&announced, 2, 3);
	keep(&unasked, 3, 3);
	first = find(1, 3);
	second = find(2, 3);
	ck_assert(!p2p_secure_found());
	ck_assert_ptr_null(whole.place.cookie);
	ck_assert_ptr_null(unasked.place.cookie);
	ck_assert_ptr_nonnull(announced.place.cookie);
	ck_assert(!p2p_secure_found());
	memcpy(announced.place.buf, was, BYTES);
	p2p_upcalls.received(NULL, announced.place.cookie, BYTES, 0);
	ck_assert(p2p_secure_found());
	r = receive_found(second, got);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	ck_assert_mem_eq(got, was, BYTES);
	r = receive_found(first, got);
	ck_assert_ptr_eq(whole.place.cookie, r);
	p2p_upcalls.received(NULL, r, BYTES, 0);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	end();
}
END_TEST

/* The receive of one that was found stands where MPI_Mprobe stood. */
START_TEST(a_found_message_is_waited_for_in_its_place)
{
	struct kept k;
	struct message *found;
	struct request *other, *before, *after, *r;
	char got[BYTES];

	begin();
	other = receive(3, 3);
	before = receive(1, 3);
	ck_assert_ptr_eq(comes(1, 3), before);
	keep(&k, 1, 3);
	found = find(1, 3);
	after = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
	r = receive_found(found, got);
	ck_assert_ptr_eq(k.place.cookie, r);
	unmatch(r);
	unmatch(before);
	is_for(before, 1, 3);
	is_for(r, 1, 3);
	is_for(after, 1, 3);
	is_for(other, 3, 3);
	end();
}
END_TEST

/* ---- what is no message of the program ---- */

START_TEST(words_are_forgotten_by_those_they_are_for)
{
	static const uint64_t contexts[2] = {2 << 1, UINT64_C(1) << 63};

	begin();
	for (int i = 0; i < 2; i++) {
		struct tp_envelope e = envelope(contexts[i], 0, 1);

		unmatch(p2p_upcalls.match(NULL, 1, &e, 100).cookie);
		ck_assert_int_eq(unplaced[i], 1);
		ck_assert_int_eq(unplaced[!i], i);
	}
	end();
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

	begin();
	e = in_world(1, 7);
	p2p_coordinate(&c, drive);
	ck_assert(!p2p_upcalls.match(NULL, 1, &e, 8).counted);
	c.suppress.left = 1;
	ck_assert(p2p_upcalls.match(NULL, 1, &e, 8).counted);
	p2p_coordinate(NULL, NULL);
	end();
}
END_TEST

START_TEST(an_orphan_that_comes_again_is_not_compared)
{
	static struct coord c;
	struct envelope e = {.context = 100};

	begin();
	p2p_coordinate(&c, drive);
	c.comparing = 1;
	unmatch(p2p_orphan_place(1, &e, 100).cookie);
	ck_assert_uint_eq(c.comparing, 0);
	p2p_coordinate(NULL, NULL);
	end();
}
END_TEST

START_TEST(gone_peers_are_there_again)
{
	launched = _i;
	begin();
	p2p_upcalls.lost(NULL, 2, "it is gone");
	ck_assert(p2p_gone() == !launched);
	p2p_peers_anew();
	ck_assert(!p2p_gone());
	for (int i = 0; i < SIZE; i++)
		ck_assert(!p2p.gone[i]);
	is_for(receive(2, 3), 2, 3);
	end();
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
