/* SPDX-License-Identifier: BSD-3-Clause */
/* What was changed, cut, exchanged or lost is found, and what belongs to another job refused. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "ckpt/format.h"
#include "ckpt_store.h"
#include "unit.h"

static const struct ckpt_fs *fs = &ckpt_fs_posix;
static const char own_file[] = "line-00000001.e0000/rank-00000.ckpt";
static const char manifest[] = "line-00000001.manifest";

static void says(const char *words)
{
	ck_assert_msg(strstr(store_err, words), "'%s' is not in: %s", words, store_err);
}

/* A line of one rank with a few bytes, so that each of them can be changed. Returns the file's
 * length. */
static long small_line(struct ckpt_manifest *m, struct ckpt_rank_file *f)
{
	static const char text[] = "some words";
	struct ckpt_section s[] = {{CKPT_BUFFER, 0, 0, 0, text, 10},
		{CKPT_VARIABLE, 3, 9, 0, text, 3}, {CKPT_COUNTERS, 0, 0, 0, text + 2, 1}};
	struct ckpt_identity id = store_identity(0, 0);

	id.size = 1;
	*m = (struct ckpt_manifest){.line = 1, .size = 1, .ranks = f};
	memcpy(m->session, id.session, sizeof m->session);
	strcpy(m->program_name, "a name");
	ck_assert_int_eq(ckpt_write(fs, store_dir, &id, 1, s, 3, &f->seal, &f->bytes, store_err,
				 sizeof store_err),
		0);
	ck_assert_int_eq(ckpt_commit(fs, store_dir, m, store_err, sizeof store_err), 0);
	return (long)f->bytes;
}

static int load_small(const struct ckpt_manifest *m)
{
	struct ckpt_identity self = store_identity(0, 3);
	struct ckpt_loaded l;
	int rc;

	self.size = 1;
	store_err[0] = '\0';
	rc = ckpt_load(fs, store_dir, m, &self, false, &l, store_err, sizeof store_err);
	if (rc == 0)
		ckpt_loaded_free(&l);
	return rc;
}

static int read_manifest(void)
{
	struct ckpt_manifest m;
	int rc;

	store_err[0] = '\0';
	rc = ckpt_manifest_read(fs, store_dir, 1, &m, store_err, sizeof store_err);
	if (rc == 0)
		ckpt_manifest_free(&m);
	return rc;
}

START_TEST(every_changed_bit_is_found)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	long len = small_line(&m, &f);

	ck_assert_int_eq(len, CKPT_HEADER_BYTES + 3 * CKPT_ENTRY_BYTES + 14);
	for (long at = 0; at < len; at++)
		for (int bit = 1; bit < 256; bit <<= 1) {
			store_flip(own_file, at, bit);
			ck_assert_msg(load_small(&m) == FT_EDAMAGED, "byte %ld, bit %d: %s", at,
				bit, store_err);
			says("rank-00000.ckpt: ");
			store_flip(own_file, at, bit);
		}
	ck_assert_int_eq(load_small(&m), 0);
}
END_TEST

START_TEST(every_cut_is_found)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	long len = small_line(&m, &f);

	for (long i = 0; i < len; i++) {
		store_resize(own_file, -1);
		ck_assert_msg(load_small(&m) == FT_EDAMAGED, "%ld bytes cut: %s", i + 1, store_err);
	}
	store_resize(own_file, len + 1);
	ck_assert_int_eq(load_small(&m), FT_EDAMAGED);
}
END_TEST

START_TEST(what_was_added_is_found)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;

	small_line(&m, &f);
	store_resize(own_file, 1);
	ck_assert_int_eq(load_small(&m), FT_EDAMAGED);
	says("something was added");
}
END_TEST

START_TEST(every_change_of_a_manifest_is_found)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	struct stat st;

	small_line(&m, &f);
	ck_assert_int_eq(stat(store_path(manifest), &st), 0);
	for (long at = 0; at < st.st_size; at++)
		for (int bit = 1; bit < 256; bit <<= 1) {
			store_flip(manifest, at, bit);
			ck_assert_msg(read_manifest() == FT_EDAMAGED, "byte %ld, bit %d", at, bit);
			says("manifest");
			store_flip(manifest, at, bit);
		}
	ck_assert_int_eq(read_manifest(), 0);
	for (long at = 0; at < st.st_size; at++) {
		store_resize(manifest, -1);
		ck_assert_int_eq(read_manifest(), FT_EDAMAGED);
	}
}
END_TEST

START_TEST(a_manifest_of_another_number_is_found)
{
	char to[200];

	store_line(2, 0);
	snprintf(to, sizeof to, "%s", store_path(manifest));
	ck_assert_int_eq(rename(store_path("line-00000002.manifest"), to), 0);
	ck_assert_int_eq(read_manifest(), FT_EDAMAGED);
	says("it is the manifest of line 2");
}
END_TEST

START_TEST(the_damaged_section_is_named)
{
	store_line(1, 0);
	store_flip(own_file, -1, 1);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
	says("rank-00000.ckpt: section 4 (messages 0) is damaged");
	store_flip(own_file, -1, 1);
	store_flip(own_file, 2 << 20, 16);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
	says("section 0 (buffer 0) is damaged");
	ck_assert_int_eq(store_check(1, 1), 0);
}
END_TEST

START_TEST(what_is_gone_is_named)
{
	store_line(1, 0);
	ck_assert_int_eq(unlink(store_path(own_file)), 0);
	ck_assert_int_eq(store_check(1, 0), FT_ENONE);
	says("rank-00000.ckpt: No such file");
	says("the same on every host?");
	ck_assert_int_eq(unlink(store_path(manifest)), 0);
	ck_assert_int_eq(store_check(1, 0), FT_ENONE);
	says(manifest);
}
END_TEST

START_TEST(something_else_of_that_name_is_no_trap)
{
	store_line(1, 0);
	ck_assert_int_eq(unlink(store_path(own_file)), 0);
	ck_assert_int_eq(mkfifo(store_path(own_file), 0600), 0);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
	ck_assert_int_eq(unlink(store_path(own_file)), 0);
	ck_assert_int_eq(mkdir(store_path(own_file), 0700), 0);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
	ck_assert_int_eq(unlink(store_path(manifest)), 0);
	ck_assert_int_eq(mkfifo(store_path(manifest), 0600), 0);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
}
END_TEST

/* Even one that leads to a good file. */
START_TEST(a_link_is_not_followed)
{
	char at[200], to[200];

	store_line(1, 0);
	for (int i = 0; i < 2; i++) {
		snprintf(at, sizeof at, "%s", store_path(i ? manifest : own_file));
		snprintf(
			to, sizeof to, "%s", store_path(i ? "other" : "line-00000001.e0000/other"));
		ck_assert_int_eq(rename(at, to), 0);
		ck_assert_int_eq(symlink("other", at), 0);
		ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
		says("a symbolic link has that name");
		ck_assert_int_eq(rename(to, at), 0);
		ck_assert_int_eq(store_check(1, 0), 0);
	}
}
END_TEST

START_TEST(another_whole_file_is_not_taken)
{
	static const char *const others[] = {"line-00000001.e0000/rank-00001.ckpt",
		"line-00000002.e0000/rank-00000.ckpt", "line-00000001.e0001/rank-00000.ckpt"};
	struct ckpt_manifest m;
	char to[200];

	store_line(1, 0);
	store_line(2, 0);
	store_write(1, 1, &m);
	ckpt_manifest_free(&m);
	snprintf(to, sizeof to, "%s", store_path(own_file));
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(rename(store_path(others[i]), to), 0);
		ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
		says("not the file that was committed");
	}
}
END_TEST

START_TEST(another_attempt_is_not_taken)
{
	struct ckpt_identity id = store_identity(0, 0);
	struct ckpt_rank_file f;
	const struct ckpt_section *s;
	size_t n;

	store_line(1, 0);
	/* the same number of bytes, by the same rank, for the same line */
	n = store_sections(0, 2, &s);
	ck_assert_int_eq(ckpt_write(fs, store_dir, &id, 1, s, n, &f.seal, &f.bytes, store_err,
				 sizeof store_err),
		0);
	ck_assert_int_eq(store_check(1, 0), FT_EDAMAGED);
	says("not the file that was committed");
}
END_TEST

/* ---- mismatches ---- */

static int load_as(const struct ckpt_identity *self, bool accept_binary)
{
	struct ckpt_manifest m;
	struct ckpt_loaded l;
	int rc;

	ck_assert_int_eq(ckpt_manifest_read(fs, store_dir, 1, &m, store_err, sizeof store_err), 0);
	rc = ckpt_load(fs, store_dir, &m, self, accept_binary, &l, store_err, sizeof store_err);
	ckpt_manifest_free(&m);
	if (rc == 0)
		ckpt_loaded_free(&l);
	return rc;
}

START_TEST(another_number_of_ranks_is_refused)
{
	struct ckpt_identity self = store_identity(0, 1);

	store_line(1, 0);
	self.size = 8;
	ck_assert_int_eq(load_as(&self, true), FT_EMISMATCH);
	says("line 1 is of 3 ranks, and this job has 8: start it with -n 3");
}
END_TEST

START_TEST(a_rank_of_no_line_is_refused)
{
	struct ckpt_identity self = store_identity(0, 1);

	store_line(1, 0);
	self.rank = 3;
	ck_assert_int_eq(load_as(&self, true), FT_EMISMATCH);
	says("line 1 has no rank 3");
}
END_TEST

START_TEST(another_program_is_refused_unless_accepted)
{
	struct ckpt_identity self = store_identity(0, 1);

	store_line(1, 0);
	self.program[15] ^= 1;
	strcpy(self.program_name, "solver2");
	ck_assert_int_eq(load_as(&self, false), FT_EMISMATCH);
	says("another build of the program (solver; this is solver2)");
	says("-accept-binary");
	ck_assert_int_eq(load_as(&self, true), 0);
}
END_TEST

/* A header with one field changed and its seal mended, in file and manifest. */
static int load_changed(long at, uint8_t value)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	uint8_t head[CKPT_HEADER_BYTES];
	FILE *file;

	small_line(&m, &f);
	file = fopen(store_path(own_file), "r+b");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(head, 1, sizeof head, file), sizeof head);
	head[at] = value;
	f.seal = XXH3_64bits(head, sizeof head - 8);
	for (int i = 0; i < 8; i++)
		head[sizeof head - 8 + (size_t)i] = (uint8_t)(f.seal >> (8 * i));
	rewind(file);
	fwrite(head, 1, sizeof head, file);
	ck_assert_int_eq(fclose(file), 0);
	return load_small(&m);
}

START_TEST(a_newer_version_is_refused)
{
	ck_assert_int_eq(load_changed(8, CKPT_VERSION + 1), FT_EMISMATCH);
	says("it is of version 3, and this FTMPI reads versions 1 and 2");
}
END_TEST

START_TEST(an_older_version_is_refused)
{
	ck_assert_int_eq(load_changed(8, 0), FT_EMISMATCH);
	says("it is of version 0");
}
END_TEST

/* Of version 2 there are process images alone, and so far. */
START_TEST(another_kind_is_refused)
{
	ck_assert_int_eq(load_changed(8, CKPT_VERSION), FT_EMISMATCH);
	says("it is of kind 0, which this FTMPI does not know");
}
END_TEST

START_TEST(another_byte_order_is_refused)
{
	ck_assert_int_eq(load_changed(12, CKPT_ORDER_BIG), FT_EMISMATCH);
	says("big-endian byte order and 64-bit words");
}
END_TEST

START_TEST(another_word_size_is_refused)
{
	ck_assert_int_eq(load_changed(16, 4), FT_EMISMATCH);
	says("32-bit words");
}
END_TEST

START_TEST(more_sections_than_bytes_are_refused)
{
	ck_assert_int_eq(load_changed(_i ? 140 : 142, 200), FT_EDAMAGED);
	says("more than it can hold");
}
END_TEST

START_TEST(a_newer_manifest_is_refused)
{
	char text[] = "FTMPI-LINE 2\nanything\ncheck 0123456789abcdef\n";
	size_t len = strlen(text);

	store_line(2, 0); /* makes the folder */
	snprintf(text + len - 17, 18, "%016llx\n", (unsigned long long)XXH3_64bits(text, len - 23));
	store_make(manifest, text);
	ck_assert_int_eq(read_manifest(), FT_EMISMATCH);
	says("the manifest is of version 2, and this FTMPI reads version 1");
}
END_TEST

START_TEST(the_program_knows_itself)
{
	uint8_t once[CKPT_PROGRAM_BYTES], again[CKPT_PROGRAM_BYTES], none[CKPT_PROGRAM_BYTES] = {0};
	char name[CKPT_NAME_BYTES];

	ck_assert_int_eq(ckpt_program(once, name, sizeof name, store_err, sizeof store_err), 0);
	ck_assert_str_eq(name, "test_ckpt_damage");
	ck_assert_int_eq(ckpt_program(again, name, sizeof name, store_err, sizeof store_err), 0);
	ck_assert_mem_eq(once, again, sizeof once);
	ck_assert_mem_ne(once, none, sizeof once);
}
END_TEST

UNIT_MAIN("ckpt_damage", tcase_add_checked_fixture(tc, store_begin, store_end);
	  tcase_add_test(tc, every_changed_bit_is_found); tcase_add_test(tc, every_cut_is_found);
	  tcase_add_test(tc, what_was_added_is_found);
	  tcase_add_test(tc, every_change_of_a_manifest_is_found);
	  tcase_add_test(tc, a_manifest_of_another_number_is_found);
	  tcase_add_test(tc, the_damaged_section_is_named);
	  tcase_add_test(tc, what_is_gone_is_named);
	  tcase_add_test(tc, something_else_of_that_name_is_no_trap);
	  tcase_add_test(tc, a_link_is_not_followed);
	  tcase_add_test(tc, another_whole_file_is_not_taken);
	  tcase_add_test(tc, another_attempt_is_not_taken);
	  tcase_add_test(tc, another_number_of_ranks_is_refused);
	  tcase_add_test(tc, a_rank_of_no_line_is_refused);
	  tcase_add_test(tc, another_program_is_refused_unless_accepted);
	  tcase_add_test(tc, a_newer_version_is_refused);
	  tcase_add_test(tc, an_older_version_is_refused);
	  tcase_add_test(tc, another_kind_is_refused);
	  tcase_add_test(tc, another_byte_order_is_refused);
	  tcase_add_test(tc, another_word_size_is_refused);
	  tcase_add_loop_test(tc, more_sections_than_bytes_are_refused, 0, 2);
	  tcase_add_test(tc, a_newer_manifest_is_refused);
	  tcase_add_test(tc, the_program_knows_itself);)
