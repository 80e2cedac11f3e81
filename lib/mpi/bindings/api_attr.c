/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of communicators (MPI 5.0 section 7.7.2), and their old names (section 16.1). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/handle/attr.h"

static int create(const struct attr_functions *f, int *keyval)
{
	int rc = check_pointer(keyval, "keyval");

	if (rc == MPI_SUCCESS)
		rc = attr_key_create(f, keyval);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Comm_create_keyval = PMPI_Comm_create_keyval
int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
	MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state)
{
	struct attr_functions f = {.kind = ATTR_COMM,
		.copy.comm = comm_copy_attr_fn,
		.del.comm = comm_delete_attr_fn,
		.extra_state = extra_state};

	api_enter("MPI_Comm_create_keyval");
	return create(&f, comm_keyval);
}

#pragma weak MPI_Keyval_create = PMPI_Keyval_create
int PMPI_Keyval_create(
	MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state)
{
	struct attr_functions f = {.kind = ATTR_COMM,
		.copy.comm = copy_fn,
		.del.comm = delete_fn,
		.extra_state = extra_state};

	api_enter("MPI_Keyval_create");
	return create(&f, keyval);
}

static int free_key(int *keyval)
{
	int rc = check_pointer(keyval, "keyval");

	if (rc == MPI_SUCCESS)
		rc = attr_key_free(ATTR_COMM, *keyval);
	if (rc == MPI_SUCCESS)
		*keyval = MPI_KEYVAL_INVALID;
	return api_leave(NULL, rc);
}

#pragma weak MPI_Comm_free_keyval = PMPI_Comm_free_keyval
int PMPI_Comm_free_keyval(int *comm_keyval)
{
	api_enter("MPI_Comm_free_keyval");
	return free_key(comm_keyval);
}

#pragma weak MPI_Keyval_free = PMPI_Keyval_free
int PMPI_Keyval_free(int *keyval)
{
	api_enter("MPI_Keyval_free");
	return free_key(keyval);
}

static int set(MPI_Comm comm, int keyval, void *value)
{
	struct comm *c = NULL;
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = attr_set(comm_attrs(c), keyval, value);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_set_attr = PMPI_Comm_set_attr
int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	api_enter("MPI_Comm_set_attr");
	return set(comm, comm_keyval, attribute_val);
}

#pragma weak MPI_Attr_put = PMPI_Attr_put
int PMPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
	api_enter("MPI_Attr_put");
	return set(comm, keyval, attribute_val);
}

static int get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
	struct comm *c = NULL;
	bool found = false;
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(attribute_val, "attribute_val");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = comm_attr_get(c, keyval, attribute_val, &found);
	if (rc == MPI_SUCCESS)
		*flag = found;
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_get_attr = PMPI_Comm_get_attr
int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
	api_enter("MPI_Comm_get_attr");
	return get(comm, comm_keyval, attribute_val, flag);
}

#pragma weak MPI_Attr_get = PMPI_Attr_get
int PMPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
	api_enter("MPI_Attr_get");
	return get(comm, keyval, attribute_val, flag);
}

static int delete (MPI_Comm comm, int keyval)
{
	struct comm *c = NULL;
	int rc = comm_lookup(comm, &c);

	if (rc == MPI_SUCCESS)
		rc = attr_delete(comm_attrs(c), keyval);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_delete_attr = PMPI_Comm_delete_attr
int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
	api_enter("MPI_Comm_delete_attr");
	return delete (comm, comm_keyval);
}

#pragma weak MPI_Attr_delete = PMPI_Attr_delete
int PMPI_Attr_delete(MPI_Comm comm, int keyval)
{
	api_enter("MPI_Attr_delete");
	return delete (comm, keyval);
}
