/* SPDX-License-Identifier: BSD-3-Clause */
/* The heartbeats of a launched rank: what they need of the rest of the library. */
#ifndef FTMPI_MPI_BEATING_H
#define FTMPI_MPI_BEATING_H

#include "launch/launch.h"

/* Begins, where the job wants heartbeats; they take l->beat_fd then. 0 or an error. */
int beating_start(struct launch *l);

/* Every rank of the job sends heartbeats by now, so a rank without any may be suspected from here
 * on. Any thread. */
void beating_observe(void);

/* MPI_Finalize: the observers are told that it is no failure. Closes l->beat_fd too. */
void beating_stop(struct launch *l);

#endif
