/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape.h"

#include <stdlib.h>

#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

static int too_large(void)
{
	return fail_with(MPI_ERR_ARG, "the datatype would be larger than the address space");
}

static int no_memory(void)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for a datatype");
}

struct shape shape_of(struct type *t)
{
	struct shape s = {
		.empty = t->size == 0 && !t->lb_set && !t->ub_set,
		.bound = {t->lb, t->lb + t->extent},
		.data = {t->true_lb, t->true_lb + t->true_extent},
		.lb_set = t->lb_set,
		.ub_set = t->ub_set,
		.size = t->size,
		.elements = t->elements,
		.external = t->external,
		.align = t->align,
		.basic = t->basic,
	};

	if (s.size > 0)
		s.part = layout_part_of_layout(t->layout);
	return s;
}

struct shape shape_copy(const struct shape *s)
{
	if (s->size > 0 && s->part.child)
		layout_hold(s->part.child);
	return *s;
}

void shape_drop(struct shape *s)
{
	if (s->size > 0)
		layout_part_release(&s->part);
	*s = SHAPE_NOTHING;
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

/* Its sizes, as they are of so many copies. */
static bool sizes_repeat(struct shape *s, size_t count)
{
	MPI_Aint size, elements, external;

	if (__builtin_mul_overflow(s->size, count, &size) ||
		__builtin_mul_overflow(s->elements, count, &elements) ||
		__builtin_mul_overflow(s->external, count, &external))
		return false;
	s->size = (size_t)size;
	s->elements = (size_t)elements;
	s->external = (size_t)external;
	return true;
}

static bool sizes_add(struct shape *all, const struct shape *s)
{
	MPI_Aint size, elements, external;

	if (__builtin_add_overflow(all->size, s->size, &size) ||
		__builtin_add_overflow(all->elements, s->elements, &elements) ||
		__builtin_add_overflow(all->external, s->external, &external))
		return false;
	all->size = (size_t)size;
	all->elements = (size_t)elements;
	all->external = (size_t)external;
	return true;
}

int shape_repeat(struct shape *s, size_t count, MPI_Aint stride)
{
	MPI_Aint last;

	if (count == 0 || s->empty) {
		shape_drop(s);
		return MPI_SUCCESS;
	}
	if (__builtin_mul_overflow(count - 1, stride, &last) || !sizes_repeat(s, count) ||
		!span_widen(&s->bound, last) || (s->size > 0 && !span_widen(&s->data, last))) {
		shape_drop(s);
		return too_large();
	}
	if (s->size > 0 && !layout_part_repeat(&s->part, count, stride)) {
		shape_drop(s);
		return no_memory();
	}
	return MPI_SUCCESS;
}

int shape_move(struct shape *s, MPI_Aint by)
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

int shape_bound(struct shape *s, MPI_Aint lb, MPI_Aint extent)
{
	s->empty = false;
	s->lb_set = s->ub_set = true;
	s->bound.lo = lb;
	if (__builtin_add_overflow(lb, extent, &s->bound.hi)) {
		shape_drop(s);
		return too_large();
	}
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

int shape_join(struct shape *all, struct shape *s, struct part_list *list)
{
	MPI_Aint whole;

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
	if (!sizes_add(all, s) || __builtin_sub_overflow(all->bound.hi, all->bound.lo, &whole) ||
		__builtin_sub_overflow(all->data.hi, all->data.lo, &whole)) {
		shape_drop(s);
		return too_large();
	}
	if (s->size > 0 && !layout_list_add(list, s->part))
		return no_memory();
	return MPI_SUCCESS;
}

int shape_gather(struct shape *all, struct part_list *list)
{
	struct layout *layout;

	if (all->size == 0) {
		layout_list_clear(list);
		return MPI_SUCCESS;
	}
	layout = layout_list_finish(list);
	if (!layout) {
		*all = SHAPE_NOTHING;
		return no_memory();
	}
	all->part = layout_part_of_layout(layout);
	layout_release(layout);
	return MPI_SUCCESS;
}

/* No gap where the program has said where the end is. Otherwise the bounds are those of data, and
 * the extent is not negative. */
int shape_pad(struct shape *s)
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

static bool is_contiguous(const struct type *t)
{
	if (t->size == 0)
		return t->extent == 0;
	return t->one_run && t->true_lb == 0 && (MPI_Aint)t->size == t->extent;
}

static bool is_one_run(const struct layout *l)
{
	return l->n == 1 && l->parts[0].count == 1 && !l->parts[0].child;
}

int shape_finish_list(const struct shape *s, struct part_list *list, struct type **out)
{
	struct layout *layout = layout_list_finish(list);
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
		.elements = s->elements,
		.external = s->external,
		.align = s->align,
		.lb_set = s->lb_set,
		.ub_set = s->ub_set,
		.basic = s->basic,
		.layout = layout,
		.handle = (MPI_Datatype)(void *)t,
	};
	t->one_run = is_one_run(layout);
	t->contiguous = is_contiguous(t);
	rc = handle_table_add(&t->head);
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

int shape_finish(struct shape *s, struct type **out)
{
	struct part_list list = {0};

	if (s->size == 0)
		s->data = (struct span){0, 0};
	else if (!layout_list_add(&list, s->part))
		return no_memory();
	return shape_finish_list(s, &list, out);
}
