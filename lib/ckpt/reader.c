/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"

enum { PIECE = 1 << 20 };

static int read_head(struct ckpt_reader *r, uint64_t bytes, struct ckpt_err err)
{
	uint8_t head[CKPT_HEADER_BYTES], *table;
	int64_t got = r->fs->read(r->fs, r->fd, head, sizeof head, 0);
	uint64_t len;
	int rc;

	if (got < 0)
		return ckpt_unreadable(err, r->path.text, (int)got);
	rc = ckpt_header_decode(&r->header, head, (uint64_t)got, bytes, r->path.text, err);
	if (rc)
		return rc;
	len = (uint64_t)r->header.sections * CKPT_ENTRY_BYTES;
	table = malloc(len ? len : 1);
	r->entries = calloc(r->header.sections + 1, sizeof *r->entries);
	if (!table || !r->entries) {
		rc = ckpt_failed(err, "read", r->path.text, -ENOMEM);
		goto free_table;
	}
	got = r->fs->read(r->fs, r->fd, table, len, sizeof head);
	if (got < 0)
		rc = ckpt_unreadable(err, r->path.text, (int)got);
	else if ((uint64_t)got < len)
		rc = ckpt_says(err, FT_EDAMAGED, r->path.text, "it was cut in its table");
	else
		rc = ckpt_table_decode(&r->header, table, r->entries, r->path.text, err);
free_table:
	free(table);
	return rc;
}

int ckpt_reader_open(
	struct ckpt_reader *r, const struct ckpt_fs *fs, const char *path, struct ckpt_err err)
{
	uint64_t bytes;
	int rc;

	*r = (struct ckpt_reader){.fs = fs};
	snprintf(r->path.text, sizeof r->path.text, "%s", path);
	r->fd = fs->open(fs, path, &bytes);
	if (r->fd < 0)
		return ckpt_unreadable(err, path, r->fd);
	rc = read_head(r, bytes, err);
	if (rc)
		ckpt_reader_close(r);
	return rc;
}

void ckpt_reader_close(struct ckpt_reader *r)
{
	r->fs->close(r->fs, r->fd);
	free(r->entries);
	r->entries = NULL;
}

uint64_t ckpt_reader_payload(const struct ckpt_reader *r)
{
	return r->header.bytes - CKPT_HEADER_BYTES -
	       (uint64_t)r->header.sections * CKPT_ENTRY_BYTES;
}

/* Reads it in pieces, each through the checksum while it is in the cache. */
static int read_section(struct ckpt_reader *r, XXH3_state_t *state, uint8_t *out, uint8_t *piece,
	uint64_t at, uint64_t len, struct ckpt_err err, const char *name)
{
	while (len > 0) {
		uint64_t n = len < PIECE ? len : PIECE;
		uint8_t *to = out ? out : piece;
		int64_t got = r->fs->read(r->fs, r->fd, to, n, at);

		if (got < 0)
			return ckpt_unreadable(err, r->path.text, (int)got);
		if ((uint64_t)got < n)
			return ckpt_says(err, FT_EDAMAGED, r->path.text, "it was cut in %s", name);
		XXH3_64bits_update(state, to, n);
		at += n;
		len -= n;
		if (out)
			out += n;
	}
	return 0;
}

int ckpt_reader_section(struct ckpt_reader *r, uint32_t i, void *out, struct ckpt_err err)
{
	const struct ckpt_entry *e = &r->entries[i];
	struct ckpt_section_name name = ckpt_section_name(e->kind, e->id, i);
	XXH3_state_t *state = XXH3_createState();
	uint8_t *piece = out ? NULL : malloc(PIECE);
	int rc;

	if (!state || (!out && !piece)) {
		rc = ckpt_failed(err, "read", r->path.text, -ENOMEM);
		goto free_both;
	}
	XXH3_64bits_reset(state);
	rc = read_section(r, state, out, piece, e->at, e->len, err, name.text);
	if (rc == 0 && XXH3_64bits_digest(state) != e->sum)
		rc = ckpt_says(err, FT_EDAMAGED, r->path.text, "%s is damaged", name.text);
free_both:
	free(piece);
	XXH3_freeState(state);
	return rc;
}

const struct ckpt_entry *ckpt_reader_find(const struct ckpt_reader *r, enum ckpt_kind kind)
{
	for (uint32_t i = 0; i < r->header.sections; i++)
		if (r->entries[i].kind == kind)
			return &r->entries[i];
	return NULL;
}

int ckpt_reader_belongs(const struct ckpt_reader *r, const struct ckpt_manifest *m, uint32_t rank,
	struct ckpt_err err)
{
	const struct ckpt_header *h = &r->header;

	if (h->seal == m->ranks[rank].seal && h->bytes == m->ranks[rank].bytes &&
		memcmp(h->id.session, m->session, sizeof m->session) == 0 &&
		h->id.epoch == m->epoch && h->line == m->line && h->id.rank == rank &&
		h->id.size == m->size)
		return 0;
	return ckpt_says(err, FT_EDAMAGED, r->path.text,
		"it is not the file that was committed, but one of rank %u of %u, line %u, epoch "
		"%u, with other contents",
		h->id.rank, h->id.size, h->line, h->id.epoch);
}
