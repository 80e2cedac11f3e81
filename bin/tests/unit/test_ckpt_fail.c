/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every file operation of the store fails once: the caller hears of it in a sentence, nothing is
 * left of the attempt, and the line before is still there.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/fault.h"
#include "ckpt/out.h"
#include "ckpt_store.h"
#include "image/raw_call.h"
#include "unit.h"

/* The real file system, whose n-th changing operation from now fails. */
static struct ckpt_fs failing;
static int left, error;

static bool now(void)
{
	return left > 0 && --left == 0;
}

static int f_create(const struct ckpt_fs *fs, const char *path)
{
	return now() ? -error : ckpt_fs_posix.create(fs, path);
}

static int f_reserve(const struct ckpt_fs *fs, int fd, uint64_t bytes)
{
	return now() ? -error : ckpt_fs_posix.reserve(fs, fd, bytes);
}

static int f_write(const struct ckpt_fs *fs, int fd, struct iovec *iov, int n, uint64_t offset)
{
	return now() ? -error : ckpt_fs_posix.write(fs, fd, iov, n, offset);
}

static int f_flush(const struct ckpt_fs *fs, int fd)
{
	return now() ? -error : ckpt_fs_posix.flush(fs, fd);
}

static int f_close(const struct ckpt_fs *fs, int fd)
{
	int rc = ckpt_fs_posix.close(fs, fd);

	return now() ? -error : rc;
}

static int f_rename(const struct ckpt_fs *fs, const char *from, const char *to)
{
	return now() ? -error : ckpt_fs_posix.rename(fs, from, to);
}

static int f_link(const struct ckpt_fs *fs, const char *from, const char *to)
{
	return now() ? -error : ckpt_fs_posix.link(fs, from, to);
}

static int f_mkdir(const struct ckpt_fs *fs, const char *path)
{
	return now() ? -error : ckpt_fs_posix.mkdir(fs, path);
}

static int f_flush_folder(const struct ckpt_fs *fs, const char *path)
{
	return now() ? -error : ckpt_fs_posix.flush_folder(fs, path);
}

static void begin(void)
{
	store_begin();
	failing = ckpt_fs_posix;
	failing.create = f_create;
	failing.reserve = f_reserve;
	failing.write = f_write;
	failing.flush = f_flush;
	failing.close = f_close;
	failing.rename = f_rename;
	failing.link = f_link;
	failing.mkdir = f_mkdir;
	failing.flush_folder = f_flush_folder;
	left = 0;
}

static void check_sentence(const char *words)
{
	ck_assert_msg(
		strstr(store_err, words) && strstr(store_err, store_work) && strchr(store_err, ';'),
		"no sentence with '%s': %s", words, store_err);
}

static int write_one(uint32_t line, struct ckpt_rank_file *f)
{
	struct ckpt_identity id = store_identity(0, 0);
	const struct ckpt_section *s;
	size_t n = store_sections(0, line, &s);

	return ckpt_write(&failing, store_dir, &id, line, s, n, &f->seal, &f->bytes, store_err,
		sizeof store_err);
}

START_TEST(every_step_of_a_file_may_fail)
{
	struct ckpt_rank_file f;
	int n = 0;

	store_line(1, 0);
	error = ENOSPC;
	do {
		left = ++n;
		int rc = write_one(2, &f);

		if (left > 0)
			break;
		ck_assert_msg(rc == FT_ESYS, "step %d: %d", n, rc);
		check_sentence("No space left on device; make room there");
		ck_assert(!store_has("line-00000002.e0000/rank-00000.ckpt"));
		ck_assert(!store_has("line-00000002.e0000/rank-00000.ckpt.tmp"));
		ck_assert_int_eq(store_check(1, 0), 0);
	} while (n < 100);
	/* folder, open, room, 5 writes, head, flush, close, rename, folder */
	ck_assert_int_ge(n, 12);
	ck_assert_int_lt(n, 100);
	ck_assert(store_has("line-00000002.e0000/rank-00000.ckpt"));
}
END_TEST

/* All sections but the last; its exit status is how many operations more would not have failed. */
static void write_by_child(struct ckpt_out *o, const struct ckpt_section *s, size_t n)
{
	pid_t child = (pid_t)raw_call6(SYS_clone, 0, 0, 0, 0, 0, 0);
	int status;

	if (child == 0) {
		for (size_t i = 0; i + 1 < n; i++) {
			ckpt_out_section(o, s[i].kind, s[i].id);
			ckpt_out_add(o, s[i].data, (size_t)s[i].len);
			ckpt_out_section_end(o);
		}
		raw_call(SYS_exit_group, left, 0, 0);
	}
	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	ck_assert(WIFEXITED(status));
	left = WEXITSTATUS(status);
}

static int write_one_with_child(uint32_t line, struct ckpt_rank_file *f)
{
	struct ckpt_out_plan plan = {.fs = &failing,
		.session_dir = store_dir,
		.id = store_identity(0, 0),
		.line = line,
		.child = true};
	const struct ckpt_section *s;
	struct ckpt_out *o;
	int rc;

	plan.sections = store_sections(0, line, &s);
	rc = ckpt_out_begin(&o, &plan, store_err, sizeof store_err);
	if (rc)
		return rc;
	write_by_child(o, s, plan.sections);
	ckpt_out_append(o, &s[plan.sections - 1]);
	return ckpt_out_finish(o, &f->seal, &f->bytes, store_err, sizeof store_err);
}

START_TEST(every_step_with_a_child_may_fail)
{
	struct ckpt_rank_file f;
	int n = 0;

	store_line(1, 0);
	error = ENOSPC;
	do {
		left = ++n;
		int rc = write_one_with_child(2, &f);

		if (left > 0)
			break;
		ck_assert_msg(rc == FT_ESYS, "step %d: %d", n, rc);
		check_sentence("No space left on device; make room there");
		ck_assert(!store_has("line-00000002.e0000/rank-00000.ckpt"));
		ck_assert(!store_has("line-00000002.e0000/rank-00000.ckpt.tmp"));
		ck_assert_int_eq(store_check(1, 0), 0);
	} while (n < 100);
	/* folder, open, 16 writes and more, head, flush, close, rename, folder */
	ck_assert_int_ge(n, 23);
	ck_assert_int_lt(n, 100);
	ck_assert(store_has("line-00000002.e0000/rank-00000.ckpt"));
}
END_TEST

START_TEST(every_step_of_a_commit_may_fail)
{
	struct ckpt_manifest m;
	int n = 0;

	store_line(1, 0);
	store_write(2, 0, &m);
	error = EIO;
	do {
		left = ++n;
		int rc = ckpt_commit(&failing, store_dir, &m, store_err, sizeof store_err);

		if (left > 0)
			break;
		ck_assert_msg(rc == FT_ESYS, "step %d: %d", n, rc);
		check_sentence("Input/output error; ");
		ck_assert(!store_has("line-00000002.e0000.manifest.tmp"));
		ck_assert_int_eq(store_check(1, 0), 0);
		/* open, write, flush, close, two folders, link, folder */
		if (n == 8)
			break;
		ck_assert(!store_has("line-00000002.manifest"));
	} while (n < 100);
	ck_assert_int_eq(n, 8);
	check_sentence("it may count or not");
	ck_assert_int_eq(store_check(2, 0), 0);
	ckpt_manifest_free(&m);
}
END_TEST

START_TEST(pruning_that_cannot_flush_removes_nothing)
{
	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	error = EIO;
	failing.close = ckpt_fs_posix.close; /* of what was read */
	left = 1;
	ck_assert_int_eq(
		ckpt_prune(&failing, store_dir, 1, 0, 0, store_err, sizeof store_err), FT_ESYS);
	check_sentence("flush the folder");
	for (uint32_t line = 1; line <= 3; line++)
		ck_assert_int_eq(store_check(line, 0), 0);
	/* manifests went, but perhaps not for good: their files stay */
	left = 2;
	ck_assert_int_eq(
		ckpt_prune(&failing, store_dir, 1, 0, 0, store_err, sizeof store_err), FT_ESYS);
	ck_assert(!store_has("line-00000001.manifest"));
	ck_assert(store_has("line-00000001.e0000/rank-00000.ckpt"));
	ck_assert_int_eq(ckpt_prune(&failing, store_dir, 1, 0, 0, store_err, sizeof store_err), 0);
	ck_assert(!store_has("line-00000001.e0000"));
	ck_assert_int_eq(store_check(3, 0), 0);
}
END_TEST

START_TEST(a_work_directory_that_is_not_there)
{
	struct ckpt_rank_file f;

	store_end();
	ck_assert_int_eq(write_one(1, &f), FT_ESYS);
	check_sentence("is the work directory there, and the same on every host?");
}
END_TEST

START_TEST(a_file_where_the_folder_should_be)
{
	struct ckpt_rank_file f;
	FILE *file = fopen(store_dir, "w");

	ck_assert_ptr_nonnull(file);
	fclose(file);
	ck_assert_int_eq(write_one(1, &f), FT_ESYS);
	check_sentence("Not a directory");
}
END_TEST

START_TEST(a_name_that_is_too_long)
{
	static char dir[5000];
	struct ckpt_identity self = store_identity(0, 0);
	struct ckpt_manifest m = {.line = 1, .size = STORE_RANKS};
	struct ckpt_rank_file f[STORE_RANKS];
	struct ckpt_loaded l;

	m.ranks = f;
	memset(dir, 'a', sizeof dir - 1);
	ck_assert_int_eq(ckpt_write(&failing, dir, &self, 1, NULL, 0, &f->seal, &f->bytes,
				 store_err, sizeof store_err),
		FT_ESYS);
	ck_assert_ptr_nonnull(strstr(store_err, "File name too long"));
	ck_assert_int_eq(ckpt_commit(&failing, dir, &m, store_err, sizeof store_err), FT_ESYS);
	ck_assert_int_eq(
		ckpt_manifest_read(&failing, dir, 1, &m, store_err, sizeof store_err), FT_ESYS);
	ck_assert_int_eq(ckpt_load(&failing, dir, &m, &self, true, &l, store_err, sizeof store_err),
		FT_ESYS);
	ck_assert_int_eq(ckpt_prune(&failing, dir, 1, 0, 0, store_err, sizeof store_err), FT_ESYS);
}
END_TEST

/* The fault points that tests of whole jobs use: each makes its step fail. */
START_TEST(fault_points_are_passed)
{
	static const char *const points[] = {"ckpt-open", "ckpt-write", "ckpt-flush", "ckpt-rename",
		"ckpt-folder", "manifest-open", "manifest-write", "manifest-flush", "manifest-link",
		"manifest-folder", "prune-manifest", "prune-files", "restore-epoch"};
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	char fault[64];

	for (uint32_t line = 1; line <= 3; line++)
		store_line(line, 0);
	store_write(9, 0, &m);
	snprintf(fault, sizeof fault, "%s:*:*:1:EROFS", points[_i]);
	ck_assert_int_eq(setenv("FTMPI_FAULT", fault, 1), 0);
	fault_configure(0, 0);
	ck_assert_int_eq(
		_i < 5	  ? write_one(4, &f)
		: _i < 10 ? ckpt_commit(&failing, store_dir, &m, store_err, sizeof store_err)
		: _i < 12 ? ckpt_prune(&failing, store_dir, 2, 9, 0, store_err, sizeof store_err)
			  : ckpt_epoch_begin(&failing, store_dir, 1, store_err, sizeof store_err),
		FT_ESYS);
	check_sentence("Read-only file system; give another work directory");
	ckpt_manifest_free(&m);
}
END_TEST

UNIT_MAIN("ckpt_fail", tcase_add_checked_fixture(tc, begin, store_end);
	  tcase_add_test(tc, every_step_of_a_file_may_fail);
	  tcase_add_test(tc, every_step_with_a_child_may_fail);
	  tcase_add_test(tc, every_step_of_a_commit_may_fail);
	  tcase_add_test(tc, pruning_that_cannot_flush_removes_nothing);
	  tcase_add_test(tc, a_work_directory_that_is_not_there);
	  tcase_add_test(tc, a_file_where_the_folder_should_be);
	  tcase_add_test(tc, a_name_that_is_too_long);
	  tcase_add_loop_test(tc, fault_points_are_passed, 0, 13);)
