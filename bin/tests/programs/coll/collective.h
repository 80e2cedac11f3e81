/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FTMPI_PROGRAMS_COLLECTIVE_H
#define FTMPI_PROGRAMS_COLLECTIVE_H

#include "prog.h"

/* Run Barrier, Bcast, Gather(v), Scatter(v), Allgather(v), Alltoall(v) once each and check what
 * arrives; `loop` enters every number that is sent. */
void collective_move(const struct prog *prog, long loop);

#endif
