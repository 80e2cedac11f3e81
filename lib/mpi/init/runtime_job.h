/* SPDX-License-Identifier: BSD-3-Clause */
/* A process joins its job, and leaves it. For runtime.c, which knows the users. */
#ifndef FTMPI_MPI_RUNTIME_JOB_H
#define FTMPI_MPI_RUNTIME_JOB_H

#include "runtime.h"

/* Learn what this process is and build everything, or end the process with a sentence. */
void runtime_job_start(int *argc, char ***argv);

/* For users after the first: the arguments of a start by hand are not the program's. */
void runtime_job_take_out(int *argc, char ***argv);

/* Say goodbye and take everything down. */
void runtime_job_finish(void);

#endif
