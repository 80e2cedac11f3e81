/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of collective operations on intercommunicators: checks, and stages of a plan. */
#ifndef FTMPI_MPI_COLL_STAGES_H
#define FTMPI_MPI_COLL_STAGES_H

#include "coll_call.h"
#include "mpi/sched/sched.h"

/* MPI_ERR_ROOT, MPI_ERR_BUFFER with fail_with said. */
int coll_stages_check_root(const struct comm *c, int root);
int coll_stages_check_not_in_place(const void *buf);

/* Steps that are added to the schedule from here on are among the processes of this side; are with
 * the other side. */
void coll_stages_local(struct coll_run *run);
void coll_stages_remote(struct coll_run *run);

/* The data of rank 0 in a goes to the other ranks of its side. */
void coll_stages_spread(struct coll_run *run, struct sched_span a);

/* The side's contributions in SCHED_IN, combined, in SCHED_OUT of its rank 0; scratch elsewhere. */
void coll_stages_combine(struct coll_run *run, const struct sched_reduction *x);

static inline struct sched_span coll_stages_first(enum sched_buf buf, size_t n)
{
	return sched_span(buf, 0, n);
}

#endif
