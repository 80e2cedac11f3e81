/* SPDX-License-Identifier: BSD-3-Clause */
/* What runtime.c and runtime_job.c share. */
#ifndef FTMPI_MPI_RUNTIME_JOB_H
#define FTMPI_MPI_RUNTIME_JOB_H

#include "runtime.h"

/* ---- runtime_job.c ---- */

/* Learn what this process is and build everything, or end the process with a sentence. */
void runtime_start(int *argc, char ***argv);

/* For users after the first: arguments of a job begun by hand are not the program's. */
void runtime_take_out(int *argc, char ***argv);

/* Say goodbye and take everything down. */
void runtime_finish(void);

_Noreturn void runtime_give_up(const char *why);

#endif
