/* SPDX-License-Identifier: BSD-3-Clause */
/* What hangs on a window: group, name, hints, attributes, error handler (MPI 5.0 sections 7.7.3,
 * 7.8, 9.3.2, 12.2.6, 12.2.7). */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/group.h"
#include "mpi/comm/hints.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/attr.h"
#include "mpi/handle/errtext.h"
#include "mpi/rma/win.h"

/* Look win up and check the place for an answer. */
static int lookup_for(MPI_Win win, const void *out, const char *what, struct win **w)
{
	int rc = win_lookup(win, w);

	return rc == MPI_SUCCESS ? check_pointer(out, what) : rc;
}

#pragma weak MPI_Win_get_group = PMPI_Win_get_group
int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
	struct win *w = NULL;

	api_enter("MPI_Win_get_group");
	int rc = lookup_for(win, group, "group", &w);
	if (rc == MPI_SUCCESS)
		rc = group_export(w->comm->group, group);
	return api_leave_win(w, rc);
}

/* ---- names ---- */

#pragma weak MPI_Win_set_name = PMPI_Win_set_name
int PMPI_Win_set_name(MPI_Win win, const char *win_name)
{
	struct win *w = NULL;

	api_enter("MPI_Win_set_name");
	int rc = lookup_for(win, win_name, "win_name", &w);
	if (rc == MPI_SUCCESS) /* a longer name is cut (MPI 5.0 section 7.8) */
		snprintf(w->name, sizeof(w->name), "%s", win_name);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_get_name = PMPI_Win_get_name
int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	const char *name = "MPI_WIN_NULL";
	struct win *w = NULL;

	api_enter("MPI_Win_get_name");
	/* the null handle has a name too (MPI 5.0 section 7.8) */
	int rc = win == MPI_WIN_NULL ? MPI_SUCCESS : win_lookup(win, &w);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(win_name, "win_name");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(resultlen, "resultlen");
	if (rc == MPI_SUCCESS) {
		if (w)
			name = w->name;
		strcpy(win_name, name);
		*resultlen = (int)strlen(name);
	}
	return api_leave_win(w, rc);
}

/* ---- hints ---- */

#pragma weak MPI_Win_set_info = PMPI_Win_set_info
int PMPI_Win_set_info(MPI_Win win, MPI_Info info)
{
	struct win *w = NULL;

	api_enter("MPI_Win_set_info");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS)
		rc = hints_set(&w->hints, hints_of_win, info);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_get_info = PMPI_Win_get_info
int PMPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	struct win *w = NULL;

	api_enter("MPI_Win_get_info");
	int rc = lookup_for(win, info_used, "info_used", &w);
	if (rc == MPI_SUCCESS)
		rc = hints_get(w->hints, hints_of_win, info_used);
	return api_leave_win(w, rc);
}

/* ---- attributes ---- */

#pragma weak MPI_Win_create_keyval = PMPI_Win_create_keyval
int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
	MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval, void *extra_state)
{
	struct attr_functions f = {.kind = ATTR_WIN,
		.copy.win = win_copy_attr_fn,
		.del.win = win_delete_attr_fn,
		.extra_state = extra_state};

	api_enter("MPI_Win_create_keyval");
	int rc = check_pointer(win_keyval, "win_keyval");
	if (rc == MPI_SUCCESS)
		rc = attr_key_create(&f, win_keyval);
	return api_leave(NULL, rc);
}

#pragma weak MPI_Win_free_keyval = PMPI_Win_free_keyval
int PMPI_Win_free_keyval(int *win_keyval)
{
	api_enter("MPI_Win_free_keyval");
	int rc = check_pointer(win_keyval, "win_keyval");
	if (rc == MPI_SUCCESS)
		rc = attr_key_free(ATTR_WIN, *win_keyval);
	if (rc == MPI_SUCCESS)
		*win_keyval = MPI_KEYVAL_INVALID;
	return api_leave(NULL, rc);
}

static int model = MPI_WIN_UNIFIED;

/* What every window has (section 12.2.6); NULL: another key. */
static void *predefined(struct win *w, int keyval)
{
	switch (keyval) {
	case MPI_WIN_BASE:
		return w->base;
	case MPI_WIN_SIZE:
		return &w->size;
	case MPI_WIN_DISP_UNIT:
		return &w->disp_unit;
	case MPI_WIN_CREATE_FLAVOR:
		return &w->flavor;
	case MPI_WIN_MODEL:
		return &model;
	default:
		return NULL;
	}
}

static bool is_predefined(int keyval)
{
	return keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL;
}

static int get_attr(struct win *w, int keyval, void *attribute_val, int *flag)
{
	void *value = predefined(w, keyval);
	bool found = is_predefined(keyval);
	int rc = found ? MPI_SUCCESS : attr_get(win_attrs(w), keyval, &value, &found);

	if (rc)
		return rc;
	*flag = found;
	if (found)
		memcpy(attribute_val, &value, sizeof value);
	return MPI_SUCCESS;
}

#pragma weak MPI_Win_get_attr = PMPI_Win_get_attr
int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
	struct win *w = NULL;

	api_enter("MPI_Win_get_attr");
	int rc = lookup_for(win, attribute_val, "attribute_val", &w);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(flag, "flag");
	if (rc == MPI_SUCCESS)
		rc = get_attr(w, win_keyval, attribute_val, flag);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_set_attr = PMPI_Win_set_attr
int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	struct win *w = NULL;

	api_enter("MPI_Win_set_attr");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS) {
		win_hold(w);
		rc = attr_set(win_attrs(w), win_keyval, attribute_val);
		win_release(w);
	}
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_delete_attr = PMPI_Win_delete_attr
int PMPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
	struct win *w = NULL;

	api_enter("MPI_Win_delete_attr");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS) {
		win_hold(w);
		rc = attr_delete(win_attrs(w), win_keyval);
		win_release(w);
	}
	return api_leave_win(w, rc);
}

/* ---- error handlers ---- */

#pragma weak MPI_Win_create_errhandler = PMPI_Win_create_errhandler
int PMPI_Win_create_errhandler(
	MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler)
{
	api_enter("MPI_Win_create_errhandler");
	int rc = win_errhandler_fn ? check_pointer(errhandler, "errhandler")
				   : fail_null("win_errhandler_fn");
	if (rc == MPI_SUCCESS)
		rc = errhandler_give(errhandler_make_win(win_errhandler_fn), errhandler);
	return api_leave(NULL, rc);
}

static int set_errhandler(struct win *w, MPI_Errhandler errhandler)
{
	struct errhandler *e = NULL;
	int rc = errhandler_lookup(errhandler, &e);

	if (rc == MPI_SUCCESS)
		rc = errhandler_check_kind(e, "windows");
	if (rc != MPI_SUCCESS)
		return rc;
	errhandler_hold(e);
	errhandler_release(w->errors.errhandler);
	w->errors.errhandler = e;
	return MPI_SUCCESS;
}

#pragma weak MPI_Win_set_errhandler = PMPI_Win_set_errhandler
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	struct win *w = NULL;

	api_enter("MPI_Win_set_errhandler");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS)
		rc = set_errhandler(w, errhandler);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_get_errhandler = PMPI_Win_get_errhandler
int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	struct win *w = NULL;

	api_enter("MPI_Win_get_errhandler");
	int rc = lookup_for(win, errhandler, "errhandler", &w);
	if (rc == MPI_SUCCESS)
		rc = errhandler_export(w->errors.errhandler, errhandler);
	return api_leave_win(w, rc);
}

#pragma weak MPI_Win_call_errhandler = PMPI_Win_call_errhandler
int PMPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
	struct win *w = NULL;

	api_enter("MPI_Win_call_errhandler");
	int rc = win_lookup(win, &w);
	if (rc == MPI_SUCCESS && !errtext_is_code(errorcode))
		rc = fail_with(MPI_ERR_ARG, "%d is not an error code", errorcode);
	if (rc == MPI_SUCCESS) {
		(void)fail_with(errorcode, "the program raised it itself");
		win_hold(w);
		engine_unlock();
		(void)errhandler_raise_win(&w->errors, errorcode);
		engine_lock_again();
		win_release(w);
		w = NULL; /* the handler may have freed it */
	}
	return api_leave_win(w, rc);
}
