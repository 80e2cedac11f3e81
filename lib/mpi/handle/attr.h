/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of communicators, datatypes and windows (MPI 5.0 section 7.7). The engine lock guards
 * them and is let go around the program's copy and delete functions; the caller has a reference of
 * the object that lasts.
 *
 * A key lives until the program has freed it and no object has an attribute under it. While
 * attributes remain, its copy and delete functions are still called, and its number serves to read
 * and delete them (section 7.7.2), but not to set another.
 */
#ifndef FTMPI_MPI_ATTR_H
#define FTMPI_MPI_ATTR_H

#include <stdbool.h>

#include "mpi.h"

struct attr_list;

/* What an object is: a key belongs to one kind and is refused by the others. */
enum attr_kind { ATTR_COMM, ATTR_TYPE, ATTR_WIN };

/* An object that has attributes: what the program calls it, and where its list is kept, which is
 * NULL without attributes. */
struct attr_holder {
	enum attr_kind kind;
	void *handle;
	struct attr_list **list;
};

/* The functions of a key; the member of each union is that of its kind. The predefined ones have
 * the values 0 and 1 and are never called. */
struct attr_functions {
	enum attr_kind kind;
	union {
		MPI_Comm_copy_attr_function *comm;
		MPI_Type_copy_attr_function *type;
		MPI_Win_copy_attr_function *win;
	} copy;
	union {
		MPI_Comm_delete_attr_function *comm;
		MPI_Type_delete_attr_function *type;
		MPI_Win_delete_attr_function *win;
	} del;
	void *extra_state;
};

int attr_key_create(const struct attr_functions *f, int *keyval);

/* MPI_ERR_KEYVAL for a predefined or unknown key, or one of another kind. A second time, while
 * attributes keep it alive, does nothing. */
int attr_key_free(enum attr_kind kind, int keyval);

/* An old value is deleted first; if its delete function refuses, nothing is set. */
int attr_set(struct attr_holder o, int keyval, void *value);

/* *found false, and *value as it was, when o has no such attribute. Predefined keys are not known
 * here: what they mean is answered before (comm_attr_get). */
int attr_get(struct attr_holder o, int keyval, void **value, bool *found);

/* MPI_SUCCESS too when there is no such attribute. */
int attr_delete(struct attr_holder o, int keyval);

/* Copy what the copy functions want copied, in the order of setting. On an error `to` holds what
 * was copied so far. */
int attr_copy_all(struct attr_holder from, struct attr_holder to);

/* Delete all, the last set first. The first error ends it and leaves the rest. */
int attr_delete_all(struct attr_holder o);

/* Drop all without calling anybody. */
void attr_forget_all(struct attr_list **list);

/* Free the keys the program forgot. No object has attributes any more. */
void attr_key_fini(void);

#endif
