/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program prints. Standard output of a rank is a pipe to its agent, and a C library that
 * finds a pipe there keeps some KiB back: when the library is loaded it becomes a stream of lines,
 * as on a terminal, unless the program (or what is around it) has chosen something else or has
 * written by then. A later setvbuf of the program counts, as ever.
 */
#ifndef FTMPI_MPI_OUTPUT_H
#define FTMPI_MPI_OUTPUT_H

/* When the library is loaded. */
void output_by_lines(void);

/* Before the process ends without exit(): writes what the streams of C, C++ and Fortran hold.
 * Returns after some seconds also where that is not possible: a reader takes nothing, or another
 * thread is inside one of the streams. */
void output_flush(void);

#endif
