/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who observes whom. Pure: every rank computes the same from the table of the job.
 *
 * Each rank has min(2, size - 1) observers. With two or more hosts the first is on another host, so
 * that somebody is left to miss it when its host is gone; the second is on its own host where it
 * has company there, so that a cut between two hosts does not look like a rank that has stopped.
 * Whatever hosts are gone, as long as one is left, one of its ranks observes one that is gone.
 */
#ifndef FTMPI_HEARTBEAT_OBSERVERS_H
#define FTMPI_HEARTBEAT_OBSERVERS_H

enum { OBSERVERS_MOST = 2 };

struct observers;

/* node: by rank, the host's index, 0 <= node < size. NULL when memory is short. */
struct observers *observers_new(const int *node, int size);
void observers_free(struct observers *r);

/* Those that a rank beats to. How many: 0 to OBSERVERS_MOST. */
int observers_of(const struct observers *r, int rank, int out[OBSERVERS_MOST]);

/* Those whose beats a rank awaits, ascending; out has room for size - 1. How many. */
int observers_observed(const struct observers *r, int rank, int *out);

#endif
