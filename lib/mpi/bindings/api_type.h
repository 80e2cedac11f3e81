/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls that make datatypes have in common. Errors have been said with fail_with. */
#ifndef FTMPI_MPI_API_TYPE_H
#define FTMPI_MPI_API_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "check.h"
#include "mpi.h"
#include "mpi/type/type.h"
#include "mpi/type/type_contents.h"

int type_need_count(MPI_Count count);
int type_need_blocklen(MPI_Count blocklen);

/* An array of a call, in whichever way it says numbers: one of the pointers is not null. */
struct type_array {
	const int *ints;
	const MPI_Aint *addresses;
	const MPI_Count *counts;
};

MPI_Count type_array_at(struct type_array a, MPI_Count i);
int type_need_array(struct type_array a, const char *what);

/* The end of every constructor, which returned rc: t keeps its arguments c, and its handle goes
 * out. c, which may be NULL when there was no memory, is used up. */
int type_give(int rc, struct type *t, struct contents *c, MPI_Datatype *newtype);

#endif
