/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines on the real file system: written, committed, listed, read back, pruned. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "ckpt_store.h"
#include "unit.h"

static const struct ckpt_fs *fs = &ckpt_fs_posix;

/* The committed lines, newest first, as "3 2 1". */
static const char *lines(void)
{
	static char text[200];
	uint32_t *v;
	size_t n, at = 0;

	ck_assert_int_eq(ckpt_line_numbers(fs, store_dir, &v, &n, store_err, sizeof store_err), 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, i ? " %u" : "%u", v[i]);
	free(v);
	return text;
}

START_TEST(what_was_saved_comes_back)
{
	ck_assert_str_eq(lines(), ""); /* no folder yet */
	store_line(1, 0);
	store_line(2, 0);
	ck_assert_str_eq(lines(), "2 1");
	for (uint32_t line = 1; line <= 2; line++)
		for (uint32_t r = 0; r < STORE_RANKS; r++)
			ck_assert_msg(store_check(line, r) == 0, "%s", store_err);
	ck_assert(store_has("line-00000002.e0000/rank-00002.ckpt"));
	ck_assert(!store_has("line-00000002.e0000/rank-00002.ckpt.tmp"));
	ck_assert(!store_has("line-00000002.e0000.manifest.tmp"));
}
END_TEST

static unsigned mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

/* With a umask that takes nothing away. */
START_TEST(what_is_saved_is_its_users_alone)
{
	mode_t before = umask(0);

	store_line(1, 0);
	umask(before);
	ck_assert_uint_eq(mode_of(store_dir), 0700);
	ck_assert_uint_eq(mode_of(store_path("line-00000001.e0000")), 0700);
	ck_assert_uint_eq(mode_of(store_path("line-00000001.e0000/rank-00000.ckpt")), 0600);
	ck_assert_uint_eq(mode_of(store_path("line-00000001.manifest")), 0600);
}
END_TEST

START_TEST(many_small_sections_come_back)
{
	enum { MANY = 3000 };
	static struct ckpt_section s[MANY];
	static uint64_t values[MANY];
	struct ckpt_identity id = store_identity(0, 0);
	struct ckpt_rank_file f;
	struct ckpt_manifest m = {.line = 9, .size = 1, .ranks = &f};
	struct ckpt_loaded l;

	id.size = 1;
	memcpy(m.session, id.session, sizeof m.session);
	for (size_t i = 0; i < MANY; i++) {
		values[i] = i * i;
		s[i] = (struct ckpt_section){
			CKPT_VARIABLE, (uint32_t)i, 5, 0, &values[i], 1 + i % 8};
	}
	ck_assert_int_eq(ckpt_write(fs, store_dir, &id, 9, s, MANY, &f.seal, &f.bytes, store_err,
				 sizeof store_err),
		0);
	ck_assert_int_eq(
		ckpt_load(fs, store_dir, &m, &id, false, &l, store_err, sizeof store_err), 0);
	ck_assert_uint_eq(l.n, MANY);
	for (size_t i = 0; i < MANY; i++) {
		ck_assert_uint_eq(l.sections[i].id, i);
		ck_assert_mem_eq(l.sections[i].data, &values[i], 1 + i % 8);
	}
	ckpt_loaded_free(&l);
}
END_TEST

START_TEST(nothing_to_save_is_a_checkpoint_too)
{
	struct ckpt_identity id = store_identity(0, 0);
	struct ckpt_rank_file f;
	struct ckpt_manifest m = {.line = 1, .size = STORE_RANKS, .ranks = &f};
	struct ckpt_loaded l;

	memcpy(m.session, id.session, sizeof m.session);
	ck_assert_int_eq(ckpt_write(fs, store_dir, &id, 1, NULL, 0, &f.seal, &f.bytes, store_err,
				 sizeof store_err),
		0);
	ck_assert_int_eq(
		ckpt_load(fs, store_dir, &m, &id, false, &l, store_err, sizeof store_err), 0);
	ck_assert_uint_eq(l.n, 0);
	ckpt_loaded_free(&l);
}
END_TEST

START_TEST(a_number_is_committed_once)
{
	struct ckpt_manifest m;

	store_line(5, 0);
	store_write(5, 1, &m);
	ck_assert_int_eq(ckpt_commit(fs, store_dir, &m, store_err, sizeof store_err), FT_EEXIST);
	ck_assert_ptr_nonnull(strstr(store_err, "line 5 is committed already"));
	ck_assert(!store_has("line-00000005.e0001.manifest.tmp"));
	ckpt_manifest_free(&m);
	ck_assert_int_eq(ckpt_manifest_read(fs, store_dir, 5, &m, store_err, sizeof store_err), 0);
	ck_assert_uint_eq(m.epoch, 0);
	ckpt_manifest_free(&m);
}
END_TEST

START_TEST(a_left_temporary_that_is_a_manifest_is_not_overwritten)
{
	struct ckpt_manifest m;
	struct stat st;

	store_line(5, 0);
	/* as a death between link and unlink leaves it */
	ck_assert_int_eq(chdir(store_dir), 0);
	ck_assert_int_eq(link("line-00000005.manifest", "line-00000005.e0000.manifest.tmp"), 0);
	ck_assert_int_eq(chdir("/"), 0);
	store_write(5, 0, &m);
	m.time_s++;
	ck_assert_int_eq(ckpt_commit(fs, store_dir, &m, store_err, sizeof store_err), FT_EEXIST);
	ckpt_manifest_free(&m);
	ck_assert_int_eq(ckpt_manifest_read(fs, store_dir, 5, &m, store_err, sizeof store_err), 0);
	ck_assert_int_eq(m.time_s, 1795293000 + 5);
	ckpt_manifest_free(&m);
	ck_assert_int_eq(stat(store_path("line-00000005.manifest"), &st), 0);
	ck_assert_int_eq(st.st_nlink, 1);
}
END_TEST

START_TEST(a_line_needs_ranks)
{
	struct ckpt_manifest m = {.line = 1};

	ck_assert_int_eq(ckpt_commit(fs, store_dir, &m, store_err, sizeof store_err), FT_EINVAL);
}
END_TEST

/* ---- pruning ---- */

START_TEST(pruning_keeps_the_newest)
{
	for (uint32_t line = 1; line <= 4; line++)
		store_line(line, line / 3);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "4 3");
	ck_assert(!store_has("line-00000001.e0000") && !store_has("line-00000002.e0000"));
	ck_assert_int_eq(store_check(4, 1), 0);
	ck_assert_int_eq(store_check(3, 2), 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 0, 0, 1, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "4 3");
}
END_TEST

START_TEST(pruning_counts_whole_lines_only)
{
	for (uint32_t line = 1; line <= 6; line++)
		store_line(line, 0);
	store_flip("line-00000006.manifest", 40, 1);
	store_resize("line-00000005.e0000/rank-00001.ckpt", -1);
	ck_assert_int_eq(unlink(store_path("line-00000003.e0000/rank-00000.ckpt")), 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 0, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "6 5 4 3 2");
	ck_assert_int_eq(store_check(4, 0), 0);
	ck_assert_int_eq(store_check(2, 0), 0);
	/* what cannot be read may be of any epoch: it keeps its folder */
	ck_assert(store_has("line-00000006.e0000"));
}
END_TEST

/* Files of a line that is not committed. */
static void unfinished(uint32_t line, uint32_t epoch)
{
	struct ckpt_manifest m;

	store_write(line, epoch, &m);
	ckpt_manifest_free(&m);
}

START_TEST(pruning_removes_what_was_never_committed)
{
	store_line(4, 1);
	unfinished(3, 0);
	unfinished(4, 0);
	unfinished(5, 1);
	unfinished(6, 1);
	store_make("line-00000003.e0000/rank-00001.ckpt.tmp", "half");
	store_make("line-00000003.e0000.manifest.tmp", "half");
	store_make("line-00000006.e0001.manifest.tmp", "half");
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 6, 1, store_err, sizeof store_err), 0);
	ck_assert(!store_has("line-00000003.e0000"));
	ck_assert(!store_has("line-00000003.e0000.manifest.tmp"));
	ck_assert(!store_has("line-00000004.e0000")); /* of another epoch than the manifest */
	ck_assert(!store_has("line-00000005.e0001"));
	ck_assert(store_has("line-00000006.e0001")); /* in the making */
	ck_assert(store_has("line-00000006.e0001.manifest.tmp"));
	ck_assert_int_eq(store_check(4, 0), 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert(!store_has("line-00000006.e0001"));
}
END_TEST

START_TEST(who_is_late_prunes_nothing)
{
	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	unfinished(2, 1);
	unfinished(4, 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 1, 0, 0, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "3 2 1");
	ck_assert(store_has("line-00000004.e0000") && store_has("line-00000002.e0001"));
	/* a manifest tells it, too */
	store_line(9, 1);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 1, 0, 0, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "9 3 2 1");
	ck_assert(store_has("line-00000004.e0000"));
}
END_TEST

START_TEST(who_is_late_commits_nothing)
{
	struct ckpt_manifest m;

	store_line(1, 0);
	store_write(2, 0, &m);
	ck_assert_int_eq(ckpt_epoch_begin(fs, store_dir, 1, store_err, sizeof store_err), 0);
	ck_assert_int_eq(ckpt_commit(fs, store_dir, &m, store_err, sizeof store_err), FT_ESTALE);
	ck_assert_ptr_nonnull(strstr(store_err, "gone on in epoch 1"));
	ck_assert_str_eq(lines(), "1");
	ck_assert(!store_has("line-00000002.e0000.manifest.tmp"));
	ckpt_manifest_free(&m);
	/* it is no news to those of that epoch */
	ck_assert_int_eq(ckpt_epoch_begin(fs, store_dir, 1, store_err, sizeof store_err), 0);
	store_line(2, 1);
	ck_assert_str_eq(lines(), "2 1");
}
END_TEST

START_TEST(who_is_late_removes_nothing)
{
	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	ck_assert_int_eq(ckpt_epoch_begin(fs, store_dir, 1, store_err, sizeof store_err), 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 1, 0, 0, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "3 2 1");
}
END_TEST

/* A file system on which a flush of the folder takes so long that an epoch begins meanwhile. */
static int slow_flush_folder(const struct ckpt_fs *slow, const char *path)
{
	(void)slow;
	ck_assert_int_eq(ckpt_epoch_begin(fs, store_dir, 1, store_err, sizeof store_err), 0);
	return fs->flush_folder(fs, path);
}

START_TEST(who_becomes_late_removes_nothing)
{
	struct ckpt_fs slow = *fs;

	slow.flush_folder = slow_flush_folder;
	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	ck_assert_int_eq(ckpt_prune(&slow, store_dir, 1, 0, 0, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "3 2 1");
}
END_TEST

START_TEST(the_word_of_the_last_epoch_stays)
{
	for (uint32_t epoch = 1; epoch <= 3; epoch++)
		ck_assert_int_eq(
			ckpt_epoch_begin(fs, store_dir, epoch, store_err, sizeof store_err), 0);
	store_line(1, 3);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 1, 0, 3, store_err, sizeof store_err), 0);
	ck_assert(!store_has("epoch-0001") && !store_has("epoch-0002"));
	ck_assert(store_has("epoch-0003"));
}
END_TEST

START_TEST(lines_of_an_epoch_before_do_not_count)
{
	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "3 2 1");
	store_line(4, 1);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "4 3 2 1");
	store_line(5, 1);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert_str_eq(lines(), "5 4");
}
END_TEST

START_TEST(at_the_end_of_the_job_nothing_is_in_the_making)
{
	store_line(1, 0);
	store_line(2, 0);
	unfinished(3, 0);
	unfinished(3, 1);
	store_make("line-00000003.e0001/rank-00000.ckpt.tmp", "half");
	ck_assert_int_eq(ckpt_clear_up(fs, store_dir, 2, 0, store_err, sizeof store_err), 0);
	ck_assert(store_has("line-00000003.e0000")); /* late */
	ck_assert_int_eq(ckpt_clear_up(fs, store_dir, 2, 2, store_err, sizeof store_err), 0);
	ck_assert(!store_has("line-00000003.e0000") && !store_has("line-00000003.e0001"));
	ck_assert_str_eq(lines(), "2 1");
}
END_TEST

START_TEST(what_epochs_before_left_goes_after_the_first_own_line)
{
	store_line(1, 0);
	unfinished(2, 0);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert(store_has("line-00000002.e0000"));
	store_line(3, 1);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 1, store_err, sizeof store_err), 0);
	ck_assert(!store_has("line-00000002.e0000"));
	ck_assert_str_eq(lines(), "3 1");
}
END_TEST

START_TEST(pruning_touches_no_foreign_name)
{
	static const char *const foreign[] = {"results.txt", "line-1.manifest",
		"line-00000001.manifest.old", "line-00000001.e0000.manifest.tmp2",
		"line-00000001.e0000/notes", "line-00000001.e0000/rank-1.ckpt",
		"line-99999999999.manifest"};
	struct ckpt_manifest m;

	store_write(1, 0, &m);
	ckpt_manifest_free(&m);
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		store_make(foreign[i], "mine");
	store_line(7, 3);
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 1, 0, 3, store_err, sizeof store_err), 0);
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		ck_assert_msg(store_has(foreign[i]), "%s is gone", foreign[i]);
	ck_assert(!store_has("line-00000001.e0000/rank-00001.ckpt"));
	ck_assert_str_eq(lines(), "7");
}
END_TEST

START_TEST(pruning_nothing_is_no_error)
{
	ck_assert_int_eq(ckpt_prune(fs, store_dir, 2, 0, 0, store_err, sizeof store_err), 0);
}
END_TEST

UNIT_MAIN("ckpt_store", tcase_add_checked_fixture(tc, store_begin, store_end);
	  tcase_add_test(tc, what_was_saved_comes_back);
	  tcase_add_test(tc, what_is_saved_is_its_users_alone);
	  tcase_add_test(tc, many_small_sections_come_back);
	  tcase_add_test(tc, nothing_to_save_is_a_checkpoint_too);
	  tcase_add_test(tc, a_number_is_committed_once);
	  tcase_add_test(tc, a_left_temporary_that_is_a_manifest_is_not_overwritten);
	  tcase_add_test(tc, a_line_needs_ranks); tcase_add_test(tc, pruning_keeps_the_newest);
	  tcase_add_test(tc, pruning_counts_whole_lines_only);
	  tcase_add_test(tc, pruning_removes_what_was_never_committed);
	  tcase_add_test(tc, who_is_late_prunes_nothing);
	  tcase_add_test(tc, who_is_late_commits_nothing);
	  tcase_add_test(tc, who_is_late_removes_nothing);
	  tcase_add_test(tc, who_becomes_late_removes_nothing);
	  tcase_add_test(tc, the_word_of_the_last_epoch_stays);
	  tcase_add_test(tc, lines_of_an_epoch_before_do_not_count);
	  tcase_add_test(tc, at_the_end_of_the_job_nothing_is_in_the_making);
	  tcase_add_test(tc, what_epochs_before_left_goes_after_the_first_own_line);
	  tcase_add_test(tc, pruning_touches_no_foreign_name);
	  tcase_add_test(tc, pruning_nothing_is_no_error);)
