/* SPDX-License-Identifier: BSD-3-Clause */
/* What a schedule leaves in memory, for recovery lines that are made while it runs. Pure. */
#ifndef FTMPI_MPI_COLL_WRITTEN_H
#define FTMPI_MPI_COLL_WRITTEN_H

#include "mpi/sched/sched.h"

/* The spans that steps [0, end) receive or write, in order; none overlap, and none touch another of
 * their buffer, but where blocks have units of their own (blocks: 1 << such a buffer): there each
 * is named once. *out is malloc'ed. false: no memory. */
bool coll_written(
	const struct sched *s, size_t end, unsigned blocks, struct sched_span **out, size_t *n);

/* Two schedules with the same sum are the same. */
uint64_t coll_written_sum(const struct sched *s);

#endif
