/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreements among all ranks about checkpoints, over a communicator of the library's own.
 * Collective; the engine lock is held, and given back while they wait. A failure ends the process:
 * a job that has lost a rank cannot agree on anything, and the launcher acts.
 */
#ifndef FTMPI_MPI_TEAM_H
#define FTMPI_MPI_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int team_rank(void);
int team_size(void);

/* *mine: the sum over all ranks p of what p has in each[this rank]. */
void team_scatter_sum(const uint64_t *each, uint64_t *mine);

/* A broadcast from rank 0. */
void team_broadcast(void *bytes, size_t len);

/* len bytes of each rank, in rank order, to rank 0; all may be NULL elsewhere. */
void team_gather(const void *one, size_t len, void *all);

/* The minimum over all ranks. */
uint32_t team_minimum(uint32_t mine);

/* Is it true on every rank? */
bool team_all(bool yes);

#endif
