/* SPDX-License-Identifier: BSD-3-Clause */
/* The randomised test for a given time, with an eye on memory. */
#ifndef FTMPI_PROGRAMS_RT_SOAK_H
#define FTMPI_PROGRAMS_RT_SOAK_H

#include <stdbool.h>

#include "prog.h"

/* Collective over MPI_COMM_WORLD. */
void rt_soak_begin(const struct prog *prog, double seconds);

/* Collective over MPI_COMM_WORLD, between cases: is the time over? Ends the job when memory has
 * grown meanwhile. */
bool rt_soak_over(const struct prog *prog);

#endif
