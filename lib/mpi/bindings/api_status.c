/* SPDX-License-Identifier: BSD-3-Clause */
/* What a status says, and what a program makes it say: MPI 5.0 sections 3.2.5, 3.8.4 and 13.3. */
#include "mpi/handle/status.h"

#include <stddef.h>

#include "api.h"
#include "check.h"

#pragma weak MPI_Test_cancelled = PMPI_Test_cancelled
int PMPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	int rc;

	api_enter_anytime("MPI_Test_cancelled");
	rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		*flag = status_get_cancelled(status);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Status_set_cancelled = PMPI_Status_set_cancelled
int PMPI_Status_set_cancelled(MPI_Status *status, int flag)
{
	int rc;

	api_enter_anytime("MPI_Status_set_cancelled");
	rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		status_set_cancelled(status, flag != 0);
	return api_leave_anytime(rc);
}

static int get(const MPI_Status *status, size_t field, const char *what, int *out)
{
	int rc = check_pointer(status, "status");

	if (rc == MPI_SUCCESS)
		rc = check_pointer(out, what);
	if (rc == MPI_SUCCESS)
		*out = *(const int *)((const char *)status + field);
	return api_leave_anytime(rc);
}

static int set(MPI_Status *status, size_t field, int value)
{
	int rc = check_pointer(status, "status");

	if (rc == MPI_SUCCESS)
		*(int *)((char *)status + field) = value;
	return api_leave_anytime(rc);
}

#pragma weak MPI_Status_get_source = PMPI_Status_get_source
int PMPI_Status_get_source(const MPI_Status *status, int *source)
{
	api_enter_anytime("MPI_Status_get_source");
	return get(status, offsetof(MPI_Status, MPI_SOURCE), "source", source);
}

#pragma weak MPI_Status_set_source = PMPI_Status_set_source
int PMPI_Status_set_source(MPI_Status *status, int source)
{
	api_enter_anytime("MPI_Status_set_source");
	return set(status, offsetof(MPI_Status, MPI_SOURCE), source);
}

#pragma weak MPI_Status_get_tag = PMPI_Status_get_tag
int PMPI_Status_get_tag(const MPI_Status *status, int *tag)
{
	api_enter_anytime("MPI_Status_get_tag");
	return get(status, offsetof(MPI_Status, MPI_TAG), "tag", tag);
}

#pragma weak MPI_Status_set_tag = PMPI_Status_set_tag
int PMPI_Status_set_tag(MPI_Status *status, int tag)
{
	api_enter_anytime("MPI_Status_set_tag");
	return set(status, offsetof(MPI_Status, MPI_TAG), tag);
}

#pragma weak MPI_Status_get_error = PMPI_Status_get_error
int PMPI_Status_get_error(const MPI_Status *status, int *error)
{
	api_enter_anytime("MPI_Status_get_error");
	return get(status, offsetof(MPI_Status, MPI_ERROR), "error", error);
}

#pragma weak MPI_Status_set_error = PMPI_Status_set_error
int PMPI_Status_set_error(MPI_Status *status, int error)
{
	api_enter_anytime("MPI_Status_set_error");
	return set(status, offsetof(MPI_Status, MPI_ERROR), error);
}
