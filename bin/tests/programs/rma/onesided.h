/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of onesided share. A part is a case that all ranks run. */
#ifndef FTMPI_PROGRAMS_ONESIDED_H
#define FTMPI_PROGRAMS_ONESIDED_H

#include <stdbool.h>

#include <mpi.h>

#include "prog.h"

extern struct prog os;

/* End the job with a sentence, in which the case is named, when it is not so. */
void os_expect(bool so, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The call must have answered this class. */
void os_error(const char *what, int rc, int errclass);

/* A window of n ints, all of that value, that this rank owns. */
MPI_Win os_window(int **memory, int n, int value);
void os_free(MPI_Win *win);

/* The ranks beside this one. */
int os_right(void);
int os_left(void);

/* MPI_ERRORS_RETURN */
void os_return(MPI_Win win);

extern const struct prog_case os_putgets[], os_syncs[], os_accumulates[], os_windows[], os_wrongs[],
	os_threads[];

#endif
