/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hints of an object (MPI 5.0 sections 7.4.4, 12.2.7): what the program says of its use of it.
 * The keys that are known are in a table; what the program says of other keys is ignored, as the
 * standard wants. An object keeps what it was told in a struct info, NULL as long as that is
 * nothing.
 */
#ifndef FTMPI_MPI_HINTS_H
#define FTMPI_MPI_HINTS_H

#include <stdbool.h>

#include "info.h"

struct hint {
	const char *key, *standard; /* the value that holds until the program says another */
	bool (*fits)(const char *value);
};

/* A table ends with a key that is NULL. Each of MPI 5.0 section 7.4.4, for communicators. */
extern const struct hint hints_of_comm[];

/* Those of section 12.2.1 and 12.2.3 (win_hints.c). */
extern const struct hint hints_of_win[];

/* "true" or "false" */
bool hints_is_flag(const char *value);

/*
 * Take over what given (MPI_INFO_NULL: nothing) says of the known keys; the others of *held stay.
 * MPI_ERR_INFO_VALUE when a known key has a value that makes no sense: nothing is taken then.
 * MPI_ERR_INFO, MPI_ERR_NO_MEM. The end of the object: info_free(*held).
 */
int hints_set(struct info **held, const struct hint *known, MPI_Info given);

/* A new info object of the program with every known key and the value that holds. */
int hints_get(const struct info *held, const struct hint *known, MPI_Info *used);

#endif
