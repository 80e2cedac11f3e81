/* SPDX-License-Identifier: BSD-3-Clause */
/* Which epochs of a window are open in this process, and what may begin: MPI_SUCCESS, or
 * MPI_ERR_RMA_SYNC with fail_with said. Pure. */
#ifndef FTMPI_MPI_WIN_EPOCH_H
#define FTMPI_MPI_WIN_EPOCH_H

#include <stdbool.h>

#include "win.h"

/* Is an access or an exposure epoch open in this process? */
bool win_epoch_is_open(const struct win *w);

/* An operation; notes that the fence's epoch, if it is one, is used. */
int win_epoch_may_access(struct win *w, int target);

int win_epoch_may_fence(struct win *w);
int win_epoch_may_start(struct win *w);
int win_epoch_may_post(struct win *w);
int win_epoch_may_lock(struct win *w, int target);
int win_epoch_may_lock_all(struct win *w);
int win_epoch_may_flush(struct win *w, int target);

#endif
