/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the data of one element lies: a tree of repetitions, so that a vector of a million blocks
 * is one node. A part is `count` copies, copy i at byte at + i * stride, each of a run of `len`
 * bytes or, with child, of a whole layout of `len` bytes of data. A layout is parts in type-map
 * order. Neighbouring runs are one run, and what repeats at one stride is one part.
 *
 * Ownership: a part owns one reference of its child. Layouts are shared by types and never change.
 */
#ifndef FTMPI_MPI_LAYOUT_H
#define FTMPI_MPI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct layout;

struct part {
	ptrdiff_t at;
	size_t count; /* at least 1 */
	ptrdiff_t stride;
	size_t len; /* at least 1 */
	struct layout *child;
};

struct layout {
	int refs;
	int depth;   /* 1 without children: how deep a walk goes */
	size_t size; /* bytes of data */
	size_t runs; /* in how many runs; at most size */
	size_t n;
	struct part *parts;
};

/* A list of parts under construction. Starts as all zeros. */
struct part_list {
	struct part *parts;
	size_t n, room;
};

void layout_hold(struct layout *l);
void layout_release(struct layout *l);

/* All of l, which holds some data, as one part. The caller owns the part. */
struct part layout_part_of_layout(struct layout *l);

/* Make *p count (at least 1) copies of what it is. The caller has checked that no offset and no
 * size overflows. False when out of memory, and *p is as it was. */
bool layout_part_repeat(struct part *p, size_t count, ptrdiff_t stride);

/* The same without memory: `count` copies of l as a part that borrows what it points to. */
struct part layout_part_of_elements(const struct layout *l, size_t count, ptrdiff_t extent);

void layout_part_release(struct part *p);

/* Append p, whose reference moves to the list. False when out of memory, and p is released. */
bool layout_list_add(struct part_list *list, struct part p);
void layout_list_clear(struct part_list *list);

/* The layout made of the list, which is empty afterwards; NULL when out of memory. */
struct layout *layout_list_finish(struct part_list *list);

#endif
