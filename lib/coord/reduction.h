/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank sums up on the tree for one line: how many reports come to each rank, and whose part
 * is durable. It begins with the first that tells, and ends when the rank has passed on both. Pure.
 */
#ifndef FTMPI_COORD_TALLY_H
#define FTMPI_COORD_TALLY_H

#include "coord/coord.h"

struct tally {
	struct tally *next;
	uint32_t line;
	/* how many reports */
	unsigned counted;	  /* who has contributed: bits of tree.h */
	uint32_t *counts;	  /* by rank: of those who have */
	bool known;		  /* it came back from the root: */
	uint32_t expected, lasts; /* reports that come to this rank; that have come */
	/* whose part is durable */
	unsigned readied;
	struct coord_part *parts; /* of the subtree */
	bool told;		  /* up, or the root has decided */
	bool judged;		  /* it came to its end */
};

/* Ordered by line. tally_at makes it; NULL: no memory. */
struct tally *tally_find(struct tally *list, uint32_t line);
struct tally *tally_at(struct tally **list, uint32_t line, int self, int size);
void tally_remove(struct tally **list, struct tally *t);

/* n = size counts; false: they make no sense, or have come before. */
bool tally_count_right(
	const struct tally *t, int self, int size, int child, const uint32_t *counts);
void tally_count(struct tally *t, int bit, int size, const uint32_t *counts);

/* Does every part of the subtree say ok? */
bool tally_all_ok(const struct tally *t, int span);

#endif
