/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that all ranks wait for until they are committed, none of images: what enum
 * coord_action_kind has as COORD_SAVE and COORD_CONCLUDE. Collective. */
#ifndef FTMPI_MPI_CKPT_BLOCKING_H
#define FTMPI_MPI_CKPT_BLOCKING_H

#include <stdbool.h>

struct ckpt_job;

bool ckpt_blocking_save(struct ckpt_job *j);
bool ckpt_blocking_conclude(struct ckpt_job *j, bool ready);

#endif
