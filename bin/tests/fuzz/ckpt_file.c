/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's file as a disk may give it back. The first byte says what is mended, so that changed
 * fields get past the checksums: 1 the sections' in the table, 2 the table's, 16 the seal; and 4
 * another program is accepted, 8 the manifest means just this file. The file is the rest.
 */
#include <errno.h>
#include <xxhash.h>

#include "base/error.h"
#include "ckpt/reader.h"
#include "fuzz.h"

enum {
	MEND_SECTIONS = 1,
	MEND_TABLE = 2,
	ACCEPT = 4,
	MEANT = 8,
	MEND_SEAL = 16,
	HEAD = CKPT_HEADER_BYTES
};

/* A file system of one file. */
struct one {
	struct ckpt_fs ops;
	const uint8_t *bytes;
	size_t size;
	int opened;
};

static int one_open(const struct ckpt_fs *fs, const char *path, uint64_t *bytes)
{
	struct one *o = (struct one *)(uintptr_t)fs;

	FUZZ_CHECK(strcmp(path, "s/line-00000001.e0000/rank-00000.ckpt") == 0, "opens %s", path);
	*bytes = o->size;
	o->opened++;
	return 7;
}

static int64_t one_read(
	const struct ckpt_fs *fs, int fd, void *out, uint64_t bytes, uint64_t offset)
{
	const struct one *o = (const struct one *)fs;

	FUZZ_CHECK(fd == 7, "reads from %d", fd);
	FUZZ_CHECK(offset <= o->size, "reads at %llu", (unsigned long long)offset);
	if (bytes > o->size - offset)
		bytes = o->size - offset;
	if (bytes)
		memcpy(out, o->bytes + offset, bytes);
	return (int64_t)bytes;
}

static int one_close(const struct ckpt_fs *fs, int fd)
{
	struct one *o = (struct one *)(uintptr_t)fs;

	FUZZ_CHECK(fd == 7 && o->opened-- == 1, "closes what is not open");
	return 0;
}

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | at[bytes];
	return v;
}

static void put64(uint8_t *at, uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		at[i] = (uint8_t)v;
}

static size_t entries_of(const uint8_t *file, size_t size)
{
	uint64_t n = get(file + 140, 4);

	return n <= (size - HEAD) / CKPT_ENTRY_BYTES ? (size_t)n : 0;
}

static void mend_sections(uint8_t *file, size_t size)
{
	size_t n = entries_of(file, size), at = HEAD + n * CKPT_ENTRY_BYTES;

	for (size_t i = 0; i < n; i++) {
		uint8_t *entry = file + HEAD + i * CKPT_ENTRY_BYTES;
		uint64_t len = get(entry + 16, 8);

		if (len > size - at)
			return;
		put64(entry + 24, XXH3_64bits(file + at, len));
		at += len;
	}
}

static uint64_t table_sum(const uint8_t *file, size_t size)
{
	return XXH3_64bits(file + HEAD, entries_of(file, size) * CKPT_ENTRY_BYTES);
}

static uint64_t seal(const uint8_t *file)
{
	return XXH3_64bits(file, HEAD - 8);
}

static void mend(uint8_t *file, size_t size, int how)
{
	if (how & MEND_SECTIONS)
		mend_sections(file, size);
	if (how & MEND_TABLE)
		put64(file + 152, table_sum(file, size));
	if (how & MEND_SEAL)
		put64(file + HEAD - 8, seal(file));
}

static void check_sums(const struct one *o)
{
	FUZZ_CHECK(get(o->bytes + 152, 8) == table_sum(o->bytes, o->size), "the table's sum");
	FUZZ_CHECK(get(o->bytes + HEAD - 8, 8) == seal(o->bytes), "no seal");
}

/* What is accepted is what is in the file, all of it, in order. */
static void check_loaded(const struct one *o, const struct ckpt_loaded *l)
{
	size_t at = HEAD + l->n * CKPT_ENTRY_BYTES;

	for (size_t i = 0; i < l->n; i++) {
		const struct ckpt_section *s = &l->sections[i];
		const uint8_t *entry = o->bytes + HEAD + i * CKPT_ENTRY_BYTES;

		FUZZ_CHECK(s->len <= o->size - at, "section %zu is too long", i);
		FUZZ_CHECK(s->kind == get(entry, 4) && s->id == get(entry + 4, 4) &&
				   s->type == get(entry + 8, 4),
			"section %zu is another one", i);
		FUZZ_CHECK((uintptr_t)s->data % 64 == 0, "section %zu is not aligned", i);
		FUZZ_CHECK(s->len == 0 || memcmp(s->data, o->bytes + at, s->len) == 0,
			"section %zu has other contents", i);
		FUZZ_CHECK(get(entry + 24, 8) == XXH3_64bits(s->data, s->len),
			"section %zu was not verified", i);
		at += s->len;
	}
	FUZZ_CHECK(at == o->size, "%zu bytes were not looked at", o->size - at);
	FUZZ_CHECK(get(o->bytes + 8, 4) == 1, "an image is no data");
	check_sums(o);
}

static void check_image(const struct one *o, const struct ckpt_reader *r)
{
	size_t at = HEAD + (size_t)r->header.sections * CKPT_ENTRY_BYTES;

	FUZZ_CHECK(get(o->bytes + 8, 4) == 2 && get(o->bytes + 160, 4) == 1, "no image");
	for (uint32_t i = 0; i < r->header.sections; i++) {
		const struct ckpt_entry *e = &r->entries[i];

		FUZZ_CHECK(e->at == at && e->len <= o->size - at, "section %u is elsewhere", i);
		FUZZ_CHECK(e->sum == XXH3_64bits(o->bytes + at, e->len),
			"section %u was not verified", i);
		at += e->len;
	}
	FUZZ_CHECK(at == o->size, "%zu bytes were not looked at", o->size - at);
	check_sums(o);
}

static void check_refused(const struct one *o, int rc, const char *err, size_t size)
{
	FUZZ_CHECK(o->opened == 0, "the file is still open");
	FUZZ_CHECK(rc == FT_EDAMAGED || rc == FT_EMISMATCH, "refused with %d", rc);
	fuzz_check_sentence(err, size);
	FUZZ_CHECK(
		strstr(err, "rank-00000.ckpt: "), "the sentence does not name the file: %s", err);
}

static void load(struct one *o, int how)
{
	struct ckpt_rank_file f = {1, 2};
	struct ckpt_manifest m = {.line = 1, .size = 2, .ranks = &f};
	struct ckpt_identity self = {.size = 2};
	struct ckpt_reader image;
	struct ckpt_loaded l;
	char err[512] = "";
	int rc, rc_image;

	if (how & MEANT && o->size >= HEAD) {
		f.seal = get(o->bytes + HEAD - 8, 8);
		f.bytes = o->size;
	}
	rc = ckpt_load(&o->ops, "s", &m, &self, (how & ACCEPT) != 0, &l, err, sizeof err);
	if (rc == 0) {
		FUZZ_CHECK(o->opened == 0, "the file is still open");
		check_loaded(o, &l);
		ckpt_loaded_free(&l);
	} else {
		check_refused(o, rc, err, sizeof err);
	}
	rc_image = ckpt_image_open(
		&o->ops, "s", &m, &self, &image, (struct ckpt_err){err, sizeof err});
	if (rc_image == 0) {
		check_image(o, &image);
		ckpt_reader_close(&image);
		FUZZ_CHECK(o->opened == 0, "the file is still open");
	} else {
		check_refused(o, rc_image, err, sizeof err);
	}
	FUZZ_CHECK(rc != 0 || rc_image != 0, "it is both");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct script in = script_over(data, size);
	int how = script_u8(&in);
	struct one o = {.ops = {.open = one_open, .read = one_read, .close = one_close}};
	const uint8_t *rest;
	uint8_t *file;

	o.size = script_bytes(&in, &rest, FUZZ_INPUT_MAX);
	file = malloc(o.size + 1);
	FUZZ_CHECK(file, "out of memory");
	memcpy(file, rest, o.size);
	if (o.size >= HEAD)
		mend(file, o.size, how);
	o.bytes = file;
	load(&o, how);
	free(file);
	return 0;
}
