/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attribute values of Fortran and of C (MPI 5.0 section 19.3.7). A value that Fortran sets is an
 * integer of the size of an address: it is put into a cell, and the cell's address is what C sees,
 * as the standard wants. What C sets is an address, and Fortran sees it as an integer.
 */
#ifndef FTMPI_FORTRAN_ATTRIBUTES_H
#define FTMPI_FORTRAN_ATTRIBUTES_H

#include "glue.h"

/* NULL: no memory. */
void *ftn_cell_new(MPI_Aint value);

/* The integer that Fortran sees for C's value. */
MPI_Aint ftn_cell_value(void *value);

/* Nothing happens when it is no cell. */
void ftn_cell_free(void *value);

#endif
