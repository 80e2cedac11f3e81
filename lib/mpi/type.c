/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatype handles: what they mean, and how long a type lives. */
#include "type.h"

#include <stdlib.h>

#include "api.h"
#include "live.h"
#include "type_layout.h"
#include "type_table.h"

int type_lookup(MPI_Datatype handle, struct type **out)
{
	struct type *t = type_predefined(handle);

	if (!t && live_has(handle, OBJECT_TYPE))
		t = (struct type *)(void *)handle;
	if (t) {
		*out = t;
		return MPI_SUCCESS;
	}
	if (handle == MPI_DATATYPE_NULL)
		return api_fail(MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL");
	if (type_is_missing(handle))
		return api_fail(MPI_ERR_TYPE,
			"the optional Fortran datatype 0x%x does not exist in this build",
			(unsigned)(uintptr_t)handle);
	return api_fail(
		MPI_ERR_TYPE, "%p is not a datatype (freed, or never made)", (void *)handle);
}

int type_lookup_committed(MPI_Datatype handle, struct type **out)
{
	struct type *t = NULL;
	int rc = type_lookup(handle, &t);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!t->committed)
		return api_fail(MPI_ERR_TYPE,
			"the datatype was not committed; call MPI_Type_commit before using it");
	*out = t;
	return MPI_SUCCESS;
}

struct type *type_bytes(void)
{
	return type_predefined(MPI_BYTE);
}

void type_hold(struct type *t)
{
	if (!handle_is_predefined(t->handle))
		t->head.refs++;
}

void type_release(struct type *t)
{
	if (handle_is_predefined(t->handle) || --t->head.refs > 0)
		return;
	t->head.kind = OBJECT_FREED;
	layout_release(t->layout);
	free(t);
}

void type_free(struct type *t)
{
	live_remove(&t->head);
	type_release(t);
}
