/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a keeper: what was acknowledged is there after a crash at any step, with whatever
 * the disk did to what was not flushed; and nothing in a file is believed. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "fake_disk.h"
#include "keeper/event_file.h"
#include "keeper/event_format.h"
#include "unit.h"

enum { RANK = 3, RANKS = 4, LIMIT = 1 << 24, SAID = 512 };

static const char path[] = "f/rank-00003.events";

/* A keeper's log of one rank, in a file. */
struct kept {
	struct fake_disk *disk;
	struct event_folder folder;
	struct events events;
	struct event_file file;
	char said[SAID];
};

static int open_kept(struct kept *k, struct fake_disk *disk, bool fresh)
{
	k->disk = disk;
	k->folder = (struct event_folder){.disk = &disk->disk, .path = "f", .session = {7}};
	ck_assert(events_init(&k->events, RANKS, LIMIT));
	return event_file_open(
		&k->file, &k->folder, RANK, fresh, &k->events, k->said, sizeof k->said);
}

static void close_kept(struct kept *k)
{
	event_file_close(&k->file);
	events_free(&k->events);
}

static struct events_rank *log_of(struct kept *k)
{
	return &k->events.v[RANK];
}

static void fill(uint64_t first, uint32_t count, uint8_t *out)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t v[2] = {first + i, (first + i) * 0x9e3779b97f4a7c15u};

		memcpy(out + (size_t)i * KEEPER_RECORD_BYTES, v, sizeof v);
	}
}

static void tell(struct kept *k, uint32_t count)
{
	static uint8_t records[KEEPER_WINDOW * KEEPER_RECORD_BYTES];
	uint64_t first = log_of(k)->last + 1;

	fill(first, count, records);
	ck_assert_int_eq(events_tell(&k->events, RANK, first, count, records), KEEPER_TAKEN);
}

/* false: it is not durable yet. */
static bool commit(struct kept *k)
{
	struct events_commit c;
	int rc;

	if (!events_next_commit(&k->events, RANK, &c))
		return true;
	rc = event_file_commit(&k->file, &k->events, &c);
	if (rc == 0)
		events_committed(&k->events, RANK, &c);
	return rc == 0;
}

static void incarnation(struct kept *k, uint32_t number)
{
	ck_assert_int_eq(events_open(&k->events, &(struct keeper_hello){.rank = RANK,
							 .incarnation = number,
							 .wants = KEEPER_GO_ON}),
		KEEPER_TAKEN);
}

static void check_records(const struct kept *k)
{
	const struct events_rank *r = &k->events.v[RANK];
	uint8_t want[EVENTS_BLOCK * KEEPER_RECORD_BYTES];
	uint32_t n;

	for (uint64_t number = r->forgotten + 1; number <= r->last; number += n) {
		const uint8_t *piece = events_piece(&k->events, RANK, number, &n);

		fill(number, n, want);
		ck_assert(memcmp(piece, want, (size_t)n * KEEPER_RECORD_BYTES) == 0);
	}
	ck_assert_uint_eq(k->events.used, r->last - r->forgotten);
}

/* What a keeper that is started again finds is what this one has, of what is durable. */
static void check_again(struct kept *k)
{
	const struct events_rank *r = log_of(k);
	struct kept again;

	ck_assert_int_eq(open_kept(&again, k->disk, false), 0);
	ck_assert_str_eq(again.said, "");
	ck_assert_uint_eq(log_of(&again)->incarnation, r->incarnation);
	ck_assert_uint_eq(log_of(&again)->forgotten, r->forgotten);
	ck_assert_uint_eq(log_of(&again)->last, r->durable);
	ck_assert_uint_eq(log_of(&again)->durable, r->durable);
	ck_assert_uint_eq(log_of(&again)->needed, r->needed);
	check_records(&again);
	close_kept(&again);
}

START_TEST(a_file_is_read_again)
{
	struct fake_disk disk;
	struct kept k;

	fake_disk_init(&disk);
	ck_assert_int_eq(open_kept(&k, &disk, true), 0);
	ck_assert(commit(&k));
	check_again(&k);
	incarnation(&k, 1);
	ck_assert(commit(&k));
	check_again(&k);
	for (uint32_t i = 0; i < 20; i++) {
		tell(&k, 1 + i * 211 % KEEPER_WINDOW);
		if (i % 3 == 2)
			ck_assert_int_eq(events_forget(&k.events, RANK, log_of(&k)->last - i), 0);
		if (i == 7)
			incarnation(&k, 5);
		ck_assert(commit(&k));
		check_again(&k);
	}
	ck_assert_int_eq(events_feed(&k.events, RANK, 100000, 100500), 0);
	ck_assert(commit(&k));
	check_again(&k);
	tell(&k, 600);
	ck_assert(commit(&k));
	check_again(&k);
	close_kept(&k);
	fake_disk_free(&disk);
}
END_TEST

/* A file of seven frames; ends[i] is the end of frame i, last[i] the last record by then. */
enum { FRAMES = 7 };

static void small_file(struct fake_disk *disk, size_t ends[FRAMES], uint64_t last[FRAMES])
{
	static const uint32_t counts[FRAMES] = {0, 3, 0, 1, 5, 0, 2};
	struct kept k;

	fake_disk_init(disk);
	ck_assert_int_eq(open_kept(&k, disk, true), 0);
	for (int i = 0; i < FRAMES; i++) {
		incarnation(&k, 1 + (uint32_t)i);
		if (counts[i])
			tell(&k, counts[i]);
		ck_assert(commit(&k));
		ends[i] = k.file.length;
		last[i] = log_of(&k)->last;
	}
	close_kept(&k);
	fake_disk_crash(disk, FAKE_NONE, false);
}

static void check_lost(struct kept *k)
{
	ck_assert(!events_whole(&k->events, RANK));
	ck_assert_uint_eq(log_of(k)->last, 0);
	ck_assert_uint_eq(k->events.used, 0);
	ck_assert(strstr(k->said, "rank-00003.events") != NULL);
	ck_assert(strstr(k->said, "tells them again") != NULL);
}

/* It goes on from there. */
static void check_goes_on(struct kept *k)
{
	if (!events_whole(&k->events, RANK))
		ck_assert_int_eq(events_feed(&k->events, RANK, 0, 4), 0);
	incarnation(k, 99);
	tell(k, 4);
	ck_assert(commit(k));
	check_again(k);
}

START_TEST(a_torn_tail_is_cut_off)
{
	size_t ends[FRAMES];
	uint64_t last[FRAMES];
	struct fake_disk whole;

	small_file(&whole, ends, last);
	ck_assert_uint_eq(ends[FRAMES - 1], fake_disk_file(&whole, path)->now_len);
	for (size_t len = 0; len <= ends[FRAMES - 1]; len++) {
		struct fake_disk disk;
		struct kept k;
		int frames = 0;

		fake_disk_init(&disk);
		fake_disk_put(&disk, path, fake_disk_file(&whole, path)->now, len);
		while (frames < FRAMES && ends[frames] <= len)
			frames++;
		ck_assert_int_eq(open_kept(&k, &disk, false), 0);
		if (frames == 0) { /* as the file got its name the first one was there */
			check_lost(&k);
		} else {
			ck_assert_str_eq(k.said, "");
			ck_assert_uint_eq(log_of(&k)->last, last[frames - 1]);
			ck_assert_uint_eq(log_of(&k)->incarnation, (uint32_t)frames);
			ck_assert_uint_eq(fake_disk_file(&disk, path)->now_len, ends[frames - 1]);
			check_records(&k);
		}
		check_goes_on(&k);
		close_kept(&k);
		fake_disk_free(&disk);
	}
	fake_disk_free(&whole);
}
END_TEST

START_TEST(no_damage_is_passed_over)
{
	size_t ends[FRAMES];
	uint64_t last[FRAMES];
	struct fake_disk disk;
	struct fake_inode *f;

	small_file(&disk, ends, last);
	f = fake_disk_file(&disk, path);
	for (size_t at = 0; at < ends[FRAMES - 1]; at++) {
		struct kept k;

		f->now[at] ^= 0x40;
		/* the newest one that is left: of the last frame, or of the one before */
		ck_assert_int_eq(open_kept(&k, &disk, false), 0);
		if (at < ends[FRAMES - 2]) {
			check_lost(&k);
			ck_assert_uint_eq(log_of(&k)->incarnation, FRAMES);
		} else {
			ck_assert_uint_eq(log_of(&k)->last, last[FRAMES - 2]);
			ck_assert_uint_eq(log_of(&k)->incarnation, FRAMES - 1);
			check_records(&k);
		}
		close_kept(&k);
		if (at >= ends[FRAMES - 2]) { /* that was cut off */
			fake_disk_free(&disk);
			small_file(&disk, ends, last);
			f = fake_disk_file(&disk, path);
		} else {
			f->now[at] ^= 0x40;
		}
	}
	fake_disk_free(&disk);
}
END_TEST

START_TEST(a_frame_that_is_left_out_is_missed)
{
	size_t ends[FRAMES];
	uint64_t last[FRAMES];
	struct fake_disk disk;

	small_file(&disk, ends, last);
	for (int i = 0; i < FRAMES - 1; i++) {
		size_t from = i ? ends[i - 1] : sizeof(struct event_header);
		struct fake_inode *f = fake_disk_file(&disk, path);
		struct fake_disk other;
		struct kept k;
		uint8_t bytes[2048];

		ck_assert_uint_lt(f->now_len, sizeof bytes);
		memcpy(bytes, f->now, from);
		memcpy(bytes + from, f->now + ends[i], f->now_len - ends[i]);
		fake_disk_init(&other);
		fake_disk_put(&other, path, bytes, f->now_len - (ends[i] - from));
		ck_assert_int_eq(open_kept(&k, &other, false), 0);
		check_lost(&k);
		ck_assert_uint_eq(log_of(&k)->incarnation, FRAMES);
		close_kept(&k);
		fake_disk_free(&other);
	}
	fake_disk_free(&disk);
}
END_TEST

START_TEST(what_is_no_frame_at_the_end_is_damage)
{
	size_t ends[FRAMES];
	uint64_t last[FRAMES];
	struct fake_disk disk, other;
	struct kept k;
	static uint8_t bytes[2048 + EVENT_FRAME_BYTES_MAX];

	/* longer than any frame: that was not written by one commit */
	small_file(&disk, ends, last);
	memset(bytes, 0, sizeof bytes);
	memcpy(bytes, fake_disk_file(&disk, path)->now, ends[FRAMES - 1]);
	for (int more = 0; more < 2; more++) {
		fake_disk_init(&other);
		fake_disk_put(&other, path, bytes,
			ends[FRAMES - 1] + EVENT_FRAME_BYTES_MAX + (size_t)more);
		ck_assert_int_eq(open_kept(&k, &other, false), 0);
		if (more)
			check_lost(&k);
		else
			ck_assert_uint_eq(log_of(&k)->last, last[FRAMES - 1]);
		close_kept(&k);
		fake_disk_free(&other);
	}
	fake_disk_free(&disk);
}
END_TEST

START_TEST(a_file_that_is_missing_is_a_loss)
{
	struct fake_disk disk;
	struct kept k;

	fake_disk_init(&disk);
	ck_assert_int_eq(open_kept(&k, &disk, false), 0);
	check_lost(&k);
	ck_assert(commit(&k));
	close_kept(&k);
	/* and stays one */
	ck_assert_int_eq(open_kept(&k, &disk, true), 0);
	ck_assert(!events_whole(&k.events, RANK));
	check_goes_on(&k);
	close_kept(&k);
	fake_disk_free(&disk);
}
END_TEST

static void check_refused(struct fake_disk *disk, uint32_t rank, uint8_t session, uint64_t limit,
	int code, const char *said)
{
	struct event_folder folder = {.disk = &disk->disk, .path = "f", .session = {session}};
	struct event_file file;
	struct events e;
	char text[SAID];

	ck_assert(events_init(&e, RANKS, limit));
	ck_assert_int_eq(event_file_open(&file, &folder, rank, false, &e, text, sizeof text), code);
	if (!strstr(text, said))
		ck_abort_msg("'%s' does not say '%s'", text, said);
	event_file_close(&file);
	events_free(&e);
}

START_TEST(files_of_others_are_refused)
{
	size_t ends[FRAMES];
	uint64_t last[FRAMES];
	struct fake_disk disk;
	struct fake_inode *f;

	small_file(&disk, ends, last);
	f = fake_disk_file(&disk, path);
	check_refused(&disk, RANK, 7, LIMIT, 0, "");
	check_refused(&disk, RANK, 8, LIMIT, FT_EMISMATCH, "another job or rank");
	check_refused(&disk, RANK, 7, 10 * KEEPER_RECORD_BYTES, FT_ETRUNC, "-limit");
	fake_disk_put(&disk, "f/rank-00002.events", f->now, f->now_len);
	check_refused(&disk, 2, 7, LIMIT, FT_EMISMATCH, "another job or rank");
	fake_disk_free(&disk);
}
END_TEST

/* ---- crashes and failures ---- */

enum { STEPS = 30 };

/* What was acknowledged when the process died. */
struct promise {
	uint32_t incarnation;
	uint64_t durable, forgotten, told;
};

/* One step of a rank that tells 64 KiB at a time; in step 22 most of the file is forgotten, and
 * written anew. `patient`: what fails is tried again. */
static bool step(struct kept *k, int i, bool patient, struct promise *p)
{
	int tries = 0;

	if (i % 8 == 1)
		incarnation(k, 1 + (uint32_t)i);
	tell(k, i % 4 == 3 ? 7 : KEEPER_WINDOW);
	if (i == 22 || i == 25)
		ck_assert_int_eq(events_forget(&k->events, RANK, log_of(k)->last - 6000), 0);
	p->told = log_of(k)->last;
	p->forgotten = log_of(k)->forgotten;
	while (!commit(k))
		if (!patient || ++tries == 3)
			return false;
	p->durable = log_of(k)->durable;
	p->incarnation = log_of(k)->incarnation;
	return true;
}

static void check_promise(struct fake_disk *disk, const struct promise *p)
{
	struct kept k;
	const struct events_rank *r;

	ck_assert_int_eq(open_kept(&k, disk, true), 0);
	r = log_of(&k);
	ck_assert_str_eq(k.said, "");
	ck_assert(events_whole(&k.events, RANK));
	ck_assert_uint_ge(r->incarnation, p->incarnation);
	ck_assert_uint_ge(r->durable, p->durable);
	ck_assert_uint_le(r->durable, p->told);
	ck_assert_uint_le(r->forgotten, p->forgotten);
	check_records(&k);
	tell(&k, 5);
	ck_assert(commit(&k));
	check_again(&k);
	close_kept(&k);
}

/* All steps, on a disk that fails or dies at this operation. true: it was reached. */
static bool run(struct fake_disk *disk, unsigned fail_at, unsigned crash_at, struct promise *p)
{
	struct kept k;

	*p = (struct promise){0};
	fake_disk_init(disk);
	disk->fail_at = fail_at;
	disk->crash_at = crash_at;
	ck_assert_int_eq(open_kept(&k, disk, true), 0);
	for (int i = 0; i < STEPS; i++)
		if (!step(&k, i, crash_at == 0, p))
			break;
	if (!crash_at)
		ck_assert_uint_eq(p->durable, p->told);
	close_kept(&k);
	return disk->ops >= fail_at + crash_at;
}

START_TEST(a_crash_at_any_step_loses_nothing)
{
	unsigned at = 1;

	for (bool reached = true; reached; at++) {
		for (int how = 0; how < 2 * FAKE_TAILS; how++) {
			struct fake_disk disk;
			struct promise p;

			reached = run(&disk, 0, at, &p);
			fake_disk_crash(&disk, how / 2, how % 2);
			check_promise(&disk, &p);
			fake_disk_free(&disk);
		}
	}
	ck_assert_uint_gt(at, 2 * STEPS);
}
END_TEST

/* The next keeper believes what the one before has written, and may not have flushed; then the
 * machine crashes, too. */
START_TEST(a_kill_and_a_crash_lose_nothing)
{
	unsigned at = 1;

	for (bool reached = true; reached; at++) {
		struct fake_disk disk;
		struct promise p;
		struct kept k;

		reached = run(&disk, 0, at, &p);
		disk.crash_at = 0;
		ck_assert_int_eq(open_kept(&k, &disk, true), 0);
		tell(&k, 5);
		ck_assert(commit(&k));
		p.incarnation = log_of(&k)->incarnation;
		p.durable = p.told = log_of(&k)->durable;
		close_kept(&k);
		fake_disk_crash(&disk, FAKE_NONE, false);
		check_promise(&disk, &p);
		fake_disk_free(&disk);
	}
	ck_assert_uint_gt(at, 2 * STEPS);
}
END_TEST

START_TEST(a_failure_at_any_step_loses_nothing)
{
	unsigned at = 1;

	for (bool reached = true; reached; at++) {
		for (int how = 0; how < 2 * FAKE_TAILS; how++) {
			struct fake_disk disk;
			struct promise p;

			reached = run(&disk, at, 0, &p);
			fake_disk_crash(&disk, how / 2, how % 2);
			check_promise(&disk, &p);
			fake_disk_free(&disk);
		}
	}
	ck_assert_uint_gt(at, 2 * STEPS);
}
END_TEST

START_TEST(what_is_forgotten_leaves_the_file)
{
	struct fake_disk disk;
	struct kept k;
	uint64_t before = 0, longest = 0;

	fake_disk_init(&disk);
	ck_assert_int_eq(open_kept(&k, &disk, true), 0);
	for (int i = 0; i < 200; i++) {
		tell(&k, KEEPER_WINDOW);
		if (i >= 3)
			ck_assert_int_eq(events_forget(&k.events, RANK,
						 log_of(&k)->last - 3 * KEEPER_WINDOW),
				0);
		ck_assert(commit(&k));
		before = k.file.length;
		longest = before > longest ? before : longest;
	}
	/* what is held, as much and EVENT_WASTE in vain, and a commit */
	ck_assert_uint_gt(longest, EVENT_WASTE);
	ck_assert_uint_lt(longest, EVENT_WASTE + 8 * EVENT_FRAME_BYTES_MAX);
	check_again(&k);
	close_kept(&k);
	fake_disk_free(&disk);
}
END_TEST

/* It waits, unacknowledged; what a checkpoint covers makes room. */
START_TEST(a_full_disk_is_waited_for)
{
	struct fake_disk disk;
	struct kept k;
	struct promise p;

	fake_disk_init(&disk);
	ck_assert_int_eq(open_kept(&k, &disk, true), 0);
	ck_assert(commit(&k));
	disk.room = disk.written + 100000;
	tell(&k, KEEPER_WINDOW);
	ck_assert(commit(&k));
	tell(&k, KEEPER_WINDOW);
	for (int i = 0; i < 5; i++)
		ck_assert(!commit(&k));
	ck_assert_uint_eq(log_of(&k)->durable, KEEPER_WINDOW);
	ck_assert_uint_eq(fake_disk_file(&disk, path)->now_len, k.file.length);
	check_again(&k);
	disk.room = disk.written + 1000;
	ck_assert_int_eq(events_forget(&k.events, RANK, 2 * KEEPER_WINDOW), 0);
	ck_assert(commit(&k));
	ck_assert_uint_lt(fake_disk_file(&disk, path)->now_len, 200);
	check_again(&k);
	p = (struct promise){0, 2 * KEEPER_WINDOW, 2 * KEEPER_WINDOW, 2 * KEEPER_WINDOW};
	close_kept(&k);
	fake_disk_crash(&disk, FAKE_NONE, false);
	check_promise(&disk, &p);
	fake_disk_free(&disk);
}
END_TEST

UNIT_MAIN("keeper_file", tcase_add_test(tc, a_file_is_read_again);
	  tcase_add_test(tc, a_torn_tail_is_cut_off); tcase_add_test(tc, no_damage_is_passed_over);
	  tcase_add_test(tc, a_frame_that_is_left_out_is_missed);
	  tcase_add_test(tc, what_is_no_frame_at_the_end_is_damage);
	  tcase_add_test(tc, a_file_that_is_missing_is_a_loss);
	  tcase_add_test(tc, files_of_others_are_refused);
	  tcase_add_test(tc, a_crash_at_any_step_loses_nothing);
	  tcase_add_test(tc, a_kill_and_a_crash_lose_nothing);
	  tcase_add_test(tc, a_failure_at_any_step_loses_nothing);
	  tcase_add_test(tc, what_is_forgotten_leaves_the_file);
	  tcase_add_test(tc, a_full_disk_is_waited_for);)
