/* SPDX-License-Identifier: BSD-3-Clause */
/* The tools interface: control variables (MPI 5.0 section 15.3.6), all of type MPI_INT. */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int enter_index(int cvar_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (cvar_index < 0 || cvar_index >= KNOB_COUNT))
		rc = MPI_T_ERR_INVALID_INDEX;
	return rc;
}

static int enter_handle(MPI_T_cvar_handle handle, const void *buf)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !tool_member(tool_cvar_list(), handle))
		rc = MPI_T_ERR_INVALID_HANDLE;
	if (rc == MPI_SUCCESS && !buf)
		rc = MPI_T_ERR_INVALID;
	return rc;
}

static struct tool_cvar *cvar_of(MPI_T_cvar_handle handle)
{
	return (struct tool_cvar *)(void *)handle;
}

#pragma weak MPI_T_cvar_get_num = PMPI_T_cvar_get_num
int PMPI_T_cvar_get_num(int *num_cvar)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !num_cvar)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS)
		*num_cvar = KNOB_COUNT;
	return tool_leave(rc);
}

#pragma weak MPI_T_cvar_get_info = PMPI_T_cvar_get_info
int PMPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
	MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
	int *scope)
{
	enum knob k = (enum knob)cvar_index;
	int rc = enter_index(cvar_index);

	if (rc == MPI_SUCCESS) {
		tool_string(knob_name(k), name, name_len);
		tool_string(knob_text(k), desc, desc_len);
		tool_int(MPI_T_VERBOSITY_TUNER_BASIC, verbosity);
		tool_int(MPI_T_BIND_NO_OBJECT, bind);
		tool_int(tool_knob_writable(k) ? MPI_T_SCOPE_LOCAL : MPI_T_SCOPE_READONLY, scope);
		if (datatype)
			*datatype = MPI_INT;
		if (enumtype)
			*enumtype = MPI_T_ENUM_NULL;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_cvar_get_index = PMPI_T_cvar_get_index
int PMPI_T_cvar_get_index(const char *name, int *cvar_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (!name || !cvar_index))
		rc = MPI_T_ERR_INVALID;
	for (int k = 0; rc == MPI_SUCCESS && k < KNOB_COUNT; k++) {
		if (strcmp(name, knob_name((enum knob)k)) == 0) {
			*cvar_index = k;
			return tool_leave(MPI_SUCCESS);
		}
	}
	return tool_leave(rc == MPI_SUCCESS ? MPI_T_ERR_INVALID_NAME : rc);
}

#pragma weak MPI_T_cvar_handle_alloc = PMPI_T_cvar_handle_alloc
int PMPI_T_cvar_handle_alloc(
	int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
	struct tool_cvar *c = NULL;
	int rc = enter_index(cvar_index);

	(void)obj_handle; /* none is bound to an object */
	if (rc == MPI_SUCCESS && (!handle || !count))
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS && !(c = malloc(sizeof *c)))
		rc = MPI_T_ERR_MEMORY;
	if (rc == MPI_SUCCESS) {
		c->knob = (enum knob)cvar_index;
		list_append(tool_cvar_list(), &c->link);
		*handle = (MPI_T_cvar_handle)(void *)c;
		*count = 1;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_cvar_handle_free = PMPI_T_cvar_handle_free
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	int rc = enter_handle(handle ? *handle : MPI_T_CVAR_HANDLE_NULL, handle);

	if (rc == MPI_SUCCESS) {
		list_remove(&cvar_of(*handle)->link);
		free(cvar_of(*handle));
		*handle = MPI_T_CVAR_HANDLE_NULL;
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_cvar_read = PMPI_T_cvar_read
int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	int rc = enter_handle(handle, buf), value;

	if (rc == MPI_SUCCESS) {
		value = (int)knob_get(cvar_of(handle)->knob);
		memcpy(buf, &value, sizeof value);
	}
	return tool_leave(rc);
}

/* A value out of range is refused, as it is in the environment. */
#pragma weak MPI_T_cvar_write = PMPI_T_cvar_write
int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	int rc = enter_handle(handle, buf), value;

	if (rc == MPI_SUCCESS && !tool_knob_writable(cvar_of(handle)->knob))
		rc = MPI_T_ERR_CVAR_SET_NEVER;
	if (rc == MPI_SUCCESS) {
		memcpy(&value, buf, sizeof value);
		if (!knob_set(cvar_of(handle)->knob, value))
			rc = MPI_T_ERR_INVALID;
	}
	return tool_leave(rc);
}
