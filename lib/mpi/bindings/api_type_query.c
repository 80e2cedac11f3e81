/* SPDX-License-Identifier: BSD-3-Clause */
/* What a datatype is, and how much of it a message had (MPI 5.0 sections 3.2.5 and 5.1.5 to 5.1.8).
 */
#include <limits.h>
#include <stdint.h>

#include "api.h"
#include "mpi/handle/status.h"
#include "mpi/type/type.h"

static int null_argument(void)
{
	return fail_with(MPI_ERR_ARG, "a result or the status is a null pointer");
}

/* MPI_UNDEFINED for an optional type that this build does not have. */
static int size_of(MPI_Datatype datatype, MPI_Count *size)
{
	struct type *t = NULL;
	int rc;

	if (!size)
		return null_argument();
	if (type_table_is_missing(datatype)) {
		*size = MPI_UNDEFINED;
		return MPI_SUCCESS;
	}
	rc = type_lookup(datatype, &t);
	if (rc == MPI_SUCCESS)
		*size = (MPI_Count)t->size;
	return rc;
}

#pragma weak MPI_Type_size = PMPI_Type_size
int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
	MPI_Count bytes = 0;
	int rc;

	api_enter("MPI_Type_size");
	rc = size ? size_of(datatype, &bytes) : null_argument();
	if (rc == MPI_SUCCESS)
		*size = bytes > INT_MAX ? MPI_UNDEFINED : (int)bytes;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Type_size_c = PMPI_Type_size_c
int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
	api_enter("MPI_Type_size_c");
	return api_leave(NULL, size_of(datatype, size));
}

#pragma weak MPI_Type_size_x = PMPI_Type_size_x
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
	api_enter("MPI_Type_size_x");
	return api_leave(NULL, size_of(datatype, size));
}

static int extent_of(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	struct type *t = NULL;
	int rc;

	if (!lb || !extent)
		return null_argument();
	rc = type_lookup(datatype, &t);
	if (rc == MPI_SUCCESS) {
		*lb = t->lb;
		*extent = t->extent;
	}
	return rc;
}

static int true_extent_of(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	struct type *t = NULL;
	int rc;

	if (!lb || !extent)
		return null_argument();
	rc = type_lookup(datatype, &t);
	if (rc == MPI_SUCCESS) {
		*lb = t->true_lb;
		*extent = t->true_extent;
	}
	return rc;
}

/* Results of the variants that speak of MPI_Aint. */
static int narrow(
	int rc, MPI_Count lb_found, MPI_Count extent_found, MPI_Aint *lb, MPI_Aint *extent)
{
	if (rc == MPI_SUCCESS && (!lb || !extent))
		return null_argument();
	if (rc == MPI_SUCCESS) {
		*lb = (MPI_Aint)lb_found;
		*extent = (MPI_Aint)extent_found;
	}
	return rc;
}

#pragma weak MPI_Type_get_extent = PMPI_Type_get_extent
int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
	MPI_Count l = 0, e = 0;
	int rc;

	api_enter("MPI_Type_get_extent");
	rc = extent_of(datatype, &l, &e);
	return api_leave(NULL, narrow(rc, l, e, lb, extent));
}

#pragma weak MPI_Type_get_extent_c = PMPI_Type_get_extent_c
int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	api_enter("MPI_Type_get_extent_c");
	return api_leave(NULL, extent_of(datatype, lb, extent));
}

#pragma weak MPI_Type_get_extent_x = PMPI_Type_get_extent_x
int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	api_enter("MPI_Type_get_extent_x");
	return api_leave(NULL, extent_of(datatype, lb, extent));
}

#pragma weak MPI_Type_get_true_extent = PMPI_Type_get_true_extent
int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
	MPI_Count l = 0, e = 0;
	int rc;

	api_enter("MPI_Type_get_true_extent");
	rc = true_extent_of(datatype, &l, &e);
	return api_leave(NULL, narrow(rc, l, e, true_lb, true_extent));
}

#pragma weak MPI_Type_get_true_extent_c = PMPI_Type_get_true_extent_c
int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
	api_enter("MPI_Type_get_true_extent_c");
	return api_leave(NULL, true_extent_of(datatype, true_lb, true_extent));
}

#pragma weak MPI_Type_get_true_extent_x = PMPI_Type_get_true_extent_x
int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
	api_enter("MPI_Type_get_true_extent_x");
	return api_leave(NULL, true_extent_of(datatype, true_lb, true_extent));
}

/* MPI 5.0 section 3.2.5: 0 for an empty message of a type of size 0, MPI_UNDEFINED for a message
 * that is not a whole number of elements. */
static int count_of(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	struct type *t = NULL;
	uint64_t bytes;
	int rc;

	if (!status || !count)
		return null_argument();
	rc = type_lookup(datatype, &t);
	if (rc != MPI_SUCCESS)
		return rc;
	bytes = status_get_bytes(status);
	if (bytes == 0)
		*count = 0;
	else if (t->size == 0 || bytes % t->size != 0)
		*count = MPI_UNDEFINED;
	else
		*count = (MPI_Count)(bytes / t->size);
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_count = PMPI_Get_count
int PMPI_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	MPI_Count n = 0;
	int rc;

	api_enter("MPI_Get_count");
	rc = count ? count_of(status, datatype, &n) : null_argument();
	if (rc == MPI_SUCCESS)
		*count = n > INT_MAX ? MPI_UNDEFINED : (int)n;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Get_count_c = PMPI_Get_count_c
int PMPI_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	api_enter("MPI_Get_count_c");
	return api_leave(NULL, count_of(status, datatype, count));
}

#pragma weak MPI_Get_address = PMPI_Get_address
int PMPI_Get_address(const void *location, MPI_Aint *address)
{
	int rc = MPI_SUCCESS;

	api_enter("MPI_Get_address");
	if (address)
		*address = (MPI_Aint)(intptr_t)location;
	else
		rc = null_argument();
	return api_leave(NULL, rc);
}

/* Both wrap around as addresses do. */
#pragma weak MPI_Aint_add = PMPI_Aint_add
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

#pragma weak MPI_Aint_diff = PMPI_Aint_diff
MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
