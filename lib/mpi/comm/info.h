/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Info objects (MPI 5.0 chapter 10): lists of key and value, in the order in which the keys were
 * set. The program has handles of some; others are the library's own, such as the hints of a
 * communicator. The engine lock guards them, but nothing else of the engine is needed: the program
 * may use them before MPI_Init and after MPI_Finalize.
 */
#ifndef FTMPI_MPI_INFO_H
#define FTMPI_MPI_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi.h"
#include "mpi/handle/object.h"

struct info_pair {
	char *key, *value;
};

struct info {
	struct object head;
	size_t count, room;
	struct info_pair *pairs;
};

/* NULL when out of memory. */
struct info *info_new(void);
struct info *info_copy(const struct info *from);

/* NULL: nothing happens. The program has no handle of it. */
void info_free(struct info *i);

/* Give the program a handle, which owns the object. On MPI_ERR_NO_MEM it stays the caller's. */
int info_export(struct info *i, MPI_Info *handle);

/* And take both back. */
void info_unexport(struct info *i);

/* NULL when it does not have the key. */
const char *info_find(const struct info *i, const char *key);

/* The value is replaced where the key is there already. MPI_ERR_NO_MEM. */
int info_put(struct info *i, const char *key, const char *value);

/* false: it does not have the key. */
bool info_remove(struct info *i, const char *key);

/* MPI_ERR_INFO_KEY or MPI_ERR_INFO_VALUE, with fail_with said: empty, or longer than allowed. */
int info_check_key(const char *key);
int info_check_value(const char *key, const char *value);

/* MPI_SUCCESS and *out (borrowed; NULL for MPI_INFO_NULL), or MPI_ERR_INFO with fail_with said.
 * What calls use that take hints. MPI_INFO_ENV is made when it is first asked for: MPI_ERR_NO_MEM.
 */
int info_lookup_hints(MPI_Info handle, struct info **out);

/* The same, but MPI_INFO_NULL is refused: what calls use that work on an info object. */
int info_lookup(MPI_Info handle, struct info **out);

/* What this process was started with, in MPI_INFO_ENV's keys (info_env.c); argc and argv are the
 * program's, or 0 and NULL: those of the process. NULL: out of memory. */
struct info *info_env(int argc, char *const *argv);

/* When the library is loaded: the directory of this moment is the one that it was started in. */
void info_env_keep(void);

#endif
