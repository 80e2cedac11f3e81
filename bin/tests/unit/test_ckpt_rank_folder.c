/* SPDX-License-Identifier: BSD-3-Clause */
/* Which checkpoint of a rank counts, when processes of it come and go, some of them unseen. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "ckpt/rank_folder.h"
#include "ckpt/out.h"
#include "ckpt_store.h"
#include "unit.h"

enum { RANK = 2 };

static char err[STORE_ERR];
static struct ckpt_fs fs;
static void (*between)(void); /* after the next listing; once */

static int f_list(const struct ckpt_fs *f, const char *path,
	int (*each)(void *ctx, const char *name), void *ctx)
{
	int rc = ckpt_fs_posix.list(f, path, each, ctx);
	void (*call)(void) = between;

	between = NULL;
	if (call)
		call();
	return rc;
}

static void setup(void)
{
	store_begin();
	fs = ckpt_fs_posix;
	fs.list = f_list;
	between = NULL;
}

static struct ckpt_rank_folder process(uint32_t incarnation)
{
	return (struct ckpt_rank_folder){
		.fs = &fs, .session_dir = store_dir, .rank = RANK, .incarnation = incarnation};
}

/* What this process makes durable. */
static void writes(uint32_t incarnation, uint32_t number)
{
	struct ckpt_out_plan plan = {.fs = &ckpt_fs_posix,
		.session_dir = store_dir,
		.id = store_identity(RANK, incarnation),
		.line = number,
		.kind = CKPT_FILE_IMAGE,
		.sections = 1,
		.alone = true};
	struct ckpt_section s = {.kind = CKPT_IMAGE_MAPS, .data = "maps", .len = 4};
	struct ckpt_out *out;
	uint64_t seal, bytes;

	ck_assert_int_eq(ckpt_out_begin(&out, &plan, err, sizeof err), 0);
	ck_assert_int_eq(ckpt_out_append(out, &s), 0);
	ck_assert_int_eq(ckpt_out_finish(out, &seal, &bytes, err, sizeof err), 0);
}

static int made(uint32_t incarnation, uint32_t number)
{
	struct ckpt_rank_folder a = process(incarnation);

	writes(incarnation, number);
	return ckpt_rank_folder_made(&a, number, err, sizeof err);
}

static uint32_t takes(uint32_t incarnation)
{
	struct ckpt_rank_folder a = process(incarnation);
	uint32_t number = 77;

	ck_assert_int_eq(ckpt_rank_folder_take(&a, &number, err, sizeof err), 0);
	return number;
}

static bool has(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "rank-00002/%s", name);
	return store_has(path);
}

START_TEST(the_newest_is_taken)
{
	ck_assert_int_eq(made(0, 3), 0);
	ck_assert_int_eq(made(0, 7), 0);
	ck_assert(!has("ckpt-00000003.i0000"));
	ck_assert_uint_eq(takes(1), 7);
	ck_assert(has("ckpt-00000007.i0001"));
	ck_assert(!has("ckpt-00000007.i0000"));
	ck_assert_uint_eq(takes(2), 7);
	ck_assert_int_eq(made(2, 9), 0);
	ck_assert_uint_eq(takes(5), 9);
}
END_TEST

START_TEST(one_without_a_checkpoint_begins_anew)
{
	ck_assert_uint_eq(takes(1), 0);
	ck_assert_uint_eq(takes(2), 0);
	ck_assert(has("ckpt-00000000.i0002"));
	ck_assert_int_eq(made(2, 4), 0);
	ck_assert(!has("ckpt-00000000.i0002"));
	ck_assert_uint_eq(takes(3), 4);
}
END_TEST

START_TEST(what_an_older_process_makes_later_does_not_count)
{
	ck_assert_int_eq(made(0, 12), 0);
	ck_assert_uint_eq(takes(1), 12);
	ck_assert_int_eq(made(0, 13), FT_ESTALE);
	ck_assert_ptr_nonnull(strstr(err, "another process of rank 2"));
	ck_assert(!has("ckpt-00000013.i0000"));
	writes(0, 14); /* and it dies before it has looked */
	ck_assert_uint_eq(takes(2), 12);
	ck_assert_int_eq(made(2, 13), 0);
	ck_assert(!has("ckpt-00000014.i0000"));
	ck_assert_uint_eq(takes(3), 13);
}
END_TEST

START_TEST(nor_where_the_newer_one_has_begun_anew)
{
	ck_assert_uint_eq(takes(1), 0);
	writes(0, 5);
	ck_assert_uint_eq(takes(2), 0);
}
END_TEST

static void it_writes(void)
{
	writes(0, 6);
}

static void it_makes(void)
{
	ck_assert_int_eq(made(0, 6), 0);
}

/* The process before has told others of what it made before it was fenced. */
START_TEST(one_that_is_made_meanwhile_is_taken)
{
	ck_assert_int_eq(made(0, 5), 0);
	between = _i ? it_makes : it_writes;
	ck_assert_uint_eq(takes(1), 6);
	ck_assert_uint_eq(takes(2), 6);
}
END_TEST

START_TEST(the_first_may_be_made_meanwhile)
{
	between = it_writes;
	ck_assert_uint_eq(takes(1), 6);
}
END_TEST

START_TEST(an_older_process_takes_nothing)
{
	struct ckpt_rank_folder a = process(1);
	uint32_t number;

	ck_assert_uint_eq(takes(2), 0);
	ck_assert_int_eq(ckpt_rank_folder_take(&a, &number, err, sizeof err), FT_ESTALE);
}
END_TEST

START_TEST(what_died_leaves_goes)
{
	ck_assert_int_eq(made(0, 1), 0);
	store_make("rank-00002/ckpt-00000002.i0000.tmp", "half");
	store_make("rank-00002/notes", "the user's");
	ck_assert_uint_eq(takes(1), 1);
	ck_assert(!has("ckpt-00000002.i0000.tmp"));
	store_make("rank-00002/ckpt-00000002.i0000.tmp", "half");
	ck_assert_int_eq(made(1, 3), 0);
	ck_assert(!has("ckpt-00000002.i0000.tmp"));
	ck_assert(has("notes"));
}
END_TEST

static int opens(uint32_t incarnation, uint32_t number)
{
	struct ckpt_identity self = store_identity(RANK, incarnation);
	struct ckpt_reader r;
	int rc = ckpt_rank_folder_open(
		&fs, store_dir, number, &self, &r, (struct ckpt_err){err, sizeof err});

	if (rc == 0)
		ckpt_reader_close(&r);
	return rc;
}

START_TEST(it_is_verified)
{
	ck_assert_int_eq(made(0, 1), 0);
	ck_assert_uint_eq(takes(1), 1);
	ck_assert_int_eq(opens(1, 1), 0);
	ck_assert_int_eq(opens(1, 2), FT_ENONE);
	store_flip("rank-00002/ckpt-00000001.i0001", -1, 1);
	ck_assert_int_eq(opens(1, 1), FT_EDAMAGED);
}
END_TEST

START_TEST(another_number_is_none)
{
	char from[160], to[160];

	ck_assert_int_eq(made(0, 1), 0);
	snprintf(from, sizeof from, "%s", store_path("rank-00002/ckpt-00000001.i0000"));
	snprintf(to, sizeof to, "%s", store_path("rank-00002/ckpt-00000002.i0001"));
	ck_assert_int_eq(rename(from, to), 0);
	ck_assert_int_eq(opens(1, 2), FT_EDAMAGED);
}
END_TEST

/* Of data, by this process. */
static int saves(uint32_t incarnation, uint32_t number, const char *text)
{
	struct ckpt_identity self = store_identity(RANK, incarnation);
	struct ckpt_section s = {.kind = CKPT_BUFFER, .data = text, .len = strlen(text)};
	struct ckpt_rank_folder a = process(incarnation);
	int rc = ckpt_rank_folder_write(
		&fs, store_dir, &self, number, &s, 1, (struct ckpt_err){err, sizeof err});

	return rc ? rc : ckpt_rank_folder_made(&a, number, err, sizeof err);
}

static int loads(uint32_t incarnation, uint32_t number, struct ckpt_loaded *l)
{
	struct ckpt_identity self = store_identity(RANK, incarnation);

	return ckpt_rank_folder_load(
		&fs, store_dir, number, &self, false, l, (struct ckpt_err){err, sizeof err});
}

START_TEST(data_come_back)
{
	struct ckpt_loaded l;

	ck_assert_int_eq(saves(0, 1, "one"), 0);
	ck_assert_int_eq(saves(0, 2, "two"), 0);
	ck_assert(!has("ckpt-00000001.i0000"));
	ck_assert_uint_eq(takes(1), 2);
	ck_assert_int_eq(loads(1, 2, &l), 0);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.sections[0].kind, CKPT_BUFFER);
	ck_assert_uint_eq(l.sections[0].len, 3);
	ck_assert_mem_eq(l.sections[0].data, "two", 3);
	ckpt_loaded_free(&l);
}
END_TEST

START_TEST(data_are_verified)
{
	struct ckpt_loaded l;

	ck_assert_int_eq(saves(0, 1, "one"), 0);
	ck_assert_uint_eq(takes(1), 1);
	store_flip("rank-00002/ckpt-00000001.i0001", -1, 1);
	ck_assert_int_eq(loads(1, 1, &l), FT_EDAMAGED);
}
END_TEST

START_TEST(an_image_is_no_data)
{
	struct ckpt_loaded l;

	ck_assert_int_eq(made(0, 1), 0);
	ck_assert_uint_eq(takes(1), 1);
	ck_assert_int_eq(loads(1, 1, &l), FT_EMISMATCH);
	ck_assert_int_eq(saves(1, 2, "two"), 0);
	ck_assert_uint_eq(takes(2), 2);
	ck_assert_int_eq(opens(2, 2), FT_EMISMATCH);
}
END_TEST

UNIT_MAIN("ckpt_rank_folder", tcase_add_checked_fixture(tc, setup, store_end);
	  tcase_add_test(tc, the_newest_is_taken);
	  tcase_add_test(tc, one_without_a_checkpoint_begins_anew);
	  tcase_add_test(tc, what_an_older_process_makes_later_does_not_count);
	  tcase_add_test(tc, nor_where_the_newer_one_has_begun_anew);
	  tcase_add_loop_test(tc, one_that_is_made_meanwhile_is_taken, 0, 2);
	  tcase_add_test(tc, the_first_may_be_made_meanwhile);
	  tcase_add_test(tc, an_older_process_takes_nothing);
	  tcase_add_test(tc, what_died_leaves_goes); tcase_add_test(tc, it_is_verified);
	  tcase_add_test(tc, another_number_is_none); tcase_add_test(tc, data_come_back);
	  tcase_add_test(tc, data_are_verified); tcase_add_test(tc, an_image_is_no_data);)
