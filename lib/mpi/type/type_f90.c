/* SPDX-License-Identifier: BSD-3-Clause */
#include "type_f90.h"

#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "type_contents.h"
#include "type_table.h"

/* What a basic type holds. */
struct kind {
	int combiner;
	int digits, exponent;
	MPI_Datatype basic;
};

/* The smallest first. Fortran's REAL(10) is C's long double. */
static const struct kind kinds[] = {
	{MPI_COMBINER_F90_REAL, 6, 37, MPI_REAL4},
	{MPI_COMBINER_F90_REAL, 15, 307, MPI_REAL8},
	{MPI_COMBINER_F90_REAL, 18, 4931, MPI_LONG_DOUBLE},
	{MPI_COMBINER_F90_COMPLEX, 6, 37, MPI_COMPLEX8},
	{MPI_COMBINER_F90_COMPLEX, 15, 307, MPI_COMPLEX16},
	{MPI_COMBINER_F90_COMPLEX, 18, 4931, MPI_C_LONG_DOUBLE_COMPLEX},
	{MPI_COMBINER_F90_INTEGER, 0, 2, MPI_INTEGER1},
	{MPI_COMBINER_F90_INTEGER, 0, 4, MPI_INTEGER2},
	{MPI_COMBINER_F90_INTEGER, 0, 9, MPI_INTEGER4},
	{MPI_COMBINER_F90_INTEGER, 0, 18, MPI_INTEGER8},
	{MPI_COMBINER_F90_INTEGER, 0, 38, MPI_INTEGER16},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool holds(const struct kind *k, int combiner, int p, int r)
{
	if (k->combiner != combiner)
		return false;
	if (combiner == MPI_COMBINER_F90_INTEGER)
		return r <= k->exponent;
	return (p == MPI_UNDEFINED || p <= k->digits) && (r == MPI_UNDEFINED || r <= k->exponent);
}

static const struct kind *kind_for(int combiner, int p, int r)
{
	for (int i = 0; i < KINDS; i++)
		if (holds(&kinds[i], combiner, p, r))
			return &kinds[i];
	return NULL;
}

/* The one that was made before for these arguments. */
struct search {
	int combiner, p, r;
	struct type *found;
};

static bool is_integer(const struct search *s)
{
	return s->combiner == MPI_COMBINER_F90_INTEGER;
}

static void look_at(struct object *o, void *arg)
{
	struct type *t = (struct type *)(void *)o;
	const struct contents *c = t->contents;
	struct search *s = arg;

	if (t->unnamed && c->combiner == s->combiner && c->ints[c->nints - 1] == s->r &&
		(is_integer(s) || c->ints[0] == s->p))
		s->found = t;
}

static struct contents *describe(const struct search *s)
{
	struct contents *c = type_contents_new(s->combiner, false);

	if (!is_integer(s))
		type_contents_int(c, s->p);
	type_contents_int(c, s->r);
	return c;
}

static int make(const struct search *s, MPI_Datatype basic, struct type **out)
{
	struct contents *c = describe(s);
	int rc = type_contents_good(c) ? type_make_dup(type_predefined(basic), out)
				       : fail_with(MPI_ERR_NO_MEM, "no memory for a datatype");

	if (rc != MPI_SUCCESS) {
		type_release_contents(c);
		return rc;
	}
	(*out)->contents = c;
	(*out)->unnamed = true;
	return MPI_SUCCESS;
}

int type_f90(int combiner, int p, int r, struct type **out)
{
	struct search s = {combiner, p, r, NULL};
	const struct kind *k = kind_for(combiner, p, r);

	if (is_integer(&s) && !k)
		return fail_with(MPI_ERR_ARG, "no integer has %d decimal digits; 38 are most", r);
	if (!k)
		return fail_with(MPI_ERR_ARG,
			"no type has %d decimal digits and exponents up to %d; 18 and 4931 are "
			"most",
			p, r);
	handle_table_each(OBJECT_TYPE, look_at, &s);
	*out = s.found;
	return s.found ? MPI_SUCCESS : make(&s, k->basic, out);
}

struct sized {
	int typeclass, size;
	MPI_Datatype basic;
};

static const struct sized sizes[] = {
	{MPI_TYPECLASS_REAL, 4, MPI_REAL4},
	{MPI_TYPECLASS_REAL, 8, MPI_REAL8},
	{MPI_TYPECLASS_REAL, sizeof(long double), MPI_LONG_DOUBLE},
	{MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
	{MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
	{MPI_TYPECLASS_COMPLEX, 2 * sizeof(long double), MPI_C_LONG_DOUBLE_COMPLEX},
	{MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
	{MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
	{MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
	{MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
	{MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16},
};

static const char *class_name(int typeclass)
{
	switch (typeclass) {
	case MPI_TYPECLASS_REAL:
		return "MPI_TYPECLASS_REAL";
	case MPI_TYPECLASS_INTEGER:
		return "MPI_TYPECLASS_INTEGER";
	case MPI_TYPECLASS_COMPLEX:
		return "MPI_TYPECLASS_COMPLEX";
	default:
		return NULL;
	}
}

int type_f90_match_size(int typeclass, int size, MPI_Datatype *out)
{
	const char *name = class_name(typeclass);

	if (!name)
		return fail_with(MPI_ERR_ARG,
			"%d is not a class of types; use MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL "
			"or MPI_TYPECLASS_COMPLEX",
			typeclass);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		if (sizes[i].typeclass != typeclass || sizes[i].size != size)
			continue;
		*out = sizes[i].basic;
		return MPI_SUCCESS;
	}
	return fail_with(MPI_ERR_ARG, "no type of %s has %d bytes", name, size);
}

MPI_Datatype type_value_index(MPI_Datatype value, MPI_Datatype index)
{
	static const MPI_Datatype pairs[][3] = {
		{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
		{MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
		{MPI_LONG, MPI_INT, MPI_LONG_INT},
		{MPI_INT, MPI_INT, MPI_2INT},
		{MPI_SHORT, MPI_INT, MPI_SHORT_INT},
		{MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
		{MPI_REAL, MPI_REAL, MPI_2REAL},
		{MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
		{MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (pairs[i][0] == value && pairs[i][1] == index)
			return pairs[i][2];
	return MPI_DATATYPE_NULL;
}
