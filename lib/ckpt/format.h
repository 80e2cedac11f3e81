/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of one rank: 256 bytes header, a table of sections, the sections one after another. All
 * numbers are little-endian but those in the sections. The seal, a checksum of the header, covers
 * everything: the header holds the table's checksum and the table those of the sections.
 *
 * A file is valid if and only if the magic number, the seal and the version are right, the table
 * has its checksum, every section has its, and header, table and sections fill the file exactly.
 * Magic number, version and seal keep their places in every version.
 */
#ifndef FTMPI_CKPT_FORMAT_H
#define FTMPI_CKPT_FORMAT_H

#include "ckpt/ckpt.h"
#include "ckpt/sentence.h"

enum {
	CKPT_VERSION = 2,      /* the newest */
	CKPT_VERSION_DATA = 1, /* of files that are no process image: an older library reads them,
				  and refuses an image for its version */
	CKPT_HEADER_BYTES = 256,
	CKPT_ENTRY_BYTES = 32,
	CKPT_SECTIONS_MAX = 1 << 20,
	CKPT_ORDER_LITTLE = 1,
	CKPT_ORDER_BIG = 2
};

struct ckpt_header {
	uint32_t version, order, word; /* byte order and bytes of a pointer where it was made */
	enum ckpt_file_kind kind;
	struct ckpt_identity id;
	uint32_t line, sections;
	int64_t time_s;
	uint64_t bytes; /* of the whole file */
	uint64_t table_sum, seal;
};

struct ckpt_entry {
	uint32_t kind, id, type;
	uint64_t len, sum;
	uint64_t at; /* in the file: found when the table is read */
};

/* Fills in order, word, version (by the kind) and seal of h. */
void ckpt_header_encode(struct ckpt_header *h, uint8_t out[CKPT_HEADER_BYTES]);
void ckpt_entry_encode(const struct ckpt_entry *e, uint8_t out[CKPT_ENTRY_BYTES]);

/* The first `have` bytes of a file of file_bytes; path is for the sentence. 0, FT_EDAMAGED,
 * FT_EMISMATCH (version, kind). After 0 the table fits into the file. */
int ckpt_header_decode(struct ckpt_header *h, const uint8_t *in, uint64_t have, uint64_t file_bytes,
	const char *path, struct ckpt_err err);

/* h->sections entries from as many times CKPT_ENTRY_BYTES bytes; after 0 the sections fill the
 * file. */
int ckpt_table_decode(const struct ckpt_header *h, const uint8_t *in, struct ckpt_entry *out,
	const char *path, struct ckpt_err err);

/* "the data buffer", "variable 7 (section 3)" */
struct ckpt_section_name {
	char text[64];
};
struct ckpt_section_name ckpt_section_name(uint32_t kind, uint32_t id, size_t index);

/* What a section's kind is called, "unknown" for one that this version does not know. */
const char *ckpt_kind_name(uint32_t kind);

uint32_t ckpt_own_order(void);

#endif
