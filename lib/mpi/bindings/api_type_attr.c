/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and attributes of datatypes (MPI 5.0 sections 7.7.4 and 7.8). */
#include <string.h>

#include "api.h"
#include "api_type.h"
#include "mpi/type/type_table.h"

static int set_name(MPI_Datatype datatype, const char *name)
{
	struct type *t = NULL;
	int rc = type_lookup(datatype, &t);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(name, "type_name");
	return rc == MPI_SUCCESS ? type_set_name(t, name) : rc;
}

#pragma weak MPI_Type_set_name = PMPI_Type_set_name
int PMPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
	api_enter("MPI_Type_set_name");
	return api_leave(NULL, set_name(datatype, type_name));
}

/* The null handle has a name, and what this build does not have. */
static int find_name(MPI_Datatype datatype, const char **name)
{
	struct type *t = NULL;
	int rc;

	if (datatype == MPI_DATATYPE_NULL || type_table_is_missing(datatype)) {
		*name = type_table_name(datatype);
		return MPI_SUCCESS;
	}
	rc = type_lookup(datatype, &t);
	if (rc == MPI_SUCCESS)
		*name = type_name(t);
	return rc;
}

static int get_name(MPI_Datatype datatype, char *name, int *len)
{
	const char *found = NULL;
	int rc = find_name(datatype, &found);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(name, "type_name");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(len, "resultlen");
	if (rc != MPI_SUCCESS)
		return rc;
	strcpy(name, found);
	*len = (int)strlen(found);
	return MPI_SUCCESS;
}

#pragma weak MPI_Type_get_name = PMPI_Type_get_name
int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
	api_enter("MPI_Type_get_name");
	return api_leave(NULL, get_name(datatype, type_name, resultlen));
}

#pragma weak MPI_Type_create_keyval = PMPI_Type_create_keyval
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
	MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval, void *extra_state)
{
	struct attr_functions f = {.kind = ATTR_TYPE,
		.copy.type = type_copy_attr_fn,
		.del.type = type_delete_attr_fn,
		.extra_state = extra_state};
	int rc;

	api_enter("MPI_Type_create_keyval");
	rc = check_pointer(type_keyval, "type_keyval");
	if (rc == MPI_SUCCESS)
		rc = attr_key_create(&f, type_keyval);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Type_free_keyval = PMPI_Type_free_keyval
int PMPI_Type_free_keyval(int *type_keyval)
{
	int rc;

	api_enter("MPI_Type_free_keyval");
	rc = check_pointer(type_keyval, "type_keyval");
	if (rc == MPI_SUCCESS)
		rc = attr_key_free(ATTR_TYPE, *type_keyval);
	if (rc == MPI_SUCCESS)
		*type_keyval = MPI_KEYVAL_INVALID;
	return api_leave(NULL, rc);
}

/* The type lives on while a callback runs, whoever frees it. */
static int set(MPI_Datatype datatype, int keyval, void *value)
{
	struct type *t = NULL;
	int rc = type_lookup(datatype, &t);

	if (rc != MPI_SUCCESS)
		return rc;
	type_hold(t);
	rc = attr_set(type_attrs(t), keyval, value);
	type_release(t);
	return rc;
}

#pragma weak MPI_Type_set_attr = PMPI_Type_set_attr
int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
	api_enter("MPI_Type_set_attr");
	return api_leave(NULL, set(datatype, type_keyval, attribute_val));
}

static int get(MPI_Datatype datatype, int keyval, void *value, int *flag)
{
	struct type *t = NULL;
	bool found = false;
	int rc = type_lookup(datatype, &t);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(value, "attribute_val");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = attr_get(type_attrs(t), keyval, value, &found);
	if (rc == MPI_SUCCESS)
		*flag = found;
	return rc;
}

#pragma weak MPI_Type_get_attr = PMPI_Type_get_attr
int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
	api_enter("MPI_Type_get_attr");
	return api_leave(NULL, get(datatype, type_keyval, attribute_val, flag));
}

static int delete_attr(MPI_Datatype datatype, int keyval)
{
	struct type *t = NULL;
	int rc = type_lookup(datatype, &t);

	if (rc != MPI_SUCCESS)
		return rc;
	type_hold(t);
	rc = attr_delete(type_attrs(t), keyval);
	type_release(t);
	return rc;
}

#pragma weak MPI_Type_delete_attr = PMPI_Type_delete_attr
int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
	api_enter("MPI_Type_delete_attr");
	return api_leave(NULL, delete_attr(datatype, type_keyval));
}
