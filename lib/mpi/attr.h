/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes of communicators (MPI 5.0 section 7.7). The engine lock guards them and is let go
 * around the program's copy and delete functions; the caller has a reference of c that lasts.
 *
 * A key lives until the program has freed it and no communicator has an attribute under it. While
 * attributes remain, its copy and delete functions are still called; its number means nothing more.
 */
#ifndef FTMPI_MPI_ATTR_H
#define FTMPI_MPI_ATTR_H

#include <stdbool.h>

#include "mpi.h"

struct comm;

/* The functions of a key. The predefined ones have the values 0 and 1 and are never called. */
struct attr_functions {
	MPI_Comm_copy_attr_function *copy;
	MPI_Comm_delete_attr_function *del;
	void *extra_state;
};

int attr_keyval_create(const struct attr_functions *f, int *keyval);

/* MPI_ERR_KEYVAL for a predefined or unknown key. */
int attr_keyval_free(int keyval);

/* An old value is deleted first; if its delete function refuses, nothing is set. */
int attr_set(struct comm *c, int keyval, void *value);

/* *found false, and *value as it was, when c has no such attribute. */
int attr_get(const struct comm *c, int keyval, void **value, bool *found);

/* MPI_SUCCESS too when there is no such attribute. */
int attr_delete(struct comm *c, int keyval);

/* Copy what the copy functions want copied, in the order of setting. On an error `to` holds what
 * was copied so far. */
int attr_copy_all(struct comm *from, struct comm *to);

/* Delete all, the last set first. The first error ends it and leaves the rest. */
int attr_delete_all(struct comm *c);

/* Drop all without calling anybody. */
void attr_forget_all(struct comm *c);

/* Free the keys the program forgot. No communicator has attributes any more. */
void attr_fini(void);

#endif
