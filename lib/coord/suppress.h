/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debts: orphans of the line that was restored, which their senders will send again and which are
 * thrown away then (E7). By envelope: how many messages have come since the restore, and which
 * numbers of them are debts. Pure.
 */
#ifndef FTMPI_COORD_DEBTS_H
#define FTMPI_COORD_DEBTS_H

#include "coord/orphans.h"

/* first is counted from the restore, as `come` is. Those with numbers up to `come` are paid. */
struct debt {
	struct orphan_range range;
	uint64_t come; /* messages of this envelope since the restore: the same in all its ranges */
	size_t at;     /* of its first message's checksum */
};

struct debts {
	struct debt *v; /* in the order of orphans */
	size_t n;
	uint64_t left; /* messages that are still to come: 0 is what it costs when there are none */
	struct orphan_sum *sums; /* NULL: the line had none */
	struct orphan_sum paid;	 /* of the one that was paid last: what it is to be */
};

void debts_free(struct debts *d);

/* Of these orphans (sorted), in place of all debts. false: no memory. */
bool debts_load(struct debts *d, const struct orphans *o);

/* The next message with this envelope has come: true: it was a debt. */
bool debts_paid(struct debts *d, int peer, uint64_t context, int32_t tag);

/* Debts of this envelope: *n ranges, perhaps paid, or 0. */
const struct debt *debts_of(
	const struct debts *d, int peer, uint64_t context, int32_t tag, size_t *n);

/* What of it is not paid: numbers counted from now on. count 0: nothing. */
struct orphan_range debt_left(const struct debt *d);

/* The checksum of number `number` (counted from the restore) of its range; one that says nothing
 * when the line had none. */
struct orphan_sum debt_sum(const struct debts *d, const struct debt *of, uint64_t number);

/* All that are left, counted from now on, behind what is in o. false: no memory. */
bool debts_left(const struct debts *d, struct orphans *o);

#endif
