/* SPDX-License-Identifier: BSD-3-Clause */
/* What unit tests of datatypes share. */
#ifndef FTMPI_TESTS_TYPE_CHECK_H
#define FTMPI_TESTS_TYPE_CHECK_H

#include "mpi.h"
#include "mpi/type/type.h"
#include "unit.h"

#define must(call) ck_assert_int_eq((call), MPI_SUCCESS)

static inline struct type *object_of(MPI_Datatype handle)
{
	struct type *t = NULL;

	must(type_lookup(handle, &t));
	return t;
}

#endif
