/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_stages.h"

#include "coll_run.h"
#include "mpi/handle/fail.h"

/* ---- checks ---- */

int coll_stages_check_root(const struct comm *c, int root)
{
	if (root == MPI_ROOT || root == MPI_PROC_NULL || (root >= 0 && root < c->npeers))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_ROOT,
		"root %d is neither MPI_ROOT nor MPI_PROC_NULL, nor in the remote group of %s of "
		"%d",
		root, comm_label(c), c->npeers);
}

int coll_stages_check_not_in_place(const void *buf)
{
	if (buf != MPI_IN_PLACE)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning on an intercommunicator");
}

/* ---- stages ---- */

void coll_stages_local(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = true;
}

void coll_stages_remote(struct coll_run *run)
{
	sched_round(&run->s);
	run->s.local = false;
}

void coll_stages_spread(struct coll_run *run, struct sched_span a)
{
	coll_stages_local(run);
	coll_plan_bcast_span(run, a);
	coll_stages_remote(run);
}

void coll_stages_combine(struct coll_run *run, const struct sched_reduction *x)
{
	coll_stages_local(run);
	sched_reduce_binomial(&run->s, &run->at, x);
	coll_stages_remote(run);
}
