/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that all ranks wait for: what struct coord_env has as save and conclude. Collective. */
#ifndef FTMPI_MPI_CKPT_BLOCKING_H
#define FTMPI_MPI_CKPT_BLOCKING_H

#include <stdbool.h>

bool ckpt_blocking_save(void *user);
bool ckpt_blocking_conclude(void *user, bool ready);

#endif
