/* SPDX-License-Identifier: BSD-3-Clause */
/* Basic elements of a message (MPI 5.0 sections 5.1.11 and 13.3), and the datatypes that go by what
 * they hold (sections 6.9.4 and 19.1.9). */
#include <limits.h>

#include "api.h"
#include "api_type.h"
#include "mpi/handle/status.h"
#include "mpi/type/type_f90.h"
#include "mpi/type/signature.h"

static int elements(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	struct type *t = NULL;
	size_t n;
	int rc = type_lookup(datatype, &t);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(count, "count");
	if (rc != MPI_SUCCESS)
		return rc;
	n = signature_elements(t, (size_t)status_get_bytes(status));
	*count = n == (size_t)-1 ? MPI_UNDEFINED : (MPI_Count)n;
	return MPI_SUCCESS;
}

#pragma weak MPI_Get_elements = PMPI_Get_elements
int PMPI_Get_elements(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
	MPI_Count n = 0;
	int rc;

	api_enter("MPI_Get_elements");
	rc = elements(status, datatype, count ? &n : NULL);
	if (rc == MPI_SUCCESS)
		*count = n > INT_MAX ? MPI_UNDEFINED : (int)n;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Get_elements_c = PMPI_Get_elements_c
int PMPI_Get_elements_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	api_enter("MPI_Get_elements_c");
	return api_leave(NULL, elements(status, datatype, count));
}

#pragma weak MPI_Get_elements_x = PMPI_Get_elements_x
int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	api_enter("MPI_Get_elements_x");
	return api_leave(NULL, elements(status, datatype, count));
}

static int set_elements(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	struct type *t = NULL;
	size_t bytes;
	int rc = type_lookup(datatype, &t);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(status, "status");
	if (rc == MPI_SUCCESS)
		rc = type_need_count(count);
	if (rc != MPI_SUCCESS)
		return rc;
	bytes = signature_bytes(t, (size_t)count);
	if (bytes == (size_t)-1)
		return fail_with(MPI_ERR_ARG,
			"there are no %lld basic elements of a datatype of %zu", (long long)count,
			t->elements);
	status_set_bytes(status, bytes);
	return MPI_SUCCESS;
}

#pragma weak MPI_Status_set_elements = PMPI_Status_set_elements
int PMPI_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, int count)
{
	api_enter("MPI_Status_set_elements");
	return api_leave(NULL, set_elements(status, datatype, count));
}

#pragma weak MPI_Status_set_elements_c = PMPI_Status_set_elements_c
int PMPI_Status_set_elements_c(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	api_enter("MPI_Status_set_elements_c");
	return api_leave(NULL, set_elements(status, datatype, count));
}

#pragma weak MPI_Status_set_elements_x = PMPI_Status_set_elements_x
int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	api_enter("MPI_Status_set_elements_x");
	return api_leave(NULL, set_elements(status, datatype, count));
}

static int f90(int combiner, int p, int r, MPI_Datatype *newtype)
{
	struct type *t = NULL;
	int rc = check_pointer(newtype, "newtype");

	if (rc == MPI_SUCCESS && p == MPI_UNDEFINED && r == MPI_UNDEFINED)
		rc = fail_with(MPI_ERR_ARG, "p and r must not both be MPI_UNDEFINED");
	if (rc == MPI_SUCCESS)
		rc = type_f90(combiner, p, r, &t);
	if (rc == MPI_SUCCESS)
		*newtype = t->handle;
	return rc;
}

#pragma weak MPI_Type_create_f90_real = PMPI_Type_create_f90_real
int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_f90_real");
	return api_leave(NULL, f90(MPI_COMBINER_F90_REAL, p, r, newtype));
}

#pragma weak MPI_Type_create_f90_complex = PMPI_Type_create_f90_complex
int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_f90_complex");
	return api_leave(NULL, f90(MPI_COMBINER_F90_COMPLEX, p, r, newtype));
}

#pragma weak MPI_Type_create_f90_integer = PMPI_Type_create_f90_integer
int PMPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
	api_enter("MPI_Type_create_f90_integer");
	return api_leave(NULL, f90(MPI_COMBINER_F90_INTEGER, 0, r, newtype));
}

#pragma weak MPI_Type_match_size = PMPI_Type_match_size
int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
	int rc;

	api_enter("MPI_Type_match_size");
	rc = check_pointer(datatype, "datatype");
	if (rc == MPI_SUCCESS)
		rc = type_f90_match_size(typeclass, size, datatype);
	return api_leave(NULL, rc);
}

static int value_index(MPI_Datatype value, MPI_Datatype index, MPI_Datatype *pair)
{
	struct type *t = NULL;
	int rc = check_pointer(pair, "pair_type");

	if (rc == MPI_SUCCESS)
		rc = type_lookup(value, &t);
	if (rc == MPI_SUCCESS)
		rc = type_lookup(index, &t);
	if (rc == MPI_SUCCESS)
		*pair = type_value_index(value, index);
	return rc;
}

#pragma weak MPI_Type_get_value_index = PMPI_Type_get_value_index
int PMPI_Type_get_value_index(
	MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type)
{
	api_enter("MPI_Type_get_value_index");
	return api_leave(NULL, value_index(value_type, index_type, pair_type));
}
