/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of ftmpi.h begin with. */
#ifndef FTMPI_MPI_API_CKPT_H
#define FTMPI_MPI_API_CKPT_H

#include <stdbool.h>

/* As api_enter, but false where there is no job. The first one tells the launcher that the program
 * uses these calls. */
bool api_ckpt_enter(const char *name);

/* rc, which is an error of the call that the thread is in: a program that does not look at results
 * reads it in a sentence, the first time that this call fails. */
int api_ckpt_failed(int rc);

#endif
