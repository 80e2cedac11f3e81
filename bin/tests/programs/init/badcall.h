/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_PROGRAMS_BADCALL_H
#define FTMPI_PROGRAMS_BADCALL_H

#include "prog.h"

/* Make every kind of call with an argument that is wrong, under MPI_ERRORS_RETURN, and check that
 * the error class is the standard's. Returns how many calls; the first wrong answer of each kind is
 * printed, and the job ends with status 1 when there was one. */
int badcall_arguments(const struct prog *prog);

#endif
