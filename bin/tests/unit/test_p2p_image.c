/* SPDX-License-Identifier: BSD-3-Clause */
/* Which messages stay in an image: told to the protocol, noted for its lines, and dropped, alike.
 */
#include <stdlib.h>
#include <string.h>

#include "coord/lines.h"
#include "mpi/p2p/inflight_inside.h"
#include "mpi/p2p/p2p_image.h"
#include "mpi/p2p/p2p_inside.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/stored.h"
#include "p2p_stage.h"
#include "unit.h"

enum { LINES = 4, EVENTS = 8 };

/* ---- the protocol, and what it asks for ---- */

static struct coord coord;
static struct inflight_line line[LINES];

static void fatal(void *user, const char *sentence)
{
	(void)user;
	ck_assert_msg(false, "the protocol ends the job: %s", sentence);
}

static void on_ready(struct inflight_line *l)
{
	ck_assert_msg(false, "nobody has closed line %u", l->number);
}

static bool capture(uint32_t number)
{
	line[number] = (struct inflight_line){
		.number = number, .at = p2p_sequence() + 1, .ready = on_ready};
	inflight_begin(&line[number]);
	p2p_image_note();
	return true;
}

static void drive(void)
{
	struct coord_action a;

	while (coord_next_action(&coord, &a)) {
		if (a.kind == COORD_CAPTURE)
			coord_answer(&coord, capture(a.line), 0);
		if (a.kind == COORD_SEND)
			free(a.bytes);
		if (a.kind == COORD_OVER)
			inflight_end(&line[a.line]);
	}
}

static void begin(const char *protocol)
{
	stage_begin();
	stage_may_drop = true;
	ck_assert_int_eq(coord_init(&coord, protocol, 0, STAGE_SIZE, fatal, NULL), 0);
	ck_assert_int_eq(inflight_init(&coord, STAGE_SIZE, p2p_pull), 0);
	p2p_coordinate(&coord, drive);
}

static struct {
	struct kept k;
	struct request *r; /* until it is waited for */
	struct stored *m;
} at[EVENTS];

static void end(void)
{
	p2p_coordinate(NULL, NULL);
	/* what is open goes with the slab of requests, which knows nothing of communicators */
	for (int i = 0; i < EVENTS; i++)
		if (at[i].r)
			comm_release(at[i].r->m.comm);
	inflight_fini();
	coord_fini(&coord);
	stage_end();
}

static struct coord_undelivered listed(void)
{
	struct coord_undelivered u = {0};

	p2p_image_undelivered(coord_undelivered_add, &u);
	ck_assert(!u.incomplete);
	return u;
}

/* The image is taken, and a line made of it. */
static void take_image(void)
{
	struct coord_undelivered u = listed();

	coord_checkpoint(&coord, &u);
	coord_undelivered_free(&u);
	drive();
	ck_assert(coord_result(&coord));
}

/* ---- what stays ---- */

enum kind { NONE, WHOLE, ANNOUNCED, PULLED, STORED, HALF, DONE, FOUND, TEAM, TEAM_HALF };

struct event {
	enum kind kind;
	int peer, tag;
	bool stays;
};

static const struct event cases[][EVENTS] = {
	/* all is here */
	{{WHOLE, 1, 3, true}, {STORED, 1, 4, true}, {DONE, 1, 5, true}, {FOUND, 1, 6, true}},
	/* what waits behind an announced one, of its own rank alone, whatever its tag */
	{{WHOLE, 1, 3, true}, {ANNOUNCED, 1, 4, false}, {WHOLE, 1, 4, false}, {WHOLE, 1, 5, false},
		{WHOLE, 2, 4, true}, {STORED, 1, 6, false}, {STORED, 2, 6, true}},
	/* behind one that was asked for */
	{{WHOLE, 2, 3, true}, {PULLED, 2, 4, false}, {WHOLE, 2, 5, false}, {WHOLE, 3, 4, true}},
	/* behind one that has its receive; and what has met its own stays, behind whatever */
	{{WHOLE, 1, 3, true}, {HALF, 1, 4, false}, {DONE, 1, 4, true}, {FOUND, 1, 5, true},
		{WHOLE, 1, 6, false}, {DONE, 1, 7, true}, {WHOLE, 3, 3, true}},
	{{ANNOUNCED, 1, 4, false}, {DONE, 1, 5, true}, {FOUND, 1, 6, true}, {WHOLE, 1, 7, false}},
	/* the first of several */
	{{HALF, 3, 3, false}, {WHOLE, 3, 4, false}, {ANNOUNCED, 3, 5, false}, {WHOLE, 3, 6, false}},
	{{ANNOUNCED, 3, 3, false}, {WHOLE, 3, 4, false}, {HALF, 3, 5, false}, {WHOLE, 3, 6, false}},
	/* ranks that agree with each other are not of the program */
	{{TEAM_HALF, 1, 3, false}, {WHOLE, 1, 3, true}, {TEAM, 1, 4, false},
		{ANNOUNCED, 1, 5, false}, {TEAM, 1, 6, false}, {TEAM, 2, 3, false}},
};

static char buffers[EVENTS][STAGE_BYTES];

static void fill(struct stored *m)
{
	p2p_upcalls.received(NULL, m, STAGE_BYTES, 0);
}

static void keep_team(struct kept *k, const struct event *e)
{
	struct tp_envelope te = stage_envelope(comm_coord()->context | PLANE_COLL, e->tag, e->peer);

	stage_keep_as(k, e->peer, &te);
	k->here = e->kind == TEAM;
}

static void happen(int i, const struct event *e)
{
	memset(&at[i], 0, sizeof at[i]);
	switch (e->kind) {
	case NONE:
		break;
	case TEAM:
	case TEAM_HALF:
		keep_team(&at[i].k, e);
		break;
	case HALF:
	case DONE:
		at[i].r = stage_receive_in(e->peer, e->tag, buffers[i]);
		ck_assert_ptr_eq(stage_comes(e->peer, e->tag), at[i].r);
		if (e->kind == DONE)
			p2p_upcalls.received(NULL, at[i].r, STAGE_BYTES, 0);
		break;
	case PULLED:
	case STORED:
		stage_keep(&at[i].k, e->peer, e->tag);
		ck_assert(p2p_pull(stage_probe(e->peer, e->tag)));
		at[i].m = at[i].k.place.cookie;
		if (e->kind == STORED)
			fill(at[i].m);
		break;
	case FOUND:
	case WHOLE:
	case ANNOUNCED:
		stage_keep(&at[i].k, e->peer, e->tag);
		at[i].k.here = e->kind != ANNOUNCED;
		if (e->kind == FOUND)
			stage_find(e->peer, e->tag);
	}
}

static const struct match_msg *msg_of(int i)
{
	return at[i].m ? &at[i].m->msg : (const struct match_msg *)(void *)at[i].k.public.user;
}

static const struct inflight *noted(int i)
{
	return at[i].r ? at[i].r->inflight : msg_of(i)->inflight;
}

/* What is known to be in transit was pulled in. */
static void see_pulled(int i)
{
	if (at[i].m || at[i].r || !at[i].k.place.cookie)
		return;
	at[i].m = at[i].k.place.cookie;
	if (at[i].k.here)
		fill(at[i].m);
}

/* One that two have the tag of is the one that came first. */
static bool is_listed(const struct coord_undelivered *u, int i)
{
	uint64_t index = at[i].r ? at[i].r->index : msg_of(i)->index;
	int peer = at[i].r ? at[i].r->peer : msg_of(i)->peer;
	int tag = at[i].r ? at[i].r->got_tag : msg_of(i)->tag;

	for (size_t n = 0; n < u->n; n++)
		if (u->v[n].peer == peer && u->v[n].tag == tag && u->v[n].index == index)
			return true;
	return false;
}

/* As tp_begin_anew does, which has nothing of what was thrown away. */
static void begin_anew(const struct event *e)
{
	for (int i = 0; i < EVENTS; i++) {
		if (e[i].kind == ANNOUNCED || e[i].kind == TEAM_HALF)
			p2p_upcalls.forget(NULL, &at[i].k.public);
		else if (e[i].kind == PULLED)
			stage_unmatch(at[i].m);
		else if (e[i].kind == HALF)
			stage_unmatch(at[i].r);
	}
}

static unsigned in_queue(void)
{
	unsigned n = 0;

	list_for_each (item, &p2p.match.arrivals.list)
		n++;
	return n;
}

static const char *const protocols[] = {"eventlog", "tagging", "compare"};
enum { PROTOCOLS = sizeof protocols / sizeof *protocols, CASES = sizeof cases / sizeof *cases };

/* The list of the cut, and what the woken process throws away. */
START_TEST(the_same_is_listed_and_dropped)
{
	const struct event *e = cases[_i / PROTOCOLS];
	struct coord_undelivered u;
	size_t nlisted = 0;
	unsigned stay = 0;

	begin(protocols[_i % PROTOCOLS]);
	for (int i = 0; i < EVENTS; i++)
		happen(i, &e[i]);
	ck_assert(p2p_secure_found());
	u = listed();
	for (int i = 0; i < EVENTS; i++) {
		bool program = e[i].kind != NONE && e[i].kind < TEAM;

		if (program)
			ck_assert_msg(is_listed(&u, i) == !e[i].stays, "event %d", i);
		nlisted += program && !e[i].stays;
		stay += e[i].stays && e[i].kind != DONE && e[i].kind != FOUND;
	}
	ck_assert_uint_eq(u.n, nlisted);
	coord_undelivered_free(&u);
	p2p_image_woke(stage_tp);
	begin_anew(e);
	for (int i = 0; i < EVENTS; i++) {
		bool kept = e[i].kind == WHOLE || e[i].kind == TEAM || e[i].kind == FOUND;

		ck_assert_msg(at[i].k.dropped == (kept && !e[i].stays), "event %d", i);
		if (e[i].kind == DONE)
			ck_assert(request_done(at[i].r));
	}
	ck_assert_uint_eq(in_queue(), stay);
	end();
}
END_TEST

/* A line has what does not stay, and nothing else. */
START_TEST(the_same_is_noted)
{
	const struct event *e = cases[_i / PROTOCOLS];

	begin(protocols[_i % PROTOCOLS]);
	for (int i = 0; i < EVENTS; i++)
		happen(i, &e[i]);
	take_image();
	for (int i = 0; i < EVENTS; i++) {
		bool program = e[i].kind != NONE && e[i].kind < TEAM;

		see_pulled(i);
		ck_assert_msg((noted(i) != NULL) == (program && !e[i].stays), "event %d", i);
	}
	coord_woke(&coord, 1);
	drive();
	p2p_image_woke(stage_tp);
	end();
}
END_TEST

/* ---- lines that overlap ---- */

/* What is announced at the first line is whole at the second: that has it as received, also when
 * the program receives it later. Its sender was before both. */
START_TEST(what_came_between_stays_in_the_second)
{
	const struct event announced = {ANNOUNCED, 1, 4, false}, half = {HALF, 1, 5, false};
	struct inflight *f, *g;

	begin("tagging");
	happen(0, &announced);
	happen(1, &half);
	take_image();
	ck_assert_ptr_nonnull(at[0].k.place.cookie);
	at[0].m = at[0].k.place.cookie;
	fill(at[0].m);
	p2p_upcalls.received(NULL, at[1].r, STAGE_BYTES, 0);
	take_image();
	f = at[0].m->msg.inflight;
	g = at[1].r->inflight;
	ck_assert_int_eq(inflight_fate(&line[1], f), COORD_IN);
	ck_assert_int_eq(inflight_fate(&line[2], f), COORD_OUT);
	ck_assert_int_eq(inflight_fate(&line[1], g), COORD_IN);
	ck_assert_int_eq(inflight_fate(&line[2], g), COORD_OUT);
	for (int i = 0; i < 2; i++) {
		struct request *r = i ? at[1].r : stage_receive_in(1, 4, buffers[0]);

		ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE), MPI_SUCCESS);
	}
	at[1].r = NULL;
	ck_assert_int_eq(inflight_fate(&line[1], f), COORD_IN);
	ck_assert_int_eq(inflight_fate(&line[2], f), COORD_OUT);
	ck_assert_int_eq(inflight_fate(&line[2], g), COORD_OUT);
	coord_woke(&coord, 2);
	drive();
	end();
}
END_TEST

/* ---- checksums ---- */

static void keep_early(struct kept *k, int peer, int tag, uint32_t stamp, const char *contents)
{
	struct envelope e = {
		.context = comm_world()->context, .tag = tag, .source = peer, .stamp = stamp};
	struct tp_envelope te = envelope_pack(&e);

	stage_keep_as(k, peer, &te);
	k->here = true;
	memcpy(k->bytes, contents, STAGE_BYTES);
}

static void receive_early(struct kept *k, int peer, int tag, int room)
{
	static char buf[STAGE_BYTES];
	struct p2p_message m = stage_message_of(peer, tag, buf, type_bytes(), room);
	struct request *r;

	ck_assert_int_eq(p2p_irecv(&m, &r), MPI_SUCCESS);
	ck_assert_ptr_eq(k->place.cookie, r);
	memcpy(buf, k->bytes, (size_t)room);
	p2p_upcalls.received(NULL, r, STAGE_BYTES, 0);
	ck_assert_int_eq(request_wait(r, MPI_STATUS_IGNORE),
		room == STAGE_BYTES ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
}

static const char fifteen[STAGE_BYTES] = "fifteen letters", others[STAGE_BYTES] = "fifteen LETTERS";

/* Of two ranks that do the same, one has its message in an image, and the other receives it. */
START_TEST(the_image_knows_the_checksum)
{
	struct kept k[3];
	struct orphan_sum sums[2][2];

	for (int image = 0; image < 2; image++) {
		begin(protocols[_i]);
		keep_early(&k[0], 1, 3, 2, fifteen);
		keep_early(&k[1], 2, 3, 2, others);
		keep_early(&k[2], 2, 4, 1, others); /* not early */
		if (image)
			ck_assert(p2p_pull(stage_probe(2, 3)));
		if (image) {
			memcpy(k[1].place.buf, others, STAGE_BYTES);
			fill(k[1].place.cookie);
		}
		for (int i = 0; i < 2 && !image; i++)
			receive_early(&k[i], i + 1, 3, STAGE_BYTES);
		take_image();
		ck_assert_uint_eq(coord.lines->list->early->nreceived, 2);
		for (int i = 0; i < 2; i++)
			sums[image][i] = coord.lines->list->early->received[i].sum;
		coord_woke(&coord, 1);
		drive();
		end();
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(sums[0][i].length, STAGE_BYTES);
		ck_assert_uint_eq(sums[0][i].hash, sums[1][i].hash);
	}
	ck_assert_uint_ne(sums[0][0].hash, sums[0][1].hash);
}
END_TEST

/* It stays in one image, and in the next; then the program has it, perhaps not all of it: it is one
 * message in each line, with its checksum. What does not stay has none. */
START_TEST(it_is_told_once)
{
	struct kept early, announced, behind;
	const struct line *l;
	uint64_t hash = 0;

	begin("eventlog");
	keep_early(&early, 1, 3, 9, fifteen);
	stage_keep(&announced, 1, 4);
	keep_early(&behind, 1, 5, 9, fifteen);
	for (uint32_t i = 1; i < LINES; i++) {
		if (i == LINES - 1)
			receive_early(&early, 1, 3, _i ? STAGE_BYTES : 1);
		take_image();
		for (l = coord.lines->list; l->line != i;)
			l = l->next;
		ck_assert_uint_eq(l->early->nreceived, 1);
		ck_assert_int_eq(l->early->received[0].tag, 3);
		ck_assert_uint_ne(l->early->received[0].sum.hash, 0);
		ck_assert(!hash || l->early->received[0].sum.hash == hash);
		hash = l->early->received[0].sum.hash;
	}
	coord_woke(&coord, LINES);
	drive();
	p2p_image_woke(stage_tp);
	ck_assert(behind.dropped);
	end();
}
END_TEST

UNIT_MAIN("p2p_image", tcase_add_loop_test(tc, the_same_is_listed_and_dropped, 0, CASES *PROTOCOLS);
	  tcase_add_loop_test(tc, the_same_is_noted, 0, CASES *PROTOCOLS);
	  tcase_add_test(tc, what_came_between_stays_in_the_second);
	  tcase_add_loop_test(tc, the_image_knows_the_checksum, 0, PROTOCOLS);
	  tcase_add_loop_test(tc, it_is_told_once, 0, 2);)
