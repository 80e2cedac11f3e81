/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What protocols tell each other, little-endian:
 *
 *   header   u8 kind, u8 flags, u16 0, u32 restores, u32 line
 *   REPORT   u64 total, u32 n, n times: u64 context, i32 tag, u64 count (sorted, counts above 0)
 *   COUNTS   u32 n, n times u32: up: by rank of the job, summed over the subtree; down: of the
 * subtree READY    u32 n, n times: u8 ok, u64 seal, u64 bytes: of the subtree VERDICT  u8 committed
 *   BEGIN    nothing
 *
 * `restores` tells what was sent before the ranks went back to a line: that is void. What is
 * encoded is malloc'ed (NULL: no memory); decoders look into the bytes given, and accept what
 * makes sense in itself. Pure.
 */
#ifndef FTMPI_COORD_REPORT_H
#define FTMPI_COORD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"

enum report_kind {
	REPORT_SENT = 1, /* REPORT */
	REPORT_COUNTS_UP,
	REPORT_COUNTS_DOWN,
	REPORT_READY,
	REPORT_VERDICT,
	REPORT_BEGIN,
};

enum report_flags {
	REPORT_LAST = 1,    /* of its interval: the sender has closed the line */
	REPORT_ENTRIES = 2, /* by envelope, too (eventlog) */
};

enum {
	REPORT_HEAD_BYTES = 12,
	REPORT_ENTRY_BYTES = 20,
	REPORT_PART_BYTES = 17,
};

struct report {
	enum report_kind kind;
	unsigned flags;
	uint32_t restores, line;
	uint64_t total; /* REPORT_SENT */
	uint32_t n;	/* entries, counts or parts */
	const uint8_t *list;
	bool committed;
};

struct envlog_entry;

/* Entries: what `a` says. */
uint8_t *report_encode_sent(
	const struct report *r, const struct envlog_entry *entries, size_t *len);
uint8_t *report_encode_counts(const struct report *r, const uint32_t *counts, size_t *len);
uint8_t *report_encode_parts(const struct report *r, const struct coord_part *parts, size_t *len);
uint8_t *report_encode_rest(const struct report *r, size_t *len); /* VERDICT, BEGIN */

bool report_decode(struct report *r, const uint8_t *bytes, size_t len);

/* Number i of the list. An entry's s is 0. */
struct envlog_entry report_entry(const struct report *r, uint32_t i);
uint32_t report_count(const struct report *r, uint32_t i);
struct coord_part report_part(const struct report *r, uint32_t i);

/* Sum of the entries. */
uint64_t report_sum(const struct report *r);

#endif
