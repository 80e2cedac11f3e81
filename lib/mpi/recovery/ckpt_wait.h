/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for messages in a call that all ranks have made. Under the engine lock. */
#ifndef FTMPI_MPI_CKPT_WAIT_H
#define FTMPI_MPI_CKPT_WAIT_H

#include <stdbool.h>

/* Let messages come until done says that it is enough. Ends the process when a rank is gone. */
void ckpt_wait(bool (*done)(void *arg), void *arg);

#endif
