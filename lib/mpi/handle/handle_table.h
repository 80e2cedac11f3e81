/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses that are handles of the program at this moment. A lookup asks here before it looks
 * into memory that the program names, so a freed or invented handle is found out without touching
 * what it points to. The engine lock guards it.
 */
#ifndef FTMPI_MPI_HANDLE_TABLE_H
#define FTMPI_MPI_HANDLE_TABLE_H

#include <stdbool.h>

#include "object.h"

/* Make object's address a handle. MPI_SUCCESS, or MPI_ERR_NO_MEM with fail_with said. */
int handle_table_add(struct object *object);

/* No-op when it is not there. */
void handle_table_remove(const struct object *object);

/* Whether handle is the address of a live object of this kind. */
bool handle_table_has(const void *handle, enum object_kind kind);

/* Some live object of this kind, NULL when there is none. */
struct object *handle_table_any(enum object_kind kind);

/* All live objects of this kind; visit adds and removes none. */
void handle_table_each(
	enum object_kind kind, void (*visit)(struct object *object, void *arg), void *arg);

/* Forget all addresses but those of info objects and error handlers, which outlive MPI_Finalize;
 * the owners of the objects free them. */
void handle_table_clear(void);

#endif
