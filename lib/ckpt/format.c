/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/format.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/cursor.h"
#include "base/error.h"

enum { SEAL_AT = CKPT_HEADER_BYTES - 8 };

static const uint8_t magic[8] = {0x89, 'F', 'T', 'C', 'K', 'P', 'T', '\n'};

uint32_t ckpt_own_order(void)
{
	const uint16_t one = 1;

	return *(const uint8_t *)&one ? CKPT_ORDER_LITTLE : CKPT_ORDER_BIG;
}

void ckpt_header_encode(struct ckpt_header *h, uint8_t out[CKPT_HEADER_BYTES])
{
	struct writer w = writer_over(out, CKPT_HEADER_BYTES);

	memset(out, 0, CKPT_HEADER_BYTES);
	h->version = h->kind == CKPT_FILE_DATA ? CKPT_VERSION_DATA : CKPT_VERSION;
	h->order = ckpt_own_order();
	h->word = sizeof(void *);
	writer_bytes(&w, magic, sizeof magic);
	writer_u32(&w, h->version);
	writer_u32(&w, h->order);
	writer_u32(&w, h->word);
	writer_bytes(&w, h->id.session, sizeof h->id.session);
	writer_u32(&w, h->id.epoch);
	writer_u32(&w, h->id.rank);
	writer_u32(&w, h->id.size);
	writer_u32(&w, h->line);
	writer_bytes(&w, h->id.program, sizeof h->id.program);
	writer_bytes(&w, h->id.program_name, sizeof h->id.program_name);
	writer_u64(&w, (uint64_t)h->time_s);
	writer_u32(&w, h->sections);
	writer_u64(&w, h->bytes);
	writer_u64(&w, h->table_sum);
	writer_u32(&w, h->kind);
	h->seal = XXH3_64bits(out, SEAL_AT);
	w = writer_over(out + SEAL_AT, 8);
	writer_u64(&w, h->seal);
}

void ckpt_entry_encode(const struct ckpt_entry *e, uint8_t out[CKPT_ENTRY_BYTES])
{
	struct writer w = writer_over(out, CKPT_ENTRY_BYTES);

	writer_u32(&w, e->kind);
	writer_u32(&w, e->id);
	writer_u32(&w, e->type);
	writer_u32(&w, 0);
	writer_u64(&w, e->len);
	writer_u64(&w, e->sum);
}

static void read_fields(struct ckpt_header *h, struct cursor *c)
{
	h->order = cursor_u32(c);
	h->word = cursor_u32(c);
	cursor_bytes(c, h->id.session, sizeof h->id.session);
	h->id.epoch = cursor_u32(c);
	h->id.rank = cursor_u32(c);
	h->id.size = cursor_u32(c);
	h->line = cursor_u32(c);
	cursor_bytes(c, h->id.program, sizeof h->id.program);
	cursor_bytes(c, h->id.program_name, sizeof h->id.program_name);
	h->id.program_name[sizeof h->id.program_name - 1] = '\0';
	h->time_s = (int64_t)cursor_u64(c);
	h->sections = cursor_u32(c);
	h->bytes = cursor_u64(c);
	h->table_sum = cursor_u64(c);
}

/* Version 1 has no kind: these bytes are zero there, and meant data. */
static int read_kind(struct ckpt_header *h, struct cursor *c, const char *path, struct ckpt_err err)
{
	uint32_t kind = cursor_u32(c);

	h->kind = CKPT_FILE_DATA;
	if (h->version == CKPT_VERSION_DATA)
		return 0;
	h->kind = CKPT_FILE_IMAGE;
	return kind == CKPT_FILE_IMAGE
		       ? 0
		       : ckpt_says(err, FT_EMISMATCH, path,
				 "it is of kind %u, which this FTMPI does not know: use the FTMPI "
				 "that made it",
				 kind);
}

int ckpt_header_decode(struct ckpt_header *h, const uint8_t *in, uint64_t have, uint64_t file_bytes,
	const char *path, struct ckpt_err err)
{
	struct cursor c = cursor_over(in, CKPT_HEADER_BYTES), end;
	int rc;

	if (have < CKPT_HEADER_BYTES || file_bytes < CKPT_HEADER_BYTES)
		return ckpt_says(err, FT_EDAMAGED, path,
			"it was cut: its header is not whole (%llu of %d bytes)",
			(unsigned long long)have, CKPT_HEADER_BYTES);
	end = cursor_over(in + SEAL_AT, 8);
	h->seal = cursor_u64(&end);
	if (memcmp(in, magic, sizeof magic) != 0)
		return ckpt_says(err, FT_EDAMAGED, path, "it does not begin as a checkpoint does");
	if (XXH3_64bits(in, SEAL_AT) != h->seal)
		return ckpt_says(err, FT_EDAMAGED, path, "its header is damaged");
	c.at += sizeof magic;
	h->version = cursor_u32(&c);
	if (h->version < CKPT_VERSION_DATA || h->version > CKPT_VERSION)
		return ckpt_says(err, FT_EMISMATCH, path,
			"it is of version %u, and this FTMPI reads versions %d and %d: use the "
			"FTMPI that made it",
			h->version, CKPT_VERSION_DATA, CKPT_VERSION);
	read_fields(h, &c);
	rc = read_kind(h, &c, path, err);
	if (rc)
		return rc;
	if (h->bytes != file_bytes)
		return ckpt_says(err, FT_EDAMAGED, path,
			"it has %llu bytes instead of %llu: it was cut, or something was added",
			(unsigned long long)file_bytes, (unsigned long long)h->bytes);
	if (h->sections > CKPT_SECTIONS_MAX ||
		h->sections > (file_bytes - CKPT_HEADER_BYTES) / CKPT_ENTRY_BYTES)
		return ckpt_says(err, FT_EDAMAGED, path,
			"its header promises %u sections, more than it can hold", h->sections);
	return 0;
}

int ckpt_table_decode(const struct ckpt_header *h, const uint8_t *in, struct ckpt_entry *out,
	const char *path, struct ckpt_err err)
{
	size_t table = (size_t)h->sections * CKPT_ENTRY_BYTES;
	uint64_t left = h->bytes - CKPT_HEADER_BYTES - table;
	struct cursor c = cursor_over(in, table);

	if (XXH3_64bits(in, table) != h->table_sum)
		return ckpt_says(err, FT_EDAMAGED, path, "its table of sections is damaged");
	for (uint32_t i = 0; i < h->sections; i++) {
		struct ckpt_entry *e = &out[i];

		e->kind = cursor_u32(&c);
		e->id = cursor_u32(&c);
		e->type = cursor_u32(&c);
		cursor_u32(&c);
		e->len = cursor_u64(&c);
		e->sum = cursor_u64(&c);
		if (e->len > left)
			return ckpt_says(err, FT_EDAMAGED, path, "%s is longer than the file",
				ckpt_section_name(e->kind, e->id, i).text);
		e->at = h->bytes - left;
		left -= e->len;
	}
	if (left)
		return ckpt_says(err, FT_EDAMAGED, path, "%llu bytes of it belong to no section",
			(unsigned long long)left);
	return 0;
}

const char *ckpt_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[CKPT_BUFFER] = "buffer",
		[CKPT_VARIABLE] = "variable",
		[CKPT_MESSAGES] = "messages",
		[CKPT_ORPHANS] = "orphans",
		[CKPT_COUNTERS] = "counters",
		[CKPT_OPERATIONS] = "operations",
		[CKPT_COMMUNICATORS] = "communicators",
		[CKPT_SCHEDULES] = "schedules",
		[CKPT_IMAGE_PROCESS] = "process",
		[CKPT_IMAGE_MAPS] = "mappings",
		[CKPT_IMAGE_FILES] = "files",
		[CKPT_IMAGE_THREADS] = "threads",
		[CKPT_IMAGE_RUNS] = "runs",
		[CKPT_IMAGE_PAGES] = "pages",
		[CKPT_IMAGE_ORIGIN] = "origin",
		[CKPT_MSGLOG] = "log",
		[CKPT_LOGGED] = "unreceived",
	};

	return kind >= CKPT_BUFFER && kind <= CKPT_LOGGED ? names[kind] : "unknown";
}

struct ckpt_section_name ckpt_section_name(uint32_t kind, uint32_t id, size_t index)
{
	struct ckpt_section_name n;

	snprintf(n.text, sizeof n.text, "section %zu (%s %u)", index, ckpt_kind_name(kind), id);
	return n;
}
