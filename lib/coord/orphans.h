/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orphans of a line, in ranges: of the messages that a peer sends with an envelope after the line,
 * number `first` (from 1) to first + count - 1 were received before it. Sorted by peer, context,
 * tag, first; ranges do not overlap. With a checksum of each message, by which it is known when it
 * is sent again. Also their bytes in a checkpoint (layout: coord_save). Pure.
 */
#ifndef FTMPI_COORD_ORPHANS_H
#define FTMPI_COORD_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orphan_range {
	uint32_t peer;
	int32_t tag;
	uint64_t context;
	uint64_t first, count;
};

/* Of a message's envelope and contents. */
struct orphan_sum {
	uint64_t length; /* ORPHAN_NO_LENGTH: not known */
	uint64_t hash;	 /* 0: not known */
};

#define ORPHAN_NO_LENGTH UINT64_MAX

/* More are in no line; simulations set less. */
#ifndef ORPHAN_SUMS_MOST
#define ORPHAN_SUMS_MOST ((size_t)1 << 18)
#endif

struct orphans {
	struct orphan_range *v;
	size_t n, room;
	struct orphan_sum *sums; /* of all messages, range by range; or none */
	size_t nsums, sums_room;
};

void orphans_free(struct orphans *o);

/* Behind all that are there; one that continues the last makes it longer. A count of 0 is nothing.
 * false: no memory. */
bool orphans_add(struct orphans *o, const struct orphan_range *r);

/* The checksum of the next message. false: no memory. */
bool orphans_add_sum(struct orphans *o, const struct orphan_sum *s);

/* Is this the message that was received the first time, as far as is known? */
bool orphans_same(const struct orphan_sum *first, const struct orphan_sum *again);

/* Those that were not added in order; before checksums are. */
void orphans_sort(struct orphans *o);

/* < 0, 0, > 0: by peer, context, tag. */
int orphans_order(const struct orphan_range *a, const struct orphan_range *b);

/* *out: malloc'ed; with checksums if there is one for each message. false: no memory. */
bool orphans_encode(const struct orphans *o, uint8_t **out, size_t *len);

/* Whether these bytes are orphans for a job of `size` ranks. */
bool orphans_valid(const uint8_t *bytes, size_t len, int size);

/* What orphans_valid accepted, behind all that are there. false: no memory. */
bool orphans_decode(struct orphans *o, const uint8_t *bytes, size_t len);

#endif
