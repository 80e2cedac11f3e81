/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FTMPI: MPI 5.0 (mpi.h) and what this library adds to it. A program that includes mpi.h alone uses
 * nothing but the standard.
 */
#ifndef FTMPI_INCLUDE_FTMPI_H
#define FTMPI_INCLUDE_FTMPI_H

#include "mpi.h"

/* The version of this library. */
#define FTMPI_VERSION "0.1.0"
#define FTMPI_VERSION_MAJOR 0
#define FTMPI_VERSION_MINOR 1
#define FTMPI_VERSION_PATCH 0

#endif
