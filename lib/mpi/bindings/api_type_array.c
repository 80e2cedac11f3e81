/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of parts of arrays (MPI 5.0 sections 5.1.3 and 5.1.4). */
#include <limits.h>
#include <stdlib.h>

#include "api.h"
#include "api_type.h"

/* What both calls have. */
struct array {
	int combiner;
	bool large;
	int ndims;
	struct type_array sizes;
	int order;
	MPI_Datatype oldtype;
	/* MPI_Type_create_subarray */
	struct type_array subsizes, starts;
	/* MPI_Type_create_darray */
	int procs, rank;
	const int *distribs, *dargs, *psizes;
};

static int check_subarray_dim(const struct array *a, int i, struct type_dim *d)
{
	d->count = (MPI_Aint)type_array_at(a->subsizes, i);
	d->start = (MPI_Aint)type_array_at(a->starts, i);
	if (d->count < 1 || d->count > d->size)
		return fail_with(MPI_ERR_ARG,
			"array_of_subsizes[%d] is %lld; it must be from 1 to the size, %lld", i,
			(long long)d->count, (long long)d->size);
	if (d->start < 0 || d->start > d->size - d->count)
		return fail_with(MPI_ERR_ARG,
			"array_of_starts[%d] is %lld; %lld of %lld elements begin from 0 to %lld",
			i, (long long)d->start, (long long)d->count, (long long)d->size,
			(long long)(d->size - d->count));
	return MPI_SUCCESS;
}

/* Elements of a block: said, or what the standard says then. */
static int check_block(const struct array *a, int i, struct type_dim *d)
{
	bool cyclic = d->distribution == MPI_DISTRIBUTE_CYCLIC;
	MPI_Aint whole;

	d->block = a->dargs[i];
	if (d->block == MPI_DISTRIBUTE_DFLT_DARG)
		d->block = cyclic ? 1 : (d->size - 1) / d->procs + 1;
	if (d->block < 1)
		return fail_with(MPI_ERR_ARG,
			"array_of_dargs[%d] is %d; a block has at least 1 element", i, a->dargs[i]);
	if (!cyclic && !__builtin_mul_overflow(d->block, d->procs, &whole) && whole < d->size)
		return fail_with(MPI_ERR_ARG,
			"array_of_dargs[%d] is %d: blocks of %d processes do not hold %lld "
			"elements",
			i, a->dargs[i], d->procs, (long long)d->size);
	return MPI_SUCCESS;
}

static int check_darray_dim(const struct array *a, int i, struct type_dim *d)
{
	d->procs = a->psizes[i];
	d->distribution = a->distribs[i];
	if (d->procs < 1)
		return fail_with(MPI_ERR_ARG, "array_of_psizes[%d] is %d; it must be at least 1", i,
			d->procs);
	if (d->distribution == MPI_DISTRIBUTE_BLOCK || d->distribution == MPI_DISTRIBUTE_CYCLIC)
		return check_block(a, i, d);
	if (d->distribution != MPI_DISTRIBUTE_NONE)
		return fail_with(MPI_ERR_ARG,
			"array_of_distribs[%d] is %d, which is not MPI_DISTRIBUTE_BLOCK, _CYCLIC "
			"or "
			"_NONE",
			i, d->distribution);
	if (d->procs != 1)
		return fail_with(MPI_ERR_ARG,
			"dimension %d is not distributed, but array_of_psizes[%d] is %d, not 1", i,
			i, d->procs);
	return MPI_SUCCESS;
}

/* Where `rank` is in the grid of processes, whose last dimension varies fastest whatever the order
 * of the array's. dims are in the call's order. */
static int place_process(const struct array *a, struct type_dim *dims)
{
	int left = a->rank, procs = 1;

	for (int i = 0; i < a->ndims; i++)
		if (__builtin_mul_overflow(procs, dims[i].procs, &procs))
			procs = INT_MAX; /* more than any size: some psizes are larger than 1 */
	if (procs != a->procs)
		return fail_with(MPI_ERR_ARG, "size is %d, but array_of_psizes is a grid of %d",
			a->procs, procs);
	for (int i = a->ndims - 1; i >= 0; i--) {
		dims[i].coord = left % dims[i].procs;
		left /= dims[i].procs;
	}
	return MPI_SUCCESS;
}

static int check_process(const struct array *a)
{
	if (a->procs < 1)
		return fail_with(MPI_ERR_ARG, "size is %d; it must be at least 1", a->procs);
	if (a->rank < 0 || a->rank >= a->procs)
		return fail_with(
			MPI_ERR_ARG, "rank is %d; it must be from 0 to %d", a->rank, a->procs - 1);
	return MPI_SUCCESS;
}

static bool is_darray(const struct array *a)
{
	return a->combiner == MPI_COMBINER_DARRAY;
}

static int check_arrays(const struct array *a)
{
	const char *sizes = is_darray(a) ? "array_of_gsizes" : "array_of_sizes";
	int rc = type_need_array(a->sizes, sizes);

	if (rc == MPI_SUCCESS && !is_darray(a)) {
		rc = type_need_array(a->subsizes, "array_of_subsizes");
		return rc == MPI_SUCCESS ? type_need_array(a->starts, "array_of_starts") : rc;
	}
	if (rc == MPI_SUCCESS)
		rc = check_pointer(a->distribs, "array_of_distribs");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(a->dargs, "array_of_dargs");
	return rc == MPI_SUCCESS ? check_pointer(a->psizes, "array_of_psizes") : rc;
}

static int check(const struct array *a, const MPI_Datatype *newtype)
{
	int rc = check_pointer(newtype, "newtype");

	if (rc != MPI_SUCCESS)
		return rc;
	if (a->ndims < 1)
		return fail_with(MPI_ERR_ARG, "ndims is %d; it must be at least 1", a->ndims);
	if (a->order != MPI_ORDER_C && a->order != MPI_ORDER_FORTRAN)
		return fail_with(MPI_ERR_ARG,
			"order is %d, which is not MPI_ORDER_C or MPI_ORDER_FORTRAN", a->order);
	rc = check_arrays(a);
	return rc == MPI_SUCCESS && is_darray(a) ? check_process(a) : rc;
}

/* The dimensions, in the call's order. */
static int read_dims(const struct array *a, struct type_dim *dims)
{
	int rc = MPI_SUCCESS;

	for (int i = 0; i < a->ndims && rc == MPI_SUCCESS; i++) {
		dims[i] = (struct type_dim){.size = (MPI_Aint)type_array_at(a->sizes, i)};
		if (dims[i].size < 1)
			return fail_with(MPI_ERR_ARG,
				"the size of dimension %d is %lld; it must be "
				"at least 1",
				i, (long long)dims[i].size);
		rc = is_darray(a) ? check_darray_dim(a, i, &dims[i])
				  : check_subarray_dim(a, i, &dims[i]);
	}
	return rc == MPI_SUCCESS && is_darray(a) ? place_process(a, dims) : rc;
}

static void reverse(struct type_dim *dims, int n)
{
	for (int i = 0; i < n / 2; i++) {
		struct type_dim d = dims[i];

		dims[i] = dims[n - 1 - i];
		dims[n - 1 - i] = d;
	}
}

static void note_counts(struct contents *c, struct type_array values, int n)
{
	for (int i = 0; i < n; i++)
		type_contents_count(c, type_array_at(values, i));
}

static void note_ints(struct contents *c, const int *values, int n)
{
	for (int i = 0; i < n; i++)
		type_contents_int(c, values[i]);
}

static struct contents *describe(const struct array *a, struct type *old)
{
	struct contents *c = type_contents_new(a->combiner, a->large);

	if (is_darray(a)) {
		type_contents_int(c, a->procs);
		type_contents_int(c, a->rank);
	}
	type_contents_int(c, a->ndims);
	note_counts(c, a->sizes, a->ndims);
	if (is_darray(a)) {
		note_ints(c, a->distribs, a->ndims);
		note_ints(c, a->dargs, a->ndims);
		note_ints(c, a->psizes, a->ndims);
	} else {
		note_counts(c, a->subsizes, a->ndims);
		note_counts(c, a->starts, a->ndims);
	}
	type_contents_int(c, a->order);
	type_contents_type(c, old);
	return c;
}

static int make(const struct array *a, struct type_dim *dims, MPI_Datatype *newtype)
{
	struct type *old = NULL, *t = NULL;
	int rc = read_dims(a, dims);

	if (rc == MPI_SUCCESS)
		rc = type_lookup(a->oldtype, &old);
	if (rc != MPI_SUCCESS)
		return rc;
	if (a->order == MPI_ORDER_C)
		reverse(dims, a->ndims);
	rc = is_darray(a) ? type_array_darray(old, dims, a->ndims, &t)
			  : type_array_subarray(old, dims, a->ndims, &t);
	return rc == MPI_SUCCESS ? type_give(rc, t, describe(a, old), newtype) : rc;
}

static int array(const struct array *a, MPI_Datatype *newtype)
{
	struct type_dim *dims;
	int rc = check(a, newtype);

	if (rc != MPI_SUCCESS)
		return rc;
	dims = calloc((size_t)a->ndims, sizeof *dims);
	if (!dims)
		return fail_with(MPI_ERR_NO_MEM, "no memory for %d dimensions", a->ndims);
	rc = make(a, dims, newtype);
	free(dims);
	return rc;
}

#pragma weak MPI_Type_create_subarray = PMPI_Type_create_subarray
int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
	const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct array a = {.combiner = MPI_COMBINER_SUBARRAY,
		.large = false,
		.ndims = ndims,
		.sizes.ints = array_of_sizes,
		.subsizes.ints = array_of_subsizes,
		.starts.ints = array_of_starts,
		.order = order,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_subarray");
	return api_leave(NULL, array(&a, newtype));
}

#pragma weak MPI_Type_create_darray = PMPI_Type_create_darray
int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
	const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
	int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct array a = {.combiner = MPI_COMBINER_DARRAY,
		.large = false,
		.ndims = ndims,
		.sizes.ints = array_of_gsizes,
		.procs = size,
		.rank = rank,
		.distribs = array_of_distribs,
		.dargs = array_of_dargs,
		.psizes = array_of_psizes,
		.order = order,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_darray");
	return api_leave(NULL, array(&a, newtype));
}

#pragma weak MPI_Type_create_subarray_c = PMPI_Type_create_subarray_c
int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
	const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[], int order,
	MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct array a = {.combiner = MPI_COMBINER_SUBARRAY,
		.large = true,
		.ndims = ndims,
		.sizes.counts = array_of_sizes,
		.subsizes.counts = array_of_subsizes,
		.starts.counts = array_of_starts,
		.order = order,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_subarray_c");
	return api_leave(NULL, array(&a, newtype));
}

#pragma weak MPI_Type_create_darray_c = PMPI_Type_create_darray_c
int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
	const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
	int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct array a = {.combiner = MPI_COMBINER_DARRAY,
		.large = true,
		.ndims = ndims,
		.sizes.counts = array_of_gsizes,
		.procs = size,
		.rank = rank,
		.distribs = array_of_distribs,
		.dargs = array_of_dargs,
		.psizes = array_of_psizes,
		.order = order,
		.oldtype = oldtype};

	api_enter("MPI_Type_create_darray_c");
	return api_leave(NULL, array(&a, newtype));
}
