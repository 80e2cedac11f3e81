/* SPDX-License-Identifier: BSD-3-Clause */
/* How a datatype was made (MPI 5.0 section 5.1.13). */
#include <limits.h>
#include <string.h>

#include "api.h"
#include "api_type.h"

/* What the program calls a type that another was made of: its predefined handle, or a new one that
 * it frees. */
static int give_back(struct type *t, MPI_Datatype *out)
{
	struct type *alias = NULL;
	int rc;

	if (handle_is_predefined(t->handle) || t->unnamed) {
		*out = t->handle;
		return MPI_SUCCESS;
	}
	rc = type_make_alias(t, &alias);
	if (rc == MPI_SUCCESS)
		*out = alias->handle;
	return rc;
}

static void take_back(MPI_Datatype handle)
{
	struct type *t = NULL;

	if (type_lookup(handle, &t) == MPI_SUCCESS && !handle_is_predefined(handle) && !t->unnamed)
		type_free(t);
}

static int give_back_all(const struct contents *c, MPI_Datatype *out)
{
	int rc = MPI_SUCCESS;
	size_t n = 0;

	while (n < c->ntypes && rc == MPI_SUCCESS) {
		rc = give_back(c->types[n], &out[n]);
		n += rc == MPI_SUCCESS;
	}
	while (rc != MPI_SUCCESS && n > 0)
		take_back(out[--n]);
	return rc;
}

/* A predefined type has none. */
static const struct contents nothing = {.combiner = MPI_COMBINER_NAMED};

/* The functions without _c cannot tell of large counts. */
static int lookup(MPI_Datatype datatype, bool large, const struct contents **out)
{
	struct type *t = NULL;
	int rc = type_lookup(datatype, &t);

	if (rc != MPI_SUCCESS)
		return rc;
	*out = t->contents ? t->contents : &nothing;
	if (!large && (*out)->nlarge > 0)
		return fail_with(MPI_ERR_TYPE,
			"the datatype was made with large counts; %s_c can tell of them",
			fail_call());
	return MPI_SUCCESS;
}

struct envelope {
	MPI_Count *ints, *addresses, *large, *types;
	int *combiner;
};

static int envelope(MPI_Datatype datatype, bool large, const struct envelope *e)
{
	const struct contents *c = NULL;
	int rc = lookup(datatype, large, &c);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(e->combiner, "combiner");
	if (rc == MPI_SUCCESS && !(e->ints && e->addresses && e->large && e->types))
		rc = fail_with(MPI_ERR_ARG, "one of the numbers' addresses is a null pointer");
	if (rc != MPI_SUCCESS)
		return rc;
	*e->ints = (MPI_Count)c->nints;
	*e->addresses = (MPI_Count)c->naddresses;
	*e->large = (MPI_Count)c->nlarge;
	*e->types = (MPI_Count)c->ntypes;
	*e->combiner = c->combiner;
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_get_envelope = PMPI_Type_get_envelope
int PMPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses,
	int *num_datatypes, int *combiner)
{
	bool pointers = num_integers && num_addresses && num_datatypes;
	MPI_Count ints, addresses, large, types;
	struct envelope e = {&ints, &addresses, &large, &types, combiner};
	int rc;

	api_enter("MPI_Type_get_envelope");
	if (!pointers)
		e.ints = NULL;
	rc = envelope(datatype, false, &e);
	if (rc == MPI_SUCCESS && (ints > INT_MAX || addresses > INT_MAX || types > INT_MAX))
		rc = fail_with(MPI_ERR_VALUE_TOO_LARGE,
			"the datatype has more arguments than an int can say; "
			"MPI_Type_get_envelope_c can");
	if (rc == MPI_SUCCESS) {
		*num_integers = (int)ints;
		*num_addresses = (int)addresses;
		*num_datatypes = (int)types;
	}
	return api_leave(NULL, rc);
}

#pragma weak MPI_Type_get_envelope_c = PMPI_Type_get_envelope_c
int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
	MPI_Count *num_addresses, MPI_Count *num_large_counts, MPI_Count *num_datatypes,
	int *combiner)
{
	struct envelope e = {
		num_integers, num_addresses, num_large_counts, num_datatypes, combiner};

	api_enter("MPI_Type_get_envelope_c");
	return api_leave(NULL, envelope(datatype, true, &e));
}

/* Where the arguments go, and how much room is there. */
struct room {
	MPI_Count ints, addresses, large, types;
	int *to_ints;
	MPI_Aint *to_addresses;
	MPI_Count *to_large;
	MPI_Datatype *to_types;
};

static int need_room(MPI_Count room, const void *to, size_t n, const char *what)
{
	if (room < 0)
		return fail_with(MPI_ERR_ARG, "the room for %s is %lld; it must not be negative",
			what, (long long)room);
	if ((size_t)room < n)
		return fail_with(MPI_ERR_ARG,
			"there is room for %lld %s, but the datatype was made with %zu",
			(long long)room, what, n);
	if (n > 0 && !to)
		return fail_with(MPI_ERR_ARG, "the array for %zu %s is a null pointer", n, what);
	return MPI_SUCCESS;
}

static void copy(void *to, const void *from, size_t n, size_t width)
{
	if (n > 0)
		memcpy(to, from, n * width);
}

static int contents(MPI_Datatype datatype, bool large, const struct room *r)
{
	const struct contents *c = NULL;
	int rc = lookup(datatype, large, &c);

	if (rc == MPI_SUCCESS && c->combiner == MPI_COMBINER_NAMED)
		rc = fail_with(MPI_ERR_TYPE, "the datatype is predefined: it was not made");
	if (rc == MPI_SUCCESS)
		rc = need_room(r->ints, r->to_ints, c->nints, "integers");
	if (rc == MPI_SUCCESS)
		rc = need_room(r->addresses, r->to_addresses, c->naddresses, "addresses");
	if (rc == MPI_SUCCESS && large)
		rc = need_room(r->large, r->to_large, c->nlarge, "large counts");
	if (rc == MPI_SUCCESS)
		rc = need_room(r->types, r->to_types, c->ntypes, "datatypes");
	if (rc == MPI_SUCCESS)
		rc = give_back_all(c, r->to_types);
	if (rc != MPI_SUCCESS)
		return rc;
	copy(r->to_ints, c->ints, c->nints, sizeof *c->ints);
	copy(r->to_addresses, c->addresses, c->naddresses, sizeof *c->addresses);
	copy(r->to_large, c->larges, c->nlarge, sizeof *c->larges);
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_get_contents = PMPI_Type_get_contents
int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
	int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
	MPI_Datatype array_of_datatypes[])
{
	struct room r = {max_integers, max_addresses, 0, max_datatypes, array_of_integers,
		array_of_addresses, NULL, array_of_datatypes};

	api_enter("MPI_Type_get_contents");
	return api_leave(NULL, contents(datatype, false, &r));
}

#pragma weak MPI_Type_get_contents_c = PMPI_Type_get_contents_c
int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
	MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
	MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
	MPI_Datatype array_of_datatypes[])
{
	struct room r = {max_integers, max_addresses, max_large_counts, max_datatypes,
		array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes};

	api_enter("MPI_Type_get_contents_c");
	return api_leave(NULL, contents(datatype, true, &r));
}
