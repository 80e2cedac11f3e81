/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ckpt_line SESSION_DIR LINE EPOCH RANKS [PROGRAM | - [ORPHANS [OPERATIONS]]]: makes and commits a
 * recovery line, for tests of what reads them; with - as PROGRAM it is not committed. Each rank has
 * the data buffer (99942 bytes), variable 7 (80 bytes), two messages (of 5 and 3 bytes), and
 * orphans and operations if their bytes are given (hexadecimal). Lines are of November 2026, of
 * other times with CKPT_LINE_TIME in the environment (Unix seconds). With CKPT_LINE_IMAGE there is
 * a process image instead, of 6 mappings and 2 runs of pages; "mappings" or "pages" takes the last
 * byte of that section away. With CKPT_LINE_ALONE each rank makes it alone: LINE is its number,
 * EPOCH the incarnation. With CKPT_LINE_MESSAGES the last byte of the messages is missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckpt/out.h"
#include "ckpt/section_messages.h"
#include "image/image.h"
#include "image/process_map.h"

enum { TYPE = 0x214 /* MPI_DOUBLE */, TIME = 1795293000, BUFFER = 99942, ORPHANS_MAX = 1000 };

static int fails(const char *err)
{
	fprintf(stderr, "ckpt_line: %s\n", err);
	return 1;
}

static size_t hex(const char *text, uint8_t *out)
{
	size_t n = 0;

	while (n < ORPHANS_MAX && sscanf(text + 2 * n, "%2hhx", &out[n]) == 1)
		n++;
	return n;
}

/* Returns its bytes. */
static uint64_t add_mapping(
	uint8_t *out, uint64_t low, uint64_t bytes, uint32_t kind, const char *name)
{
	struct image_region r = {.low = low,
		.high = low + bytes,
		.kind = kind,
		.name_length = (uint32_t)strlen(name)};

	memcpy(out, &r, sizeof r);
	memcpy(out + sizeof r, name, r.name_length);
	return sizeof r + r.name_length;
}

static uint64_t make_mappings(uint8_t *out)
{
	uint64_t n = add_mapping(out, 0x10000, 0x3000, REGION_FILE, "/bin/solver");

	n += add_mapping(out + n, 0x13000, 0x1000, REGION_FILE, "/bin/solver");
	n += add_mapping(out + n, 0x20000, 0x100000, REGION_HEAP, "[heap]");
	n += add_mapping(out + n, 0x400000, 0x2000, REGION_FILE, "/lib/libc.so");
	n += add_mapping(out + n, 0x500000, 0x21000, REGION_STACK, "[stack]");
	return n + add_mapping(out + n, 0x600000, 0x1000, REGION_KERNEL, "[vdso]");
}

static uint64_t make_pages(uint8_t *out)
{
	static const struct image_run runs[] = {{0x13000, 0x1000}, {0x20000, 0x3000}, {0, 0}};
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		memcpy(out + n, &runs[i], sizeof runs[i]);
		n += sizeof runs[i] + runs[i].bytes;
	}
	return n;
}

static size_t make_image(struct ckpt_section *s, const char *how)
{
	static uint8_t mappings[4096], pages[1 << 15];

	s[0] = (struct ckpt_section){CKPT_IMAGE_PROCESS, 0, 0, 0, "process", 7};
	s[1] = (struct ckpt_section){CKPT_IMAGE_MAPS, 0, 0, 0, mappings, make_mappings(mappings)};
	s[2] = (struct ckpt_section){CKPT_IMAGE_PAGES, 0, 0, 0, pages, make_pages(pages)};
	s[1].len -= strcmp(how, "mappings") == 0;
	s[2].len -= strcmp(how, "pages") == 0;
	return 3;
}

static int write_part(struct ckpt_out_plan *plan, const struct ckpt_section *s,
	struct ckpt_rank_file *f, char *err, size_t errsize)
{
	struct ckpt_out *o;
	int rc = ckpt_out_begin(&o, plan, err, errsize);

	if (rc)
		return rc;
	for (size_t i = 0; i < plan->sections; i++)
		ckpt_out_append(o, &s[i]);
	return ckpt_out_finish(o, &f->seal, &f->bytes, err, errsize);
}

/* In transit from rank 0. */
static void two_messages(uint8_t *bytes, size_t n)
{
	struct writer w = writer_over(bytes, n);

	writer_u32(&w, 2);
	for (uint64_t length = 5; length >= 3; length -= 2) {
		section_messages_write(
			&w, &(struct section_message){.context = 2, .tag = 7, .length = length});
		writer_bytes(&w, "ahead", length);
	}
}

int main(int argc, char **argv)
{
	const char *image = getenv("CKPT_LINE_IMAGE");
	const bool alone = getenv("CKPT_LINE_ALONE") != NULL;
	static uint8_t bytes[BUFFER],
		messages[SECTION_MESSAGES_HEAD + 2 * SECTION_MESSAGES_ENTRY + 5 + 3],
		orphans[ORPHANS_MAX], operations[ORPHANS_MAX];
	struct ckpt_section s[] = {{CKPT_BUFFER, 0, 0, 0, bytes, BUFFER},
		{CKPT_VARIABLE, 7, TYPE, 0, bytes, 80},
		{CKPT_MESSAGES, 0, 0, 0, messages, sizeof messages},
		{CKPT_ORPHANS, 0, 0, 0, orphans, 0}, {CKPT_OPERATIONS, 0, 0, 0, operations, 0}};
	struct ckpt_identity id = {0};
	struct ckpt_manifest m = {0};
	char err[512];
	size_t sections = 3;
	int rc = 0;

	two_messages(messages, sizeof messages);
	if (getenv("CKPT_LINE_MESSAGES"))
		s[2].len--;
	if (argc < 5)
		return fails("SESSION_DIR LINE EPOCH RANKS [PROGRAM | - [ORPHANS [OPERATIONS]]]");
	if (argc > 6)
		s[sections++].len = hex(argv[6], orphans);
	if (argc > 7)
		s[sections++].len = hex(argv[7], operations);
	m.line = (uint32_t)atoi(argv[2]);
	m.epoch = id.epoch = (uint32_t)atoi(argv[3]);
	m.size = id.size = (uint32_t)atoi(argv[4]);
	m.time_s = getenv("CKPT_LINE_TIME") ? atoll(getenv("CKPT_LINE_TIME")) : TIME + m.line;
	snprintf(m.program_name, sizeof m.program_name, "%s", argc > 5 ? argv[5] : "solver");
	memcpy(id.program_name, m.program_name, sizeof id.program_name);
	m.ranks = calloc(m.size, sizeof *m.ranks);
	for (size_t i = 0; i < BUFFER; i++)
		bytes[i] = (uint8_t)(i * 17 + m.line);
	if (image)
		sections = make_image(s, image);
	for (id.rank = 0; rc == 0 && m.ranks && id.rank < id.size; id.rank++) {
		struct ckpt_out_plan plan = {.fs = &ckpt_fs_posix,
			.session_dir = argv[1],
			.id = id,
			.line = m.line,
			.kind = image ? CKPT_FILE_IMAGE : CKPT_FILE_DATA,
			.sections = sections,
			.alone = alone};

		rc = write_part(&plan, s, &m.ranks[id.rank], err, sizeof err);
	}
	if (rc == 0 && !alone && (argc < 6 || strcmp(argv[5], "-") != 0))
		rc = ckpt_commit(&ckpt_fs_posix, argv[1], &m, err, sizeof err);
	free(m.ranks);
	return rc ? fails(err) : 0;
}
