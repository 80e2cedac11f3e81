/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of graphs share. */
#ifndef FTMPI_PROGRAMS_GRAPHS_H
#define FTMPI_PROGRAMS_GRAPHS_H

#include <mpi.h>

#include "expect.h"
#include "prog.h"

extern struct prog prog;

/* MPI_Topo_test says this. */
void graphs_topology(MPI_Comm comm, int expected);

/* What came is what went in. */
void graphs_same(const int *got, const int *expected, int n, const char *what);

/* graphs_dist.c: graphs of which each rank knows a part */
void graphs_of_neighbors(void); /* each says its own edges */
void graphs_of_anyone(void);	/* each says some */

#endif
