/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank sums up on the tree for one line: how many reports come to each rank, and whose part
 * is durable. It begins with the first control message of the line, and ends when the rank has
 * passed on both. Pure.
 */
#ifndef FTMPI_COORD_REDUCTION_H
#define FTMPI_COORD_REDUCTION_H

#include "coord/coord.h"

struct reduction {
	struct reduction *next;
	uint32_t line;
	/* how many reports */
	unsigned counted;	  /* who has contributed: bits of tree.h */
	uint32_t *counts;	  /* by rank: of those who have */
	bool known;		  /* it came back from the root: */
	uint32_t expected, lasts; /* reports that come to this rank; that have come */
	/* whose part is durable */
	unsigned readied;
	struct coord_part *parts; /* of the subtree */
	bool passed_on;		  /* to the parent, or the root has decided */
	bool judged;		  /* it came to its end */
};

/* Ordered by line. reduction_at makes it; NULL: no memory. */
struct reduction *reduction_find(struct reduction *list, uint32_t line);
struct reduction *reduction_at(struct reduction **list, uint32_t line, int self, int size);
void reduction_remove(struct reduction **list, struct reduction *t);

/* n = size counts; false: they make no sense, or have come before. */
bool reduction_count_right(
	const struct reduction *t, int self, int size, int child, const uint32_t *counts);
void reduction_count(struct reduction *t, int bit, int size, const uint32_t *counts);

/* Does every part of the subtree say ok? */
bool reduction_all_ok(const struct reduction *t, int span);

#endif
