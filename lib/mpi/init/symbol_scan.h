/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that the program refers to. */
#ifndef FTMPI_MPI_SYMBOL_SCAN_H
#define FTMPI_MPI_SYMBOL_SCAN_H

#include <stdbool.h>

/*
 * Does the program, or a library that is loaded with it, refer to a name of another that begins
 * with this? The object that holds this function does not count, nor does the Fortran library,
 * which refers to all; so a program that is linked statically with it uses nothing by this measure.
 */
bool symbol_scan_finds(const char *prefix);

#endif
