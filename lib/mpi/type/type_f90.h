/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes for Fortran's kinds (MPI 5.0 section 19.1.9): predefined without a name. The same
 * arguments give the same handle, which cannot be freed.
 */
#ifndef FTMPI_MPI_TYPE_F90_H
#define FTMPI_MPI_TYPE_F90_H

#include "type.h"

/* For MPI_COMBINER_F90_REAL and _COMPLEX: p decimal digits and exponents of 10 up to r, one of
 * which may be MPI_UNDEFINED. For MPI_COMBINER_F90_INTEGER: r decimal digits, p is not looked at.
 * Errors with fail_with said: MPI_ERR_ARG when no type has that much, MPI_ERR_NO_MEM. */
int type_f90(int combiner, int p, int r, struct type **out);

/* The predefined type of this class (MPI_TYPECLASS_...) and size in bytes; MPI_ERR_ARG. */
int type_f90_match_size(int typeclass, int size, MPI_Datatype *out);

/* The pair of these types that MPI_MINLOC takes; MPI_DATATYPE_NULL when there is none. */
MPI_Datatype type_value_index(MPI_Datatype value, MPI_Datatype index);

#endif
