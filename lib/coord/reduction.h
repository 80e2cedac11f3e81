/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank sums up on the tree for one line: how many reports come to each rank, and whose part
 * is durable. It begins with the first control message of the line, and ends when the rank has
 * passed on both. Pure.
 */
#ifndef FTMPI_COORD_REDUCTION_H
#define FTMPI_COORD_REDUCTION_H

#include "coord/coord.h"

enum counts_state {
	COUNTS_COMING,	  /* of ranks of the subtree */
	COUNTS_PASSED_ON, /* the parent has their sum */
	COUNTS_BACK,	  /* the sums of all ranks came from the root */
	COUNTS_STATES
};

enum parts_state {
	PARTS_COMING,	 /* what ranks of the subtree say of theirs */
	PARTS_PASSED_ON, /* to the parent; at the root: all have come */
	PARTS_JUDGED,	 /* the line is committed or given up */
	PARTS_STATES
};

struct reduction {
	struct reduction *next;
	uint32_t line;
	/* how many reports */
	enum counts_state counts_state;
	unsigned counted;  /* who has contributed: bits of tree.h */
	uint32_t *counts;  /* by rank: of those who have */
	uint32_t lasts;	   /* reports that have come to this rank */
	uint32_t expected; /* COUNTS_BACK: that come to it in all */
	/* whose part is durable */
	enum parts_state parts_state;
	unsigned readied;
	struct coord_part *parts; /* of the subtree */
};

/* Ordered by line. reduction_at makes it; NULL: no memory. */
struct reduction *reduction_find(struct reduction *list, uint32_t line);
struct reduction *reduction_at(struct reduction **list, uint32_t line, int self, int size);
void reduction_remove(struct reduction **list, struct reduction *t);

/* It comes to another state, to which the present one leads. The two sums go their ways
 * independently: where all meet (B5) nothing is counted, and a line may be judged before the counts
 * are back. */
void reduction_counts_become(struct reduction *t, enum counts_state state);
void reduction_parts_become(struct reduction *t, enum parts_state state);

/* n = size counts; false: they make no sense, or have come before. */
bool reduction_count_right(
	const struct reduction *t, int self, int size, int child, const uint32_t *counts);
void reduction_count(struct reduction *t, int bit, int size, const uint32_t *counts);

/* Does every part of the subtree say ok? */
bool reduction_all_ok(const struct reduction *t, int span);

#endif
