/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fits whole is left to walks, which count nothing: all parts that fit, then all copies of the
 * next one that do. What does not is gone into, down to the run that the bytes end in. The frames
 * are the way down to there; below the last one nothing was passed yet.
 */
#include "type_cursor.h"

#include <stdbool.h>
#include <string.h>

#include "type_walk.h"

void type_cursor_begin(struct type_cursor *c, struct cursor_frame *frames, const struct type *t,
	const void *buf, size_t count)
{
	c->all = layout_part_of_elements(t->layout, count, t->extent);
	c->frames = c->top = frames;
	c->within = 0;
	*frames = (struct cursor_frame){&c->all, &c->all + 1, 0, type_address(buf, 0)};
}

static bool at_end(const struct type_cursor *c)
{
	return c->top->part == c->top->end;
}

/* Where the copy that it is in has its offset 0, or, a run, its first byte. */
static char *here(const struct cursor_frame *f)
{
	return type_address(f->user, f->part->at + (ptrdiff_t)f->copy * f->part->stride);
}

static void descend(struct type_cursor *c)
{
	const struct layout *l = c->top->part->child;
	char *user = here(c->top);

	*++c->top = (struct cursor_frame){l->parts, l->parts + l->n, 0, user};
}

/* Copies or parts were passed: to the next that is not, up if there is none left here. */
static void settle(struct type_cursor *c)
{
	for (;;) {
		struct cursor_frame *f = c->top;

		if (f->part < f->end && f->copy == f->part->count) {
			f->part++;
			f->copy = 0;
		}
		if (f->part < f->end || f == c->frames)
			return;
		c->top--;
		c->top->copy++;
	}
}

/* They return how many bytes they passed. */

static size_t pass_parts(struct type_cursor *c, char *packed, size_t bytes, enum direction d)
{
	struct cursor_frame *f = c->top;
	const struct part *first = f->part;
	size_t n = 0;

	for (; f->part < f->end && f->part->count * f->part->len <= bytes - n; f->part++)
		n += f->part->count * f->part->len;
	type_walk_parts(first, f->part, f->user, packed, d);
	settle(c);
	return n;
}

static size_t pass_copies(struct type_cursor *c, char *packed, size_t bytes, enum direction d)
{
	struct cursor_frame *f = c->top;
	const struct part *p = f->part;
	size_t left = p->count - f->copy, fit = bytes / p->len, copies = fit < left ? fit : left;
	char *user = type_address(f->user, (ptrdiff_t)f->copy * p->stride);

	type_walk_copies(p, copies, user, packed, d);
	f->copy += copies;
	settle(c);
	return copies * p->len;
}

static void pass_within(struct type_cursor *c, size_t bytes)
{
	c->within += bytes;
	if (c->within < c->top->part->len)
		return;
	c->within = 0;
	c->top->copy++;
	settle(c);
}

static size_t pass_of_run(struct type_cursor *c, char *packed, size_t bytes, enum direction d)
{
	char *user = here(c->top) + c->within;
	size_t left = c->top->part->len - c->within, n = bytes < left ? bytes : left;

	if (d == GATHER)
		memcpy(packed, user, n);
	else
		memcpy(user, packed, n);
	pass_within(c, n);
	return n;
}

static size_t pass_some(struct type_cursor *c, char *packed, size_t bytes, enum direction d)
{
	const struct cursor_frame *f = c->top;
	const struct part *p = f->part;

	if (c->within == 0 && f->copy == 0 && p->count * p->len <= bytes)
		return pass_parts(c, packed, bytes, d);
	if (c->within == 0 && p->len <= bytes)
		return pass_copies(c, packed, bytes, d);
	if (!p->child)
		return pass_of_run(c, packed, bytes, d);
	descend(c);
	return 0;
}

static void pass(struct type_cursor *c, char *packed, size_t bytes, enum direction d)
{
	while (bytes > 0) {
		size_t n = pass_some(c, packed, bytes, d);

		packed += n;
		bytes -= n;
	}
}

void type_cursor_pack(struct type_cursor *c, void *packed, size_t bytes)
{
	pass(c, packed, bytes, GATHER);
}

void type_cursor_unpack(struct type_cursor *c, const void *packed, size_t bytes)
{
	pass(c, (char *)(uintptr_t)packed, bytes, SCATTER);
}

int type_cursor_runs(struct type_cursor *c, struct iovec *iov, int max)
{
	int n = 0;

	while (n < max && !at_end(c)) {
		size_t left = c->top->part->len - c->within;

		if (c->top->part->child) {
			descend(c);
			continue;
		}
		iov[n++] = (struct iovec){here(c->top) + c->within, left};
		pass_within(c, left);
	}
	return n;
}
