/* SPDX-License-Identifier: BSD-3-Clause */
/* The tools interface: start, end, enumerations, categories (MPI 5.0 sections 15.3.4 to 15.3.5,
 * 15.3.9). */
#include <string.h>

#include "base/log.h"
#include "mpi/init/runtime.h"
#include "tool.h"

#pragma weak MPI_T_init_thread = PMPI_T_init_thread
int PMPI_T_init_thread(int required, int *provided)
{
	char err[512];
	bool fresh = tool_enter() == MPI_T_ERR_NOT_INITIALIZED;

	if (fresh && runtime_state() == RUNTIME_BEFORE && knob_load(err, sizeof err) != 0) {
		log_error("MPI_T_init_thread: %s", err);
		return tool_leave(MPI_T_ERR_CANNOT_INIT);
	}
	tool_begin();
	tool_int(required > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : required, provided);
	return tool_leave(MPI_SUCCESS);
}

#pragma weak MPI_T_finalize = PMPI_T_finalize
int PMPI_T_finalize(void)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS)
		(void)tool_end();
	return tool_leave(rc);
}

/* ---- enumerations ---- */

static const struct tool_enum *enum_of(MPI_T_enum handle)
{
	for (int i = 0; i < tool_pvar_count; i++) {
		if (tool_pvars[i].items && (const void *)tool_pvars[i].items == (void *)handle)
			return tool_pvars[i].items;
	}
	return NULL;
}

#pragma weak MPI_T_enum_get_info = PMPI_T_enum_get_info
int PMPI_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
	const struct tool_enum *e = enum_of(enumtype);
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !e)
		rc = MPI_T_ERR_INVALID_HANDLE;
	if (rc == MPI_SUCCESS) {
		tool_int(e->count, num);
		tool_string(e->name, name, name_len);
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_enum_get_item = PMPI_T_enum_get_item
int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len)
{
	const struct tool_enum *e = enum_of(enumtype);
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !e)
		rc = MPI_T_ERR_INVALID_HANDLE;
	if (rc == MPI_SUCCESS && (indx < 0 || indx >= e->count))
		rc = MPI_T_ERR_INVALID_INDEX;
	if (rc == MPI_SUCCESS) {
		tool_int(indx, value);
		tool_string(e->items[indx], name, name_len);
	}
	return tool_leave(rc);
}

/* ---- categories ---- */

/* What belongs to a category is told for index 0, 1, ... of its kind: which category it is in. */
typedef int (*category_of)(int index);

static int category_of_cvar(int index)
{
	return index < KNOB_COUNT ? tool_knob_category((enum knob)index) : -2;
}

static int category_of_pvar(int index)
{
	return index < tool_pvar_count ? tool_pvars[index].category : -2;
}

static int category_of_category(int index)
{
	return index < tool_category_count ? tool_categories[index].parent : -2;
}

/* The first len members into indices; how many there are. */
static int members(category_of of, int category, int len, int *indices)
{
	int n = 0;

	for (int i = 0; of(i) != -2; i++) {
		if (of(i) != category)
			continue;
		if (n < len)
			indices[n] = i;
		n++;
	}
	return n;
}

static int enter_category(int cat_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (cat_index < 0 || cat_index >= tool_category_count))
		rc = MPI_T_ERR_INVALID_INDEX;
	return rc;
}

static int get_members(category_of of, int cat_index, int len, int *indices)
{
	int rc = enter_category(cat_index);

	if (rc == MPI_SUCCESS && (len < 0 || (len > 0 && !indices)))
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS)
		(void)members(of, cat_index, len, indices);
	return tool_leave(rc);
}

#pragma weak MPI_T_category_get_num = PMPI_T_category_get_num
int PMPI_T_category_get_num(int *num_cat)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !num_cat)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS)
		*num_cat = tool_category_count;
	return tool_leave(rc);
}

#pragma weak MPI_T_category_get_info = PMPI_T_category_get_info
int PMPI_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
	int *num_cvars, int *num_pvars, int *num_categories)
{
	int rc = enter_category(cat_index);

	if (rc == MPI_SUCCESS) {
		tool_string(tool_categories[cat_index].name, name, name_len);
		tool_string(tool_categories[cat_index].text, desc, desc_len);
		tool_int(members(category_of_cvar, cat_index, 0, NULL), num_cvars);
		tool_int(members(category_of_pvar, cat_index, 0, NULL), num_pvars);
		tool_int(members(category_of_category, cat_index, 0, NULL), num_categories);
	}
	return tool_leave(rc);
}

#pragma weak MPI_T_category_get_num_events = PMPI_T_category_get_num_events
int PMPI_T_category_get_num_events(int cat_index, int *num_events)
{
	int rc = enter_category(cat_index);

	if (rc == MPI_SUCCESS)
		tool_int(0, num_events);
	return tool_leave(rc);
}

#pragma weak MPI_T_category_get_index = PMPI_T_category_get_index
int PMPI_T_category_get_index(const char *name, int *cat_index)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && (!name || !cat_index))
		rc = MPI_T_ERR_INVALID;
	for (int i = 0; rc == MPI_SUCCESS && i < tool_category_count; i++) {
		if (strcmp(name, tool_categories[i].name) == 0) {
			*cat_index = i;
			return tool_leave(MPI_SUCCESS);
		}
	}
	return tool_leave(rc == MPI_SUCCESS ? MPI_T_ERR_INVALID_NAME : rc);
}

#pragma weak MPI_T_category_get_cvars = PMPI_T_category_get_cvars
int PMPI_T_category_get_cvars(int cat_index, int len, int indices[])
{
	return get_members(category_of_cvar, cat_index, len, indices);
}

#pragma weak MPI_T_category_get_pvars = PMPI_T_category_get_pvars
int PMPI_T_category_get_pvars(int cat_index, int len, int indices[])
{
	return get_members(category_of_pvar, cat_index, len, indices);
}

#pragma weak MPI_T_category_get_categories = PMPI_T_category_get_categories
int PMPI_T_category_get_categories(int cat_index, int len, int indices[])
{
	return get_members(category_of_category, cat_index, len, indices);
}

#pragma weak MPI_T_category_get_events = PMPI_T_category_get_events
int PMPI_T_category_get_events(int cat_index, int len, int indices[])
{
	int rc = enter_category(cat_index);

	(void)indices; /* there are none to be written */
	if (rc == MPI_SUCCESS && len < 0)
		rc = MPI_T_ERR_INVALID;
	return tool_leave(rc);
}

/* What there is does not change while the process lives. */
#pragma weak MPI_T_category_changed = PMPI_T_category_changed
int PMPI_T_category_changed(int *update_number)
{
	int rc = tool_enter();

	if (rc == MPI_SUCCESS && !update_number)
		rc = MPI_T_ERR_INVALID;
	if (rc == MPI_SUCCESS)
		*update_number = 0;
	return tool_leave(rc);
}
