/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orphans to suppress: orphans of the line that was restored, which their senders will send again
 * and which are thrown away then (E7). By envelope: how many messages have come since the restore,
 * and which numbers of them are orphans to suppress. Pure.
 */
#ifndef FTMPI_COORD_SUPPRESS_H
#define FTMPI_COORD_SUPPRESS_H

#include "coord/orphans.h"

/* first is counted from the restore, as `come` is. Those with numbers up to `come` have come. */
struct suppress_range {
	struct orphan_range range;
	uint64_t come; /* messages of this envelope since the restore: the same in all its ranges */
	size_t at;     /* of its first message's checksum */
};

struct suppress {
	struct suppress_range *v; /* in the order of orphans */
	size_t n;
	uint64_t left; /* messages that are still to come: 0 is what it costs when there are none */
	struct orphan_sum *sums;  /* NULL: the line had none */
	struct orphan_sum latest; /* of the one that came last: what it is to be */
};

void suppress_free(struct suppress *d);

/* Of these orphans (sorted), in place of all orphans to suppress. false: no memory. */
bool suppress_load(struct suppress *d, const struct orphans *o);

/* The next message with this envelope has come: true: it was an orphan to suppress. */
bool suppress_arrived(struct suppress *d, int peer, uint64_t context, int32_t tag);

/* Orphans to suppress of this envelope: *n ranges, perhaps come, or 0. */
const struct suppress_range *suppress_of(
	const struct suppress *d, int peer, uint64_t context, int32_t tag, size_t *n);

/* What of it is not come: numbers counted from now on. count 0: nothing. */
struct orphan_range suppress_range_left(const struct suppress_range *d);

/* The checksum of number `number` (counted from the restore) of its range; one that says nothing
 * when the line had none. */
struct orphan_sum suppress_sum(
	const struct suppress *d, const struct suppress_range *of, uint64_t number);

/* All that are left, counted from now on, behind what is in o. false: no memory. */
bool suppress_left(const struct suppress *d, struct orphans *o);

#endif
