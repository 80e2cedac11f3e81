/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A shape is a datatype under construction: it begins as an old type, is repeated and moved, given
 * bounds, and several are joined (MPI 5.0 section 5.1.2). All arithmetic on offsets is checked
 * here, so that walks over the finished layout need not. On failure the shape is dropped, fail_with
 * said, and MPI_ERR_ARG (larger than the address space) or MPI_ERR_NO_MEM returned.
 */
#ifndef FTMPI_MPI_SHAPE_H
#define FTMPI_MPI_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "type.h"
#include "layout.h"

struct shape {
	bool empty; /* no data and no bound: has no say in bounds */
	struct span {
		MPI_Aint lo, hi;
	} bound, data; /* data counts only when size > 0 */
	bool lb_set, ub_set;
	size_t size, elements, external, align; /* as in struct type */
	MPI_Datatype basic;
	struct part part; /* counts only when size > 0 */
};

static const struct shape SHAPE_NOTHING = {.empty = true, .align = 1, .basic = MPI_DATATYPE_NULL};

struct shape shape_of(struct type *t);
struct shape shape_copy(const struct shape *s);
void shape_drop(struct shape *s);

/* count copies of s, stride bytes from one to the next */
int shape_repeat(struct shape *s, size_t count, MPI_Aint stride);
int shape_move(struct shape *s, MPI_Aint by);

/* As MPI_Type_create_resized: data stays where it is. */
int shape_bound(struct shape *s, MPI_Aint lb, MPI_Aint extent);

/* Let *all hold s too; the part of s moves to the list. */
int shape_join(struct shape *all, struct shape *s, struct part_list *list);

/* The gap at the end that lets an array of this struct be aligned as in C. */
int shape_pad(struct shape *s);

/* Make one shape of several that were joined, whose parts the list holds: the list is empty
 * afterwards, and *all can be repeated and moved. */
int shape_gather(struct shape *all, struct part_list *list);

/* The type that has shape s and the parts of the list, which is empty afterwards. */
int shape_finish_list(const struct shape *s, struct part_list *list, struct type **out);

/* The type that is one shape; the shape is used up. */
int shape_finish(struct shape *s, struct type **out);

#endif
