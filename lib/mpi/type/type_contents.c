/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_contents.h"

#include <stdint.h>
#include <stdlib.h>

#include "type.h"

struct contents *type_contents_new(int combiner, bool large)
{
	struct contents *c = calloc(1, sizeof *c);

	if (c)
		*c = (struct contents){.refs = 1, .combiner = combiner, .large = large};
	return c;
}

struct contents *type_contents_hold(struct contents *c)
{
	c->refs++;
	return c;
}

bool type_contents_good(const struct contents *c)
{
	return c && !c->bad;
}

/* Room for one more behind the n that are there: the room is the next power of two. NULL, and c is
 * bad, when there is none. */
static void *grown(struct contents *c, void *items, size_t n, size_t width)
{
	void *more;

	if (c->bad)
		return NULL;
	if (n & (n - 1))
		return items;
	more = reallocarray(items, n ? 2 * n : 1, width);
	c->bad = !more;
	return more;
}

void type_contents_int(struct contents *c, int value)
{
	int *ints = c ? grown(c, c->ints, c->nints, sizeof *ints) : NULL;

	if (!ints)
		return;
	c->ints = ints;
	c->ints[c->nints++] = value;
}

static void add_large(struct contents *c, MPI_Count value)
{
	MPI_Count *larges = grown(c, c->larges, c->nlarge, sizeof *larges);

	if (!larges)
		return;
	c->larges = larges;
	c->larges[c->nlarge++] = value;
}

void type_contents_count(struct contents *c, MPI_Count value)
{
	if (c && c->large)
		add_large(c, value);
	else
		type_contents_int(c, (int)value);
}

static void add_address(struct contents *c, MPI_Aint value)
{
	MPI_Aint *addresses = grown(c, c->addresses, c->naddresses, sizeof *addresses);

	if (!addresses)
		return;
	c->addresses = addresses;
	c->addresses[c->naddresses++] = value;
}

void type_contents_address(struct contents *c, MPI_Count value)
{
	if (!c)
		return;
	if (c->large)
		add_large(c, value);
	else
		add_address(c, (MPI_Aint)value);
}

void type_contents_type(struct contents *c, struct type *t)
{
	struct type **types = c ? grown(c, c->types, c->ntypes, sizeof(struct type *)) : NULL;

	if (!types)
		return;
	c->types = types;
	c->types[c->ntypes++] = t;
	type_hold(t);
}
