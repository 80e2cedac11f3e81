/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree on which ranks sum up and agree: binomial, root 0. The subtree of rank r is r, r + 1,
 * ... r + tree_span - 1; its children are r + 1, r + 2, r + 4, ... Pure.
 */
#ifndef FTMPI_COORD_TREE_H
#define FTMPI_COORD_TREE_H

#include <stdbool.h>

/* One bit for each child of a rank, and one for itself. */
enum { TREE_SELF = 31, TREE_CHILDREN = 31 };

/* Ranks in the subtree of rank, itself included. */
static inline int tree_span(int rank, int size)
{
	int span = rank & -rank;

	return rank == 0 || span > size - rank ? size - rank : span;
}

/* -1: rank is the root. */
static inline int tree_parent(int rank)
{
	return rank ? rank & (rank - 1) : -1;
}

/* The child number `bit`, or -1: there are no more. */
static inline int tree_child(int rank, int size, int bit)
{
	return bit < TREE_CHILDREN && 1LL << bit < tree_span(rank, size) ? rank + (1 << bit) : -1;
}

/* Which child that is, or -1: it is none. */
static inline int tree_child_bit(int rank, int size, int child)
{
	int bit = 0, c;

	for (; (c = tree_child(rank, size, bit)) >= 0; bit++)
		if (c == child)
			return bit;
	return -1;
}

/* The bits of all children and of the rank itself. */
static inline unsigned tree_all(int rank, int size)
{
	unsigned bits = 1u << TREE_SELF;

	for (int bit = 0; tree_child(rank, size, bit) >= 0; bit++)
		bits |= 1u << bit;
	return bits;
}

static inline bool tree_joins(int rank, int size, int other)
{
	return other == tree_parent(rank) || tree_child_bit(rank, size, other) >= 0;
}

#endif
