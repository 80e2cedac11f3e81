/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * New types from old ones (MPI 5.0 section 5.1.2). A shape is a type under construction: it begins
 * as an old type, is repeated and moved, and several are joined. All arithmetic on offsets is
 * checked here, so that walks over the finished layout need not.
 */
#include <stdlib.h>

#include "api.h"
#include "live.h"
#include "type.h"
#include "type_layout.h"

struct shape {
	bool empty; /* no data and no bound: has no say in bounds */
	struct span {
		MPI_Aint lo, hi;
	} bound, data; /* data counts only when size > 0 */
	bool lb_set, ub_set;
	size_t size, align;
	MPI_Datatype basic;
	struct part part; /* counts only when size > 0 */
};

static const struct shape nothing = {.empty = true, .align = 1, .basic = MPI_DATATYPE_NULL};

static int too_large(void)
{
	return api_fail(MPI_ERR_ARG, "the datatype would be larger than the address space");
}

static int no_memory(void)
{
	return api_fail(MPI_ERR_NO_MEM, "no memory for a datatype");
}

static struct shape shape_of(struct type *t)
{
	struct shape s = {
		.empty = t->size == 0 && !t->lb_set && !t->ub_set,
		.bound = {t->lb, t->lb + t->extent},
		.data = {t->true_lb, t->true_lb + t->true_extent},
		.lb_set = t->lb_set,
		.ub_set = t->ub_set,
		.size = t->size,
		.align = t->align,
		.basic = t->basic,
	};

	if (s.size > 0)
		s.part = part_of_layout(t->layout);
	return s;
}

static void shape_drop(struct shape *s)
{
	if (s->size > 0)
		part_release(&s->part);
	*s = nothing;
}

/* Make room for offsets first and last, 0 being one of the two. */
static bool span_widen(struct span *s, MPI_Aint last)
{
	MPI_Aint *end = last < 0 ? &s->lo : &s->hi, whole;

	return !__builtin_add_overflow(*end, last, end) &&
	       !__builtin_sub_overflow(s->hi, s->lo, &whole);
}

static bool span_move(struct span *s, MPI_Aint by)
{
	return !__builtin_add_overflow(s->lo, by, &s->lo) &&
	       !__builtin_add_overflow(s->hi, by, &s->hi);
}

/* count copies of s, stride bytes from one to the next. On failure s is dropped. */
static int shape_repeat(struct shape *s, size_t count, MPI_Aint stride)
{
	MPI_Aint last, size;

	if (count == 0 || s->empty) {
		shape_drop(s);
		return MPI_SUCCESS;
	}
	if (__builtin_mul_overflow(count - 1, stride, &last) ||
		__builtin_mul_overflow(s->size, count, &size) || !span_widen(&s->bound, last) ||
		(s->size > 0 && !span_widen(&s->data, last))) {
		shape_drop(s);
		return too_large();
	}
	if (s->size > 0 && !part_repeat(&s->part, count, stride)) {
		shape_drop(s);
		return no_memory();
	}
	s->size = (size_t)size;
	return MPI_SUCCESS;
}

static int shape_move(struct shape *s, MPI_Aint by)
{
	if (s->empty)
		return MPI_SUCCESS;
	if (!span_move(&s->bound, by) || (s->size > 0 && !span_move(&s->data, by))) {
		shape_drop(s);
		return too_large();
	}
	s->part.at += by;
	return MPI_SUCCESS;
}

/* A bound that was given wins over one that follows from the data (MPI 5.0 section 5.1.6). */
static void join_bounds(struct shape *all, const struct shape *s)
{
	if (s->lb_set > all->lb_set || (s->lb_set == all->lb_set && s->bound.lo < all->bound.lo))
		all->bound.lo = s->bound.lo;
	if (s->ub_set > all->ub_set || (s->ub_set == all->ub_set && s->bound.hi > all->bound.hi))
		all->bound.hi = s->bound.hi;
	all->lb_set |= s->lb_set;
	all->ub_set |= s->ub_set;
}

static void join_data(struct shape *all, const struct shape *s)
{
	if (all->size == 0) {
		all->data = s->data;
		all->basic = s->basic;
		return;
	}
	if (s->data.lo < all->data.lo)
		all->data.lo = s->data.lo;
	if (s->data.hi > all->data.hi)
		all->data.hi = s->data.hi;
	if (s->basic != all->basic)
		all->basic = MPI_DATATYPE_NULL;
}

/* Let *all hold s too; the part of s moves to the list. */
static int shape_join(struct shape *all, struct shape *s, struct part_list *list)
{
	MPI_Aint size, whole;

	if (s->empty)
		return MPI_SUCCESS;
	if (all->empty) {
		all->bound = s->bound;
		all->lb_set = s->lb_set;
		all->ub_set = s->ub_set;
		all->empty = false;
	} else {
		join_bounds(all, s);
	}
	if (s->size > 0)
		join_data(all, s);
	if (s->align > all->align)
		all->align = s->align;
	if (__builtin_add_overflow(all->size, s->size, &size) ||
		__builtin_sub_overflow(all->bound.hi, all->bound.lo, &whole) ||
		__builtin_sub_overflow(all->data.hi, all->data.lo, &whole)) {
		shape_drop(s);
		return too_large();
	}
	all->size = (size_t)size;
	if (s->size > 0 && !part_list_add(list, s->part))
		return no_memory();
	return MPI_SUCCESS;
}

static bool is_contiguous(const struct type *t)
{
	const struct layout *l = t->layout;

	if (t->size == 0)
		return t->extent == 0;
	return l->n == 1 && l->parts[0].count == 1 && !l->parts[0].child && l->parts[0].at == 0 &&
	       (MPI_Aint)t->size == t->extent;
}

/* The type that has shape s and the parts of the list, which is empty afterwards. */
static int type_new(const struct shape *s, struct part_list *list, struct type **out)
{
	struct layout *layout = part_list_finish(list);
	struct type *t = malloc(sizeof(*t));
	int rc;

	if (!layout || !t) {
		rc = no_memory();
		goto drop;
	}
	*t = (struct type){
		.head = {OBJECT_TYPE, 1},
		.size = s->size,
		.lb = s->bound.lo,
		.extent = s->bound.hi - s->bound.lo,
		.true_lb = s->data.lo,
		.true_extent = s->data.hi - s->data.lo,
		.align = s->align,
		.lb_set = s->lb_set,
		.ub_set = s->ub_set,
		.basic = s->basic,
		.layout = layout,
		.handle = (MPI_Datatype)(void *)t,
	};
	t->contiguous = is_contiguous(t);
	rc = live_add(&t->head);
	if (rc != MPI_SUCCESS)
		goto drop;
	*out = t;
	return MPI_SUCCESS;
drop:
	if (layout)
		layout_release(layout);
	free(t);
	return rc;
}

/* The type that is one shape; the shape is used up. */
static int type_of_shape(struct shape *s, struct type **out)
{
	struct part_list list = {0};

	if (s->size == 0)
		s->data = (struct span){0, 0};
	else if (!part_list_add(&list, s->part))
		return no_memory();
	return type_new(s, &list, out);
}

int type_make_contiguous(struct type *old, size_t count, struct type **out)
{
	return type_make_hvector(old, 1, count, 0, out);
}

int type_make_hvector(
	struct type *old, size_t count, size_t blocklen, MPI_Aint stride, struct type **out)
{
	struct shape s = shape_of(old);
	int rc = shape_repeat(&s, blocklen, old->extent);

	if (rc == MPI_SUCCESS)
		rc = shape_repeat(&s, count, stride);
	return rc == MPI_SUCCESS ? type_of_shape(&s, out) : rc;
}

/* The gap at the end that lets an array of this struct be aligned as in C; none where the program
 * has said where the end is. Otherwise the bounds are those of data, and the extent is
 * not negative. */
static int pad_end(struct shape *s)
{
	MPI_Aint align = (MPI_Aint)s->align, over;

	if (s->empty || s->ub_set)
		return MPI_SUCCESS;
	over = (s->bound.hi - s->bound.lo) % align;
	if (over && (__builtin_add_overflow(s->bound.hi, align - over, &s->bound.hi) ||
			    __builtin_sub_overflow(s->bound.hi, s->bound.lo, &over)))
		return too_large();
	return MPI_SUCCESS;
}

int type_make_struct(const struct type_block *blocks, size_t n, struct type **out)
{
	struct part_list list = {0};
	struct shape all = nothing;
	int rc = MPI_SUCCESS;

	for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
		struct shape s = shape_of(blocks[i].type);

		rc = shape_repeat(&s, blocks[i].count, blocks[i].type->extent);
		if (rc == MPI_SUCCESS)
			rc = shape_move(&s, blocks[i].at);
		if (rc == MPI_SUCCESS)
			rc = shape_join(&all, &s, &list);
	}
	if (rc == MPI_SUCCESS)
		rc = pad_end(&all);
	if (rc != MPI_SUCCESS) {
		part_list_clear(&list);
		return rc;
	}
	return type_new(&all, &list, out);
}

int type_make_resized(struct type *old, MPI_Aint lb, MPI_Aint extent, struct type **out)
{
	struct shape s = shape_of(old);

	s.empty = false;
	s.lb_set = s.ub_set = true;
	s.bound.lo = lb;
	if (__builtin_add_overflow(lb, extent, &s.bound.hi)) {
		shape_drop(&s);
		return too_large();
	}
	return type_of_shape(&s, out);
}

int type_make_dup(struct type *old, struct type **out)
{
	struct shape s = shape_of(old);
	int rc = type_of_shape(&s, out);

	if (rc == MPI_SUCCESS)
		(*out)->committed = old->committed;
	return rc;
}
