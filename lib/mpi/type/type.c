/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatype handles: what they mean, and their names. */
#include "type.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "type_table.h"

int type_lookup(MPI_Datatype handle, struct type **out)
{
	struct type *t = type_predefined(handle);

	if (!t && handle_table_has(handle, OBJECT_TYPE))
		t = (struct type *)(void *)handle;
	if (t) {
		*out = t;
		return MPI_SUCCESS;
	}
	if (handle == MPI_DATATYPE_NULL)
		return fail_with(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
	if (type_table_is_missing(handle))
		return fail_with(MPI_ERR_TYPE,
			"the optional Fortran datatype 0x%x does not exist in this build",
			(unsigned)(uintptr_t)handle);
	return fail_with(
		MPI_ERR_TYPE, "%p is not a datatype (freed, or never made)", (void *)handle);
}

int type_lookup_committed(MPI_Datatype handle, struct type **out)
{
	struct type *t = type_predefined(handle);
	int rc = t ? MPI_SUCCESS : type_lookup(handle, &t);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!t->committed)
		return fail_with(MPI_ERR_TYPE,
			"the datatype was not committed; call MPI_Type_commit before using it");
	*out = t;
	return MPI_SUCCESS;
}

struct type *type_bytes(void)
{
	return type_predefined(MPI_BYTE);
}

void type_free(struct type *t)
{
	handle_table_remove(&t->head);
	type_release(t);
}

const char *type_name(const struct type *t)
{
	const char *born = type_table_name(t->handle);

	if (t->name)
		return t->name;
	return born ? born : "";
}

int type_set_name(struct type *t, const char *name)
{
	char *copy = strndup(name, MPI_MAX_OBJECT_NAME - 1);

	if (!copy)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the name of a datatype");
	free(t->name);
	t->name = copy;
	return MPI_SUCCESS;
}

void type_fini(void)
{
	struct object *o;

	while ((o = handle_table_any(OBJECT_TYPE)))
		type_free((struct type *)(void *)o);
	for (uintptr_t h = TYPE_FIRST; h <= TYPE_LAST; h++) {
		struct type *t = type_predefined((MPI_Datatype)h);

		if (!t)
			continue;
		attr_forget_all(&t->attrs);
		free(t->name);
		t->name = NULL;
	}
}
