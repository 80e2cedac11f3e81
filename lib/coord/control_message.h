/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control messages: what protocols of two ranks send to each other, little-endian:
 *
 *   header   u8 kind, u8 flags, u16 0, u32 restores, u32 line
 *   REPORT   u64 total, u32 n, n times: u64 context, i32 tag, u64 count (sorted: by
 *            control_message_finish; counts above 0)
 *   COUNTS   u32 n, n times u32
 *            up: by rank of the job, summed over the subtree; down: of the subtree
 *   READY    u32 n, n times: u8 ok, u64 seal, u64 bytes: of the subtree
 *   VERDICT  u8 committed
 *   BEGIN    nothing
 *
 * `restores` tells what was sent before the ranks went back to a line: that is void. What is
 * encoded is malloc'ed (NULL: no memory); decoders look into the bytes given, and accept what
 * makes sense in itself. Pure.
 */
#ifndef FTMPI_COORD_CONTROL_MESSAGE_H
#define FTMPI_COORD_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/coord.h"

enum control_kind {
	CONTROL_REPORT = 1, /* REPORT */
	CONTROL_COUNTS_UP,
	CONTROL_COUNTS_DOWN,
	CONTROL_READY,
	CONTROL_VERDICT,
	CONTROL_BEGIN,
};

enum control_flags {
	CONTROL_LAST = 1,    /* of its interval: the sender has closed the line */
	CONTROL_ENTRIES = 2, /* by envelope, too (eventlog) */
};

enum {
	CONTROL_HEAD_BYTES = 12,
	CONTROL_REPORT_BYTES = 12, /* before the entries */
	CONTROL_ENTRY_BYTES = 20,
	CONTROL_PART_BYTES = 17,
};

struct control_message {
	enum control_kind kind;
	unsigned flags;
	uint32_t restores, line;
	uint64_t total; /* REPORT */
	uint32_t n;	/* entries, counts or parts */
	const uint8_t *list;
	bool committed;
};

struct envelope_slot;

/* Entries: what `a` says, in any order. */
uint8_t *control_message_encode_report(
	const struct control_message *r, const struct envelope_slot *entries, size_t *len);
uint8_t *control_message_encode_counts(
	const struct control_message *r, const uint32_t *counts, size_t *len);
uint8_t *control_message_encode_parts(
	const struct control_message *r, const struct coord_part *parts, size_t *len);
uint8_t *control_message_encode_rest(
	const struct control_message *r, size_t *len); /* VERDICT, BEGIN */

/* What was encoded is as it is to be sent: entries of a report are sorted, which takes its time. */
void control_message_finish(uint8_t *bytes, size_t len);

bool control_message_decode(struct control_message *r, const uint8_t *bytes, size_t len);

/* Number i of the list. An entry's s is 0. */
struct envelope_slot control_message_entry(const struct control_message *r, uint32_t i);
uint32_t control_message_count(const struct control_message *r, uint32_t i);
struct coord_part control_message_part(const struct control_message *r, uint32_t i);

/* Sum of the entries. */
uint64_t control_message_sum(const struct control_message *r);

#endif
