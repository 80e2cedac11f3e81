/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes and their texts (MPI 5.0 sections 9.4 and 9.5): legal at any time. */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/handle/errtext.h"

#pragma weak MPI_Error_class = PMPI_Error_class
int PMPI_Error_class(int errorcode, int *errorclass)
{
	api_enter_anytime("MPI_Error_class");
	int rc = check_pointer(errorclass, "errorclass");
	if (rc == MPI_SUCCESS && !errtext_is_code(errorcode))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (rc == MPI_SUCCESS)
		*errorclass = errtext_class_of(errorcode);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Error_string = PMPI_Error_string
int PMPI_Error_string(int errorcode, char *string, int *resultlen)
{
	api_enter_anytime("MPI_Error_string");
	int rc = check_pointer(string, "string");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(resultlen, "resultlen");
	if (rc == MPI_SUCCESS && !errtext_is_code(errorcode))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (rc == MPI_SUCCESS)
		*resultlen = (int)errtext_get(errorcode, string, MPI_MAX_ERROR_STRING);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Add_error_class = PMPI_Add_error_class
int PMPI_Add_error_class(int *errorclass)
{
	api_enter_anytime("MPI_Add_error_class");
	int rc = check_pointer(errorclass, "errorclass");
	if (rc == MPI_SUCCESS)
		rc = errtext_add_class(errorclass);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Add_error_code = PMPI_Add_error_code
int PMPI_Add_error_code(int errorclass, int *errorcode)
{
	api_enter_anytime("MPI_Add_error_code");
	int rc = check_pointer(errorcode, "errorcode");
	if (rc == MPI_SUCCESS)
		rc = errtext_add_code(errorclass, errorcode);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Add_error_string = PMPI_Add_error_string
int PMPI_Add_error_string(int errorcode, const char *string)
{
	api_enter_anytime("MPI_Add_error_string");
	int rc = check_pointer(string, "string");
	if (rc == MPI_SUCCESS)
		rc = errtext_add_string(errorcode, string);
	return api_leave_anytime(rc);
}

#pragma weak MPI_Remove_error_class = PMPI_Remove_error_class
int PMPI_Remove_error_class(int errorclass)
{
	api_enter_anytime("MPI_Remove_error_class");
	return api_leave_anytime(errtext_remove_class(errorclass));
}

#pragma weak MPI_Remove_error_code = PMPI_Remove_error_code
int PMPI_Remove_error_code(int errorcode)
{
	api_enter_anytime("MPI_Remove_error_code");
	return api_leave_anytime(errtext_remove_code(errorcode));
}

#pragma weak MPI_Remove_error_string = PMPI_Remove_error_string
int PMPI_Remove_error_string(int errorcode)
{
	api_enter_anytime("MPI_Remove_error_string");
	return api_leave_anytime(errtext_remove_string(errorcode));
}
