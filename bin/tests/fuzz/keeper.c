/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A keeper: what a rank sends it after the handshake, and what its files hold. The first byte: 0, a
 * file of rank 1; 1, a rank; 2, the keeper's side as a rank hears it.
 *
 * A file: the second byte says what is mended: 1 the sum of the header, 2 those of the frames, as
 * far as the frames' counts lead, 4 magic, version, session and rank of the header. The rest is the
 * file.
 *
 * A rank: steps. 0: a commit; 1, 2: the rank connects (the next bytes: wants, incarnation, u16
 * after); 3: its file vanishes, and the keeper is started again; 4: the disk fails at the next
 * operation; 5: the keeper is started again; else (the next byte: so many): bytes of the rank.
 *
 * A keeper: steps. 0: the rank tells so many more (u16); 1: a checkpoint covers half; 2: the
 * connection breaks; else (the next byte: so many): bytes of the keeper.
 */
#include "keeper/client.h"
#include "keeper/event_file.h"
#include "keeper/event_format.h"
#include "keeper/peer.h"

#include <xxhash.h>

#include "../unit/fake_disk.h"
#include "fuzz.h"

enum { RANKS = 2, RANK = 1, LIMIT = 1 << 16, SAID = 512 };

static struct fake_disk disk;
static struct event_folder folder = {.disk = &disk.disk, .path = "f"};
static struct events events;
static struct event_file file;
static volatile uint8_t seen; /* every byte that is held can be read */

/* What is held hangs together. */
static void check_log(void)
{
	const struct events_rank *r = &events.v[RANK];
	uint32_t n;

	FUZZ_CHECK(r->forgotten <= r->durable && r->durable <= r->last, "the numbers");
	FUZZ_CHECK(r->last - r->durable <= KEEPER_WINDOW, "so many wait");
	FUZZ_CHECK(events.used <= events.limit && events.used == r->charged, "what is used");
	for (uint64_t number = r->forgotten + 1; number <= r->last; number += n) {
		const uint8_t *piece = events_piece(&events, RANK, number, &n);

		for (size_t i = 0; i < (size_t)n * KEEPER_RECORD_BYTES; i++)
			seen = piece[i];
	}
}

static int open_file(bool fresh, char said[SAID])
{
	FUZZ_CHECK(events_init(&events, RANKS, LIMIT), "out of memory");
	return event_file_open(&file, &folder, RANK, fresh, &events, said, SAID);
}

static void close_file(void)
{
	event_file_close(&file);
	events_free(&events);
}

static void commit(void)
{
	struct events_commit c;

	if (events_next_commit(&events, RANK, &c) && event_file_commit(&file, &events, &c) == 0)
		events_committed(&events, RANK, &c);
	disk.fail_at = 0;
}

/* ---- a file ---- */

static void mend(uint8_t *bytes, size_t len, unsigned what)
{
	struct event_header h;
	size_t at = sizeof h;

	if (len < sizeof h)
		return;
	memcpy(&h, bytes, sizeof h);
	if (what & 4) {
		memcpy(h.magic, EVENT_FILE_MAGIC, sizeof h.magic);
		h.version = EVENT_FILE_VERSION;
		h.rank = RANK;
		memcpy(h.session, folder.session, sizeof h.session);
	}
	if (what & 1)
		h.sum = XXH3_64bits(&h, offsetof(struct event_header, sum));
	memcpy(bytes, &h, sizeof h);
	while (what & 2 && len - at >= sizeof(struct event_frame)) {
		struct event_frame f;
		size_t records;

		memcpy(&f, bytes + at, sizeof f);
		records = (size_t)f.count * KEEPER_RECORD_BYTES;
		if (records > len - at - sizeof f)
			records = len - at - sizeof f;
		f.records_sum = XXH3_64bits(bytes + at + sizeof f, records);
		f.sum = XXH3_64bits(&f, offsetof(struct event_frame, sum));
		memcpy(bytes + at, &f, sizeof f);
		at += sizeof f + records;
	}
}

static void run_file(struct script *in)
{
	unsigned what = script_u8(in);
	size_t len = (size_t)(in->end - in->at);
	uint8_t *bytes = (uint8_t *)script_text(in, len);
	struct events_rank before;
	char said[SAID];
	int rc;

	mend(bytes, len, what);
	fake_disk_put(&disk, "f/rank-00001.events", bytes, len);
	rc = open_file(true, said);
	if (rc || *said)
		fuzz_check_sentence(said, sizeof said);
	FUZZ_CHECK(
		rc || !*said || events.v[RANK].needed == EVENTS_LOST, "nothing is lost: %s", said);
	if (rc == 0) {
		check_log();
		commit();
		before = events.v[RANK];
		close_file();
		/* what was accepted is read again, and is the same */
		FUZZ_CHECK(open_file(true, said) == 0 && !*said, "%s", said);
		FUZZ_CHECK(events.v[RANK].last == before.durable &&
				   events.v[RANK].forgotten == before.forgotten &&
				   events.v[RANK].incarnation == before.incarnation &&
				   events.v[RANK].needed == before.needed,
			"it is another log");
		check_log();
	}
	close_file();
	free(bytes);
}

/* ---- a rank ---- */

static struct keeper_peer peer;

static void say_all(void)
{
	size_t n;
	const uint8_t *bytes;
	struct keeper_frame f;

	while ((bytes = keeper_peer_out(&peer, &n))) {
		memcpy(&f, bytes, sizeof f);
		FUZZ_CHECK(f.number <= events.v[RANK].last || f.kind == KEEPER_REFUSED,
			"it says what it has not");
		FUZZ_CHECK(f.kind != KEEPER_ACK || f.number == events.v[RANK].durable,
			"it acknowledges what is not durable");
		keeper_peer_sent(&peer, n);
	}
}

static void run_rank(struct script *in)
{
	bool open = false;
	char said[SAID];

	FUZZ_CHECK(open_file(true, said) == 0, "%s", said);
	while (!script_ended(in)) {
		struct keeper_hello hello = {.rank = RANK};
		const uint8_t *bytes;
		size_t n, room;
		uint8_t *place;

		switch (script_u8(in)) {
		case 0:
			commit();
			break;
		case 1:
		case 2:
			hello.wants = script_u8(in) % 2 ? KEEPER_GO_ON : KEEPER_BEGIN;
			hello.incarnation = 1 + script_u8(in);
			hello.after = script_u16(in);
			keeper_peer_open(&peer, &events, &hello);
			open = true;
			break;
		case 3:
			open = false;
			close_file();
			disk.disk.unlink(&disk.disk, "f/rank-00001.events");
			FUZZ_CHECK(open_file(false, said) == 0, "%s", said);
			break;
		case 4:
			disk.fail_at = disk.ops + 1;
			break;
		case 5:
			open = false;
			close_file();
			FUZZ_CHECK(open_file(true, said) == 0 && !*said, "%s", said);
			break;
		default:
			n = script_bytes(in, &bytes, script_u8(in));
			if (!open)
				break;
			place = keeper_peer_room(&peer, &room);
			n = n < room ? n : room;
			memcpy(place, bytes, n);
			FUZZ_CHECK(keeper_peer_came(&peer, n) == 0, "out of memory");
		}
		check_log();
		if (open)
			say_all();
		if (open && keeper_peer_over(&peer))
			open = false;
	}
	close_file();
}

/* ---- what a rank hears ---- */

static void read_records(void *ctx, uint64_t first, uint32_t count, uint8_t *out)
{
	struct keeper_client *c = ctx;

	FUZZ_CHECK(first > c->covered && first - 1 + count <= c->last, "there is no such record");
	memset(out, 0, (size_t)count * KEEPER_RECORD_BYTES);
}

static void hear(struct keeper_client *c)
{
	struct keeper_client_event e;
	uint64_t reported = c->reported;

	while (keeper_client_next(c, &e)) {
		if (e.what == CLIENT_ACKNOWLEDGED)
			FUZZ_CHECK(e.number > reported && e.number <= c->last, "which?");
		if (e.what == CLIENT_IS_REFUSED)
			FUZZ_CHECK(e.reason, "why?");
		reported = c->reported;
	}
}

static void speak(struct keeper_client *c)
{
	size_t n;

	while (keeper_client_out(c, &n))
		keeper_client_sent(c, n);
}

/* The handshake is over. */
static void connect_client(struct keeper_client *c)
{
	keeper_client_connected(c);
	speak(c);
	if (c->state == CLIENT_CHALLENGE)
		c->state = CLIENT_STATE;
}

static void run_keeper(struct script *in)
{
	static struct keeper_client c;
	struct keeper_client_job job = {.job = {.ranks = RANKS},
		.rank = RANK,
		.incarnation = 1,
		.covered = script_u8(in),
		.read = read_records,
		.ctx = &c};

	keeper_client_init(&c, &job);
	connect_client(&c);
	while (!script_ended(in)) {
		const uint8_t *bytes;
		size_t n, room;
		uint8_t *place;

		switch (script_u8(in)) {
		case 0:
			n = script_u16(in);
			if (c.begun && c.last < KEEPER_NUMBER_MAX - n)
				keeper_client_tell(&c, c.last + n);
			break;
		case 1:
			if (c.begun && c.last > c.covered)
				keeper_client_cover(&c, c.covered + (c.last - c.covered + 1) / 2);
			break;
		case 2:
			connect_client(&c);
			break;
		default:
			n = script_bytes(in, &bytes, script_u8(in));
			place = keeper_client_room(&c, &room);
			n = n < room ? n : room;
			memcpy(place, bytes, n);
			keeper_client_came(&c, n);
		}
		hear(&c);
		speak(&c);
	}
	keeper_client_fini(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);

	fake_disk_init(&disk);
	switch (script_u8(&in) % 3) {
	case 0:
		run_file(&in);
		break;
	case 1:
		run_rank(&in);
		break;
	default:
		run_keeper(&in);
	}
	fake_disk_free(&disk);
	return 0;
}
