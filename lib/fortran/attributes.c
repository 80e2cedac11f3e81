/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes and their keys. The functions of a key are C functions here, which call the program's;
 * an extra state of the library's says which. Keys that are alike share one, and it stays.
 */
#include <pthread.h>
#include <stdlib.h>

#include "attributes.h"
#include "by_hand.h"

typedef void(fortran_copy)(int *object, int *keyval, MPI_Aint *extra_state, MPI_Aint *in,
	MPI_Aint *out, int *flag, int *ierror);
typedef void(fortran_delete)(
	int *object, int *keyval, MPI_Aint *value, MPI_Aint *extra_state, int *ierror);
typedef void(fortran_copy_1)(
	int *object, int *keyval, int *extra_state, int *in, int *out, int *flag, int *ierror);
typedef void(fortran_delete_1)(int *object, int *keyval, int *value, int *extra_state, int *ierror);

struct functions {
	ftn_function *copy, *del;
	MPI_Aint extra_state;
	bool legacy; /* of MPI-1: all integers are INTEGER */
	struct functions *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct functions *all;

static bool alike(const struct functions *a, const struct functions *b)
{
	return a->copy == b->copy && a->del == b->del && a->extra_state == b->extra_state &&
	       a->legacy == b->legacy;
}

/* NULL: no memory. */
static struct functions *shared(struct functions wanted)
{
	struct functions *f;

	pthread_mutex_lock(&lock);
	for (f = all; f && !alike(f, &wanted); f = f->next)
		;
	if (!f && (f = malloc(sizeof *f))) {
		wanted.next = all;
		*f = wanted;
		all = f;
	}
	pthread_mutex_unlock(&lock);
	return f;
}

/* ---- the program's functions are called ---- */

static int copy(int object, int keyval, const struct functions *f, void *in, void **out, int *flag)
{
	MPI_Aint extra = f->extra_state, from = ftn_cell_value(in), to = 0;
	int rc = MPI_SUCCESS, wanted = 0;

	if (f->legacy) {
		int extra_1 = (int)extra, from_1 = (int)from, to_1 = 0;

		((fortran_copy_1 *)f->copy)(
			&object, &keyval, &extra_1, &from_1, &to_1, &wanted, &rc);
		to = to_1;
	} else {
		((fortran_copy *)f->copy)(&object, &keyval, &extra, &from, &to, &wanted, &rc);
	}
	*flag = rc == MPI_SUCCESS && ftn_true(wanted);
	if (!*flag)
		return rc;
	*out = ftn_cell_new(to);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int del(int object, int keyval, void *value, const struct functions *f)
{
	MPI_Aint extra = f->extra_state, was = ftn_cell_value(value);
	int rc = MPI_SUCCESS;

	if (f->legacy) {
		int extra_1 = (int)extra, was_1 = (int)was;

		((fortran_delete_1 *)f->del)(&object, &keyval, &was_1, &extra_1, &rc);
	} else {
		((fortran_delete *)f->del)(&object, &keyval, &was, &extra, &rc);
	}
	if (rc == MPI_SUCCESS)
		ftn_cell_free(value);
	return rc;
}

static void no_memory(const char *name, int *ierror)
{
	ftn_error_out(ierror, ftn_no_memory(name));
}

/* What Fortran sees of a predefined attribute: the number that C's value points to. */
static MPI_Aint seen(int keyval, void *value)
{
	switch (keyval) {
	case MPI_TAG_UB:
	case MPI_IO:
	case MPI_HOST:
	case MPI_WTIME_IS_GLOBAL:
	case MPI_APPNUM:
	case MPI_LASTUSEDCODE:
	case MPI_UNIVERSE_SIZE:
	case MPI_WIN_DISP_UNIT:
	case MPI_WIN_CREATE_FLAVOR:
	case MPI_WIN_MODEL:
		return *(int *)value;
	case MPI_WIN_SIZE:
		return *(MPI_Aint *)value;
	case MPI_WIN_BASE:
		return (MPI_Aint)value;
	default:
		return ftn_cell_value(value);
	}
}

/* ---- of communicators ---- */

static int comm_copy(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
	return copy(PMPI_Comm_toint(comm), keyval, extra_state, in, out, flag);
}

static int comm_delete(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
	return del(PMPI_Comm_toint(comm), keyval, value, extra_state);
}

void ftn_comm_create_keyval(ftn_function *comm_copy_attr_fn, ftn_function *comm_delete_attr_fn,
	int *comm_keyval, const MPI_Aint *extra_state, int *ierror)
{
	struct functions *f = shared((struct functions){
		comm_copy_attr_fn, comm_delete_attr_fn, *extra_state, false, NULL});

	if (f)
		ftn_error_out(
			ierror, PMPI_Comm_create_keyval(comm_copy, comm_delete, comm_keyval, f));
	else
		no_memory("MPI_Comm_create_keyval", ierror);
}

static int comm_set(MPI_Comm comm, int keyval, MPI_Aint value, const char *name)
{
	void *cell = ftn_cell_new(value);
	int rc = cell ? PMPI_Comm_set_attr(comm, keyval, cell) : ftn_no_memory(name);

	if (rc != MPI_SUCCESS)
		ftn_cell_free(cell);
	return rc;
}

void ftn_comm_set_attr(
	const int *comm, const int *comm_keyval, const MPI_Aint *attribute_val, int *ierror)
{
	ftn_error_out(ierror, comm_set(PMPI_Comm_fromint(*comm), *comm_keyval, *attribute_val,
				      "MPI_Comm_set_attr"));
}

void ftn_comm_get_attr(
	const int *comm, const int *comm_keyval, MPI_Aint *attribute_val, int *flag, int *ierror)
{
	void *value = NULL;
	int found = 0,
	    rc = PMPI_Comm_get_attr(PMPI_Comm_fromint(*comm), *comm_keyval, &value, &found);

	if (rc == MPI_SUCCESS) {
		*flag = found != 0;
		if (found)
			*attribute_val = seen(*comm_keyval, value);
	}
	ftn_error_out(ierror, rc);
}

/* ---- of datatypes ---- */

static int type_copy(
	MPI_Datatype datatype, int keyval, void *extra_state, void *in, void *out, int *flag)
{
	return copy(PMPI_Type_toint(datatype), keyval, extra_state, in, out, flag);
}

static int type_delete(MPI_Datatype datatype, int keyval, void *value, void *extra_state)
{
	return del(PMPI_Type_toint(datatype), keyval, value, extra_state);
}

void ftn_type_create_keyval(ftn_function *type_copy_attr_fn, ftn_function *type_delete_attr_fn,
	int *type_keyval, const MPI_Aint *extra_state, int *ierror)
{
	struct functions *f = shared((struct functions){
		type_copy_attr_fn, type_delete_attr_fn, *extra_state, false, NULL});

	if (f)
		ftn_error_out(
			ierror, PMPI_Type_create_keyval(type_copy, type_delete, type_keyval, f));
	else
		no_memory("MPI_Type_create_keyval", ierror);
}

static int type_set(MPI_Datatype datatype, int keyval, MPI_Aint value, const char *name)
{
	void *cell = ftn_cell_new(value);
	int rc = cell ? PMPI_Type_set_attr(datatype, keyval, cell) : ftn_no_memory(name);

	if (rc != MPI_SUCCESS)
		ftn_cell_free(cell);
	return rc;
}

void ftn_type_set_attr(
	const int *datatype, const int *type_keyval, const MPI_Aint *attribute_val, int *ierror)
{
	ftn_error_out(ierror, type_set(PMPI_Type_fromint(*datatype), *type_keyval, *attribute_val,
				      "MPI_Type_set_attr"));
}

void ftn_type_get_attr(const int *datatype, const int *type_keyval, MPI_Aint *attribute_val,
	int *flag, int *ierror)
{
	void *value = NULL;
	int found = 0,
	    rc = PMPI_Type_get_attr(PMPI_Type_fromint(*datatype), *type_keyval, &value, &found);

	if (rc == MPI_SUCCESS) {
		*flag = found != 0;
		if (found)
			*attribute_val = seen(*type_keyval, value);
	}
	ftn_error_out(ierror, rc);
}

/* ---- of windows ---- */

static int win_copy(MPI_Win win, int keyval, void *extra_state, void *in, void *out, int *flag)
{
	return copy(PMPI_Win_toint(win), keyval, extra_state, in, out, flag);
}

static int win_delete(MPI_Win win, int keyval, void *value, void *extra_state)
{
	return del(PMPI_Win_toint(win), keyval, value, extra_state);
}

void ftn_win_create_keyval(ftn_function *win_copy_attr_fn, ftn_function *win_delete_attr_fn,
	int *win_keyval, const MPI_Aint *extra_state, int *ierror)
{
	struct functions *f = shared((struct functions){
		win_copy_attr_fn, win_delete_attr_fn, *extra_state, false, NULL});

	if (f)
		ftn_error_out(ierror, PMPI_Win_create_keyval(win_copy, win_delete, win_keyval, f));
	else
		no_memory("MPI_Win_create_keyval", ierror);
}

static int win_set(MPI_Win win, int keyval, MPI_Aint value, const char *name)
{
	void *cell = ftn_cell_new(value);
	int rc = cell ? PMPI_Win_set_attr(win, keyval, cell) : ftn_no_memory(name);

	if (rc != MPI_SUCCESS)
		ftn_cell_free(cell);
	return rc;
}

void ftn_win_set_attr(
	const int *win, const int *win_keyval, const MPI_Aint *attribute_val, int *ierror)
{
	ftn_error_out(ierror,
		win_set(PMPI_Win_fromint(*win), *win_keyval, *attribute_val, "MPI_Win_set_attr"));
}

void ftn_win_get_attr(
	const int *win, const int *win_keyval, MPI_Aint *attribute_val, int *flag, int *ierror)
{
	void *value = NULL;
	int found = 0, rc = PMPI_Win_get_attr(PMPI_Win_fromint(*win), *win_keyval, &value, &found);

	if (rc == MPI_SUCCESS) {
		*flag = found != 0;
		if (found)
			*attribute_val = seen(*win_keyval, value);
	}
	ftn_error_out(ierror, rc);
}

/* ---- of MPI-1, where all integers are INTEGER ---- */

void ftn_keyval_create(ftn_function *copy_fn, ftn_function *delete_fn, int *keyval,
	const int *extra_state, int *ierror)
{
	struct functions *f =
		shared((struct functions){copy_fn, delete_fn, *extra_state, true, NULL});

	if (f)
		ftn_error_out(ierror, PMPI_Comm_create_keyval(comm_copy, comm_delete, keyval, f));
	else
		no_memory("MPI_Keyval_create", ierror);
}

void ftn_attr_put(const int *comm, const int *keyval, const int *attribute_val, int *ierror)
{
	ftn_error_out(ierror,
		comm_set(PMPI_Comm_fromint(*comm), *keyval, *attribute_val, "MPI_Attr_put"));
}

void ftn_attr_get(const int *comm, const int *keyval, int *attribute_val, int *flag, int *ierror)
{
	MPI_Aint value = 0;
	int found = 0, rc = MPI_SUCCESS;

	ftn_comm_get_attr(comm, keyval, &value, &found, &rc);
	if (rc == MPI_SUCCESS) {
		*flag = found;
		if (found)
			*attribute_val = (int)value;
	}
	ftn_error_out(ierror, rc);
}
