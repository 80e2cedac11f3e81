/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of what a rank saves: what they hold, and what becomes of their memory. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/areas.h"
#include "ckpt/capture.h"
#include "ckpt_store.h"
#include "unit.h"

/* The thread sanitizer looks at every byte. */
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 2, CAPTURES = 9 };
#else
enum { ROUNDS = 20, CAPTURES = 50 };
#endif

enum { MB = 1 << 20 };

static uint8_t *large; /* 64 MiB */

static void begin(void)
{
	store_begin();
	large = malloc(64 * MB);
	ck_assert_ptr_nonnull(large);
	memset(large, 7, 64 * MB);
}

static void end(void)
{
	ckpt_capture_clear();
	free(large);
	store_end();
}

/* As store_sections: one section by each way. */
static struct ckpt_capture *capture_rank(uint32_t rank, uint32_t line)
{
	struct ckpt_capture *c = ckpt_capture_new();
	const struct ckpt_section *s;
	size_t n = store_sections(rank, line, &s);
	uint8_t *own;

	ck_assert_ptr_nonnull(c);
	for (size_t i = 0; i < n; i++) {
		if (i == 1) {
			void *room = ckpt_capture_room(c, s[i].kind, s[i].id, s[i].type, s[i].len);

			ck_assert_ptr_nonnull(room);
			memcpy(room, s[i].data, s[i].len);
		} else if (i == 4) {
			own = malloc(s[i].len);
			ck_assert_ptr_nonnull(own);
			memcpy(own, s[i].data, s[i].len);
			ck_assert_int_eq(ckpt_capture_own(c, s[i].kind, own, s[i].len), 0);
		} else {
			ck_assert_int_eq(ckpt_capture_add(c, &s[i]), 0);
		}
	}
	return c;
}

static void write_one(
	const struct ckpt_capture *c, uint32_t line, uint32_t rank, struct ckpt_manifest *m)
{
	struct ckpt_identity id = store_identity(rank, 0);
	int rc = ckpt_write_capture(&ckpt_fs_posix, store_dir, &id, line, c, &m->ranks[rank].seal,
		&m->ranks[rank].bytes, store_err, sizeof store_err);

	ck_assert_msg(rc == 0, "%s", store_err);
}

START_TEST(a_line_of_captures_is_one_of_what_was_captured)
{
	struct ckpt_capture *c[STORE_RANKS];
	const struct ckpt_section *later;
	struct ckpt_manifest m;

	store_write(1, 0, &m);
	for (uint32_t r = 0; r < STORE_RANKS; r++)
		c[r] = capture_rank(r, 1);
	/* the program goes on: what it saved is not there any more */
	store_sections(9, 9, &later);
	for (uint32_t r = 0; r < STORE_RANKS; r++) {
		write_one(c[r], 1, r, &m);
		ckpt_capture_done(c[r]);
	}
	ck_assert_int_eq(
		ckpt_commit(&ckpt_fs_posix, store_dir, &m, store_err, sizeof store_err), 0);
	for (uint32_t r = 0; r < STORE_RANKS; r++)
		ck_assert_msg(store_check(1, r) == 0, "%s", store_err);
	ckpt_manifest_free(&m);
}
END_TEST

START_TEST(a_capture_used_again_holds_the_latest_alone)
{
	struct ckpt_manifest m;

	for (uint32_t line = 1; line <= 3; line++) {
		store_write(line, 0, &m);
		for (uint32_t r = 0; r < STORE_RANKS; r++) {
			struct ckpt_capture *c = capture_rank(r, line);
			const struct ckpt_section *s;
			size_t n = store_sections(r, line, &s);
			uint64_t bytes = 0;

			while (n > 0)
				bytes += s[--n].len;
			ck_assert_uint_eq(ckpt_capture_bytes(c), bytes);
			write_one(c, line, r, &m);
			ckpt_capture_done(c);
		}
		ck_assert_int_eq(
			ckpt_commit(&ckpt_fs_posix, store_dir, &m, store_err, sizeof store_err), 0);
		for (uint32_t r = 0; r < STORE_RANKS; r++)
			ck_assert_msg(store_check(line, r) == 0, "%s", store_err);
		ckpt_manifest_free(&m);
	}
}
END_TEST

/* ---- memory ---- */

static struct ckpt_capture *capture_bytes(uint64_t len)
{
	struct ckpt_section s = {.kind = CKPT_BUFFER, .data = large, .len = len};
	struct ckpt_capture *c = ckpt_capture_new();

	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(ckpt_capture_add(c, &s), 0);
	return c;
}

static long faults(void)
{
	struct rusage u;

	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &u), 0);
	return u.ru_minflt;
}

START_TEST(the_second_capture_takes_no_page_faults)
{
	long first = faults(), second;

	ckpt_capture_done(capture_bytes(64 * MB));
	first = faults() - first;
	second = faults();
	ckpt_capture_done(capture_bytes(64 * MB));
	second = faults() - second;
	/* with pages of 2 MiB the first has 32 */
	ck_assert_msg(second * 4 < first, "%ld page faults first, then %ld", first, second);
}
END_TEST

static long mapped_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	return pages / 256;
}

START_TEST(no_more_than_two_are_kept)
{
	struct ckpt_capture *c[4];
	long before = mapped_mb(), made, kept, cleared;

	for (size_t i = 0; i < 4; i++)
		c[i] = capture_bytes(64 * MB);
	made = mapped_mb() - before;
	for (size_t i = 0; i < 4; i++)
		ckpt_capture_done(c[i]);
	kept = mapped_mb() - before;
	ckpt_capture_clear();
	cleared = mapped_mb() - before;
	ck_assert_msg(made >= 256, "%ld MiB for four", made);
	ck_assert_msg(kept >= 128 && kept < 160, "%ld MiB are kept", kept);
	ck_assert_msg(cleared < 32, "%ld MiB stay for ever", cleared);
}
END_TEST

START_TEST(memory_that_is_not_needed_any_more_goes)
{
	long before = mapped_mb(), small;

	ckpt_capture_done(capture_bytes(64 * MB));
	ckpt_capture_done(capture_bytes(1000));
	small = mapped_mb() - before;
	ck_assert_msg(small < 32, "%ld MiB are kept for 1000 bytes", small);
}
END_TEST

static void capture_sections(int n)
{
	struct ckpt_section s = {.kind = CKPT_VARIABLE, .data = large, .len = 16 * MB};
	struct ckpt_capture *c = ckpt_capture_new();

	ck_assert_ptr_nonnull(c);
	while (n-- > 0)
		ck_assert_int_eq(ckpt_capture_add(c, &s), 0);
	ckpt_capture_done(c);
}

START_TEST(memory_of_sections_that_are_not_there_any_more_goes)
{
	long before = mapped_mb(), four;

	capture_sections(8);
	capture_sections(4);
	four = mapped_mb() - before;
	ck_assert_msg(four < 80, "%ld MiB are kept for 64", four);
}
END_TEST

START_TEST(memory_does_not_grow_with_the_number_of_captures)
{
	long first = 0, now;

	for (int i = 0; i < CAPTURES; i++) {
		/* sizes that change a little: nothing of before fits */
		ckpt_capture_done(capture_bytes((uint64_t)(40 + i % 3 * 8) * MB));
		now = mapped_mb();
		if (i == 2)
			first = now;
		ck_assert_msg(i < 3 || now < first + 64, "%ld MiB, then %ld", first, now);
	}
}
END_TEST

/* ---- pieces ---- */

static size_t random_size(unsigned *seed)
{
	size_t bits = (size_t)rand_r(seed) % 22;

	return (size_t)rand_r(seed) % ((size_t)1 << bits);
}

static bool holds(const uint8_t *bytes, size_t len, int value)
{
	while (len > 0 && bytes[len - 1] == value)
		len--;
	return len == 0;
}

START_TEST(pieces_do_not_overlap_and_lie_where_they_did)
{
	enum { PIECES = 300 };
	static uint8_t *at[2][PIECES];
	struct areas as = {0};

	for (int round = 0; round < 2; round++) {
		unsigned seed = (unsigned)_i;

		for (int i = 0; i < PIECES; i++) {
			size_t len = random_size(&seed);

			at[round][i] = areas_take(&as, len);
			ck_assert_ptr_nonnull(at[round][i]);
			ck_assert_uint_eq((uintptr_t)at[round][i] % 16, 0);
			memset(at[round][i], i & 0xff, len);
		}
		seed = (unsigned)_i;
		for (int i = 0; i < PIECES; i++)
			ck_assert(holds(at[round][i], random_size(&seed), i & 0xff));
		ck_assert_uint_le(as.n, 64);
		areas_renew(&as);
	}
	ck_assert_mem_eq(at[0], at[1], sizeof at[0]);
	areas_free(&as);
	ck_assert_uint_eq(as.total, 0);
}
END_TEST

START_TEST(a_piece_that_failed_takes_no_place)
{
	struct areas as = {0}, other = {0};
	uint8_t *a = areas_take(&as, 100), *b = areas_take(&other, 100);

	ck_assert(a && b);
	ck_assert_ptr_null(areas_take(&as, (uint64_t)1 << 60));
	ck_assert_int_eq(
		(uint8_t *)areas_take(&as, 100) - a, (uint8_t *)areas_take(&other, 100) - b);
	areas_free(&as);
	areas_free(&other);
}
END_TEST

/* ---- what fails ---- */

static void check_that_only_one_is_there(struct ckpt_capture *c)
{
	struct ckpt_manifest m;
	struct ckpt_identity id = store_identity(0, 0);
	struct ckpt_loaded l;

	ck_assert_uint_eq(ckpt_capture_bytes(c), 1000);
	store_write(1, 0, &m);
	write_one(c, 1, 0, &m);
	ck_assert_int_eq(ckpt_load(&ckpt_fs_posix, store_dir, &m, &id, false, &l, store_err,
				 sizeof store_err),
		0);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.sections[0].len, 1000);
	ck_assert_mem_eq(l.sections[0].data, large, 1000);
	ckpt_loaded_free(&l);
	ckpt_manifest_free(&m);
}

START_TEST(what_there_is_no_memory_for_is_not_added)
{
	static const uint64_t lengths[] = {(uint64_t)1 << 60, UINT64_MAX - 1, UINT64_MAX};
	struct ckpt_capture *c = capture_bytes(1000);

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct ckpt_section s = {CKPT_VARIABLE, 1, 0, 0, large, lengths[i]};

		ck_assert_int_eq(ckpt_capture_add(c, &s), FT_ENOMEM);
		ck_assert_ptr_null(ckpt_capture_room(c, CKPT_VARIABLE, 1, 0, lengths[i]));
	}
	check_that_only_one_is_there(c);
	ckpt_capture_done(c);
}
END_TEST

/* The fault point that tests of whole jobs use. */
START_TEST(a_copy_can_be_made_to_fail)
{
	struct ckpt_section s = {CKPT_VARIABLE, 1, 0, 0, large, 5};
	struct ckpt_capture *c = capture_bytes(1000);

	ck_assert_int_eq(setenv("FTMPI_FAULT", "ckpt-copy:*:*:*:EIO", 1), 0);
	fault_configure(0, 0);
	ck_assert_int_eq(ckpt_capture_add(c, &s), FT_ENOMEM);
	ck_assert_ptr_null(ckpt_capture_room(c, CKPT_VARIABLE, 1, 0, 5));
	ck_assert_int_eq(ckpt_capture_own(c, CKPT_ORPHANS, large, 5), FT_ENOMEM);
	check_that_only_one_is_there(c);
	ckpt_capture_done(c);
}
END_TEST

/* Where the program waits until it is written. */
START_TEST(in_place_nothing_is_copied)
{
	struct ckpt_manifest m;

	store_write(1, 0, &m);
	ck_assert_int_eq(setenv("FTMPI_FAULT", "ckpt-copy:*:*:*:EIO", 1), 0);
	fault_configure(0, 0);
	for (uint32_t r = 0; r < STORE_RANKS; r++) {
		struct ckpt_capture *c = ckpt_capture_in_place();
		const struct ckpt_section *s;
		size_t n = store_sections(r, 1, &s);

		ck_assert_ptr_nonnull(c);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(ckpt_capture_add(c, &s[i]), 0);
		write_one(c, 1, r, &m);
		ckpt_capture_done(c);
	}
	ck_assert_int_eq(
		ckpt_commit(&ckpt_fs_posix, store_dir, &m, store_err, sizeof store_err), 0);
	for (uint32_t r = 0; r < STORE_RANKS; r++)
		ck_assert_msg(store_check(1, r) == 0, "%s", store_err);
	ckpt_manifest_free(&m);
}
END_TEST

UNIT_MAIN("ckpt_capture", tcase_add_checked_fixture(tc, begin, end);
	  tcase_add_test(tc, a_line_of_captures_is_one_of_what_was_captured);
	  tcase_add_test(tc, a_capture_used_again_holds_the_latest_alone);
	  tcase_add_test(tc, the_second_capture_takes_no_page_faults);
	  tcase_add_test(tc, no_more_than_two_are_kept);
	  tcase_add_test(tc, memory_that_is_not_needed_any_more_goes);
	  tcase_add_test(tc, memory_of_sections_that_are_not_there_any_more_goes);
	  tcase_add_test(tc, memory_does_not_grow_with_the_number_of_captures);
	  tcase_add_loop_test(tc, pieces_do_not_overlap_and_lie_where_they_did, 0, ROUNDS);
	  tcase_add_test(tc, a_piece_that_failed_takes_no_place);
	  tcase_add_test(tc, what_there_is_no_memory_for_is_not_added);
	  tcase_add_test(tc, a_copy_can_be_made_to_fail);
	  tcase_add_test(tc, in_place_nothing_is_copied);)
