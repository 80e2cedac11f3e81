/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include <stdlib.h>

/* A child of a single copy is copied into its parent when it is short, or when the tree has become
 * so deep that a walk would need much stack; otherwise it is shared. */
#define INLINE_PARTS 8
#define DEPTH_MAX 32

void layout_hold(struct layout *l)
{
	l->refs++;
}

void layout_release(struct layout *l)
{
	if (--l->refs > 0)
		return;
	for (size_t i = 0; i < l->n; i++)
		layout_part_release(&l->parts[i]);
	free(l->parts);
	free(l);
}

void layout_part_release(struct part *p)
{
	if (p->child)
		layout_release(p->child);
	p->child = NULL;
}

static bool is_run(const struct part *p)
{
	return p->count == 1 && !p->child;
}

/* count copies of p without a new node: false when that cannot be said in one part. */
static bool repeat_in_place(struct part *p, size_t count, ptrdiff_t stride)
{
	ptrdiff_t end;

	if (count == 1)
		return true;
	if (is_run(p) && stride == (ptrdiff_t)p->len) {
		p->len *= count;
		return true;
	}
	if (p->count == 1) {
		p->count = count;
		p->stride = stride;
		return true;
	}
	if (!__builtin_mul_overflow(p->stride, (ptrdiff_t)p->count, &end) && stride == end) {
		p->count *= count;
		return true;
	}
	return false;
}

struct part layout_part_of_layout(struct layout *l)
{
	struct part p = {0, 1, 0, l->size, l};

	if (l->n == 1)
		p = l->parts[0];
	if (p.child)
		layout_hold(p.child);
	return p;
}

struct part layout_part_of_elements(const struct layout *l, size_t count, ptrdiff_t extent)
{
	struct part p = l->parts[0];

	if (l->n > 1 || !repeat_in_place(&p, count, extent))
		p = (struct part){0, count, extent, l->size, (struct layout *)l};
	return p;
}

bool layout_part_repeat(struct part *p, size_t count, ptrdiff_t stride)
{
	struct part_list list = {0};
	struct layout *child;
	struct part copy;

	if (repeat_in_place(p, count, stride))
		return true;
	copy = *p;
	if (copy.child)
		layout_hold(copy.child);
	if (!layout_list_add(&list, copy))
		return false;
	child = layout_list_finish(&list);
	if (!child)
		return false;
	layout_part_release(p);
	*p = (struct part){0, count, stride, child->size, child};
	return true;
}

static bool list_reserve(struct part_list *list)
{
	size_t room = list->room ? 2 * list->room : 4;
	struct part *parts;

	if (list->n < list->room)
		return true;
	parts = reallocarray(list->parts, room, sizeof(*parts));
	if (!parts)
		return false;
	list->parts = parts;
	list->room = room;
	return true;
}

/* Whether p is a run that goes on where the last part, a run, ends: then that one becomes longer.
 */
static bool extend_last(struct part_list *list, const struct part *p)
{
	struct part *last = list->n ? &list->parts[list->n - 1] : NULL;

	if (!last || !is_run(last) || !is_run(p) || last->at + (ptrdiff_t)last->len != p->at)
		return false;
	last->len += p->len;
	return true;
}

/* The parts of a child of a single copy, one by one. */
static bool add_inlined(struct part_list *list, struct part *p)
{
	for (size_t i = 0; i < p->child->n; i++) {
		struct part q = p->child->parts[i];

		q.at += p->at;
		if (q.child)
			layout_hold(q.child);
		if (!layout_list_add(list, q))
			return false;
	}
	return true;
}

bool layout_list_add(struct part_list *list, struct part p)
{
	if (p.child && p.count == 1 &&
		(p.child->n <= INLINE_PARTS || p.child->depth >= DEPTH_MAX)) {
		bool ok = add_inlined(list, &p);

		layout_part_release(&p);
		return ok;
	}
	if (extend_last(list, &p))
		return true;
	if (!list_reserve(list)) {
		layout_part_release(&p);
		return false;
	}
	list->parts[list->n++] = p;
	return true;
}

void layout_list_clear(struct part_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		layout_part_release(&list->parts[i]);
	free(list->parts);
	*list = (struct part_list){0};
}

struct layout *layout_list_finish(struct part_list *list)
{
	struct layout *l = malloc(sizeof(*l));

	if (!l) {
		layout_list_clear(list);
		return NULL;
	}
	*l = (struct layout){.refs = 1, .depth = 1, .n = list->n, .parts = list->parts};
	for (size_t i = 0; i < l->n; i++) {
		const struct part *p = &l->parts[i];

		l->size += p->count * p->len;
		l->runs += p->count * (p->child ? p->child->runs : 1);
		if (p->child && p->child->depth >= l->depth)
			l->depth = p->child->depth + 1;
	}
	*list = (struct part_list){0};
	return l;
}
