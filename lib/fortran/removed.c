/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of MPI-1 that MPI 3.0 removed, for programs that are older. Their addresses are INTEGERs:
 * one that does not fit is an error.
 */
#include <limits.h>

#include "by_hand.h"

static int narrow(const char *name, MPI_Aint wide, int *out)
{
	if (wide < INT_MIN || wide > INT_MAX)
		return ftn_fail(name, MPI_ERR_ARG,
			"the result does not fit into an INTEGER: use the call that took the place "
			"of this one");
	*out = (int)wide;
	return MPI_SUCCESS;
}

void ftn_address(const void *location, int *address, int *ierror)
{
	MPI_Aint at;
	int rc = PMPI_Get_address(ftn_buffer(location), &at);

	ftn_error_out(ierror, rc == MPI_SUCCESS ? narrow("MPI_Address", at, address) : rc);
}

static void made(MPI_Datatype type, int rc, int *newtype, int *ierror)
{
	if (rc == MPI_SUCCESS)
		*newtype = PMPI_Type_toint(type);
	ftn_error_out(ierror, rc);
}

void ftn_type_hvector(const int *count, const int *blocklength, const int *stride,
	const int *oldtype, int *newtype, int *ierror)
{
	MPI_Datatype type = MPI_DATATYPE_NULL;
	int rc = PMPI_Type_create_hvector(
		*count, *blocklength, *stride, PMPI_Type_fromint(*oldtype), &type);

	made(type, rc, newtype, ierror);
}

static MPI_Aint *widened(struct ftn_room *room, const int *numbers, int n)
{
	MPI_Aint *out = ftn_take(room, n, sizeof *out);

	for (int i = 0; out && i < n; i++)
		out[i] = numbers[i];
	return out;
}

void ftn_type_hindexed(const int *count, const int *array_of_blocklengths,
	const int *array_of_displacements, const int *oldtype, int *newtype, int *ierror)
{
	struct ftn_room room = {.used = 0};
	MPI_Aint *at = widened(&room, array_of_displacements, *count);
	MPI_Datatype type = MPI_DATATYPE_NULL;
	int rc = room.failed ? ftn_no_memory("MPI_Type_hindexed")
			     : PMPI_Type_create_hindexed(*count, array_of_blocklengths, at,
				       PMPI_Type_fromint(*oldtype), &type);

	ftn_room_done(&room);
	made(type, rc, newtype, ierror);
}

void ftn_type_struct(const int *count, const int *array_of_blocklengths,
	const int *array_of_displacements, const int *array_of_types, int *newtype, int *ierror)
{
	struct ftn_room room = {.used = 0};
	MPI_Aint *at = widened(&room, array_of_displacements, *count);
	MPI_Datatype *types = ftn_take(&room, *count, sizeof *types), type = MPI_DATATYPE_NULL;
	int rc;

	for (int i = 0; types && i < *count; i++)
		types[i] = PMPI_Type_fromint(array_of_types[i]);
	rc = room.failed ? ftn_no_memory("MPI_Type_struct")
			 : PMPI_Type_create_struct(*count, array_of_blocklengths, at, types, &type);
	ftn_room_done(&room);
	made(type, rc, newtype, ierror);
}

void ftn_type_extent(const int *datatype, int *extent, int *ierror)
{
	MPI_Aint lb, wide;
	int rc = PMPI_Type_get_extent(PMPI_Type_fromint(*datatype), &lb, &wide);

	ftn_error_out(ierror, rc == MPI_SUCCESS ? narrow("MPI_Type_extent", wide, extent) : rc);
}

void ftn_type_lb(const int *datatype, int *displacement, int *ierror)
{
	MPI_Aint lb, extent;
	int rc = PMPI_Type_get_extent(PMPI_Type_fromint(*datatype), &lb, &extent);

	ftn_error_out(ierror, rc == MPI_SUCCESS ? narrow("MPI_Type_lb", lb, displacement) : rc);
}

void ftn_type_ub(const int *datatype, int *displacement, int *ierror)
{
	MPI_Aint lb, extent;
	int rc = PMPI_Type_get_extent(PMPI_Type_fromint(*datatype), &lb, &extent);

	ftn_error_out(
		ierror, rc == MPI_SUCCESS ? narrow("MPI_Type_ub", lb + extent, displacement) : rc);
}

void ftn_errhandler_create(ftn_function *function, int *errhandler, int *ierror)
{
	ftn_comm_create_errhandler(function, errhandler, ierror);
}
