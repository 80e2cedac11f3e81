/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that holds the image of a process: it is verified as a whole before anything of it is
 * used, without a copy of it in memory, and is never taken for data, nor data for it.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "ckpt/out.h"
#include "ckpt/reader.h"
#include "ckpt_store.h"
#include "unit.h"

enum { SECTIONS = 8, LARGE = 16 << 20, MEMORY_MOST = 2 << 20 };

static const struct ckpt_fs *fs = &ckpt_fs_posix;
static const char file[] = "line-00000001.e0000/rank-00000.ckpt";

/* The most that anybody has asked for at once. */
static size_t asked_most;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (size > asked_most)
		asked_most = size;
	return __real_malloc(size);
}

static void says(const char *words)
{
	ck_assert_msg(strstr(store_err, words), "'%s' is not in: %s", words, store_err);
}

static const uint32_t kinds[SECTIONS] = {CKPT_IMAGE_PROCESS, CKPT_IMAGE_MAPS, CKPT_IMAGE_FILES,
	CKPT_IMAGE_THREADS, CKPT_IMAGE_PAGES, CKPT_IMAGE_RUNS, CKPT_MESSAGES, CKPT_ORPHANS};
static const char *const names[SECTIONS] = {
	"process", "mappings", "files", "threads", "pages", "runs", "messages", "orphans"};

/* Of the length of section i, when the pages are so many bytes. */
static size_t length(size_t i, size_t pages)
{
	return kinds[i] == CKPT_IMAGE_PAGES ? pages : i;
}

static const uint8_t *contents(void)
{
	static uint8_t bytes[LARGE];

	for (size_t i = 0; bytes[1] == 0 && i < LARGE; i++)
		bytes[i] = (uint8_t)(i * 31 + (i >> 9));
	return bytes;
}

/* A line of one rank, with what ckpt_image_open needs of it. */
static void image_line(struct ckpt_manifest *m, struct ckpt_rank_file *f, size_t pages)
{
	struct ckpt_out_plan plan = {.fs = fs,
		.session_dir = store_dir,
		.id = store_identity(0, 0),
		.line = 1,
		.kind = CKPT_FILE_IMAGE,
		.sections = SECTIONS,
		.child = true};
	struct ckpt_out *o;

	plan.id.size = 1;
	*m = (struct ckpt_manifest){.line = 1, .size = 1, .ranks = f};
	memcpy(m->session, plan.id.session, sizeof m->session);
	ck_assert_int_eq(ckpt_out_begin(&o, &plan, store_err, sizeof store_err), 0);
	for (size_t i = 0; i < SECTIONS; i++) {
		ck_assert_int_eq(ckpt_out_section(o, kinds[i], 0), 0);
		ck_assert_int_eq(ckpt_out_add(o, contents(), length(i, pages)), 0);
		ck_assert_int_eq(ckpt_out_section_end(o), 0);
	}
	ck_assert_int_eq(ckpt_out_finish(o, &f->seal, &f->bytes, store_err, sizeof store_err), 0);
}

static int open_image(const struct ckpt_manifest *m, struct ckpt_reader *r)
{
	struct ckpt_identity self = store_identity(0, 3);

	self.size = m->size;
	store_err[0] = '\0';
	return ckpt_image_open(
		fs, store_dir, m, &self, r, (struct ckpt_err){store_err, sizeof store_err});
}

static int try_image(const struct ckpt_manifest *m)
{
	struct ckpt_reader r;
	int rc = open_image(m, &r);

	if (rc == 0)
		ckpt_reader_close(&r);
	return rc;
}

START_TEST(an_image_is_found_in_place)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	struct ckpt_reader r;

	image_line(&m, &f, LARGE);
	ck_assert_msg(open_image(&m, &r) == 0, "%s", store_err);
	ck_assert_uint_eq(r.header.version, 2);
	ck_assert_uint_eq(r.header.sections, SECTIONS);
	for (size_t i = 0; i < SECTIONS; i++) {
		const struct ckpt_entry *e = ckpt_reader_find(&r, kinds[i]);
		uint8_t *bytes = malloc(length(i, LARGE) + 1);

		ck_assert_ptr_eq(e, &r.entries[i]);
		ck_assert_uint_eq(e->len, length(i, LARGE));
		ck_assert_int_eq(fs->read(fs, r.fd, bytes, e->len, e->at), (int64_t)e->len);
		ck_assert_int_eq(memcmp(bytes, contents(), e->len), 0);
		ck_assert_str_eq(ckpt_kind_name(e->kind), names[i]);
		free(bytes);
	}
	ck_assert_ptr_null(ckpt_reader_find(&r, CKPT_BUFFER));
	ckpt_reader_close(&r);
}
END_TEST

START_TEST(no_copy_of_it_is_made)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;

	image_line(&m, &f, LARGE);
	asked_most = 0;
	ck_assert_int_eq(try_image(&m), 0);
	ck_assert_uint_gt(asked_most, 0);
	ck_assert_uint_le(asked_most, MEMORY_MOST);
}
END_TEST

START_TEST(every_changed_bit_of_an_image_is_found)
{
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	long bytes;

	image_line(&m, &f, 10);
	bytes = (long)f.bytes;
	ck_assert_int_eq(bytes, 256 + SECTIONS * 32 + 34);
	for (long at = 0; at < bytes; at++)
		for (int bit = 1; bit < 256; bit <<= 1) {
			store_flip(file, at, bit);
			ck_assert_msg(try_image(&m) == FT_EDAMAGED, "byte %ld, bit %d: %s", at, bit,
				store_err);
			says("rank-00000.ckpt: ");
			store_flip(file, at, bit);
		}
	for (long i = 0; i < bytes; i++) {
		store_resize(file, -1);
		ck_assert_msg(try_image(&m) == FT_EDAMAGED, "%ld bytes cut", i + 1);
	}
}
END_TEST

START_TEST(the_damaged_section_of_an_image_is_named)
{
	char said[64];
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	long at = 256 + SECTIONS * 32;

	image_line(&m, &f, LARGE);
	for (size_t i = 0; i < SECTIONS; at += (long)length(i++, LARGE)) {
		if (length(i, LARGE) == 0)
			continue;
		snprintf(said, sizeof said, "section %zu (%s 0) is damaged", i, names[i]);
		store_flip(file, at + (long)length(i, LARGE) - 1, 16);
		ck_assert_int_eq(try_image(&m), FT_EDAMAGED);
		says(said);
		store_flip(file, at + (long)length(i, LARGE) - 1, 16);
	}
	ck_assert_int_eq(try_image(&m), 0);
}
END_TEST

START_TEST(an_image_is_no_data)
{
	struct ckpt_identity self = store_identity(0, 3);
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	struct ckpt_loaded l;

	image_line(&m, &f, 10);
	self.size = 1;
	ck_assert_int_eq(ckpt_load(fs, store_dir, &m, &self, true, &l, store_err, sizeof store_err),
		FT_EMISMATCH);
	says("it is the image of a process, and this job saves data: ");
}
END_TEST

START_TEST(data_are_no_image)
{
	struct ckpt_manifest m;

	store_write(1, 0, &m);
	ck_assert_int_eq(try_image(&m), FT_EMISMATCH);
	says("it has data that the program saved, and this job saves images of processes: ");
	m.ranks[0].seal ^= 1;
	ck_assert_int_eq(try_image(&m), FT_EDAMAGED);
	says("not the file that was committed");
	ckpt_manifest_free(&m);
}
END_TEST

/* Not even one that is accepted for data. */
START_TEST(another_program_is_no_image)
{
	struct ckpt_identity self = store_identity(0, 3);
	struct ckpt_rank_file f;
	struct ckpt_manifest m;
	struct ckpt_reader r;

	image_line(&m, &f, 10);
	self.size = 1;
	self.program[0] ^= 1;
	ck_assert_int_eq(ckpt_image_open(fs, store_dir, &m, &self, &r,
				 (struct ckpt_err){store_err, sizeof store_err}),
		FT_EMISMATCH);
	says("the image of a process needs the very same one");
}
END_TEST

/* Version and kind of data are those of the first version, so that older libraries read it. */
START_TEST(data_are_as_they_were)
{
	uint8_t head[CKPT_HEADER_BYTES];
	struct ckpt_manifest m;
	FILE *in;

	store_write(1, 0, &m);
	ckpt_manifest_free(&m);
	in = fopen(store_path(file), "rb");
	ck_assert_ptr_nonnull(in);
	ck_assert_uint_eq(fread(head, 1, sizeof head, in), sizeof head);
	fclose(in);
	ck_assert_mem_eq(head + 8, "\1\0\0\0", 4);
	for (size_t i = 160; i < 248; i++)
		ck_assert_uint_eq(head[i], 0);
}
END_TEST

UNIT_MAIN("ckpt_image", tcase_add_checked_fixture(tc, store_begin, store_end);
	  tcase_add_test(tc, an_image_is_found_in_place); tcase_add_test(tc, no_copy_of_it_is_made);
	  tcase_add_test(tc, every_changed_bit_of_an_image_is_found);
	  tcase_add_test(tc, the_damaged_section_of_an_image_is_named);
	  tcase_add_test(tc, an_image_is_no_data); tcase_add_test(tc, data_are_no_image);
	  tcase_add_test(tc, another_program_is_no_image);
	  tcase_add_test(tc, data_are_as_they_were);)
