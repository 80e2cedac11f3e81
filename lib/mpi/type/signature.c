/* SPDX-License-Identifier: BSD-3-Clause */
#include "signature.h"

#include <stdlib.h>

#include "mpi/handle/fail.h"
#include "type_contents.h"
#include "type_table.h"

#define NOT_WHOLE ((size_t)-1)

static bool is_struct(const struct type *t)
{
	return t->contents->combiner == MPI_COMBINER_STRUCT;
}

static bool is_basic(const struct type *t)
{
	return t->handle == t->basic;
}

/* A type of which all of t, which has data, is a repetition; NULL for a struct of unlike types. */
static const struct type *repeated(const struct type *t)
{
	if (t->basic != MPI_DATATYPE_NULL)
		return type_predefined(t->basic);
	return is_struct(t) ? NULL : t->contents->types[0];
}

/* Elements of types[i] in a struct; the arguments begin with their number. */
static size_t block_count(const struct contents *c, size_t i)
{
	return c->large ? (size_t)c->larges[i + 1] : (size_t)c->ints[i + 1];
}

/* The second half of a pair is an element too. */
static size_t elements_of_basic(const struct type *t, size_t bytes)
{
	size_t first = type_table_pair_first(t->handle);

	if (bytes == 0)
		return 0;
	return bytes == first ? 1 : NOT_WHOLE;
}

/* Where a prefix of one element of a struct ends: its last, incomplete block. What is before is
 * taken off *left and added to *sum; `unit` and `sum_of` say which size of a type is which. */
struct prefix {
	size_t left, sum;
	bool in_elements; /* left counts elements and sum bytes, or the other way round */
};

static size_t left_of(const struct prefix *p, const struct type *t)
{
	return p->in_elements ? t->elements : t->size;
}

static size_t sum_of(const struct prefix *p, const struct type *t)
{
	return p->in_elements ? t->size : t->elements;
}

/* Take whole elements of t; at most max of them. */
static void take_whole(struct prefix *p, const struct type *t, size_t max)
{
	size_t unit = left_of(p, t), n = unit ? p->left / unit : 0;

	if (n > max)
		n = max;
	p->left -= n * unit;
	p->sum += n * sum_of(p, t);
}

static const struct type *last_block(struct prefix *p, const struct type *t)
{
	const struct contents *c = t->contents;

	for (size_t i = 0; i < c->ntypes; i++) {
		size_t count = block_count(c, i), unit = left_of(p, c->types[i]);

		if (unit > 0 && p->left / unit < count)
			return c->types[i];
		take_whole(p, c->types[i], count);
	}
	return NULL;
}

/* The prefix is less than one element of t: go down until it is less than a basic one. */
static const struct type *descend(struct prefix *p, const struct type *t)
{
	while (t && p->left > 0 && !is_basic(t)) {
		const struct type *one = repeated(t);

		t = one ? one : last_block(p, t);
		if (t)
			take_whole(p, t, (size_t)-1);
	}
	return t;
}

size_t signature_elements(const struct type *t, size_t bytes)
{
	struct prefix p = {.left = bytes};
	size_t rest;

	if (t->size == 0)
		return 0;
	take_whole(&p, t, (size_t)-1);
	t = descend(&p, t);
	rest = p.left ? elements_of_basic(t, p.left) : 0;
	return rest == NOT_WHOLE ? NOT_WHOLE : p.sum + rest;
}

size_t signature_bytes(const struct type *t, size_t elements)
{
	struct prefix p = {.left = elements, .in_elements = true};
	size_t all;

	if (t->size == 0)
		return elements ? NOT_WHOLE : 0;
	if (__builtin_mul_overflow(elements / t->elements + 1, t->size, &all))
		return NOT_WHOLE;
	take_whole(&p, t, (size_t)-1);
	t = descend(&p, t);
	return p.sum + (p.left ? type_table_pair_first(t->handle) : 0);
}

/* One level of structs within structs: copies of t, of which the first is under way, at a block. */
struct level {
	const struct type *t;
	size_t copies, block;
};

struct stack {
	struct level *levels;
	size_t n, room;
};

static bool push(struct stack *s, const struct type *t, size_t copies)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 16;
		struct level *levels = reallocarray(s->levels, room, sizeof *levels);

		if (!levels)
			return false;
		s->levels = levels;
		s->room = room;
	}
	s->levels[s->n++] = (struct level){t, copies, 0};
	return true;
}

/* The next block of the topmost struct, and how often it is repeated; false: it is at its end. */
static bool next_block(struct stack *s, const struct type **t, size_t *count)
{
	struct level *top = &s->levels[s->n - 1];
	const struct contents *c = top->t->contents;

	if (top->block == c->ntypes) {
		top->block = 0;
		if (--top->copies == 0) {
			s->n--;
			return false;
		}
	}
	*t = c->types[top->block];
	*count = block_count(c, top->block++);
	return true;
}

int signature_each(const struct type *t, size_t count,
	void (*visit)(void *arg, struct signature_run run), void *arg)
{
	struct stack s = {0};
	bool more = t->size > 0 && count > 0, ok = true;

	while (more && ok) {
		const struct type *one;

		if (count > 0 && t->size > 0) {
			while ((one = repeated(t)) && one != t) {
				count *= t->size / one->size;
				t = one;
			}
			if (one)
				visit(arg, (struct signature_run){t->handle, count});
			else
				ok = push(&s, t, count);
		}
		count = 0;
		while (s.n > 0 && !next_block(&s, &t, &count))
			;
		more = s.n > 0;
	}
	free(s.levels);
	return ok ? MPI_SUCCESS : fail_with(MPI_ERR_NO_MEM, "no memory to go through a datatype");
}
