/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks and their keeper, by the real code of both sides but without sockets, through random
 * misfortune: connections break after any byte, ranks are killed and come back as new incarnations
 * (the old ones may go on for a while), the keeper is killed and started again with whatever its
 * disk kept, disks fail, and files vanish while their rank lives. What was acknowledged to an
 * incarnation is given to each later one, the same; nothing of an old one is taken once a newer one
 * was answered; and when the misfortune is over everything is acknowledged.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fake_disk.h"
#include "keeper/client.h"
#include "keeper/event_file.h"
#include "keeper/peer.h"
#include "unit.h"

enum { RANKS = 2, NUMBERS = 9000, MOVES = 2500, RUNS = 300, LIMIT = 100000 };

/* One process of a rank. */
struct process {
	bool there, connected, ready;
	uint32_t rank;
	struct keeper_client client;
	struct keeper_peer peer;
	uint32_t version[NUMBERS + 1]; /* the incarnation that each of its records is of */
};

struct rank {
	struct process now, old;    /* old: an earlier incarnation that has not ended yet */
	uint64_t covered;	    /* by the latest checkpoint */
	uint64_t safe;		    /* acknowledged, to any incarnation */
	uint64_t given;		    /* what the newest incarnation that was answered got */
	uint32_t answered;	    /* that incarnation */
	uint32_t sure[NUMBERS + 1]; /* of what version, up to `safe` */
	bool lost;		    /* its file vanished, and it has not told all again */
};

static struct world {
	uint64_t seed;
	struct fake_disk disk;
	struct event_folder folder;
	struct events events;
	struct event_file files[RANKS];
	struct keeper_job job;
	struct rank ranks[RANKS];
	bool calm;
} w;

static uint64_t draw(uint64_t below)
{
	w.seed ^= w.seed << 13;
	w.seed ^= w.seed >> 7;
	w.seed ^= w.seed << 17;
	return w.seed % below;
}

/* ---- records ---- */

static void read_records(void *ctx, uint64_t first, uint32_t count, uint8_t *out)
{
	const struct process *p = ctx;

	ck_assert_uint_gt(first, p->client.covered);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a[2] = {p->rank, p->version[first + i]};
		uint64_t number = first + i;

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, a, sizeof a);
		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES + 8, &number, 8);
	}
}

static void take_records(struct process *p, const struct keeper_client_event *e)
{
	const struct rank *r = &w.ranks[p->rank];

	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t a[2];
		uint64_t number;

		memcpy(a, e->records + (size_t)i * KEEPER_RECORD_BYTES, sizeof a);
		memcpy(&number, e->records + (size_t)i * KEEPER_RECORD_BYTES + 8, 8);
		ck_assert_uint_eq(a[0], p->rank);
		ck_assert_uint_eq(number, e->number + i);
		ck_assert_uint_lt(a[1], p->client.c.incarnation);
		if (number <= r->safe)
			ck_assert_uint_eq(a[1], r->sure[number]);
		p->version[number] = a[1];
	}
}

/* ---- what a process hears ---- */

static void on_ready(struct process *p, uint64_t end)
{
	struct rank *r = &w.ranks[p->rank];

	p->ready = true;
	/* its answer was on its way as a newer one was answered */
	if (p->client.c.incarnation < r->answered)
		return;
	ck_assert_uint_ge(end, r->safe < r->covered ? r->covered : r->safe);
	r->given = end;
	r->answered = p->client.c.incarnation;
}

static void on_acknowledged(struct process *p, uint64_t number)
{
	struct rank *r = &w.ranks[p->rank];

	/* it may have been on its way as the newer one was answered */
	if (p->client.c.incarnation < r->answered)
		ck_assert_uint_le(number, r->given);
	for (uint64_t n = r->covered + 1; n <= number; n++) {
		if (n <= r->safe)
			ck_assert_uint_eq(r->sure[n], p->version[n]);
		r->sure[n] = p->version[n];
	}
	if (r->safe < number)
		r->safe = number;
	if (p == &r->now && r->lost && events_whole(&w.events, p->rank))
		r->lost = false;
}

static void on_refused(struct process *p, unsigned why)
{
	struct rank *r = &w.ranks[p->rank];

	if (p == &r->now)
		ck_abort_msg("rank %u, incarnation %u: refused: %s", p->rank,
			p->client.c.incarnation, keeper_refusal_text(why));
	ck_assert(why == KEEPER_FENCED);
	p->there = p->connected = false;
}

static void hear(struct process *p)
{
	struct keeper_client_event e;

	while (keeper_client_next(&p->client, &e)) {
		switch (e.what) {
		case CLIENT_RECORDS:
			take_records(p, &e);
			break;
		case CLIENT_READY:
			on_ready(p, e.number);
			break;
		case CLIENT_ACKNOWLEDGED:
			on_acknowledged(p, e.number);
			break;
		case CLIENT_LOST:
			ck_assert(w.ranks[p->rank].lost);
			break;
		case CLIENT_IS_REFUSED:
			on_refused(p, e.reason);
			return;
		default:
			ck_abort_msg("rank %u: broke: %s", p->rank, ft_error_text(e.error));
		}
	}
}

/* ---- the keeper ---- */

static void keeper_start(bool fresh)
{
	char said[512];

	ck_assert(events_init(&w.events, RANKS, LIMIT));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		ck_assert_int_eq(event_file_open(&w.files[rank], &w.folder, rank, fresh, &w.events,
					 said, sizeof said),
			0);
		ck_assert_msg(!*said || w.ranks[rank].lost, "%s", said);
	}
}

static void disconnect(struct process *p)
{
	p->connected = false;
	keeper_client_lost(&p->client);
}

static void keeper_dies(bool machine)
{
	for (int rank = 0; rank < RANKS; rank++) {
		disconnect(&w.ranks[rank].now);
		disconnect(&w.ranks[rank].old);
		event_file_close(&w.files[rank]);
	}
	events_free(&w.events);
	/* what the process wrote and did not flush stays, but a later crash may take it */
	if (machine)
		fake_disk_crash(&w.disk, (enum fake_tail)draw(FAKE_TAILS), draw(2));
	w.disk.fail_at = 0;
	keeper_start(false);
}

static void keeper_commits(void)
{
	struct events_commit c;

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		if (!w.calm && draw(12) == 0)
			w.disk.fail_at = w.disk.ops + 1 + (unsigned)draw(6);
		if (events_next_commit(&w.events, rank, &c) &&
			event_file_commit(&w.files[rank], &w.events, &c) == 0)
			events_committed(&w.events, rank, &c);
	}
	ck_assert_uint_le(w.events.used, w.events.limit);
}

/* ---- connections ---- */

/* Both sides of the handshake, at once. */
static void connect_process(struct process *p)
{
	struct keeper_handshake t;
	struct keeper_hello hello;
	struct keeper_challenge challenge;
	struct keeper_proof proof;
	size_t n, room;

	keeper_client_connected(&p->client);
	memcpy(&hello, keeper_client_out(&p->client, &n), sizeof hello);
	ck_assert_uint_eq(n, sizeof hello);
	keeper_client_sent(&p->client, n);
	ck_assert_int_eq(keeper_handshake_take_hello(&t, &w.job, &hello), 0);
	keeper_handshake_challenge(&t, &w.job, &challenge);
	memcpy(keeper_client_room(&p->client, &room), &challenge, sizeof challenge);
	keeper_client_came(&p->client, sizeof challenge);
	hear(p);
	memcpy(&proof, keeper_client_out(&p->client, &n), sizeof proof);
	ck_assert_uint_eq(n, sizeof proof);
	keeper_client_sent(&p->client, n);
	ck_assert_int_eq(keeper_handshake_take_proof(&t, &w.job, &proof), 0);
	keeper_peer_open(&p->peer, &w.events, &hello);
	p->connected = true;
}

static void to_keeper(struct process *p)
{
	size_t n, room;
	const uint8_t *bytes = keeper_client_out(&p->client, &n);
	uint8_t *place = keeper_peer_room(&p->peer, &room);

	if (!bytes || room == 0)
		return;
	n = n < room ? n : room;
	if (draw(4) == 0)
		n = 1 + (size_t)draw(n);
	memcpy(place, bytes, n);
	keeper_client_sent(&p->client, n);
	ck_assert_int_eq(keeper_peer_came(&p->peer, n), 0);
}

static void from_keeper(struct process *p)
{
	size_t n, room;
	const uint8_t *bytes = keeper_peer_out(&p->peer, &n);
	uint8_t *place = keeper_client_room(&p->client, &room);

	if (!bytes)
		return;
	ck_assert_uint_gt(room, 0);
	n = n < room ? n : room;
	if (draw(4) == 0)
		n = 1 + (size_t)draw(n);
	memcpy(place, bytes, n);
	keeper_peer_sent(&p->peer, n);
	keeper_client_came(&p->client, n);
	hear(p);
}

/* ---- ranks ---- */

static void begin(uint32_t rank, uint32_t incarnation)
{
	struct rank *r = &w.ranks[rank];
	struct keeper_client_job job = {.job = w.job,
		.rank = rank,
		.incarnation = incarnation,
		.covered = r->covered,
		.read = read_records,
		.ctx = &r->now};

	r->now.there = true;
	r->now.connected = r->now.ready = false;
	r->now.rank = rank;
	keeper_client_init(&r->now.client, &job);
}

/* It comes back; what it was may go on for a while. */
static void rank_dies(uint32_t rank)
{
	struct rank *r = &w.ranks[rank];
	uint32_t incarnation = r->now.client.c.incarnation;

	if (r->lost) /* this and the log at once: nothing could bring it back */
		return;
	if (draw(2)) {
		r->old = r->now;
		r->old.client.c.ctx = &r->old;
	}
	begin(rank, incarnation + 1 + (uint32_t)draw(2));
}

static void produce(struct process *p)
{
	uint64_t n = 1 + draw(draw(3) ? 20 : 1500), last = p->client.last;

	if (!p->ready)
		return;
	for (; n > 0 && last < NUMBERS; n--)
		p->version[++last] = p->client.c.incarnation;
	keeper_client_tell(&p->client, last);
}

/* Also of what is not acknowledged yet. */
static void checkpoint(struct rank *r)
{
	struct process *p = &r->now;

	if (!p->ready || p->client.last == r->covered)
		return;
	r->covered += 1 + draw(p->client.last - r->covered);
	keeper_client_cover(&p->client, r->covered);
}

static void vanish(uint32_t rank)
{
	char path[64];

	if (!w.ranks[rank].now.ready || w.ranks[rank].old.there)
		return;
	snprintf(path, sizeof path, "f/rank-%05u.events", rank);
	if (!fake_disk_file(&w.disk, path))
		return;
	w.disk.disk.unlink(&w.disk.disk, path);
	w.disk.disk.flush_folder(&w.disk.disk, "f");
	w.ranks[rank].lost = true;
	keeper_dies(false);
}

static void move(void)
{
	uint32_t rank = (uint32_t)draw(RANKS);
	struct rank *r = &w.ranks[rank];
	struct process *p = draw(4) && r->now.there ? &r->now : &r->old;

	switch (draw(w.calm ? 16 : 20)) {
	case 0:
	case 1:
	case 2:
		if (p->there && !p->connected)
			connect_process(p);
		break;
	case 3:
	case 4:
		if (!w.calm)
			produce(p);
		break;
	case 5:
		if (!w.calm || events_limited(&w.events, rank))
			checkpoint(r);
		break;
	case 6:
	case 7:
	case 8:
		keeper_commits();
		break;
	case 16:
		disconnect(p);
		break;
	case 17:
		if (draw(4) == 0)
			rank_dies(rank);
		break;
	case 18:
		if (draw(4) == 0)
			keeper_dies(draw(2));
		break;
	case 19:
		if (draw(40) == 0)
			vanish(rank);
		break;
	default:
		if (p->connected && draw(2))
			to_keeper(p);
		else if (p->connected)
			from_keeper(p);
	}
}

static bool all_is_well(void)
{
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		const struct rank *r = &w.ranks[rank];

		if (!r->now.ready || r->now.client.reported < r->now.client.last ||
			!events_whole(&w.events, rank))
			return false;
	}
	return true;
}

static void run(uint64_t seed)
{
	int calm = 0;

	memset(&w, 0, sizeof w);
	w.seed = seed * 0x9e3779b97f4a7c15u + 1;
	w.job.ranks = RANKS;
	fake_disk_init(&w.disk);
	w.folder = (struct event_folder){.disk = &w.disk.disk, .path = "f"};
	keeper_start(true);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		while (events_next_commit(&w.events, rank, &(struct events_commit){0}))
			keeper_commits();
		begin(rank, 1);
	}
	for (int i = 0; i < MOVES; i++)
		move();
	w.calm = true;
	w.disk.fail_at = 0;
	while (!all_is_well() && ++calm < 100000)
		move();
	ck_assert_msg(all_is_well(), "run %d: it never comes to rest", (int)seed);
	for (int rank = 0; rank < RANKS; rank++)
		event_file_close(&w.files[rank]);
	events_free(&w.events);
	fake_disk_free(&w.disk);
}

START_TEST(nothing_acknowledged_is_lost)
{
	int runs = getenv("KEEPER_RUNS") ? atoi(getenv("KEEPER_RUNS")) : RUNS;

	ck_assert_int_eq(auth_init(), 0);
	for (int i = 1; i <= runs; i++)
		run((uint64_t)i);
}
END_TEST

UNIT_MAIN("keeper_talk", tcase_add_test(tc, nothing_acknowledged_is_lost);)
